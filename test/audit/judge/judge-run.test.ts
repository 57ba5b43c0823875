import { expect, test } from 'vitest'
import { judgeRun, type Readers } from '../../../src/audit/judge/judge-run.ts'
import { parseAcceptedRule } from '../../../src/audit/learn/accepted-rule.ts'
import { findRow } from '../../../src/sandbox/outcomes/catalogue.ts'
import { ended, flowOf, imitatedApp, runOf, saidOf, sandboxOf, signatureOf } from '../../support/imitated-app.ts'

const NO = '403 /callback Sorry.'
const SAID_NO = 'your app showed 403 at /callback ("Sorry.")'
const UNKNOWN = '200 /elsewhere Hello.'

const readersOf = (changes: Partial<Readers> = {}): Readers => ({
  sandbox: sandboxOf(),
  driver: imitatedApp(() => NO).driver,
  signatures: {
    use: signatureOf('200 /members Welcome.', NO),
    create: signatureOf('200 /saved Your key is saved.', '200 /unsaved Nothing is saved.'),
    upgrade: signatureOf('200 /upgraded It is done.', '200 /same It stays.'),
  },
  rules: { use: {}, create: {}, upgrade: {} },
  createsAfterDenial: false,
  ...changes,
})

const rowOf = (id: string) => findRow(id) ?? expect.fail(`there is no row ${id}`)
const EXPIRED = flowOf('f1', ['E1'], { outcome: 'id_token.expired' })
const CODE = flowOf('f1', ['E1', 'E4'], { outcome: 'code_issued' })
const CREATED = flowOf('f2', ['E2', 'E3'], { flow: 'create', outcome: 'callback.state_missing' })
const [use, token, upgrade, par, create] = [
  'use/id_token.expired',
  'token/token.500',
  'upgrade/upgrade.500',
  'par/par.500',
  'create/callback.state_missing',
] as const
const met = { isLaterMet: true }
const inCreate = { createFlow: 'f2', brought: { E1: true, E3: true } }

interface Case {
  readonly row: string
  readonly run: ReturnType<typeof runOf>
  readonly flows: readonly ReturnType<typeof flowOf>[]
  readonly readers?: Partial<Readers>
  readonly isAlone?: boolean
  /** Of the verdict, what is not the flow f1. */
  readonly is: Readonly<Record<string, unknown>>
}

const refused = { verdict: 'refused', evidence: SAID_NO }
const lost = (reason: string, evidence: string) => ({ verdict: 'undetermined', reason, evidence })
const taken = (evidence: string) => ({ verdict: 'taken', evidence })
const LATER_UPGRADE = flowOf('f5', ['E4', 'E5'], { flow: 'upgrade' })
const CREATE_REQUESTED = flowOf('f1', ['E1'], { outcome: 'create_requested' })

