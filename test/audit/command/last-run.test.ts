import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { keepReport, readUnsettled } from '../../../src/audit/command/last-run.ts'
import { totalsOf } from '../../../src/audit/report/summarise.ts'
import { findFreePort } from '../../support/free-port.ts'
import { startSandbox } from '../../support/sandbox.ts'
import { useScratchFolder } from '../../tools/cli/audit/audit-in-process.ts'
import { buildCli } from '../../tools/cli/built-cli.ts'
import { auditedRow, auditReport, MIXED, READINGS_FOUND } from '../report/sample-report.ts'

const { start } = await buildCli()
useScratchFolder()

const APP = 'http://localhost:9/'

const write = (last: unknown) => {
  mkdirSync('.agekey-audit')
  writeFileSync('.agekey-audit/last.json', typeof last === 'string' ? last : JSON.stringify(last))
}
const kept = () => JSON.parse(readFileSync('.agekey-audit/last.json', 'utf8'))

test('Rows that were run again replace those of the last audit', async () => {
  const first = auditReport([
    auditedRow('use/verified', { verdict: 'accepted' }),
    auditedRow('use/id_token.expired', { verdict: 'let in' }),
    auditedRow('use/id_token.jku', { verdict: 'undetermined', reason: 'flaky' }),
  ])
  await keepReport(first, 'run')
  expect(readUnsettled(first.app)).toEqual(['use/id_token.expired', 'use/id_token.jku'])
  const again = [
    auditedRow('use/id_token.expired'),
    auditedRow('use/id_token.jku', { verdict: 'let in' }),
  ]
  await keepReport(
    auditReport(again, { started_at: '2026-02-03T00:00:00.000Z', notes: ['a note'] }),
    'again',
  )
  const rows = [first.rows[0], ...again]
  expect(kept()).toMatchObject({
    rows,
    totals: totalsOf([...again, ...first.rows.slice(0, 1)]),
    exit_code: 1,
    started_at: '2026-02-03T00:00:00.000Z',
    first_started_at: first.started_at,
    notes: ['a note', '2 of 3 rows were run again; the others are of audits before'],
  })
  expect(readUnsettled(first.app)).toEqual(['use/id_token.jku'])
})

/** The report of a later audit of the same app. */
const later = (row: ReturnType<typeof auditedRow>, day: number) =>
  auditReport([row], { started_at: `2026-02-0${day}T00:00:00.000Z` })

test('A second --again keeps the results of the first --again', async () => {
  const first = auditReport([
    auditedRow('use/id_token.expired', { verdict: 'let in' }),
    auditedRow('use/id_token.jku', { verdict: 'let in' }),
  ])
  const mended = auditedRow('use/id_token.expired')
  const other = auditedRow('use/id_token.jku', { verdict: 'broke' })
  await keepReport(first, 'run')
  await keepReport(later(mended, 3), 'again')
  await keepReport(later(other, 4), 'again')
  expect(kept().rows).toEqual([mended, other])
  expect(readUnsettled(first.app)).toEqual(['use/id_token.jku'])
})

test('A second --again names the beginning of the first audit', async () => {
  const row = auditedRow('use/id_token.jku', { verdict: 'let in' })
  const first = auditReport([row])
  await keepReport(first, 'run')
  await keepReport(later(row, 3), 'again')
  await keepReport(later(row, 4), 'again')
  expect(kept().started_at).toBe('2026-02-04T00:00:00.000Z')
  expect(kept().first_started_at).toBe(first.started_at)
})

test('A second whole audit replaces the rows of the first audit', async () => {
  const row = auditedRow('use/id_token.jku', { verdict: 'let in' })
  const second = later(auditedRow('use/verified', { verdict: 'accepted' }), 3)
  await keepReport(auditReport([row]), 'run')
  await keepReport(later(row, 2), 'again')
  await keepReport(second, 'run')
  expect(kept()).toEqual(JSON.parse(JSON.stringify(second)))
})

test('The readings of an app stay beside the rows of its last audit', async () => {
  await keepReport(MIXED, 'run')
  await keepReport(auditReport([], { app: MIXED.app, readings: READINGS_FOUND }), 'readings')
  expect(kept()).toMatchObject({ rows: MIXED.rows, readings: READINGS_FOUND })
  await keepReport(MIXED, 'run')
  expect(kept()).toMatchObject({ readings: READINGS_FOUND })
  await keepReport({ ...MIXED, app: APP }, 'run')
  expect(kept()).not.toHaveProperty('readings')
})

const FIRST = 'run it without --again first'
const WITHOUT = 'run the audit without --again first'
const WELL = 'nothing failed or was undetermined'
const BROKEN = new RegExp(
  `^--again: \\.agekey-audit/last\\.json is not JSON: Unexpected token .*; ${WITHOUT}$`,
)
const OTHER = auditReport([], { app: 'http://localhost:1/' })
const GOOD = auditReport([auditedRow('use/verified', { verdict: 'accepted' })], { app: APP })
const BAD = { ...auditReport([]), seconds: 'x' }
const NO_REPORT =
  'is no report of agekey-sandbox audit: seconds: expected a number, found the text "x"'

test.each([
  ['without an audit before', undefined, `there is no last audit in this folder; ${FIRST}`],
  [
    'after that of another app',
    OTHER,
    `the last audit was of http://localhost:1/, not of ${APP}; ${FIRST}`,
  ],
  ['when all is well', GOOD, `in the last audit of ${APP} ${WELL}; run it without --again`],
  ['after a broken file', 'x', BROKEN],
  ['after another shape', BAD, `.agekey-audit/last.json ${NO_REPORT}; ${WITHOUT}`],
])('--again is refused in one line %s', (_, last, line) => {
  if (last !== undefined) write(last)
  const message = typeof line === 'string' ? `--again: ${line}` : expect.stringMatching(line)
  expect(() => readUnsettled(APP)).toThrow(expect.objectContaining({ message }))
})

test('A sandbox of the command line shows the last audit of its folder', async () => {
  const port = await findFreePort()
  await start(['start', '--port', String(port), '--state-dir', 'none'], { cwd: process.cwd() })
  const read = async (url = `http://localhost:${port}`) =>
    (await fetch(`${url}/_sandbox/console/audit`)).text()
  expect(await read()).not.toContain('data-testid="headline"')
  write(MIXED)
  expect(await read()).toContain('data-testid="headline"')
})

test('A sandbox of a program shows no last audit', async () => {
  const { request } = await startSandbox()
  const page = (await request.get('/_sandbox/console/audit')).text
  expect(page).toContain('data-testid="open"')
  expect(page).not.toContain('data-testid="headline"')
})
