import * as z from 'zod'
import { ConfigError } from '../../files/config-error.ts'
import { found, mustBe } from '../../files/describe-issue.ts'
import { checkAgainst, formatPath } from '../../files/schema-problems.ts'
import { FAIL_ON } from '../../sandbox/outcomes/audit-report.ts'
import { knownSchema } from '../command/settings.ts'
import { requireKnownNames } from '../command/unknown-names.ts'

const seconds = z.number(mustBe('a number of seconds')).positive(mustBe('more than 0 seconds'))
const choicesShape = {
  ...{ only: z.array(z.string()), skip: z.array(z.string()), failOn: z.enum(FAIL_ON) },
  ...{ known: z.array(knownSchema), catalogue: z.string(), slow: z.boolean(), timeoutSeconds: seconds },
}
const onProgress = z.custom((value) => typeof value === 'function', mustBe('a function'))
const optionsShape = { ...choicesShape, budgetSeconds: seconds, signal: z.instanceof(AbortSignal), onProgress }

/** Checks what a caller gives, as the compiler does not see every caller. @throws ConfigError with one line, which names the caller */
export function checkChoices(caller: 'audit' | 'auditTests', visit: unknown, choices: object): void {
  const refuse = (problem: string) => ConfigError.of(`${caller}: ${problem}`)
  if (typeof visit !== 'function') throw refuse(`visit must be a function, ${found(visit)}`)
  const schema = z.strictObject(caller === 'audit' ? optionsShape : choicesShape)
  const checked = checkAgainst(schema.partial().check(requireKnownNames), choices)
  if (checked.kind === 'invalid')
    throw refuse(checked.problems.map(({ path, message }) => `${formatPath(path) || 'options'}: ${message}`).join('; '))
}
