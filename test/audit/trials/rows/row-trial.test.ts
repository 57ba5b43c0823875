import { expect, test } from 'vitest'
import type { Browser } from '../../../../src/audit/agent/browser.ts'
import type { FlowPlan, FlowRun } from '../../../../src/audit/drive/flow-run.ts'
import type { LearnedFlow } from '../../../../src/audit/learn/learned-flow.ts'
import { rowTrial, worstOf } from '../../../../src/audit/trials/rows/row-trial.ts'
import { findRow, OUTCOMES, rowId } from '../../../../src/sandbox/outcomes/catalogue.ts'
import { BROUGHT_ANSWERS } from '../../../../src/sandbox/outcomes/rows/callback.ts'
import type { Flow } from '../../../../src/server/client/shapes.ts'
import {
  type Done,
  type ImitatedApp,
  imitatedApp,
  sandboxOf,
  workerOf,
} from '../../../support/imitated-app.ts'
import {
  flowProbed,
  flowShowing,
  learnedOf,
  ME_IN,
  ME_OUT,
} from '../../../support/imitated-learning.ts'
import {
  APP,
  browserOf,
  ended,
  flowOf,
  hopTo,
  runOf,
  saidOf,
  showed,
  summaryOf,
  visitTo,
} from '../../../support/imitated-pages.ts'

const YES = '200 /in Welcome.'
const NO = '403 /cb Sorry.'
const OTHER = '200 /other Hello.'
const SAVED = '200 /saved Saved.'
const UNSAVED = '200 /unsaved Not saved.'
const DONE = '200 /done Done.'
const SAME = '200 /same It stays.'
const OOPS = '500 /cb Oops.'
const SLOW = '429 /cb Slow.'

/** A flow of Use that ended with a row, and its calls. */
const f1 = (outcome: string, ...calls: string[]) => flowOf('f1', ['E1', ...calls], { outcome })
const f2 = (...calls: string[]) =>
  flowOf('f2', calls, { flow: 'create', outcome: 'callback.state_missing' })
const UPGRADES = flowOf('f5', ['E4', 'E5'], { flow: 'upgrade' })

const saw = (said: string, changes: Partial<FlowRun> = {}) => runOf(said, changes)
const met = { isLaterMet: true }
const [begun, onward] = [{ useFlow: undefined }, { reachesCreate: true }]
const saved = { createFlow: 'f2', brought: { E1: true, E3: true } }
const unbrought = { brought: { E1: false, E3: true } }
const failing = { observation: saidOf('visit threw Error: no') }

const row = {
  ...{
    use: 'use/id_token.expired',
    wish: 'use/create_requested',
    create: 'create/callback.state_missing',
  },
  ...{ extra: 'use/id_token.extra_claim', kid: 'use/id_token.kid_missing' },
}
const call = { par: 'par/par.500', token: 'token/token.500', upgrade: 'upgrade/upgrade.500' }
const SPOILED = f1('id_token.expired')
const [CODE, EXCHANGED] = [f1('code_issued'), f1('code_issued', 'E4')]
const UPGRADED = f1('code_issued', 'E4', 'E5')

const [BEGAN_CREATE, EXCHANGED_CODE] = [
  'your app began to create an age key (E3)',
  'your app exchanged the code (E4)',
]
const [WISHED, PUSHED, ANSWERED] = [
  f1('create_requested'),
  [CODE, f2('E2')],
  [SPOILED, f2('E2', 'E3')],
]
const CREATED = [SPOILED, f2('E3')]
const CREATE = { flow: 'create' } as const
const BOTH = ['f1', 'f2']
const ASTRAY = [...PUSHED, flowOf('f3', ['E3'], CREATE)]
const TRAPPED = 'your app fetched an address that the answer named, or followed a redirect there'
const [CLOSED, LATE] = [
  'a closed connection without an answer at /callback',
  'no answer in time at /callback',
]
const SENT_ON = 'your app sent the browser on to Create (E3)'
const UPGRADED_IT = 'your app sent an upgrade (E5)'

