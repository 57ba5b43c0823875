import { yearsBetween } from './calendar.ts'
import type { Claims } from './claims.ts'
import { ageOf, requiredAge } from './evaluate.ts'
import { filterChecks } from './filters.ts'
import { METHOD_NAMES, METHODS, type Method } from './methods.ts'
import type { AgeSignal } from './signal-schema.ts'

/** A member of the claims that filters age signals, and its results. */
export interface FilterResult {
  /** `provenance.denied`, `overrides.facial_age_estimation.min_age` */
  readonly member: string
  readonly passed: boolean
}

/**
 * The results of each filtering member. `overrides.METHOD.age_thresholds` has both results when
 * only some thresholds hold.
 */
export function filterResults(
  signals: readonly AgeSignal[],
  claims: Claims,
  now: number,
): readonly FilterResult[] {
  const results: FilterResult[] = []
  for (const signal of signals) {
    for (const { member, passed } of filterChecks(signal, claims)) {
      if (member !== undefined) results.push({ member, passed })
    }
    const { min_age: least, age_thresholds: ages = [] } = claims.overrides?.[signal.method] ?? {}
    const years = ageOf(signal.age, now)
    const add = (name: string, needed: number) =>
      results.push({ member: `overrides.${signal.method}.${name}`, passed: years >= needed })
    if (least !== undefined) add('min_age', least)
    for (const needed of ages) add('age_thresholds', needed)
  }
  return results
}

/** The members of the claims that can both pass and fail a signal, in the order of application. */
export function filtersOf(claims: Claims): readonly string[] {
  const { allowed_methods: methods, provenance, overrides = {} } = claims
  const isAsked: Readonly<Record<string, boolean>> = {
    allowed_methods:
      methods !== undefined && METHOD_NAMES.some((method) => !methods.includes(method)),
    verified_after: claims.verified_after !== undefined,
    'provenance.denied': isFilled(provenance?.denied),
    // With an empty list no signal passes.
    'provenance.allowed': isFilled(provenance?.allowed),
    iso_27566_1: claims.iso_27566_1 !== undefined,
  }
  const ofMethods = METHOD_NAMES.flatMap((method) =>
    Object.entries(overrides[method] ?? {})
      .filter(([, value]) => demandsSomething(value))
      .map(([member]) => `overrides.${method}.${member}`),
  )
  return [...Object.keys(isAsked).filter((member) => isAsked[member]), ...ofMethods]
}

/** An age of 0 and an empty object fail no signal. */
const demandsSomething = (value: object | string | number | undefined) =>
  typeof value === 'object' ? Object.keys(value).length > 0 : value !== undefined && value !== 0

const isFilled = (list: readonly string[] | undefined) => list !== undefined && list.length > 0

export interface Birthday {
  readonly threshold: number
  readonly day: 'today' | 'tomorrow'
}

const DAY = 86_400_000

/**
 * The birthdays, today or tomorrow, on which a threshold begins to hold for a signal that passes
 * the filters.
 */
export function birthdaysAt(
  signals: readonly AgeSignal[],
  claims: Claims,
  now: number,
): readonly Birthday[] {
  const [yesterday, today, tomorrow] = [new Date(now - DAY), new Date(now), new Date(now + DAY)]
  return signals.flatMap((signal) => {
    if (!('date_of_birth' in signal.age)) return []
    const birth = new Date(signal.age.date_of_birth)
    const reached = yearsBetween(birth, tomorrow)
    if (
      yearsBetween(birth, yesterday) === reached ||
      !filterChecks(signal, claims).every(({ passed }) => passed)
    )
      return []
    const day = yearsBetween(birth, today) === reached ? 'today' : 'tomorrow'
    return claims.age_thresholds.flatMap((threshold, index) =>
      neededYears(threshold, index, signal.method, claims) === reached
        ? [{ threshold, day } as const]
        : [],
    )
  })
}

/**
 * The youngest age at which a signal with a date of birth satisfies the threshold at `index`;
 * `undefined` when it never can.
 */
export function birthdayOf(threshold: number, index: number, claims: Claims): number | undefined {
  const { allowed_methods: methods = METHOD_NAMES } = claims
  const dated = methods.filter((method) => METHODS[method].ageFormats.includes('date_of_birth'))
  const years = dated
    .map((method) => neededYears(threshold, index, method, claims))
    .filter((needed) => needed > 0)
  return years.length === 0 ? undefined : Math.min(...years)
}

const neededYears = (threshold: number, index: number, method: Method, { overrides }: Claims) =>
  requiredAge(threshold, index, { method, override: overrides?.[method] }).years
