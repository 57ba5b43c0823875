import * as z from 'zod'
import type { Immutable } from '../server/client/shapes.ts'
import { isNot, nonEmpty } from '../server/config/setting.ts'
import { quote } from '../service/text/message-parts.ts'
import { mustBe } from '../service/text/schema-problems.ts'
import { FAIL_ON } from './report/audit-report.ts'

export const KNOWN_EXAMPLE = {
  row: 'use/id_token.kid_empty',
  because: 'the library takes an empty kid for none',
}
const AS_TEXT = `not a row, a colon and a reason, as in "${KNOWN_EXAMPLE.row}: ${KNOWN_EXAMPLE.because}"`
const date = z.iso.date({ error: isNot('a date like 2027-01-31') })
export const knownSchema = z.strictObject(
  {
    row: z.string().describe('Flow and name: use/id_token.kid_empty'),
    because: nonEmpty.describe('Why it is accepted for now'),
    until: date.optional().describe('The last day on which it is accepted (UTC): 2027-01-31'),
  },
  {
    error: ({ input }) => (typeof input === 'string' ? `${quote(input)} is ${AS_TEXT}` : undefined),
  },
)

export const seconds = z
  .number(mustBe('a number of seconds'))
  .positive(mustBe('more than 0 seconds'))

export const choicesSchema = z
  .strictObject({
    only: z
      .array(z.string())
      .describe(
        'Patterns of rows: `use/id_token.*`, `family:signature`, `flow:create`, `cwe:347`, `level:must`. All when absent',
      ),
    skip: z.array(z.string()),
    failOn: z.enum(FAIL_ON).describe('From which level findings count (default `must`)'),
    known: z.array(knownSchema),
    catalogue: z
      .string()
      .describe(
        'Rows that came after this version of the catalogue do not count: an update then breaks no build',
      ),
    slow: z.boolean().describe('Also rows that the sandbox answers after half a minute'),
    timeoutSeconds: seconds.describe('Of one visit (default 10)'),
  })
  .partial()

/** Options of `audit` and `auditTests`. */
export type AuditChoices = Immutable<z.input<typeof choicesSchema>>

/** A finding that is accepted for now. */
export type KnownFinding = z.infer<typeof knownSchema>