const CASES: readonly [
  string,
  string,
  FlowRun,
  readonly Flow[],
  string,
  string,
  (readonly string[])?,
][] = [
  ['the no of Use', row.use, saw(NO), [SPOILED], 'refused', showed(NO)],
  ['the yes of Use', row.use, saw(YES), [SPOILED], 'let in', showed(YES)],
  ['a page never seen', row.use, saw(OTHER), [SPOILED], 'page_unknown', showed(OTHER)],
  [
    'a result',
    row.use,
    saw(NO, { observation: saidOf(true) }),
    [SPOILED],
    'page_unknown',
    'visit returned true',
  ],
  [
    'too many requests',
    row.use,
    saw(SLOW),
    [SPOILED],
    'control_lost',
    `your app answers ${summaryOf(SLOW)}`,
  ],
  ['the flow of another row', row.use, saw(NO), [f1('verified')], 'not_delivered', summaryOf(NO)],
  ['an answer not brought', row.use, saw(NO, unbrought), [SPOILED], 'not_delivered', summaryOf(NO)],
  [
    'an exchange after a token call',
    call.token,
    saw(NO, met),
    [EXCHANGED, UPGRADES],
    'let in',
    UPGRADED_IT,
  ],
  [
    'an address of an attacker',
    row.use,
    saw(NO),
    [f1('id_token.expired', 'trap')],
    'let in',
    TRAPPED,
  ],
  ['a crash', row.use, saw(OOPS), [SPOILED], 'broke', showed(OOPS)],
  [
    'a crash by a right answer',
    row.extra,
    saw(OOPS),
    [f1('id_token.extra_claim')],
    'too strict',
    showed(OOPS),
  ],
  [
    'a yes or no of its own',
    row.kid,
    saw(YES),
    [f1('id_token.kid_missing')],
    'observed',
    showed(YES),
  ],
  ['no flow', row.use, saw(NO, begun), [SPOILED], 'not_reached', summaryOf(NO), []],
  ['a failed visit', row.use, saw(NO, failing), [SPOILED], 'visit_failed', 'visit threw Error: no'],
  [
    'an early failure',
    row.use,
    saw(NO, { ...failing, ...begun }),
    [],
    'visit_failed',
    'visit threw Error: no',
    [],
  ],
  ['an exchanged code', row.use, saw(NO), [f1('id_token.expired', 'E4')], 'let in', EXCHANGED_CODE],
  ['a later exchange beside others', row.use, saw(NO), [SPOILED, UPGRADES], 'refused', showed(NO)],
  ['a way to Create', row.use, saw(NO, onward), [SPOILED], 'let in', BEGAN_CREATE],
  ['a wish to create', row.wish, saw(NO, onward), [WISHED], 'accepted', BEGAN_CREATE],
  ['a wish that leads nowhere', row.wish, saw(NO), [WISHED], 'too strict', showed(NO)],
  [
    'no token call',
    call.token,
    saw(NO, { isLaterMet: false }),
    [EXCHANGED],
    'not_reached',
    summaryOf(NO),
  ],
  ['a token call elsewhere', call.token, saw(NO, met), [CODE], 'not_delivered', summaryOf(NO)],
  [
    'a token call that was not to fail',
    call.token,
    saw(NO),
    [EXCHANGED],
    'not_delivered',
    summaryOf(NO),
  ],
  ['the no of Upgrade', call.token, saw(SAME, met), [EXCHANGED], 'refused', showed(SAME)],
  [
    'the no of Use after a token call',
    call.token,
    saw(NO, met),
    [EXCHANGED],
    'refused',
    showed(NO),
  ],
  ['an upgrade without a token', call.token, saw(NO, met), [UPGRADED], 'let in', UPGRADED_IT],
  [
    'the yes of Use after an upgrade',
    call.upgrade,
    saw(YES, met),
    [UPGRADED],
    'page_unknown',
    showed(YES),
  ],
  [
    'the yes of Use after a token call',
    call.token,
    saw(YES, met),
    [EXCHANGED],
    'refused',
    showed(YES),
  ],
  [
    'the yes of Upgrade after an answer of Use',
    row.use,
    saw(DONE),
    [SPOILED],
    'page_unknown',
    showed(DONE),
  ],
  [
    'an upgrade that was not to fail',
    call.upgrade,
    saw(NO),
    [UPGRADED],
    'not_delivered',
    summaryOf(NO),
  ],
  ['the yes of Upgrade', call.upgrade, saw(DONE, met), [UPGRADED], 'let in', showed(DONE)],
  ['no upgrade', call.upgrade, saw(NO, met), [EXCHANGED], 'not_delivered', summaryOf(NO)],
  [
    'an earlier push',
    call.par,
    saw(NO, met),
    [flowOf('f1', ['E2'], CREATE)],
    'not_reached',
    summaryOf(NO),
  ],
  [
    'a way on',
    call.par,
    saw(NO, { ...met, ...onward }),
    [CODE, f2('E2', 'E3')],
    'let in',
    SENT_ON,
    BOTH,
  ],
  [
    'a way on without a request_uri',
    call.par,
    saw(NO, { ...met, ...onward }),
    ASTRAY,
    'let in',
    SENT_ON,
    BOTH,
  ],
  [
    'the no of Use after a pushed request',
    call.par,
    saw(NO, met),
    PUSHED,
    'refused',
    showed(NO),
    BOTH,
  ],
  [
    'the no of Create',
    call.par,
    saw(UNSAVED, { ...met, ...begun }),
    [f2('E2')],
    'refused',
    showed(UNSAVED),
    ['f2'],
  ],
  [
    'a push that was not to fail',
    call.par,
    saw(NO, begun),
    [f2('E2')],
    'not_delivered',
    summaryOf(NO),
    ['f2'],
  ],
  ['a Create answer', row.create, saw(UNSAVED, saved), ANSWERED, 'refused', showed(UNSAVED), BOTH],
  ['a saved key', row.create, saw(SAVED, saved), ANSWERED, 'let in', showed(SAVED), BOTH],
  [
    'a closed connection',
    row.use,
    runOf(ended('dropped')),
    [SPOILED],
    'broke',
    `your app showed ${CLOSED}`,
  ],
  [
    'a connection closed early',
    row.use,
    runOf(ended('dropped'), unbrought),
    [SPOILED],
    'not_delivered',
    CLOSED,
  ],
  ['no answer', row.use, runOf(ended('timed_out')), [SPOILED], 'broke', `your app showed ${LATE}`],
  ['no answer before', row.use, runOf(ended('timed_out'), unbrought), [SPOILED], 'timed_out', LATE],
  [
    'a lost answer',
    row.create,
    saw(NO, { createFlow: 'f2' }),
    CREATED,
    'not_delivered',
    summaryOf(NO),
    BOTH,
  ],
]

