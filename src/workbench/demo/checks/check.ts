import * as z from 'zod'
import { CHECKS, type ClientCheck } from '../../../sandbox/outcomes/outcome.ts'

export const checkResultSchema = z.object({
  /** The subject of the check: `nonce`. */
  name: z.enum(CHECKS),
  /** The passing value in words. */
  rule: z.string(),
  passed: z.boolean(),
  found: z.string(),
})

/** One check with its result. */
export type CheckResult = Readonly<z.infer<typeof checkResultSchema>>

export const check = (
  name: ClientCheck,
  rule: string,
  { passed, found }: { passed: boolean; found: unknown },
): CheckResult => ({ name, rule, passed, found: textOf(found) })

/** A check that exactly one value passes. */
export function equal(
  name: ClientCheck,
  rule: string,
  { expected, actual }: { expected: string; actual: unknown },
): CheckResult {
  const passed = actual === expected
  return { name, rule, passed, found: passed ? expected : `${textOf(actual)}; must be ${expected}` }
}

/** The checks that are made; `false` stands for a check that does not apply. */
export const applying = (checks: readonly (CheckResult | false)[]): CheckResult[] =>
  checks.filter((one) => one !== false)

export const allPassed = (checks: readonly CheckResult[]): boolean =>
  checks.every(({ passed }) => passed)

const textOf = (value: unknown) =>
  value === undefined ? 'absent' : typeof value === 'string' ? value : JSON.stringify(value)
