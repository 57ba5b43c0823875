/** The configurable values of age signals; the specification fixes everything else. */
export interface Vocabulary {
  /** Provenance paths that a submitted age signal may use, for example `/veratad/roc`. */
  readonly provenanceAllowlist: readonly string[]
  /** Values of the attribute `platform` of a `digital_credential`. */
  readonly platforms: readonly string[]
}

/** ISO 27566-1 levels of effectiveness, from the lowest to the highest. */
export const ASSURANCE_LEVELS = ['basic', 'effective', 'highly_effective', 'strict'] as const

export type AssuranceLevel = (typeof ASSURANCE_LEVELS)[number]

/**
 * Whether a certified level is at least the required level. A missing certification (`undefined`)
 * reaches no level.
 * @example
 * ```ts
 * reaches('strict', 'effective') // true
 * reaches(undefined, 'basic') // false
 * ```
 */
export function reaches(level: AssuranceLevel | undefined, required: AssuranceLevel): boolean {
  return ASSURANCE_LEVELS.slice(ASSURANCE_LEVELS.indexOf(required)).some(
    (enough) => enough === level,
  )
}

/**
 * The provenance of a signal: `/provider` or `/provider/sub_provider`, with lowercase letters,
 * digits and underscores.
 */
export const PROVENANCE_PATH = /^(?:\/[a-z0-9_]+){1,2}$/

/**
 * A pattern for provenance paths: a path, or a prefix with `/*` at the end. The pattern `/*` alone
 * matches every path.
 */
export const PROVENANCE_PATTERN = /^(?:\/[a-z0-9_]+)*\/(?:[a-z0-9_]+|\*)$/

/**
 * Whether a provenance path matches a pattern: `/a/b` matches only itself, `/a/*` every path below
 * `/a/` but not `/a`.
 */
export function matchesPattern(pattern: string, path: string): boolean {
  return pattern.endsWith('/*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern
}

/** The assigned ISO 3166-1 alpha-2 codes. A test compares them with an independent list. */
export const COUNTRIES: readonly string[] = `
  AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA
  CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA
  GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP
  KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS
  MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS
  RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW
  TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW
`
  .trim()
  .split(/\s+/)
