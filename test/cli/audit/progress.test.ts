import { expect, test } from 'vitest'
import { createProgress } from '../../../src/cli/audit/progress.ts'
import type { VerdictName } from '../../../src/sandbox/outcomes/audit-report.ts'
import { auditedRow } from './reports/sample-report.ts'

/** Shows the progress of rows with these verdicts. */
function shown(verdicts: readonly VerdictName[], { isTerminal }: { isTerminal: boolean }) {
  const lines: string[] = []
  const drawn: string[] = []
  const progress = createProgress({ isTerminal, line: (text) => lines.push(text), redraw: (text) => drawn.push(text) })
  for (const [index, verdict] of verdicts.entries()) {
    const row = auditedRow('use/id_token.expired', { verdict })
    progress.row({ stage: 'row', done: index + 1, total: verdicts.length, row })
  }
  progress.end()
  return { lines, drawn }
}

test('On a terminal the progress of an audit is one line that is drawn over for each row, and taken away in the end', () => {
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

test('In a log the progress of an audit is a line for each 25 rows, and one for the last row', () => {
  const verdicts = Array.from({ length: 60 }, (_, index) => (index === 30 ? 'broke' : 'refused'))
  const { lines, drawn } = shown(verdicts, { isTerminal: false })
  expect(drawn).toEqual([])
  expect(lines).toEqual(['rows 25/60', 'rows 50/60, 1 broke', 'rows 60/60, 1 broke'])
})
