import { expect, test } from 'vitest'
import type { FreshCopy, StartFresh } from '../../../../src/audit/drive/driver.ts'
import type { FlowPlan } from '../../../../src/audit/drive/flow-run.ts'
import { unread } from '../../../../src/audit/trials/rows/start-trial.ts'
import { findRow, OUTCOMES } from '../../../../src/sandbox/outcomes/catalogue.ts'
import { type Done, findByRows, imitatedApp, right } from '../../../support/imitated-app.ts'
import { APP, ended, NO, showed, YES } from '../../../support/imitated-pages.ts'

const rowOf = (id: string) => findRow(id) ?? expect.fail(`there is no row ${id}`)

const notForIt = (reason: string) => ({ verdict: 'not for this app', reason })
const as = (said: string) => `as the adult: ${said}`
const refused = (said: string) => ({ verdict: 'refused', evidence: as(said) })

/**
 * The behaviour of a copy that is started for one row of the key set or of discovery; nothing is
 * queued for a plain start.
 */
interface Started {
  /** The page for an adult. */
  readonly shows?: string | Done
  /** Why it does not start. */
  readonly failure?: FreshCopy['failure']
  /** Whether it reads the reply of the row. */
  readonly reads?: boolean
  left?(): object | undefined
  readonly log?: readonly string[]
}

/** Starts copies, which behave as `start` says for their row. */
function starting(start: (outcome: string | undefined) => Started) {
  const started: (string | undefined)[] = []
  const queued: unknown[] = []
  const plans: FlowPlan[] = []
  let open = 0
  const startFresh: StartFresh = async ({ prepare }) => {
    open += 1
    let reads: boolean | undefined
    const left = () => (done.left ? done.left() : reads === false ? {} : { remaining: 9_999 })
    const act = (plan: FlowPlan) => {
      plans.push(plan)
      return done.shows ?? NO
    }
    const app = imitatedApp(act, { left })
    await prepare(app.sandbox)
    const [row] = app.sandbox.queued
    started.push(row?.outcome)
    queued.push(row)
    const done = start(row?.outcome)
    reads = done.reads ?? true
    const { sandbox, driver } = app
    const audited = {
      sandbox,
      page: APP,
      agent: 'http',
      readsFragments: false,
      drive: () => driver,
    } as const
    return {
      sandbox,
      ...(done.failure ? { failure: done.failure } : { app: audited }),
      log: async () => done.log ?? [],
      close: async () => void open--,
    }
  }
  const judge = (ids: readonly string[], signal?: AbortSignal) =>
    findByRows(ids, imitatedApp(right), { startFresh, ...(signal && { signal }) })
  return { judge, started, queued, plans, isClosed: () => open === 0 }
}

test('Rows of the key set are judged by copies of the app', async () => {
  const [extra, foreign, issuer] = [
    'jwks.extra_key',
    'jwks.foreign_key_same_kid',
    'discovery.issuer_other',
  ]
  const ids = ['jwks/jwks.500', `discovery/${issuer}`, `jwks/${extra}`, `jwks/${foreign}`]
  const copies = starting((outcome) => ({
    shows: outcome === undefined || outcome === 'jwks.extra_key' ? YES : NO,
  }))
  const { heard } = await copies.judge(ids)
  expect(heard).toEqual([
    '1/5 use/verified accepted',
    '2/5 jwks/jwks.extra_key accepted',
    '3/5 jwks/jwks.foreign_key_same_kid refused',
    '4/5 discovery/discovery.issuer_other refused',
    '5/5 jwks/jwks.500 observed',
  ])
  expect(copies.started).toEqual([extra, foreign, issuer, 'jwks.500', undefined])
  expect(copies.plans).toEqual(
    Array(5).fill({ use: { persona: 'the adult', outcome: 'verified' } }),
  )
  expect(copies.queued[0]).toMatchObject({ flow: 'jwks', outcome: 'jwks.extra_key', times: 10_000 })
  expect(copies.isClosed()).toBe(true)
})

const KEYS =
  OUTCOMES.find(({ flow, correctClient }) => flow === 'jwks' && correctClient === 'refuse') ??
  expect.fail()
const KEYS_ID = `jwks/${KEYS.name}`
const undetermined = (reason: string, evidence: string) => ({
  verdict: 'undetermined',
  reason,
  evidence,
})
const letIn = (said: string) => ({ verdict: 'let in', evidence: as(said) })
const broke = (said: string) => ({ verdict: 'broke', evidence: as(said) })
const ENDED = { problem: 'it ended with 1', isEnded: true }
const HANGS = { problem: 'it does not answer', isEnded: false }
const HELLO = as(showed('200 / Hello.'))
const NOT_STARTED = 'your app did not start: it ended with 1'
const READ_NOTHING = `it read no reply of ${KEYS_ID}; ${NOT_STARTED}`
const REFUSED_UNREAD = `it read no reply of ${KEYS_ID}; ${showed(NO)}`
const FETCHED = 'your app fetched the address that the reply named'
const DROPPED = 'your app showed a closed connection without an answer at /callback'
const SLOW = as('your app answers 429 at /callback ("Slow.")')
const MALFORMED = 'JWKSInvalid: JSON Web Key Set malformed'
const EARLY = { shows: '500 / Oops.', changes: { request: undefined } }
const CHECK = KEYS.breaks.includes('keys') ? as(showed(NO)) : expect.stringContaining('names keys')

