import { expect, test } from 'vitest'
import type { StartFresh } from '../../../src/audit/drive/audited-app.ts'
import type { FlowPlan } from '../../../src/audit/drive/driver.ts'
import { judgeRows } from '../../../src/audit/judge/judge-rows.ts'
import { UNREAD } from '../../../src/audit/judge/judge-starts.ts'
import { prepareCopies } from '../../../src/audit/judge/judged-copy.ts'
import { RESTART } from '../../../src/audit/plan/applicability.ts'
import { findRow, OUTCOMES } from '../../../src/sandbox/outcomes/catalogue.ts'
import {
  APP,
  type Done,
  ended,
  type ImitatedApp,
  imitatedApp,
  learnedOf,
  NO,
  SHOWED_NO,
  SHOWED_YES,
  signatureOf,
  YES,
} from '../../support/imitated-app.ts'

const SIGNATURE = signatureOf(YES, NO)
const rowOf = (id: string) => findRow(id) ?? expect.fail(`there is no row ${id}`)
const right = ({ use: { outcome, persona } }: FlowPlan) => (outcome === 'verified' && persona !== 'minor' ? YES : NO)

interface Settings {
  readonly learned?: Parameters<typeof learnedOf>[1]
  readonly startFresh?: StartFresh
  readonly signal?: AbortSignal
}

/** What is judged of an app, with what is heard meanwhile. */
async function judge(ids: readonly string[], app: ImitatedApp, settings: Settings = {}) {
  const { learned: changes, startFresh, signal = new AbortController().signal } = settings
  const learned = learnedOf(SIGNATURE, changes)
  const heard: string[] = []
  const { judged, notes } = await judgeRows(ids.map(rowOf), {
    copies: await prepareCopies([app], { learned, repeat: 1 }),
    visitsEach: 1,
    learned,
    signal,
    pages: {},
    counting: { failOn: 'must', catalogue: '0.2', known: [], today: '2026-01-01' },
    slow: false,
    repeat: 1,
    startFresh,
    drive: (fresh) => fresh.drive({ timeoutSeconds: 1, signal }),
    onRow: ({ done, total, row }) => heard.push(`${done}/${total} ${row.row} ${row.verdict}`),
  })
  const told = judged.map(({ row, verdict, reason, evidence }) => ({ row, verdict, reason, evidence }))
  return { judged, told, heard, notes }
}

test('Rows that have to be accepted are judged first, with the twins of others, then the most severe', async () => {
  const ids = ['use/id_token.sub_empty', 'use/id_token.alg_none', 'use/id_token.extra_claim', 'use/id_token.expired']
  const app = imitatedApp(({ use: { outcome = '' } }) => (/verified|extra_claim/.test(outcome) ? YES : NO))
  const { startFresh } = starting(() => expect.fail('no copy is started when no row needs one'))
  const { heard, told } = await judge(ids, app, { startFresh })
  expect(heard).toEqual([
    '1/5 use/id_token.extra_claim accepted',
    '2/5 use/verified accepted',
    '3/5 use/id_token.alg_none refused',
    '4/5 use/id_token.expired refused',
    '5/5 use/id_token.sub_empty refused',
  ])
  expect(told.map(({ row }) => row)).toEqual(ids)
  expect(told[2]).toEqual({ row: ids[2], verdict: 'accepted', evidence: `as the adult: ${SHOWED_YES}` })
})

test('The refusal of a row shows nothing when the app refuses the right answer, too', async () => {
  const app = imitatedApp(({ use: { outcome, persona } }, run) =>
    outcome === 'verified' && persona === 'adult' && run > 1 ? YES : NO,
  )
  const { told } = await judge(['use/id_token.expired', 'use/verified'], app)
  const evidence = 'your app also refuses use/verified, which differs by the fault alone'
  expect(told).toEqual([
    { row: 'use/id_token.expired', verdict: 'undetermined', reason: 'masked', evidence },
    { row: 'use/verified', verdict: 'too strict', evidence: `as the adult: ${SHOWED_NO}` },
  ])
  const later = await judge(['use/id_token.c_hash_wrong'], imitatedApp(right), { learned: CODE_REFUSED })
  expect(later.told).toMatchObject([{ reason: 'masked', evidence: evidence.replace('verified', 'code_issued') }])
  expect(later.heard).toEqual(['1/1 use/id_token.c_hash_wrong refused'])
})

