import * as z from 'zod'
import { didYouMean } from '../../age/nearest.ts'
import { excerpt } from '../../age/quote.ts'
import { messageOf } from '../../files/caught.ts'
import { ConfigError } from '../../files/config-error.ts'
import { found, mustBe } from '../../files/describe-issue.ts'
import { checkAgainst, formatPath } from '../../files/schema-problems.ts'
import { FAIL_ON } from '../../sandbox/outcomes/audit-report.ts'
import { CATALOGUE_VERSIONS, findAuditRow, OUTCOMES, rowId } from '../../sandbox/outcomes/catalogue.ts'
import { selectRows } from '../trials/select-rows.ts'

const knownRow = z.string().check(({ value, issues }) => {
  if (findAuditRow(value)) return
  const message = `there is no row ${excerpt(value)}.${didYouMean(value, OUTCOMES.map(rowId))}`
  issues.push({ code: 'custom', message, input: value })
})

const seconds = z.number(mustBe('a number of seconds')).positive(mustBe('more than 0 seconds'))

const choicesSchema = z.strictObject({
  only: z.array(z.string()).optional(),
  skip: z.array(z.string()).optional(),
  failOn: z.enum(FAIL_ON).optional(),
  known: z
    .array(
      z.strictObject({
        row: knownRow,
        because: z.string().min(1),
        until: z.iso.date(mustBe('a date like 2027-01-31')).optional(),
      }),
    )
    .optional(),
  catalogue: z.enum(CATALOGUE_VERSIONS).optional(),
  slow: z.boolean().optional(),
  timeoutSeconds: seconds.optional(),
})

const ofOneAudit = {
  budgetSeconds: seconds.optional(),
  signal: z.instanceof(AbortSignal).optional(),
  onProgress: z.custom((value) => typeof value === 'function', mustBe('a function')).optional(),
}

/**
 * Checks what a caller gives, as the compiler does not see every caller.
 * @param caller its name, which leads the message
 * @throws ConfigError with one line
 */
export function checkChoices(caller: 'audit' | 'auditTests', visit: unknown, choices: object): void {
  if (typeof visit !== 'function') throw ConfigError.of(`${caller}: visit must be a function, ${found(visit)}`)
  const schema = caller === 'audit' ? choicesSchema.extend(ofOneAudit) : choicesSchema
  const checked = checkAgainst(schema, choices)
  if (checked.kind === 'invalid') {
    const problems = checked.problems.map(({ path, message }) => `${formatPath(path) || 'options'}: ${message}`)
    throw ConfigError.of(`${caller}: ${[...problems, ...checked.rest].join('; ')}`)
  }
  if (countRows(caller, checked.value) === 0) {
    throw ConfigError.of(
      `${caller}: only and skip together leave no row; agekey-sandbox audit --list shows all of them`,
    )
  }
}

function countRows(caller: string, choices: z.output<typeof choicesSchema>): number {
  try {
    return selectRows(choices).length
  } catch (error) {
    throw ConfigError.of(`${caller}: ${messageOf(error)}`)
  }
}