test.each<[string, Started, object]>([
  ['lets an adult in', { shows: YES }, letIn(showed(YES))],
  ['refuses an adult', { shows: NO }, refused(showed(NO))],
  ['breaks down', { shows: { shows: ended('dropped') } }, broke(DROPPED)],
  ['shows an unknown page', { shows: '200 / Hello.' }, undetermined('page_unknown', HELLO)],
  ['limits', { shows: '429 /callback Slow.' }, undetermined('control_lost', SLOW)],
  ['holds the row', { shows: YES, left: () => ({ held_since: 'f0' }) }, letIn(showed(YES))],
  ['reads the row to its end', { shows: YES, left: () => undefined }, letIn(showed(YES))],
  ['does not read the row', { shows: YES, reads: false }, notForIt(unread('jwks'))],
  [
    'refuses an adult and does not read the row',
    { shows: NO, reads: false },
    undetermined('not_reached', REFUSED_UNREAD),
  ],
  ['ends at once', { failure: ENDED }, refused(NOT_STARTED)],
  ['hangs', { failure: HANGS }, broke('your app did not start: it does not answer')],
  [
    'ends before it reads the row',
    { failure: ENDED, reads: false },
    undetermined('not_reached', READ_NOTHING),
  ],
  ['fetches the address of an attacker', { shows: { shows: NO, calls: ['trap'] } }, letIn(FETCHED)],
  [
    'shows an error before it sends the browser on',
    { shows: EARLY },
    refused(showed('500 / Oops.')),
  ],
  [
    'shows a page first',
    { shows: { ...EARLY, shows: '200 / Hello.' } },
    undetermined('page_unknown', HELLO),
  ],
  [
    'shows an error at its callback',
    { shows: '500 /callback Oops.' },
    broke(showed('500 /callback Oops.')),
  ],
  [
    'writes which check refused',
    { shows: NO, log: [MALFORMED] },
    { verdict: 'refused', evidence: CHECK },
  ],
])('A row of the key set is decided by a copy of the app that %s', async (_what, done, told) => {
  const copies = starting((outcome) => (outcome === undefined ? { shows: YES } : done))
  const { told: all, judged, notes } = await copies.judge([KEYS_ID])
  expect(all).toEqual([{ row: KEYS_ID, ...told }])
  const isUnread = 'reason' in told && told.reason === unread('jwks')
  expect(notes).toEqual([])
  expect(judged[0]?.flows).toEqual(isUnread || done.failure ? [] : ['f1'])
  expect(copies.isClosed()).toBe(true)
})

test('A copy that neither reads the row nor lets an adult in is started once more', async () => {
  let starts = 0
  const copies = starting((outcome) => {
    const isDisturbed = outcome !== undefined && ++starts === 1
    return isDisturbed ? { shows: '404 / Not found.', reads: false } : { shows: YES }
  })
  const { told } = await copies.judge(['jwks/jwks.extra_key'])
  expect(told).toMatchObject([{ verdict: 'accepted' }])
  expect(copies.started).toEqual(['jwks.extra_key', 'jwks.extra_key', undefined])
  expect(copies.isClosed()).toBe(true)
})

const LOST = 'then a plain good flow was refused too'

test.each<[string, Started, string]>([
  ['refuses an adult', { shows: NO }, showed(NO)],
  [
    'does not start',
    { failure: { problem: 'port in use', isEnded: true } },
    'your app did not start: port in use',
  ],
])(
  'Refusals by copies of an app are void when one that starts without a fault %s',
  async (_what, plain, problem) => {
    const copies = starting((outcome) => (outcome === undefined ? plain : { shows: NO }))
    const { told, notes } = await copies.judge([KEYS_ID])
    expect(told).toEqual([
      { row: KEYS_ID, ...undetermined('control_lost', `${as(showed(NO))}; ${LOST}`) },
    ])
    const note = `after ${KEYS_ID} your app no longer lets an adult in: ${problem}; what it refused since the last good flow does not count`
    expect(notes).toEqual([note])
  },
)

test('A copy of an app that lets an adult in has done so, whatever a plain start shows', async () => {
  const copies = starting((outcome) => ({ shows: outcome === undefined ? NO : YES }))
  const { told } = await copies.judge([KEYS_ID])
  expect(told).toMatchObject([{ verdict: 'let in' }])
})

test('A copy that is started when the audit ends shows nothing', async () => {
  const end = new AbortController()
  const copies = starting(() => {
    end.abort()
    return { shows: NO }
  })
  const { told } = await copies.judge([KEYS_ID], end.signal)
  expect(told).toMatchObject([{ reason: 'timed_out' }])
  expect(copies.started).toMatchObject([KEYS.name])
})

test('An app that reads a document for no row that has to be accepted is given no other row of it', async () => {
  const isRead = ({ flow, name }: (typeof OUTCOMES)[number]) =>
    flow === 'discovery' && !name.endsWith('.slow')
  const ids = OUTCOMES.filter(isRead).map(({ name }) => `discovery/${name}`)
  const accepted = ids.filter((id) => rowOf(id).correctClient === 'accept')
  const copies = starting((outcome) => ({ shows: YES, reads: !outcome?.startsWith('discovery') }))
  const { told } = await copies.judge([...ids, 'jwks/jwks.extra_key'])
  expect(copies.started).toHaveLength(accepted.length + 2)
  expect(told.slice(0, -1)).toEqual(
    ids.map((row) => ({ row, verdict: 'not for this app', reason: unread('discovery') })),
  )
  const later = starting((outcome) => ({
    shows: YES,
    reads: `discovery/${outcome}` !== accepted[0],
  }))
  const { told: read } = await later.judge(ids)
  expect(read.filter(({ reason }) => reason !== undefined)).toMatchObject([
    { row: accepted[0], reason: 'not_reached' },
  ])
})
