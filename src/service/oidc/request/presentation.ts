import { colorsNamed } from 'culori/fn'
import * as z from 'zod'
import { quote } from '../../text/message-parts.ts'
import type { Findings } from '../rules/findings.ts'
import type { RuleId } from '../rules/rules.ts'
import type { Parameters } from './parameters.ts'

/** Parameters that change only the appearance of the hosted screens. */
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

/** The hosted-screen parameters of E1. E3 supports only `language` and `theme`. */
export const PRESENTATION_PARAMETERS = [
  'language',
  'theme',
  'learn_more',
  ...APPEARANCE_PARAMETERS,
] as const
type PresentationParameter = (typeof PRESENTATION_PARAMETERS)[number]

const THEMES = ['light', 'dark', 'system'] as const

export const presentationSchema = z.object({
  theme: z.enum(THEMES),
  /** A BCP 47 tag. If absent, the previous choice applies, then the preference of the browser. */
  language: z.string().optional(),
  learnMore: z.boolean(),
  /** Appearance parameters with permitted values. */
  appearance: z.partialRecord(z.enum(APPEARANCE_PARAMETERS), z.string()),
})

/** How the hosted screens of one authorization request look. */
export type Presentation = Readonly<z.infer<typeof presentationSchema>>

/**
 * Reads the parameters of the hosted screens. A value that is not permitted is ignored and reported
 * as advice.
 */
export function readPresentation(
  parameters: Partial<Parameters<PresentationParameter>>,
  findings: Findings,
): Presentation {
  const permitted: Partial<Record<PresentationParameter, string>> = {}
  for (const name of JUDGED) {
    const value = parameters[name]
    if (value === undefined) continue
    const { rule = 'USE-16', sentence, allows } = PERMITTED[name]
    if (allows(value)) permitted[name] = value
    else findings.add(rule, { path: name, message: `${name} ${quote(value)} is not ${sentence}` })
  }
  const { theme, language, learn_more: learnMore, ...appearance } = permitted
  return {
    theme: THEMES.find((known) => known === theme) ?? 'light',
    ...(language === undefined ? {} : { language }),
    learnMore: learnMore !== 'false',
    appearance,
  }
}

/** In the order in which findings are reported. */
const JUDGED = ['theme', 'language', 'learn_more', ...APPEARANCE_PARAMETERS] as const

interface Permitted {
  /** The permitted values, to follow the words `is not`. */
  readonly sentence: string
  /** The rule that any other value breaks (default USE-16). */
  readonly rule?: RuleId
  allows(value: string): boolean
}

const oneOf = (...words: readonly string[]): Permitted => ({
  sentence: words.join(', ').replace(/, (\w+)$/, ' or $1'),
  allows: (value) => words.includes(value),
})

// Decision: the specification does not say which values the appearance parameters may have. A
// colour is `#rgb`, `#rrggbb` or a CSS colour name.
const COLOUR: Permitted = {
  sentence: '#rgb, #rrggbb or a CSS colour name',
  allows: (value) =>
    /^#(?:[0-9a-f]{3}){1,2}$/i.test(value) || Object.hasOwn(colorsNamed, value.toLowerCase()),
}

const PERMITTED: Readonly<Record<PresentationParameter, Permitted>> = {
  theme: { ...oneOf(...THEMES), rule: 'USE-13' },
  language: {
    sentence: 'an IETF BCP 47 tag such as en or pt-BR',
    rule: 'USE-14',
    allows: isLanguageTag,
  },
  learn_more: { ...oneOf('true', 'false'), rule: 'USE-15' },
  primary_color: COLOUR,
  secondary_color: COLOUR,
  text_color: COLOUR,
  background_color: COLOUR,
  text_align: oneOf('left', 'center', 'right'),
  button_radius: {
    sentence: 'a whole number from 0 to 32',
    allows: (value) => /^\d{1,2}$/.test(value) && Number(value) <= 32,
  },
  gradient: oneOf('true', 'false'),
  font: {
    sentence: '1 to 60 letters, digits and spaces',
    allows: (value) => /^[\p{L}\p{N} ]{1,60}$/u.test(value) && value.trim() !== '',
  },
}

/**
 * RFC 5646 section 2.1: language with extended languages, script, region, variants, extensions,
 * private use.
 */
const LANGUAGE_TAG =
  /^(?:(?:[a-z]{2,3}(?:-[a-z]{3}){0,3}|[a-z]{4,8})(?:-[a-z]{4})?(?:-(?:[a-z]{2}|\d{3}))?(?:-(?:[a-z\d]{5,8}|\d[a-z\d]{3}))*(?:-[a-wyz\d](?:-[a-z\d]{2,8})+)*(?:-x(?:-[a-z\d]{1,8})+)?|x(?:-[a-z\d]{1,8})+)$/

/** Registered tags that do not follow the grammar (`irregular` in RFC 5646 section 2.1). */
const IRREGULAR_TAGS =
  'en-gb-oed i-ami i-bnn i-default i-enochian i-hak i-klingon i-lux i-mingo i-navajo i-pwn i-tao i-tay i-tsu sgn-be-fr sgn-be-nl sgn-ch-de'.split(
    ' ',
  )

/**
 * Whether a tag is well-formed and has no repeated variant or extension (RFC 5646 section 2.2.9).
 */
function isLanguageTag(value: string): boolean {
  const tag = value.toLowerCase()
  if (IRREGULAR_TAGS.includes(tag)) return true
  if (!LANGUAGE_TAG.test(tag)) return false
  const [main = ''] = tag.split(/(?:^|-)x-/)
  const [language = '', ...extensions] = main.split(/-(?=[a-wyz\d]-)/)
  const variants = language
    .split('-')
    .filter((part) => /^(?:[a-z\d]{5,8}|\d[a-z\d]{3})$/.test(part))
  return [variants, extensions.map(([singleton]) => singleton)].every(
    (parts) => new Set(parts).size === parts.length,
  )
}
