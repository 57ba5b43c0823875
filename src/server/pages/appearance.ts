import { formatHex, interpolate, modeLrgb, modeRgb, useMode, wcagContrast } from 'culori/fn'
import type { Tenant } from '../../sandbox/tenants/tenant.ts'
import type { Provider } from '../../service/oidc/provider.ts'
import {
  APPEARANCE_PARAMETERS,
  type Presentation,
  readPresentation,
} from '../../service/oidc/request/presentation.ts'
import type { Finding } from '../../service/oidc/rules/finding.ts'
import { Findings } from '../../service/oidc/rules/findings.ts'
import type { Handler } from '../http/handler.ts'

// culori supports only registered colour spaces: sRGB, and linear sRGB for contrast.
useMode(modeRgb)
useMode(modeLrgb)

/** `#rrggbb` */
type Colour = string

const BLACK: Colour = '#000000'
const WHITE: Colour = '#ffffff'

/**
 * The path of the style sheet for an appearance. Its query holds the parameters, so the sandbox
 * keeps no state.
 */
export const appearanceCssPath = (
  { basePath }: Tenant,
  appearance: Presentation['appearance'],
): string => `${basePath}/_sandbox/appearance.css?${new URLSearchParams({ ...appearance })}`

/**
 * `GET /_sandbox/appearance.css`: the appearance parameters of E1 as a style sheet. Invalid values
 * are ignored.
 */
export const appearanceCss: Handler = (request, { provider }) => {
  const sent = new Map(request.queryPairs)
  const parameters = Object.fromEntries(
    APPEARANCE_PARAMETERS.map((name) => [name, sent.get(name) || undefined]),
  )
  const { appearance } = readPresentation(parameters, new Findings(provider.profile))
  return {
    reply: {
      status: 200,
      headers: {
        'Content-Type': 'text/css; charset=utf-8',
        'Cache-Control': 'public, max-age=3600',
      },
      body: { kind: 'text', text: renderAppearanceCss(appearance) },
    },
  }
}

/** The colours without appearance parameters: the light theme of `app.css`. */
const DEFAULTS = { primary: '#392669', secondary: '#16004e', text: '#1d1733', background: WHITE }

/** The contrast ratios that WCAG 2.2 AA requires for text and for the edges of controls. */
const TEXT = 4.5
const EDGE = 3

/**
 * The appearance parameters of E1 as custom properties for `app.css`. With any colours text and
 * links have a contrast of at least 4.5:1. A button keeps the requested colour and gets black or
 * white text; other text and links move towards black or white as far as needed.
 *
 * @param appearance valid values only
 */
export function renderAppearanceCss(appearance: Presentation['appearance']): string {
  const properties = { ...colourProperties(appearance), ...otherProperties(appearance) }
  const lines = Object.entries(properties).map(([name, value]) => `  --${name}: ${value};`)
  return `:root {\n${lines.join('\n')}\n}\n`
}

/**
 * Advice on a `text_color` that is not shown as requested.
 * @param appearance valid values only
 */
export function colourAdvice(
  appearance: Presentation['appearance'],
  { profile }: Provider,
): readonly Finding[] {
  const { text_color: asked } = appearance
  if (asked === undefined) return []
  const wanted = colourOf(asked, DEFAULTS.text)
  const { text: shown, surfaces } = textOnSurfaces(appearance)
  if (shown === wanted) return []
  const least = Math.min(...surfaces.map((surface) => contrast(wanted, surface)))
  const findings = new Findings(profile)
  const message = `text_color ${asked} has a contrast of ${least.toFixed(1)}:1 on this background, at least ${TEXT}:1 is needed; ${shown} is shown`
  findings.add('USE-21', { path: 'text_color', message })
  return findings.all
}

/** Advice for a device without the requested font, which only a script on the page can detect. */
export function fontAdvice(
  { font }: Presentation['appearance'],
  { profile }: Provider,
): readonly Finding[] {
  if (font === undefined) return []
  const findings = new Findings(profile)
  const message = `this device has no font "${font.trim()}": a default font is shown`
  findings.add('USE-22', { path: 'font', message })
  return findings.all
}

