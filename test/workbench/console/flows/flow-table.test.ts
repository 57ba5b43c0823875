import { expect, test } from 'vitest'
import type { ListedFlow } from '../../../../src/sandbox/journal/journal.ts'
import {
  ago,
  renderFlowTable,
  renderFlowTime,
} from '../../../../src/workbench/console/flows/flow-table.ts'
import { callbackWith, listedFlow, recordedCall } from '../../../support/journal-entries.ts'
import { byTestId, textOf } from '../../../support/markup.ts'
import { frame } from '../views.ts'

const clock = { now: Date.parse('2026-06-01T12:00:13Z'), frozen: false, requestUriSeconds: 90 }
const tableOf = (...flows: ListedFlow[]) => ({
  html: String(renderFlowTable(flows, { frame, clock })),
})
const classesOf = (table: { html: string }, id: string) =>
  byTestId(table, `flow-${id}`)[0]?.attributes['class']

test('A row of the flow table says what happened to whom', () => {
  const flow = listedFlow({
    client_id: 'shop',
    persona: 'teen-16',
    age_thresholds: { 13: true, 18: false },
  })
  expect(textOf(tableOf(flow))).toContain(
    's ago 12:00:00Z Use f1 teen-16 teen-16: 13 yes, 18 no shop ok',
  )
})

test.each([
  ['server_error', 'error'],
  ['access_denied', 'declined'],
])(
  'A row of the flow table says of a callback with error=%s, which has status 302: %s',
  (error, status) => {
    const calls = [recordedCall({ status: 302, response: callbackWith({ error }) })]
    const table = tableOf(listedFlow({ calls }))
    expect(classesOf(table, 'f1')).toBe(`flow-row ${status}`)
    expect(textOf(table).trim().slice(-status.length)).toBe(status)
  },
)

test('Flows of one story are a run in the table when their rows meet', () => {
  const of = (id: string, changes: Partial<ListedFlow>) =>
    listedFlow({ id, client_id: 'shop', persona: 'no-age-key', ...changes })
  const asked = of('f1', { outcome: 'create_requested' })
  const saved = of('f2', { flow: 'create', outcome: 'created' })
  const other = of('f3', { client_id: 'other' })
  const table = tableOf(of('f4', { outcome: 'verified' }), other, saved, asked)
  const classes = ['', '', ' run-down', ' run-up'].map((run) => `flow-row ok${run}`)
  expect(['f4', 'f3', 'f2', 'f1'].map((id) => classesOf(table, id))).toEqual(classes)
})

test('A flow names the flow before in its story when their rows do not meet', () => {
  const of = (id: string, changes: Partial<ListedFlow>) =>
    listedFlow({ id, client_id: 'shop', persona: 'no-age-key', ...changes })
  const asked = of('f1', { outcome: 'create_requested' })
  const saved = of('f2', { flow: 'create', outcome: 'created' })
  const other = of('f3', { client_id: 'other' })
  const table = tableOf(of('f4', { outcome: 'verified' }), other, saved, asked)
  expect(textOf(table)).toContain('Use f4 after f2')
})

test('The row of a Use flow whose code led to an upgrade says so', () => {
  const calls = [recordedCall(), recordedCall({ endpoint: 'E5', status: 200 })]
  expect(textOf(tableOf(listedFlow({ calls })))).toContain('Use, Upgrade f1')
})

test.each([
  ['verified', '<span class="mark yes">ok</span>'],
  ['id_token.expired', '<span class="mark wait">forced</span>'],
  ['extra_claim', '<span class="mark yes">ok</span>'],
])('The row of a flow that ended as %s has the mark %s', (outcome, mark) => {
  expect(tableOf(listedFlow({ outcome })).html).toContain(mark)
})

test.each([
  ['E1', '11:00:14', 'waiting', 'waits for the user'],
  ['E1', '11:00:13', 'expired', 'the user gave no answer within 3600 s'],
  ['E2', '11:58:44', 'waiting', 'pushed: waits for the browser at E3'],
  ['E2', '11:58:43', 'expired', 'pushed: no browser came to E3 within 90 s'],
])('The row of a flow that waits since %s at %s is %s', (endpoint, time, status, summary) => {
  const calls = ['10:00:00', time].map((at) =>
    recordedCall({ endpoint, at: `2026-06-01T${at}.000Z`, status: 200 }),
  )
  const text = textOf(tableOf(listedFlow({ ended_at: undefined, calls })))
  expect(text).toContain(summary)
  expect(text.trim().slice(-status.length)).toBe(status)
})

test('The row of a Create flow whose page is open waits for the user, however long ago it was pushed', () => {
  const pushed = recordedCall({ endpoint: 'E2', at: '2026-06-01T11:58:00.000Z', status: 201 })
  const opened = recordedCall({ endpoint: 'E3', at: '2026-06-01T11:59:00.000Z', status: 200 })
  const text = textOf(
    tableOf(listedFlow({ flow: 'create', ended_at: undefined, calls: [pushed, opened] })),
  )
  expect(text).toMatch(/waits for the user.*waiting\s*$/)
})

const NOW = Date.parse('2026-06-01T12:00:00Z')

test.each([
  [0, 'now'],
  [12, '12 s ago'],
  [119, '119 s ago'],
  [120, '2 min ago'],
  [7_199, '119 min ago'],
  [7_200, '2 h ago'],
  [172_800, '2 d ago'],
  [-10_800, 'in 3 h'],
])('%i seconds before now is shown as %j', (seconds, text) => {
  expect(ago(NOW - seconds * 1000, NOW)).toBe(text)
})

test('The time of a flow shows the instant by the clock of the sandbox', () => {
  const time = renderFlowTime('2026-06-01T11:59:48.250Z', { now: NOW })
  expect(textOf({ html: String(time) })).toContain('12 s ago 11:59:48Z')
  expect(String(time)).toContain('title="2026-06-01 11:59:48Z by the clock of the sandbox"')
})

test('The time of a flow of another day shows the date', () => {
  const before = renderFlowTime('2026-05-30T11:59:48.250Z', { now: NOW })
  expect(textOf({ html: String(before) })).toContain('2 d ago 05-30 11:59:48Z')
})
