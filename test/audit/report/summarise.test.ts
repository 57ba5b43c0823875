import { expect, test } from 'vitest'
import { exitCodeOf, totalsOf } from '../../../src/audit/report/summarise.ts'
import { auditedRow, READINGS_FOUND } from './sample-report.ts'

const NONE = { tried: 0, undetermined: [], failed: [] }
const counted = { ...READINGS_FOUND, counted: true }
const only = (...verdicts: readonly string[]) => ({
  ...counted,
  variants: counted.variants.filter(({ verdict }) => verdicts.includes(verdict)),
  combinations: NONE,
})

const UNDETERMINED = { ...NONE, undetermined: [{ reason: 'timed_out', count: 2 }] }

const REFUSED = auditedRow('use/id_token.expired')
const OPEN = auditedRow('use/id_token.jku', { verdict: 'undetermined' })
const LET_IN = auditedRow('use/id_token.jku', { verdict: 'let in' })
const OBSERVED = auditedRow('use/id_token.jku', { verdict: 'observed' })
const KNOWN = auditedRow('use/id_token.jku', { verdict: 'known', counted: false })

test.each([
  [[], undefined, 2],
  [[], READINGS_FOUND, 0],
  [[], { ...counted, combinations: NONE }, 1],
  [[], { ...only('works'), combinations: counted.combinations }, 1],
  [[], only('works', 'undetermined'), 3],
  [[], only('undetermined'), 2],
  [[], { ...only('undetermined'), counted: false }, 2],
  [[], { ...only('works'), combinations: UNDETERMINED }, 3],
  [[], only('works', 'not for this app'), 0],
  [[], { ...READINGS_FOUND, variants: [] }, 0],
  [[REFUSED], undefined, 0],
  [[KNOWN], undefined, 0],
  [[OBSERVED], undefined, 0],
  [[OPEN], undefined, 2],
  [[REFUSED], READINGS_FOUND, 0],
  [[REFUSED], { ...READINGS_FOUND, variants: [] }, 0],
  [[REFUSED], counted, 1],
  [[REFUSED, OPEN], only('works'), 3],
  [[REFUSED], only('works', 'undetermined'), 3],
  [[LET_IN], only('works', 'undetermined'), 1],
  [[LET_IN], only('works'), 1],
])(
  'The exit code is that of the rows, or the worse code of readings that count (%#)',
  (rows, readings, code) => {
    expect(exitCodeOf(rows, readings)).toBe(code)
  },
)

test('Totals begin with findings, the worst first, and end with rows that say nothing', () => {
  const order = [
    'let in',
    'too strict',
    'stale',
    'ignored',
    'broke',
    'undetermined',
    'refused',
    'accepted',
    'observed',
    'not for this app',
    'known',
  ] as const
  const rows = order.toReversed().map((verdict) => auditedRow('use/id_token.jku', { verdict }))
  expect(Object.keys(totalsOf(rows))).toEqual(order)
})
