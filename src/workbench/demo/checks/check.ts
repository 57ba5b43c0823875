import * as z from 'zod'
import { CHECKS, type ClientCheck } from '../../../sandbox/outcomes/outcome.ts'

export const checkResultSchema = z.object({
  /** The name of the check in the catalogue: `nonce`. */
  name: z.enum(CHECKS),
  passed: z.boolean(),
  found: z.string(),
})

/** One check of the catalogue with its result. */
export type CheckResult = Readonly<z.infer<typeof checkResultSchema>>

interface CheckFacts {
  readonly passed: boolean
  readonly found: unknown
  /** The expected value, which a failed check shows beside the found value. */
  readonly expected?: string
}

export function check(name: ClientCheck, { passed, found, expected }: CheckFacts): CheckResult {
  const isCompared = !passed && expected !== undefined
  return {
    name,
    passed,
    found: isCompared ? `${textOf(found)}; must be ${expected}` : textOf(found),
  }
}

/** Creates a check that only one value passes. */
export const equal = (
  name: ClientCheck,
  { found, expected }: { found: unknown; expected: string },
): CheckResult => check(name, { passed: found === expected, found, expected })

/** Removes checks that do not apply (`false`). */
export const applying = (checks: readonly (CheckResult | false)[]): CheckResult[] =>
  checks.filter((result) => result !== false)

export const allPassed = (checks: readonly CheckResult[]): boolean =>
  checks.every(({ passed }) => passed)

function textOf(value: unknown): string {
  if (value === undefined) return 'absent'
  return typeof value === 'string' ? value : JSON.stringify(value)
}