const evidence = 'what was seen while the app was learned'
const CREATE_REFUSED = { create: { kind: 'refused', rows: ['create/created'], evidence } } as const
const CODE_REFUSED = { upgrade: { kind: 'refused', rows: ['use/code_issued'], evidence } } as const
const SILENT = { create: { kind: 'learned', signature: SIGNATURE, no: [], silence: 'visit says nothing' } } as const
const masked = { verdict: 'undetermined', reason: 'masked', evidence }
const tooStrict = { verdict: 'too strict', evidence }
const notForIt = (reason: string) => ({ verdict: 'not for this app', reason })
const refused = (evidence: string) => ({ verdict: 'refused', evidence })
const NOT_REACHED = { ...masked, reason: 'not_reached', evidence: 'as the minor: 403 at /callback ("Sorry.")' }

test.each([
  ['create/created', CREATE_REFUSED, tooStrict],
  ['create/callback.state_missing', CREATE_REFUSED, masked],
  ['par/par.500', CREATE_REFUSED, masked],
  ['use/code_issued', CODE_REFUSED, tooStrict],
  ['token/token.500', CODE_REFUSED, masked],
  ['upgrade/upgrade.500', CODE_REFUSED, masked],
  ['token/token.500', CREATE_REFUSED, notForIt('it has no Upgrade')],
  ['create/created', CODE_REFUSED, notForIt('it has no Create')],
  ['create/callback.state_missing', SILENT, notForIt('visit says nothing')],
  ['use/id_token.expired', { ...CREATE_REFUSED, ...CODE_REFUSED }, refused(`as the adult: ${SHOWED_NO}`)],
  ['use/no_answer', {}, notForIt('nothing comes back, so that there is no answer to let in')],
  ['jwks/jwks.500', {}, notForIt(RESTART)],
  ['token/token.500', { ...CREATE_REFUSED, upgrade: SILENT.create }, NOT_REACHED],
])('The row %s is judged by what was learned of the app: %j', async (row, learned, told) => {
  const { told: all, judged, heard, notes } = await judge([row], imitatedApp(right), { learned })
  expect([all, notes]).toEqual([[{ row, ...told }], []])
  const isTried = 'evidence' in told && told.evidence !== evidence
  expect(judged[0]?.flows).toEqual(isTried ? [expect.stringMatching(/^f/)] : [])
  // What was found while the app was learned is not heard of again.
  expect(heard.length > 0).toBe(isTried)
})

test('An app that lets a minor in with a right token has that as a finding', async () => {
  const learned = { letsIn: ['minor'] } as const
  const { judged } = await judge(['use/verified', 'use/id_token.expired'], imitatedApp(right), { learned })
  const verdicts = judged.map(({ row, verdict }) => `${row} ${verdict}`)
  expect(verdicts).toEqual(['use/verified let in', 'use/id_token.expired refused'])
  expect(judged[0]).toMatchObject({
    evidence: 'a right token whose thresholds are all false is taken for a yes',
    harm: 'A child gets in with an honest answer: the app does not read the thresholds.',
    flows: [],
    counted: true,
  })
  const denied = await judge(['use/verified'], imitatedApp(right), { learned: { letsIn: ['access_denied'] } })
  expect(denied.told).toMatchObject([{ verdict: 'accepted' }])
})

interface Problem {
  readonly problem: string
  readonly isEnded: boolean
}

/** What a copy does that is started for one row of the key set or of discovery; nothing is queued for a plain start. */
interface Started {
  /** What it shows to an adult, the error of that visit, or the problem when it does not come up. */
  readonly shows: string | Done | Error | Problem
  /** It reads the reply of the row. */
  readonly reads?: boolean
  left?(): object | undefined
  readonly log?: readonly string[]
}

const isDown = (shows: Started['shows']): shows is Problem => typeof shows === 'object' && 'problem' in shows

/** Starts copies, which do by the name of their row what `start` says. */
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
      if (done.shows instanceof Error) throw done.shows
      return isDown(done.shows) ? NO : done.shows
    }
    const app = imitatedApp(act, undefined, { left })
    await prepare(app.sandbox)
    const [row] = app.sandbox.queued
    started.push(row?.outcome)
    queued.push(row)
    const done = start(row?.outcome)
    reads = done.reads ?? true
    const { sandbox, driver } = app
    const audited = { sandbox, page: APP, agent: 'http', readsFragments: false, drive: () => driver } as const
    return {
      sandbox,
      ...(isDown(done.shows) ? { failure: done.shows } : { app: audited }),
      log: async () => done.log ?? [],
      close: async () => void open--,
    }
  }
  return { startFresh, started, queued, plans, isClosed: () => open === 0 }
}

