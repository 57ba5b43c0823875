import { expect, test } from 'vitest'
import type { AuditHost } from '../../../src/audit/command/audit-host.ts'
import { createProgress } from '../../../src/audit/command/progress.ts'
import type { VerdictName } from '../../../src/audit/report/audit-report.ts'
import { auditedRow } from '../report/sample-report.ts'

const FOUR: VerdictName[] = ['refused', 'let in', 'undetermined', 'let in']
const DRAWN = [
  'rows 1/4',
  'rows 2/4, 1 let in',
  'rows 3/4, 1 let in, 1 undetermined',
  'rows 4/4, 2 let in, 1 undetermined',
]
const SIXTY = Array.from(
  { length: 60 },
  (_, index): VerdictName => (index === 30 ? 'broke' : 'refused'),
)
const LINES = ['rows 25/60', 'rows 50/60, 1 broke', 'rows 60/60, 1 broke']

const progressOf = (host: Partial<AuditHost>) => {
  const silent = { redraw: undefined, note: () => {}, say: () => {} }
  const { signal } = new AbortController()
  return createProgress({ ...silent, ...host }, { jobs: 4, budgetSeconds: 300, signal })
}

test.each([
  [
    'on a terminal is one line that is drawn over for each row, and taken away',
    true,
    FOUR,
    [],
    [...DRAWN, ''],
  ],
  ['in a log is a line for each 25 rows, and one for the last row', false, SIXTY, LINES, []],
])('The progress of an audit %s', (_, isTerminal, verdicts, lines, drawn) => {
  const shown = { lines: [] as string[], drawn: [] as string[] }
  const redraw = isTerminal ? (text: string) => shown.drawn.push(text) : undefined
  const progress = progressOf({ redraw, note: (text) => shown.lines.push(text) })
  for (const [index, verdict] of verdicts.entries()) {
    const row = { ...auditedRow('use/id_token.expired', { verdict }), row: `use/${index}` }
    progress.show({ stage: 'row', done: index + 1, total: verdicts.length, row })
  }
  progress.end()
  expect(shown).toEqual({ lines, drawn })
})

test('An audit whose budget is too small says so before it is spent', () => {
  const said: string[] = []
  const { show } = progressOf({ say: (text) => said.push(text) })
  show({ stage: 'planned', trials: 790, secondsPerVisit: 1.5 })
  expect(said).toEqual([])
  show({ stage: 'planned', trials: 794, secondsPerVisit: 2 })
  expect(said).toEqual([
    'this takes about 400 s, more than --budget 300: raise it, or choose rows by --only',
  ])
})