test.each<[string, Case]>([
  ['a page that is the no of Use is a refusal', { row: use, run: runOf(NO), flows: [EXPIRED], is: refused }],
  [
    'a page that is the yes of Use is taken',
    {
      row: use,
      run: runOf('200 /members Welcome.'),
      flows: [EXPIRED],
      is: taken('your app showed 200 at /members ("Welcome.")'),
    },
  ],
  [
    'a closed connection is an app that broke',
    {
      row: use,
      run: runOf(ended('dropped')),
      flows: [EXPIRED],
      is: { verdict: 'broke', evidence: 'your app showed a closed connection without an answer at /callback' },
    },
  ],
  [
    'no answer in time after the answer was delivered is an app that broke',
    {
      row: use,
      run: runOf(ended('timed_out')),
      flows: [EXPIRED],
      is: { verdict: 'broke', evidence: 'your app showed no answer in time at /callback' },
    },
  ],
  [
    'a page that was never seen shows nothing',
    {
      row: use,
      run: runOf(UNKNOWN),
      flows: [EXPIRED],
      is: lost('page_unknown', 'your app showed 200 at /elsewhere ("Hello.")'),
    },
  ],
  [
    'a limit of requests shows nothing',
    {
      row: use,
      run: runOf('429 /callback Slow down.'),
      flows: [EXPIRED],
      is: { ...lost('control_lost', 'your app answers 429 at /callback ("Slow down.")'), isLimited: true },
    },
  ],
  [
    'the result of a visit is told as the visit says it',
    {
      row: use,
      run: runOf(NO, { observation: saidOf(true) }),
      flows: [EXPIRED],
      is: lost('page_unknown', 'visit returned true'),
    },
  ],
  [
    'a flow that ended by another row was not given this one',
    {
      row: use,
      run: runOf(NO),
      flows: [flowOf('f1', ['E1'], { outcome: 'verified' })],
      is: lost('not_delivered', '403 at /callback ("Sorry.")'),
    },
  ],
  [
    'an answer that the browser did not bring was not delivered',
    {
      row: use,
      run: runOf(NO, { brought: { E1: false, E3: true } }),
      flows: [EXPIRED],
      is: lost('not_delivered', '403 at /callback ("Sorry.")'),
    },
  ],
  [
    'an app that began no flow was not reached',
    {
      row: use,
      run: runOf(NO, { useFlow: undefined }),
      flows: [EXPIRED],
      is: { ...lost('not_reached', '403 at /callback ("Sorry.")'), flows: [] },
    },
  ],
  [
    'a visit that failed before the answer was delivered is named as such',
    {
      row: use,
      run: runOf(NO, { observation: saidOf('visit threw Error: no'), useFlow: undefined }),
      flows: [],
      is: { ...lost('visit_failed', 'visit threw Error: no'), flows: [] },
    },
  ],
  [
    'a visit that failed after the answer was delivered shows nothing either',
    {
      row: use,
      run: runOf(NO, { observation: saidOf('visit threw Error: no') }),
      flows: [EXPIRED],
      is: lost('visit_failed', 'visit threw Error: no'),
    },
  ],
  [
    'a visit that was not answered in time before the answer was delivered shows nothing',
    {
      row: use,
      run: runOf(ended('timed_out'), { brought: { E1: false, E3: false } }),
      flows: [EXPIRED],
      is: lost('timed_out', 'no answer in time at /callback'),
    },
  ],
  [
    'a code that was exchanged in the flow is a yes',
    {
      row: use,
      run: runOf(NO),
      flows: [flowOf('f1', ['E1', 'E4'], { outcome: 'id_token.expired' })],
      is: taken('your app exchanged the code (E4)'),
    },
  ],
  [
    'a code that the sandbox did not issue, exchanged later by a run that is alone, is a yes',
    {
      row: use,
      run: runOf(NO),
      flows: [EXPIRED, LATER_UPGRADE],
      isAlone: true,
      is: taken('your app exchanged the code (E4)'),
    },
  ],
  [
    'a later exchange beside other runs may belong to another run',
    { row: use, run: runOf(NO), flows: [EXPIRED, LATER_UPGRADE], is: refused },
  ],
  [
    'a later flow without the call says nothing',
    {
      row: use,
      run: runOf(NO),
      flows: [EXPIRED, flowOf('f5', ['E5'], { flow: 'upgrade' })],
      isAlone: true,
      is: refused,
    },
  ],
  [
    'an exchange before the flow says nothing',
    {
      row: 'use/id_token.expired',
      run: runOf(NO, { useFlow: 'f6' }),
      flows: [LATER_UPGRADE, flowOf('f6', ['E1'], { outcome: 'id_token.expired' })],
      isAlone: true,
      is: { ...refused, flows: ['f6'] },
    },
  ],
  [
    'an app that goes on to Create takes the answer',
    {
      row: use,
      run: runOf(NO, { reachesCreate: true }),
      flows: [EXPIRED],
      is: taken('your app began to create an age key (E3)'),
    },
  ],
  [
    'an app that goes on to Create after each denial says nothing by that',
    {
      row: use,
      run: runOf(NO, { reachesCreate: true }),
      flows: [EXPIRED],
      readers: { createsAfterDenial: true },
      is: refused,
    },
  ],
  [
    'an app that goes on to Create after create_requested takes that, whatever it does after a denial',
    {
      row: 'use/create_requested',
      run: runOf(NO, { reachesCreate: true }),
      flows: [CREATE_REQUESTED],
      readers: { createsAfterDenial: true },
      is: taken('your app began to create an age key (E3)'),
    },
  ],
  [
    'an app that does not go on to Create is read by its page',
    { row: 'use/create_requested', run: runOf(NO), flows: [CREATE_REQUESTED], is: refused },
  ],
  [
    'an address that only an attacker names was fetched',
    {
      row: use,
      run: runOf(NO),
      flows: [flowOf('f1', ['E1', 'trap'], { outcome: 'id_token.expired' })],
      is: taken('your app fetched an address that the answer named, or followed a redirect there'),
    },
  ],
  [
    'a rule of the user decides before the page does',
    {
      row: use,
      run: runOf(UNKNOWN),
      flows: [EXPIRED],
      readers: { rules: { use: { refused: parseAcceptedRule('text=Hello') }, create: {}, upgrade: {} } },
      is: { verdict: 'refused', evidence: 'your app showed 200 at /elsewhere ("Hello.")' },
    },
  ],
  [
    'a flow whose pages were not learned shows nothing',
    { row: use, run: runOf(NO), flows: [EXPIRED], readers: { signatures: {} }, is: lost('page_unknown', SAID_NO) },
  ],
  [
    'a token call that did not come was not reached',
    {
      row: token,
      run: runOf(NO, { isLaterMet: false }),
      flows: [CODE],
      is: lost('not_reached', '403 at /callback ("Sorry.")'),
    },
  ],
  [
    'a token reply that no call of the flow met was not delivered',
    {
      row: token,
      run: runOf(NO, met),
      flows: [flowOf('f1', ['E1'], { outcome: 'code_issued' })],
      is: lost('not_delivered', '403 at /callback ("Sorry.")'),
    },
  ],
  [
    'a token row without a queued reply was not delivered',
    { row: token, run: runOf(NO), flows: [CODE], is: lost('not_delivered', '403 at /callback ("Sorry.")') },
  ],
  [
    'a failed token call is read by the page of Upgrade',
    {
      row: token,
      run: runOf('200 /same It stays.', met),
      flows: [CODE],
      is: { verdict: 'refused', evidence: 'your app showed 200 at /same ("It stays.")' },
    },
  ],
  [
    'a failed token call is read by the page of Use, too',
    { row: token, run: runOf(NO, met), flows: [CODE], is: refused },
  ],
  [
    'an upgrade after a failed token call is a yes',
    {
      row: token,
      run: runOf(NO, met),
      flows: [flowOf('f1', ['E1', 'E4', 'E5'], { outcome: 'code_issued' })],
      is: taken('your app sent an upgrade (E5)'),
    },
  ],
  [
    'an upgrade with another token after a failed token call is a yes',
    {
      row: token,
      run: runOf(NO, met),
      flows: [CODE, LATER_UPGRADE],
      isAlone: true,
      is: taken('your app sent an upgrade (E5)'),
    },
  ],
  [
    'a failed upgrade is read by the page of Upgrade alone',
    {
      row: upgrade,
      run: runOf('200 /members Welcome.', met),
      flows: [flowOf('f1', ['E1', 'E4', 'E5'], { outcome: 'code_issued' })],
      is: lost('page_unknown', 'your app showed 200 at /members ("Welcome.")'),
    },
  ],
  [
    'an upgrade that is told as done is taken',
    {
      row: upgrade,
      run: runOf('200 /upgraded It is done.', met),
      flows: [flowOf('f1', ['E1', 'E4', 'E5'], { outcome: 'code_issued' })],
      is: taken('your app showed 200 at /upgraded ("It is done.")'),
    },
  ],
  [
    'an upgrade row whose call did not come was not delivered',
    { row: upgrade, run: runOf(NO, met), flows: [CODE], is: lost('not_delivered', '403 at /callback ("Sorry.")') },
  ],
  [
    'a browser that is sent on with a refused pushed request is a yes',
    {
      row: par,
      run: runOf(NO, { ...met, reachesCreate: true }),
      flows: [CODE, flowOf('f2', ['E2'], { flow: 'create' }), flowOf('f3', ['E3'], { flow: 'create' })],
      is: { ...taken('your app sent the browser on to Create (E3)'), flows: ['f1', 'f2'] },
    },
  ],
  [
    'a pushed request of an earlier flow is none of this run',
    {
      row: par,
      run: runOf(NO, met),
      flows: [flowOf('f1', ['E2'], { flow: 'create' })],
      is: lost('not_reached', '403 at /callback ("Sorry.")'),
    },
  ],
  [
    'a refused pushed request is read by the page of Use, too',
    {
      row: par,
      run: runOf(NO, met),
      flows: [CODE, flowOf('f2', ['E2'], { flow: 'create' })],
      is: { ...refused, flows: ['f1', 'f2'] },
    },
  ],
  [
    'a pushed request of an app that begins at Create is found, too',
    {
      row: par,
      run: runOf('200 /unsaved Nothing is saved.', { ...met, useFlow: undefined }),
      flows: [flowOf('f1', ['E2'], { flow: 'create' })],
      is: { verdict: 'refused', evidence: 'your app showed 200 at /unsaved ("Nothing is saved.")' },
    },
  ],
  [
    'a pushed request that met no queued reply was not delivered',
    {
      row: par,
      run: runOf(NO, { useFlow: undefined }),
      flows: [flowOf('f1', ['E2'], { flow: 'create' })],
      is: lost('not_delivered', '403 at /callback ("Sorry.")'),
    },
  ],
  [
    'a Create answer is read by the page of Create',
    {
      row: create,
      run: runOf('200 /unsaved Nothing is saved.', inCreate),
      flows: [EXPIRED, CREATED],
      is: {
        verdict: 'refused',
        evidence: 'your app showed 200 at /unsaved ("Nothing is saved.")',
        flows: ['f1', 'f2'],
      },
    },
  ],
  [
    'a Create answer that the browser did not bring was not delivered',
    {
      row: create,
      run: runOf(NO, { createFlow: 'f2' }),
      flows: [EXPIRED, CREATED],
      is: { ...lost('not_delivered', '403 at /callback ("Sorry.")'), flows: ['f1', 'f2'] },
    },
  ],
])('Of one run of an app: %s', async (_what, { row, run, flows, readers, isAlone = false, is }) => {
  const verdict = await judgeRun(rowOf(row), run, {
    readers: readersOf({ sandbox: sandboxOf({ flows }), ...readers }),
    isAlone,
  })
  expect(verdict).toEqual({ flows: ['f1'], ...is })
})

test('A rule that asks the app opens its page in the browser of the run', async () => {
  const app = imitatedApp(
    () => NO,
    () => '200 /me Member.',
  )
  const rules = { use: { accepted: parseAcceptedRule('get=/me text=Member') }, create: {}, upgrade: {} }
  const readers = readersOf({ sandbox: sandboxOf({ flows: [EXPIRED] }), driver: app.driver, rules })
  const verdict = await judgeRun(rowOf(use), runOf(UNKNOWN), { readers, isAlone: false })
  expect([verdict.verdict, app.opened]).toEqual(['taken', [{ url: '/me' }]])
})
