import type { Presentation } from '../oidc/request/presentation.ts'
import { BLACK, type Colour, contrast, mix, parseColour, readable, textOn, toHex, WHITE } from './colour.ts'

/** What the style sheet of the pages has when a request asks for nothing; the light theme of `app.css`. */
const DEFAULTS = { primary: '#392669', secondary: '#16004e', text: '#1d1733', background: '#fff' }

/** Contrast that WCAG 2.2 AA asks of text, and of the edges of controls. */
const TEXT = 4.5
const EDGE = 3

/**
 * The appearance parameters of E1 as custom properties for `app.css`. Whatever the colours, text and links keep a contrast of
 * 4.5:1: the colour of a button stays as it was asked for and its text is black or white; text and links are moved towards
 * black or white as far as it takes.
 *
 * @param appearance permitted values only
 */
export function renderAppearanceCss(appearance: Presentation['appearance']): string {
  const properties = { ...colourProperties(appearance), ...otherProperties(appearance) }
  const lines = Object.entries(properties).map(([name, value]) => `  --${name}: ${value};`)
  return `:root {\n${lines.join('\n')}\n}\n`
}

function colourProperties(appearance: Presentation['appearance']): Record<string, string> {
  const primary = colourOf(appearance.primary_color, DEFAULTS.primary)
  const secondary = colourOf(appearance.secondary_color, DEFAULTS.secondary)
  const background = colourOf(appearance.background_color, DEFAULTS.background)
  const page = tint(background, secondary, 0.06)
  const wash = tint(background, primary, 0.07)
  const surfaces = [background, page, wash]
  const text = textColour(appearance.text_color, surfaces)
  const onPrimary = textOn(primary)
  const colours: Record<string, Colour> = {
    primary,
    'on-primary': onPrimary,
    // Away from the text, so that its contrast only grows.
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
  return Object.fromEntries(Object.entries(colours).map(([name, colour]) => [name, toHex(colour)]))
}

/** The colour that was asked for, as far as it can be read. Nobody asked for the default, so it gives way to black or white. */
function textColour(asked: string | undefined, surfaces: readonly Colour[]): Colour {
  if (asked !== undefined) return readable(colourOf(asked, DEFAULTS.text), TEXT, surfaces)
  const usual = colourOf(undefined, DEFAULTS.text)
  return surfaces.every((surface) => contrast(usual, surface) >= TEXT) ? usual : textOn(...surfaces)
}

/** The background with a share of another colour; without it where text could then not be read on both. */
function tint(background: Colour, colour: Colour, share: number): Colour {
  const tinted = mix(colour, share, background)
  return contrast(textOn(background), tinted) >= TEXT ? tinted : background
}

function otherProperties(appearance: Presentation['appearance']): Record<string, string> {
  const { text_align: align, button_radius: radius, gradient, font } = appearance
  return {
    ...(align === undefined ? {} : { align }),
    ...(radius === undefined ? {} : { radius: `${Number(radius)}px` }),
    // The name of the sandbox stands on the upper part, which keeps one colour.
    ...(gradient === 'true' ? { band: 'linear-gradient(var(--secondary) 40%, var(--primary))' } : {}),
    // Decision: the family is used when the device has it; nothing is loaded.
    ...(font === undefined ? {} : { font: `"${font.trim()}", system-ui, sans-serif` }),
  }
}

const colourOf = (text: string | undefined, otherwise: string): Colour =>
  parseColour(text ?? otherwise) ?? parseColour(otherwise) ?? BLACK