const rowOf = (id: string) => findRow(id) ?? expect.fail(`there is no row ${id}`)
const LEARNED = learnedOf(flowShowing(YES, { access_denied: NO }), {
  create: { kind: 'learned', flow: flowShowing(SAVED, { no: UNSAVED }) },
  upgrade: { kind: 'learned', flow: flowShowing(DONE, { no: SAME }) },
})
const PROBED = flowProbed(YES, NO)

type AppParts = Parameters<typeof imitatedApp>[1]

/** The verdict on a row for an app in which every run is this one. */
async function prove(
  id: string,
  run: FlowRun,
  flows: readonly Flow[],
  learned = LEARNED,
  parts?: AppParts,
) {
  const { driver } = imitatedApp(() => NO, parts)
  const trial = rowTrial(rowOf(id), { learned, options: {} })
  const worker = workerOf({
    driver: { ...driver, run: async () => run },
    sandbox: sandboxOf({ flows }),
  })
  const {
    verdict,
    reason,
    evidence,
    flows: found,
    isLimited,
  } = trial.proof(await trial.drive(worker))
  const said = evidence.replace(/^as the \w+: /, '')
  return { says: reason ?? verdict, evidence: said, flows: [...new Set(found)], isLimited }
}

test.each(CASES)(
  'A run with %s is judged by row %s',
  async (_, id, run, flows, says, evidence, ids = ['f1']) => {
    expect(await prove(id, run, flows)).toEqual({
      says,
      evidence,
      flows: ids,
      isLimited: says === 'control_lost',
    })
  },
)

