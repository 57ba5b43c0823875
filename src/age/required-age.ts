import { completedYears } from './calendar.ts'
import type { Override } from './filters.ts'
import type { Method } from './methods.ts'
import type { Age } from './signal-schema.ts'

/** The age in whole years that a signal says at `now` (epoch milliseconds). */
export function ageOf(age: Age, now: number): number {
  if ('date_of_birth' in age) return completedYears(age.date_of_birth, now)
  return 'years' in age ? age.years : age.at_least_years
}

interface AskedMethod {
  readonly method: Method
  readonly override: Override | undefined
}

/** The age that a method must report for the root threshold at `index`, and the member that says so. */
export function requiredAge(threshold: number, index: number, { method, override }: AskedMethod) {
  const replaced = override?.age_thresholds?.[index]
  const mapped =
    replaced === undefined
      ? { years: threshold, by: () => `age_thresholds[${index}]` }
      : { years: replaced, by: () => `overrides.${method}.age_thresholds[${index}]` }
  const least = override?.min_age ?? 0
  return least > mapped.years ? { years: least, by: () => `overrides.${method}.min_age` } : mapped
}