test('Rows of the key set are judged by copies of the app, what has to be accepted first, and a plain start last', async () => {
  const [extra, foreign, issuer] = ['jwks.extra_key', 'jwks.foreign_key_same_kid', 'discovery.issuer_other']
  const ids = ['jwks/jwks.500', `discovery/${issuer}`, `jwks/${extra}`, `jwks/${foreign}`]
  const copies = starting((outcome) => ({ shows: outcome === undefined || outcome === 'jwks.extra_key' ? YES : NO }))
  const { heard } = await judge(ids, imitatedApp(right), { startFresh: copies.startFresh })
  expect(heard).toEqual([
    '1/5 use/verified accepted',
    '2/5 jwks/jwks.extra_key accepted',
    '3/5 jwks/jwks.foreign_key_same_kid refused',
    '4/5 discovery/discovery.issuer_other refused',
    '5/5 jwks/jwks.500 observed',
  ])
  expect(copies.started).toEqual([extra, foreign, issuer, 'jwks.500', undefined])
  expect(copies.plans).toEqual(Array(5).fill({ use: { persona: 'adult', outcome: 'verified' } }))
  expect(copies.queued[0]).toMatchObject({ flow: 'jwks', outcome: 'jwks.extra_key', times: 10_000 })
  expect(copies.isClosed()).toBe(true)
})

const KEYS = OUTCOMES.find(({ flow, correctClient }) => flow === 'jwks' && correctClient === 'refuse') ?? expect.fail()
const KEYS_ID = `jwks/${KEYS.name}`
const undetermined = (reason: string, evidence: string) => ({ verdict: 'undetermined', reason, evidence })
const letIn = (evidence: string) => ({ verdict: 'let in', evidence })
const broke = (evidence: string) => ({ verdict: 'broke', evidence })
const ENDED = { problem: 'it ended with 1', isEnded: true }
const HANGS = { problem: 'it does not answer', isEnded: false }
const showed = (said: string) => `your app showed ${said}`
const HELLO = showed('200 at / ("Hello.")')
const NOT_STARTED = 'your app did not start: it ended with 1'
const READ_NOTHING = `it read no reply of ${KEYS_ID}; ${NOT_STARTED}`
const FETCHED = 'your app fetched the address that the reply named'
const DROPPED = 'a closed connection without an answer at /callback'
const EARLY = { shows: '500 / Oops.', changes: { request: undefined } }
const CHECK = KEYS.breaks.includes('keys') ? SHOWED_NO : expect.stringContaining('names keys')

test.each<[string, Started, object]>([
  ['lets an adult in', { shows: YES }, letIn(SHOWED_YES)],
  ['refuses an adult', { shows: NO }, refused(SHOWED_NO)],
  ['breaks down', { shows: { shows: ended('dropped') } }, broke(showed(DROPPED))],
  ['shows an unknown page', { shows: '200 / Hello.' }, undetermined('page_unknown', HELLO)],
  ['limits', { shows: '429 /callback Slow.' }, undetermined('control_lost', showed('429 at /callback ("Slow.")'))],
  ['does not read the row', { shows: YES, reads: false }, notForIt(UNREAD.jwks)],
  ['ends at once', { shows: ENDED }, refused(NOT_STARTED)],
  ['hangs', { shows: HANGS }, broke('your app did not start: it does not answer')],
  ['ends before it reads the row', { shows: ENDED, reads: false }, undetermined('not_reached', READ_NOTHING)],
  ['fetches the address of an attacker', { shows: { shows: NO, calls: ['trap'] } }, letIn(FETCHED)],
  ['shows an error before it sends the browser on', { shows: EARLY }, refused(showed('500 at / ("Oops.")'))],
  ['shows a page first', { shows: { ...EARLY, shows: '200 / Hello.' } }, undetermined('page_unknown', HELLO)],
  ['shows an error at its callback', { shows: '500 /callback Oops.' }, broke(showed('500 at /callback ("Oops.")'))],
  ['writes which check refused', { shows: NO, log: ['JWKSInvalid: JSON Web Key Set malformed'] }, refused(CHECK)],
])('A copy of an app that starts for a row of the key set and %s decides that row', async (_what, done, told) => {
  const copies = starting((outcome) => (outcome === undefined ? { shows: YES } : done))
  const { told: all, judged, notes } = await judge([KEYS_ID], imitatedApp(right), { startFresh: copies.startFresh })
  expect(all).toEqual([{ row: KEYS_ID, ...told }])
  const isUnread = 'reason' in told && told.reason === UNREAD.jwks
  expect([notes, judged[0]?.flows]).toEqual([[], isUnread || isDown(done.shows) ? [] : ['f1']])
  expect(copies.isClosed()).toBe(true)
})