test('A limit that meets the page which tells is a limit, unless the sandbox saw more', async () => {
  const find = (flow: Flow) =>
    prove(row.use, saw(NO), [flow], learnedOf(PROBED), { peek: () => '429 /me Slow.' })
  const evidence = `${showed(NO)}; then /me answers 429`
  expect(await find(SPOILED)).toMatchObject({ says: 'control_lost', evidence, isLimited: true })
  expect(await find(f1('id_token.expired', 'E4'))).toMatchObject({
    says: 'let in',
    isLimited: false,
  })
})

test('An app that creates after each denial says nothing by that, but after create_requested', async () => {
  const learned = { ...LEARNED, createsAfterDenial: true }
  expect(await prove(row.use, runOf(NO, onward), [SPOILED], learned)).toMatchObject({
    says: 'refused',
  })
  expect(await prove(row.wish, runOf(NO, onward), [WISHED], learned)).toMatchObject({
    evidence: BEGAN_CREATE,
  })
})

test('A flow whose pages were not learned shows nothing', async () => {
  const learned = learnedOf(LEARNED.use)
  expect(await prove(row.create, saw(SAVED, saved), ANSWERED, learned)).toMatchObject({
    says: 'page_unknown',
  })
})

test('A wrong answer about ages that gets the page of an honest minor is ignored, when another refusal has another page', async () => {
  const young = '403 /cb Too young.'
  const learned = learnedOf(flowShowing(YES, { access_denied: NO, minor: young }))
  const flows = (name: string) => [f1(name)]
  const { name } =
    OUTCOMES.find((one) => one.breaks.includes('age_thresholds') && !one.plainNo) ?? expect.fail()
  expect(await prove(`use/${name}`, runOf(young), flows(name), learned)).toMatchObject({
    says: 'ignored',
  })
  expect(await prove(`use/${name}`, runOf(NO), flows(name), learned)).toMatchObject({
    says: 'refused',
  })
  expect(await prove(row.use, runOf(young), flows('id_token.expired'), learned)).toMatchObject({
    says: 'refused',
  })
  const plain = OUTCOMES.find(({ plainNo }) => plainNo) ?? expect.fail('a row is a plain no')
  expect(await prove(rowId(plain), runOf(young), flows(plain.name), learned)).toMatchObject({
    says: 'refused',
  })
  const alike = learnedOf(flowShowing(YES, { access_denied: young, minor: young }))
  expect(await prove(`use/${name}`, runOf(young), flows(name), alike)).toMatchObject({
    says: 'refused',
  })
})

test('Of a row that is run as two personas the worst run counts, with the flows of both', async () => {
  const flows = ['refused', 'let in', 'ignored'] as const
  const all = flows.map((verdict) => ({ verdict, evidence: '', flows: [verdict] }))
  expect(worstOf(all)).toEqual({ verdict: 'let in', evidence: '', flows, isLimited: false })
  expect(worstOf(all.toSpliced(1, 1)).verdict).toBe('ignored')
  const app = imitatedApp(({ use }) => (use.persona === 'the minor' ? YES : NO))
  const both = rowOf('use/id_token.expired')
  const trial = rowTrial({ ...both, bait: 'both' }, { learned: LEARNED, options: {} })
  const told = { verdict: 'let in', evidence: `as the minor: ${showed(YES)}`, flows: ['f1', 'f2'] }
  expect(trial.proof(await trial.drive(workerOf(app)))).toMatchObject(told)
})

