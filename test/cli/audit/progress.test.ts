import { expect, test } from 'vitest'
import { createProgress } from '../../../src/cli/audit/progress.ts'
import type { AuditedRow, VerdictName } from '../../../src/sandbox/outcomes/audit-report.ts'

/** Shows the progress of rows with these verdicts. */
function shown(verdicts: readonly VerdictName[], { isTerminal }: { isTerminal: boolean }) {
  const lines: string[] = []
  const drawn: string[] = []
  const progress = createProgress({
    isTerminal,
    line: (text) => lines.push(text),
    redraw: (text) => drawn.push(text),
  })
  for (const [index, verdict] of verdicts.entries()) {
    progress.row({ stage: 'row', done: index + 1, total: verdicts.length, row: { ...ROW, verdict } })
  }
  progress.end()
  return { lines, drawn }
}

const ROW: AuditedRow = {
  row: 'use/id_token.expired',
  flow: 'use',
  family: 'time',
  summary: '',
  rule: '',
  harm: '',
  level: 'must',
  severity: 5,
  verdict: 'refused',
  flows: [],
  refs: [],
  cwe: [],
  counted: true,
}

test('on a terminal one line is drawn over again for each row, with what was found so far, and taken away in the end', () => {
  const { lines, drawn } = shown(['refused', 'let in', 'undetermined', 'let in'], { isTerminal: true })
  expect(lines).toEqual([])
  expect(drawn).toEqual([
    'rows 1/4',
    'rows 2/4, 1 let in',
    'rows 3/4, 1 let in, 1 undetermined',
    'rows 4/4, 2 let in, 1 undetermined',
    '',
  ])
})

test('in a log there is a line for each 25 rows, and one for the last row', () => {
  const { lines, drawn } = shown(
    Array.from({ length: 60 }, (_, index) => (index === 30 ? 'broke' : 'refused')),
    { isTerminal: false },
  )
  expect(drawn).toEqual([])
  expect(lines).toEqual(['rows 25/60', 'rows 50/60, 1 broke', 'rows 60/60, 1 broke'])
})