function colourProperties(appearance: Presentation['appearance']): Record<string, string> {
  const primary = colourOf(appearance.primary_color, DEFAULTS.primary)
  const secondary = colourOf(appearance.secondary_color, DEFAULTS.secondary)
  const { text, surfaces } = textOnSurfaces(appearance)
  const [background, page, wash] = surfaces
  const onPrimary = textOn(primary)
  return {
    primary,
    'on-primary': onPrimary,
    // The hover colour moves away from the colour of its text, so that the contrast only grows.
    'primary-hover': mix(primary, 0.86, onPrimary === WHITE ? BLACK : WHITE),
    'primary-edge': readable(primary, EDGE, [background]),
    accent: readable(primary, TEXT, surfaces),
    secondary,
    'on-secondary': textOn(secondary),
    background,
    page,
    wash,
    text,
    muted: readable(mix(text, 0.74, background), TEXT, surfaces),
    edge: readable(mix(text, 0.55, background), EDGE, [background]),
  }
}

/** The colour of text, and the colours behind it: card, page and washed areas. */
function textOnSurfaces(appearance: Presentation['appearance']) {
  const background = colourOf(appearance.background_color, DEFAULTS.background)
  const page = tint(background, colourOf(appearance.secondary_color, DEFAULTS.secondary), 0.06)
  const wash = tint(background, colourOf(appearance.primary_color, DEFAULTS.primary), 0.07)
  const surfaces = [background, page, wash] as const
  return { surfaces, text: textColour(appearance.text_color, surfaces) }
}

/**
 * The requested text colour, moved until it is readable. The default text colour instead becomes
 * black or white if it is not readable.
 */
function textColour(asked: string | undefined, surfaces: readonly Colour[]): Colour {
  if (asked !== undefined) return readable(colourOf(asked, DEFAULTS.text), TEXT, surfaces)
  const usual = colourOf(undefined, DEFAULTS.text)
  return surfaces.every((surface) => contrast(usual, surface) >= TEXT) ? usual : textOn(...surfaces)
}

/**
 * The background tinted with another colour; the plain background if its text would not be readable
 * on the tint.
 */
function tint(background: Colour, colour: Colour, share: number): Colour {
  const tinted = mix(colour, share, background)
  return contrast(textOn(background), tinted) >= TEXT ? tinted : background
}

function otherProperties(appearance: Presentation['appearance']): Record<string, string> {
  const { text_align: align, button_radius: radius, gradient, font } = appearance
  return {
    ...(align === undefined ? {} : { align }),
    ...(radius === undefined ? {} : { radius: `${Number(radius)}px` }),
    // The upper part keeps one colour, because the name of the sandbox stands there.
    ...(gradient === 'true'
      ? { band: 'linear-gradient(var(--secondary) 40%, var(--primary))' }
      : {}),
    // Decision: the family is used when the device has it; nothing is loaded.
    ...(font === undefined ? {} : { font: `"${font.trim()}", system-ui, sans-serif` }),
  }
}

const colourOf = (text: string | undefined, fallback: Colour): Colour => formatHex(text) ?? fallback

/**
 * Mixes two colours in sRGB, as CSS `color-mix` does.
 * @param share the share of `colour`, 0 to 1
 * @example
 * mix('#ffffff', 0.5, '#000000') // '#808080'
 */
export const mix = (colour: Colour, share: number, other: Colour): Colour =>
  formatHex(interpolate([other, colour], 'rgb')(share))

/**
 * The contrast ratio of two colours (WCAG 2.2), 1 to 21.
 * @example
 * contrast('#ffffff', '#000000') // 21
 */
export const contrast = (one: Colour, other: Colour): number => wcagContrast(one, other)

/**
 * Black or white, whichever has the better contrast on all backgrounds. On a single background the
 * contrast is at least 4.5:1.
 */
export function textOn(...backgrounds: readonly Colour[]): Colour {
  const least = (text: Colour) =>
    Math.min(...backgrounds.map((background) => contrast(text, background)))
  return least(WHITE) >= least(BLACK) ? WHITE : BLACK
}

/**
 * Moves a colour towards black or white until its contrast is at least `ratio` on every background.
 */
export function readable(colour: Colour, ratio: number, backgrounds: readonly Colour[]): Colour {
  const target = textOn(...backgrounds)
  for (let share = 1; share > 0; share -= 0.02) {
    const candidate = mix(colour, share, target)
    if (backgrounds.every((background) => contrast(candidate, background) >= ratio))
      return candidate
  }
  return target
}