test('An app that lets a user in by a job is seen when the browser of that user looks again', async () => {
  const peek = (_path: string, { waited }: { waited: number }) => (waited < 2000 ? ME_OUT : ME_IN)
  const app = imitatedApp(() => NO, { peek })
  const [trial, worker] = [
    rowTrial(rowOf(row.use), { learned: learnedOf(PROBED), options: {} }),
    workerOf(app),
  ]
  const visits = await trial.drive(worker)
  expect(trial.proof(visits).verdict).toBe('refused')
  await app.driver.wait(2500)
  expect(trial.proof((await trial.lookAgain?.(visits, worker)) ?? visits).verdict).toBe('let in')
  // Where no page can be requested, nobody looks again; after a run without an answer, nothing is
  // requested.
  expect(rowTrial(rowOf(row.use), { learned: LEARNED, options: {} })).not.toHaveProperty(
    'lookAgain',
  )
  const [lost] = visits.map((visit) => ({ ...visit, missing: 'not_delivered' as const }))
  expect(lost && (await trial.lookAgain?.([lost], worker))).toEqual([lost])
})

const replay =
  OUTCOMES.find(({ flow, prelude }) => flow === 'use' && prelude !== undefined) ?? expect.fail()
const SESSION = {
  hops: [hopTo(`${APP}/callback`, { isCallback: true, cookies: ['session', 'proof'] })],
}

test.each<[string, string | undefined, boolean]>([
  ['still knows the user', YES, false],
  ['begins anew', NO, true],
  ['does not send a request again', undefined, false],
])(
  'A row that needs a good flow before takes its browser, unless the app %s',
  async (_what, afterDenial, isSameBrowser) => {
    const browser = browserOf()
    const app = imitatedApp(({ use: { outcome } }): Done => {
      if (outcome === 'verified') return { shows: visitTo(YES, SESSION), changes: { browser } }
      if (outcome !== 'access_denied') return { shows: NO }
      return {
        shows: afterDenial ?? NO,
        changes: afterDenial === undefined ? { request: undefined } : {},
      }
    })
    const trial = rowTrial(replay, { learned: LEARNED, options: {} })
    const finding = trial.proof(await trial.drive(workerOf(app)))
    expect(trial.runs).toBe('alone')
    expect(finding.flows).toEqual(['f3'])
    expect(browser.forgotten).toEqual(['session', 'proof'])
    expect(app.plans.map((plan) => plan.use.outcome)).toEqual([
      'verified',
      'access_denied',
      replay.name,
    ])
    expect(app.plans[2]?.browser === browser).toBe(isSameBrowser)
  },
)

test.each([
  [true, 'which a page that is asked for again tells'],
  [false, 'which is signed in still'],
])('A browser after a good flow is used: %s, %s', async (isOver) => {
  const app = imitatedApp((plan: FlowPlan) => (plan.use.outcome === 'verified' ? YES : NO), {
    peek: () => (isOver ? ME_OUT : ME_IN),
  })
  await rowTrial(replay, { learned: learnedOf(PROBED), options: {} }).drive(workerOf(app))
  expect(app.plans.map(({ browser }) => browser !== undefined)).toEqual([false, isOver])
})

const [OF_OTHER_BROWSER, TWICE] = ['callback.of_other_browser', 'callback.twice']

async function tryRow(name: string, app: ImitatedApp, use: LearnedFlow = flowShowing(YES)) {
  const row = BROUGHT_ANSWERS.find((one) => one.name === name) ?? expect.fail()
  const trial = rowTrial(row, { learned: learnedOf(use, { signOut: ['/logout'] }), options: {} })
  return trial.proof(await trial.drive(workerOf(app)))
}

