import type { AssuranceLevel } from '../../age/assurance.ts'
import type { Method } from '../../age/methods.ts'
import type { AgeSignal, SubmittedAgeSignal } from '../../age/signal-schema.ts'
import type { KnownPersona } from './names.ts'

/** What a relying party asks (specification, "Claims object"), under its wire names. */
export interface Claims {
  readonly age_thresholds: readonly number[]
  /** All methods when absent. */
  readonly allowed_methods?: readonly Method[] | undefined
  /** ISO 8601 date or date-time; only later verifications are accepted. */
  readonly verified_after?: string | undefined
  /** Patterns: `/a/b` matches itself, `/a/*` every path below `/a/`. */
  readonly provenance?:
    | { readonly allowed?: readonly string[] | undefined; readonly denied?: readonly string[] | undefined }
    | undefined
  readonly overrides?: { readonly [Name in Method]?: Override | undefined } | undefined
  /** The least level of certification. */
  readonly iso_27566_1?: AssuranceLevel | undefined
}

/** Requirements for the signals of one method. `verified_after` and `iso_27566_1` replace those of the claims. */
export interface Override {
  /** 0 to 150. */
  readonly min_age?: number | undefined
  /** One for each threshold of the claims. */
  readonly age_thresholds?: readonly number[] | undefined
  readonly verified_after?: string | undefined
  readonly iso_27566_1?: AssuranceLevel | undefined
  /** The boolean that an attribute must equal, or the list that must contain it. */
  readonly attributes?: Readonly<Record<string, boolean | readonly string[] | undefined>> | undefined
}

/** One filter applied to one signal. An absent filter passes. */
export interface Check {
  filter:
    | 'allowed_methods'
    | 'verified_after'
    | 'provenance.denied'
    | 'provenance.allowed'
    | 'iso_27566_1'
    | 'attributes'
    | 'age'
  passed: boolean
  /** For people: `needs 21 by overrides.facial_age_estimation.min_age, has 19`. */
  reason: string
}

export interface SignalTrace {
  method: Method
  /** Whether every check passed. */
  passed: boolean
  /** All seven, in the order of application, also those after a failed one. */
  checks: Check[]
}

/** Why one entry of the requested thresholds holds or not. */
export interface ThresholdTrace {
  threshold: number
  /** Whether some signal passed; of a threshold that is named twice each entry must. */
  satisfied: boolean
  signals: SignalTrace[]
}

/** Claims, and whose age signals to evaluate: give exactly one of `persona` and `signals`. */
export interface Question {
  readonly claims: Claims
  readonly persona?: KnownPersona | undefined
  readonly signals?: readonly (AgeSignal | SubmittedAgeSignal)[] | undefined
  /** The instant to evaluate at, ISO 8601; the clock of the sandbox when absent. */
  readonly now?: string | undefined
}

/** What a persona or age signals would answer to claims, and why. */
export interface EvaluationResult {
  age_thresholds: Record<string, boolean>
  trace: ThresholdTrace[]
}
