import { expect, test } from 'vitest'
import { exitCodeOf } from '../../../../src/sandbox/outcomes/report/totals.ts'
import { auditedRow, READINGS_FOUND } from '../../../audit/report/sample-report.ts'

const NONE = { tried: 0, undetermined: [], failed: [] }
const counted = { ...READINGS_FOUND, counted: true }
const only = (...verdicts: readonly string[]) => ({
  ...counted,
  variants: counted.variants.filter(({ verdict }) => verdicts.includes(verdict)),
  combinations: NONE,
})

const UNDETERMINED = { ...NONE, undetermined: [{ reason: 'timed_out', count: 2 }] }

test.each([
  ['whatever the app depends on, unless that counts', READINGS_FOUND, 0],
  ['of what the app depends on, when that counts', { ...counted, combinations: NONE }, 1],
  ['of a combination alone', { ...only('works'), combinations: counted.combinations }, 1],
  ['of what is undetermined', only('works', 'undetermined'), 3],
  ['when nothing was shown', only('undetermined'), 2],
  ['of both that are undetermined', { ...only('works', 'undetermined'), combinations: UNDETERMINED }, 3],
  ['of combinations alone that are undetermined', { ...only('works'), combinations: UNDETERMINED }, 3],
  ['when the app works under all that it meets', only('works', 'not for this app'), 0],
])('The exit code of an audit of readings %s is right', (_when, readings, code) => {
  expect(exitCodeOf([], readings)).toBe(code)
})

const REFUSED = auditedRow('use/id_token.expired')
const OPEN = auditedRow('use/id_token.jku', { verdict: 'undetermined' })
const LET_IN = auditedRow('use/id_token.jku', { verdict: 'let in' })

test.each([
  [[REFUSED], READINGS_FOUND, 0],
  [[REFUSED], counted, 1],
  [[REFUSED, OPEN], only('works'), 3],
  [[REFUSED], only('works', 'undetermined'), 3],
  [[LET_IN], only('works', 'undetermined'), 1],
  [[LET_IN], only('works'), 1],
])('The exit code is that of the rows, or the worse code of readings that count (%#)', (rows, readings, code) => {
  expect(exitCodeOf(rows, readings)).toBe(code)
})
