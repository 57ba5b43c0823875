import { colorsNamed } from 'culori/fn'
import * as z from 'zod'
import { quote } from '../../text/message-parts.ts'
import type { Findings } from '../rules/findings.ts'
import type { Parameters } from './parameters.ts'

/** Parameters that change only the look of the hosted screens. */
export const APPEARANCE_PARAMETERS = [
  'primary_color',
  'secondary_color',
  'text_color',
  'background_color',
  'text_align',
  'button_radius',
  'gradient',
  'font',
] as const

/** Parameters of the hosted screens that E1 takes; E3 takes the first two. */
export const PRESENTATION_PARAMETERS = ['language', 'theme', 'learn_more', ...APPEARANCE_PARAMETERS] as const
type PresentationParameter = (typeof PRESENTATION_PARAMETERS)[number]

export const THEMES = ['light', 'dark', 'system'] as const

export const presentationSchema = z.object({
  theme: z.enum(THEMES),
  /** A BCP 47 tag; when absent, the previous choice counts, then the preference of the browser. */
  language: z.string().optional(),
  learnMore: z.boolean(),
  /** Appearance parameters with a permitted value. */
  appearance: z.partialRecord(z.enum(APPEARANCE_PARAMETERS), z.string()),
})

/** How the hosted screens of one authorization request look. */
export type Presentation = Readonly<z.infer<typeof presentationSchema>>

/** Reads the presentation parameters: a value that is not permitted is ignored, with an advice finding. */
export function readPresentation(
  parameters: Partial<Parameters<PresentationParameter>>,
  findings: Findings,
): Presentation {
  const theme = THEMES.find((known) => known === parameters.theme)
  if (parameters.theme !== undefined && !theme) {
    findings.add('USE-13', {
      path: 'theme',
      message: `theme ${quote(parameters.theme)} is not light, dark or system`,
    })
  }
  const language =
    parameters.language !== undefined && isLanguageTag(parameters.language) ? parameters.language : undefined
  if (parameters.language !== undefined && language === undefined) {
    const message = `language ${quote(parameters.language)} is not an IETF BCP 47 tag such as en or pt-BR`
    findings.add('USE-14', { path: 'language', message })
  }
  const learnMore = parameters.learn_more
  if (learnMore !== undefined && learnMore !== 'true' && learnMore !== 'false') {
    findings.add('USE-15', { path: 'learn_more', message: `learn_more ${quote(learnMore)} is not true or false` })
  }
  return {
    theme: theme ?? 'light',
    ...(language === undefined ? {} : { language }),
    learnMore: learnMore !== 'false',
    appearance: readAppearance(parameters, findings),
  }
}

function readAppearance(
  parameters: Partial<Parameters<PresentationParameter>>,
  findings: Findings,
): Presentation['appearance'] {
  return Object.fromEntries(
    APPEARANCE_PARAMETERS.flatMap((name) => {
      const value = parameters[name]
      if (value === undefined) return []
      if (PERMITTED[name].allows(value)) return [[name, value]]
      findings.add('USE-16', { path: name, message: `${name} ${quote(value)} is not ${PERMITTED[name].sentence}` })
      return []
    }),
  )
}

// Decision: permitted values of the appearance parameters. A colour is `#rgb`, `#rrggbb` or a CSS colour name.
const isColour = (value: string) =>
  /^#(?:[0-9a-f]{3}){1,2}$/i.test(value) || Object.hasOwn(colorsNamed, value.toLowerCase())
const colour: Permitted = { sentence: '#rgb, #rrggbb or a CSS colour name', allows: isColour }
const PERMITTED: Readonly<Record<(typeof APPEARANCE_PARAMETERS)[number], Permitted>> = {
  primary_color: colour,
  secondary_color: colour,
  text_color: colour,
  background_color: colour,
  text_align: {
    sentence: 'left, center or right',
    allows: (value) => ['left', 'center', 'right'].includes(value),
  },
  button_radius: {
    sentence: 'a whole number from 0 to 32',
    allows: (value) => /^\d{1,2}$/.test(value) && Number(value) <= 32,
  },
  gradient: { sentence: 'true or false', allows: (value) => value === 'true' || value === 'false' },
  font: {
    sentence: '1 to 60 letters, digits and spaces',
    allows: (value) => /^[\p{L}\p{N} ]{1,60}$/u.test(value) && value.trim() !== '',
  },
}

interface Permitted {
  /** What is permitted, behind `is not`. */
  readonly sentence: string
  allows(value: string): boolean
}

/** RFC 5646 section 2.1: language with extlangs, script, region, variants, extensions, private use. */
const LANGUAGE_TAG =
  /^(?:(?:[a-z]{2,3}(?:-[a-z]{3}){0,3}|[a-z]{4,8})(?:-[a-z]{4})?(?:-(?:[a-z]{2}|\d{3}))?(?:-(?:[a-z\d]{5,8}|\d[a-z\d]{3}))*(?:-[a-wyz\d](?:-[a-z\d]{2,8})+)*(?:-x(?:-[a-z\d]{1,8})+)?|x(?:-[a-z\d]{1,8})+)$/

/** Registered tags that do not follow the grammar ("irregular"). */
const IRREGULAR_TAGS =
  'en-gb-oed i-ami i-bnn i-default i-enochian i-hak i-klingon i-lux i-mingo i-navajo i-pwn i-tao i-tay i-tsu sgn-be-fr sgn-be-nl sgn-ch-de'.split(
    ' ',
  )

/** RFC 5646 section 2.2.9: well-formed, and no variant or extension stands twice. */
function isLanguageTag(value: string): boolean {
  const tag = value.toLowerCase()
  if (IRREGULAR_TAGS.includes(tag)) return true
  if (!LANGUAGE_TAG.test(tag)) return false
  const [main = ''] = tag.split(/(?:^|-)x-/)
  const [language = '', ...extensions] = main.split(/-(?=[a-wyz\d]-)/)
  const variants = language.split('-').filter((part) => /^(?:[a-z\d]{5,8}|\d[a-z\d]{3})$/.test(part))
  return [variants, extensions.map(([singleton]) => singleton)].every((parts) => new Set(parts).size === parts.length)
}