test.each([
  ['let in', YES, showed(YES)],
  ['refused', NO, showed(NO)],
])(
  'The answer to another browser is %s by the page that it is shown',
  async (verdict, shown, said) => {
    const own = [browserOf(), browserOf()]
    const brought: Browser[] = []
    const app = imitatedApp(
      (_plan, run) => ({ shows: NO, changes: { browser: own[run - 1] ?? expect.fail() } }),
      {
        open: (_request, browser) => {
          brought.push(browser)
          return shown
        },
      },
    )
    expect(await tryRow(OF_OTHER_BROWSER, app)).toMatchObject({
      verdict,
      evidence: `as the adult: ${said}`,
      flows: ['f1', 'f2'],
    })
    expect(app.plans).toMatchObject([{ holds: 'E1' }, { holds: 'E1' }])
    expect(app.opened).toEqual([{ url: `${APP}/callback?state=s1`, isAnswer: true }])
    expect(brought).toHaveLength(1)
    expect(brought[0]).toBe(own[1])
  },
)

test('An answer that was not brought to its own browser is not brought to another', async () => {
  const app = imitatedApp(() => ({ shows: NO, changes: { answer: undefined } }))
  expect(await tryRow(OF_OTHER_BROWSER, app)).toMatchObject({
    verdict: 'undetermined',
    reason: 'not_delivered',
  })
  expect(app.opened).toEqual([])
})

const LEFT = { hops: [hopTo(`${APP}/callback`, { isCallback: true, cookies: ['session'] })] }

/** An app that is left in one of these ways, and that accepts an answer again or not. */
function leaving(way: 'cookie' | '/logout' | 'nothing', takesAgain: boolean) {
  let isIn = true
  const leave = (by: string) => {
    if (by === way) isIn = false
  }
  const browser = { ...browserOf(), forget: () => leave('cookie') }
  return imitatedApp(() => ({ shows: visitTo(YES, LEFT), changes: { browser } }), {
    peek: () => (isIn ? ME_IN : ME_OUT),
    open({ url }) {
      if (url === '/logout') leave(url)
      else isIn = takesAgain
      return '200 /callback Hello.'
    },
  })
}

test.each([
  ['cookie', true, 'let in', 2],
  ['cookie', false, 'refused', 2],
  ['/logout', true, 'let in', 2],
  ['/logout', false, 'refused', 2],
  ['nothing', false, 'observed', 1],
] as const)(
  'The same answer is brought twice, when the session is over by %s (taken again: %s): %s',
  async (way, takesAgain, verdict, opened) => {
    const app = leaving(way, takesAgain)
    expect(await tryRow(TWICE, app, PROBED)).toMatchObject({ verdict })
    expect(app.opened).toHaveLength(opened)
  },
)

test('An answer is brought again after a sign-out, in a browser that has kept what the app knows of the request', async () => {
  let [isIn, hasRequest] = [true, true]
  const browser = { ...browserOf(), forget: () => ([isIn, hasRequest] = [false, false]) }
  const app = imitatedApp(() => ({ shows: visitTo(YES, LEFT), changes: { browser } }), {
    peek: () => (isIn ? ME_IN : ME_OUT),
    open({ url }) {
      isIn = url !== '/logout' && hasRequest
      return '200 /callback Hello.'
    },
  })
  expect(await tryRow(TWICE, app, PROBED)).toMatchObject({ verdict: 'let in' })
})

test.each([
  [LEFT, 'let in'],
  [{}, 'observed'],
])(
  'Without a page that tells, an answer is brought twice when its cookie was forgotten: %j',
  async (left, verdict) => {
    const app = imitatedApp(() => ({ shows: visitTo(YES, left) }), { open: () => YES })
    expect(await tryRow(TWICE, app)).toMatchObject({ verdict })
  },
)

test.each([
  ['let in', 'too strict'],
  ['too strict', 'broke'],
  ['broke', 'undetermined'],
  ['undetermined', 'ignored'],
  ['ignored', 'observed'],
  ['observed', 'refused'],
  ['refused', 'accepted'],
] as const)('The verdict %s of one run counts more than %s of another run', (worse, better) => {
  const findings = [better, worse].map((verdict) => ({ verdict, evidence: '', flows: [] }))
  expect(worstOf(findings).verdict).toBe(worse)
})