const LOST = 'then a plain start did not let an adult in either'
const NOTE = (problem: string) =>
  `a copy of your app that was started without any fault: ${problem}; rows of jwks and discovery do not count`

test.each<[string, Started, string]>([
  ['refuses an adult', { shows: NO }, 'it showed 403 at /callback ("Sorry.")'],
  ['does not start', { shows: { problem: 'port in use', isEnded: true } }, 'port in use'],
  ['fails', { shows: new Error('out of memory') }, 'out of memory'],
])('Refusals by copies of an app are void when one that starts without a fault %s', async (_what, plain, problem) => {
  const copies = starting((outcome) => (outcome === undefined ? plain : { shows: NO }))
  const { told, notes } = await judge([KEYS_ID], imitatedApp(right), { startFresh: copies.startFresh })
  expect(told).toEqual([{ row: KEYS_ID, ...undetermined('control_lost', `${SHOWED_NO}; ${LOST}`) }])
  expect(notes).toEqual([NOTE(problem)])
})

test.each([
  ['shows an unknown page', '200 / Hello.', { reason: 'page_unknown' }],
  ['lets an adult in', YES, { verdict: 'let in' }],
])('The verdict on a copy of an app that %s stays, whatever a plain start shows', async (_what, shows, expected) => {
  const copies = starting((outcome) => ({ shows: outcome === undefined ? NO : shows }))
  const { told } = await judge([KEYS_ID], imitatedApp(right), { startFresh: copies.startFresh })
  expect(told).toMatchObject([expected])
})

test.each([
  ['lets an adult in', YES, { reason: 'timed_out' }],
  ['refuses an adult', NO, { verdict: 'refused' }],
])(
  'Of a copy that %s when the audit ends only a refusal counts, and no other starts',
  async (_what, shows, expected) => {
    const end = new AbortController()
    const { startFresh, started } = starting(() => {
      end.abort()
      return { shows }
    })
    const { told } = await judge([KEYS_ID], imitatedApp(right), { startFresh, signal: end.signal })
    expect([told, started]).toMatchObject([[expected], [KEYS.name]])
  },
)

test.each([
  ['is held', { held_since: 'f0' }],
  ['is gone', undefined],
])('A queued reply that %s after the visit counts as read by the app', async (_what, left) => {
  const copies = starting(() => ({ shows: YES, left: () => left }))
  const { told } = await judge([KEYS_ID], imitatedApp(right), { startFresh: copies.startFresh })
  expect(told).toMatchObject([{ verdict: 'let in' }])
})

test('An app that reads a document for no row that has to be accepted is given no other row of it', async () => {
  const isRead = ({ flow, name }: (typeof OUTCOMES)[number]) => flow === 'discovery' && !name.endsWith('.slow')
  const ids = OUTCOMES.filter(isRead).map(({ name }) => `discovery/${name}`)
  const accepted = ids.filter((id) => rowOf(id).correctClient === 'accept')
  const copies = starting((outcome) => ({ shows: YES, reads: !outcome?.startsWith('discovery') }))
  const { told } = await judge([...ids, 'jwks/jwks.extra_key'], imitatedApp(right), { startFresh: copies.startFresh })
  expect(copies.started).toHaveLength(accepted.length + 2)
  expect(told.slice(0, -1)).toEqual(ids.map((row) => ({ row, verdict: 'not for this app', reason: UNREAD.discovery })))
  const later = starting((outcome) => ({ shows: YES, reads: `discovery/${outcome}` !== accepted[0] }))
  const { told: read } = await judge(ids, imitatedApp(right), { startFresh: later.startFresh })
  expect(read.filter(({ reason }) => reason !== undefined)).toMatchObject([{ row: accepted[0], reason: 'not_reached' }])
})
