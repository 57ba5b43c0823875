import { expect, test } from 'vitest'
import type { Visit } from '../../../src/audit/agent/browser.ts'
import type { AuditedApp } from '../../../src/audit/drive/audited-app.ts'
import type { FlowPlan } from '../../../src/audit/drive/driver.ts'
import { learnApp } from '../../../src/audit/learn/learn-app.ts'
import { planOfCreate } from '../../../src/audit/learn/learn-later.ts'
import { observe } from '../../../src/audit/learn/observation.ts'
import type { AuditOptions } from '../../../src/audit/options.ts'
import {
  APP,
  callOf,
  type Done,
  ended,
  FINDING,
  hopTo,
  type ImitatedApp,
  imitatedApp,
  NO,
  pageOf,
  problem,
  requestOf,
  SANDBOX,
  saidOf,
  visitTo,
  YES,
} from '../../support/imitated-app.ts'

const isAdult = ({ use: { persona, outcome } }: FlowPlan) => outcome === 'verified' && persona === 'adult-passport'

function learn(app: ImitatedApp, { options = {}, ...changes }: Partial<AuditedApp> & { options?: AuditOptions } = {}) {
  const { sandbox, driver } = app
  const http = { agent: 'http', readsFragments: false } as const
  return learnApp({ sandbox, page: `${APP}/verify`, drive: () => driver, ...http, ...changes }, driver, options)
}

const absent = (reason: string) => ({ kind: 'absent', reason })

test('An app that has Use alone is learned from two adults, two minors and two denials', async () => {
  const app = imitatedApp((plan) => (isAdult(plan) ? YES : NO))
  const { use, create, upgrade, reading, described, lines } = await learn(app)
  const adult = { use: { persona: 'adult-passport', outcome: 'verified' } }
  const denied = { use: { outcome: 'access_denied' } }
  const minor = (n: number) => ({ use: { persona: `audit-minor-${n}`, outcome: 'verified' } })
  expect(app.plans).toEqual([denied, minor(1), adult, minor(2), denied, adult])
  const seenNo = observe(visitTo(NO))
  expect(use).toMatchObject({
    profile: { responseMode: 'query', canCreate: false, upgradeScope: false, repeatsState: false },
    letsIn: [],
    createsAfterDenial: false,
    denied: { label: 'access_denied', observations: [seenNo, seenNo] },
  })
  const lacks = new Set(['status 200', 'at /members', 'says welcome'])
  const no = { always: seenNo.features, lacks }
  const stray = { always: observe({ end: 'page', hops: [], page: pageOf('400 /callback No answer.') }).features, lacks }
  expect(use.signature).toEqual({ yes: lacks, yesStatus: 200, noes: [no, no, stray, stray] })
  const noCreate = 'your app sends no can_create=true; name its page under create.start when it has Create'
  const noUpgrade = 'your app does not ask for the upgrade scope'
  expect([create, upgrade]).toEqual([absent(noCreate), absent(noUpgrade)])
  const rules = { use: {}, create: {}, upgrade: {} }
  expect(reading).toEqual({ signatures: { use: use.signature }, rules, createsAfterDenial: false })
  const yes = '200 at /members, says "welcome"'
  const noes = ['403 at /callback, says "sorry"', '400 at /callback, says "no answer"']
  expect(described).toEqual({ use: { yes, no: noes } })
  expect(lines).toEqual([`use: yes is ${yes}`, ...noes.map((one) => `use: no is ${one}`), noCreate, noUpgrade])
})

const ANSWER = { state: 'audit-stray-answer', id_token: 'audit.stray.answer' }
const query = new URLSearchParams(ANSWER)

const CALLBACK = `${APP}/callback`

test.each([
  ['query', { url: `${CALLBACK}?${query}`, isAnswer: false }, false],
  ['form_post', { url: CALLBACK, method: 'POST', form: ANSWER, isCrossSite: true }, false],
  ['fragment', { url: `${CALLBACK}#${query}`, isAnswer: true }, true],
])(
  'An app that is answered by %s is brought an answer that it did not ask for, and none',
  async (mode, opened, isAnswer) => {
    const request = requestOf({ response_mode: mode })
    const app = imitatedApp((plan) => ({ shows: isAdult(plan) ? YES : NO, changes: { request } }))
    const { use } = await learn(app, { readsFragments: true })
    expect(app.opened).toEqual([opened, { url: CALLBACK, isAnswer }])
    expect(use.profile).toMatchObject({ responseMode: mode, repeatsState: true })
  },
)

test.each([
  ['looks like a yes', '200 /members Welcome.', 2],
  ['is no page', ended('dropped', { hops: [] }), 2],
  ['is another page', '200 /callback?id_token=a Who are you?', 4],
])('What the app shows for a stray answer is a no, unless it %s', async (_what, shown, noes) => {
  const app = imitatedApp(
    (plan) => (isAdult(plan) ? YES : NO),
    () => shown,
  )
  const { signature, strays } = (await learn(app)).use
  expect(signature.noes).toHaveLength(noes)
  expect(strays.map(({ label }) => label)).toEqual(['a stray answer', 'a stray answer'])
  // What stands in its address is the answer itself.
  expect([...(strays[0]?.observations[0]?.features ?? [])].filter((feature) => feature.startsWith('with '))).toEqual([])
})

test('An app that lets a minor in, and one that goes on to Create after a denial, are known as such', async () => {
  const minors = imitatedApp(({ use: { outcome } }) => (outcome === 'verified' ? YES : NO))
  expect((await learn(minors)).use.letsIn).toEqual(['minor'])
  const creates = imitatedApp((plan, run) => ({ shows: isAdult(plan) ? YES : NO, creates: run === 1 }))
  expect((await learn(creates)).use.createsAfterDenial).toBe(true)
})

test('An app that sends its request only once does not repeat its state', async () => {
  const app = imitatedApp((plan, run) => ({
    shows: isAdult(plan) ? YES : NO,
    ...(run > 1 && { changes: { request: undefined } }),
  }))
  expect((await learn(app)).use.profile.repeatsState).toBe(false)
})

test('A rule of the user is asked after each run by which an app is learned', async () => {
  const app = imitatedApp((plan) => (isAdult(plan) ? YES : NO))
  const { reading, use } = await learn(app, { options: { use: { accepted: 'text=Welcome' } } })
  expect([use.letsIn, reading.rules.use.accepted?.says]).toEqual([[], 'Welcome'])
  await expect(learn(app, { options: { use: { accepted: 'text=Hello' } } })).rejects.toThrow(
    problem('--accepted "text=Hello" does not hold after adult-passport: your app shows 200 at /members ("Welcome.")'),
  )
})

test('An app whose request the sandbox refuses is told by which rule', async () => {
  const app = imitatedApp(() => ({ shows: NO, calls: [callOf('E1', { findings: [FINDING] })] }))
  const message = 'the sandbox refuses the Use request of your app: USE-08: it is missing; send one'
  await expect(learn(app)).rejects.toThrow(problem(message))
})

test('The path of use.fragment is looked at when no browser with scripts drives the app', async () => {
  const hops = [hopTo(`${APP}/callback#a=b`), hopTo(`${APP}/session`, { method: 'POST', status: 404 })]
  const app = imitatedApp((plan) => ({ shows: visitTo(isAdult(plan) ? YES : NO, { hops }) }))
  await expect(learn(app)).rejects.toThrow(/^use\.fragment: POST \/session answers 404/)
  expect((await learn(app, { agent: 'chromium' })).use.letsIn).toEqual([])
})

const CAN_CREATE = requestOf({ can_create: 'true', scope: 'openid svc.upgrade' })

type Later = (plan: FlowPlan, what: 'create' | 'upgrade') => Done

/** An app with Create and Upgrade, which does `later` in these. */
const whole = (later: Later, use = (plan: FlowPlan): Done => ({ shows: isAdult(plan) ? YES : NO })) =>
  imitatedApp((plan) => {
    const what = plan.create ? 'create' : plan.use.outcome === 'code_issued' ? 'upgrade' : undefined
    return { changes: { request: CAN_CREATE }, ...(what ? later(plan, what) : use(plan)) }
  })

const right: Later = ({ create }, what) => {
  if (what === 'upgrade') return { shows: '200 /upgraded Done.', calls: ['E4', 'E5'] }
  return { shows: `200 /created ${create?.outcome === 'created' ? 'Saved' : 'Nothing'}.`, calls: ['E2'], creates: true }
}

/** A right app, which shows these in its Create, in turn after a denial and after an age key was saved. */
const showsInCreate = (...shown: (Visit | undefined)[]) =>
  whole((plan, what) => {
    const shows = what === 'create' && shown.shift()
    return { ...right(plan, what), ...(shows && { shows }) }
  })

test('An app with Create and Upgrade is brought to both ends of these', async () => {
  const app = whole(right)
  const { create, upgrade, described, lines, reading } = await learn(app)
  const newcomer = (n: number, outcome: string) => ({
    use: { persona: `audit-newcomer-${n}`, outcome: 'create_requested' },
    create: { persona: `audit-newcomer-${n}`, outcome },
    page: undefined,
  })
  const minor = (n: number) => ({ use: { persona: `audit-minor-${n}`, outcome: 'code_issued' }, page: undefined })
  const creations = ['access_denied', 'created', 'access_denied', 'created']
  const visits = creations.map((outcome, index) => newcomer(index + 3, outcome))
  expect(app.plans.slice(6)).toEqual([...visits, minor(7), minor(8)])
  const stray = { label: 'a stray answer' }
  expect(create).toMatchObject({ kind: 'learned', no: [{ label: 'after access_denied' }, stray, stray, stray] })
  expect(upgrade).toMatchObject({ kind: 'learned', no: [{ label: 'access_denied' }, stray, stray] })
  // The last one is an answer to Create that no request asked for.
  expect(app.opened.at(-1)).toEqual({ url: `${APP}/created?state=audit-stray-answer`, isAnswer: false })
  expect(Object.keys(reading.signatures)).toEqual(['use', 'create', 'upgrade'])
  expect(described).toMatchObject({
    create: { yes: '200 at /created, says "saved"' },
    upgrade: { yes: '200 at /upgraded, says "done"' },
  })
  const some = ['create: yes is 200 at /created, says "saved"', 'upgrade: no is 403 at /callback, says "sorry"']
  expect(lines).toEqual(expect.arrayContaining(some))
  expect(lines.at(-1)).toBe('upgrade: no is 400 at /callback, says "no answer"')
})

test('An app without can_create is brought to Create by its own page, after a denial', async () => {
  const start = { url: '/create' }
  const app = imitatedApp((plan) => (plan.create ? right(plan, 'create') : isAdult(plan) ? YES : NO))
  const { create, use } = await learn(app, { options: { create: { start } } })
  expect(create.kind).toBe('learned')
  const newcomer = { persona: 'audit-newcomer-3', outcome: 'access_denied' }
  expect(app.plans[6]).toEqual({ use: newcomer, create: newcomer, page: start })
  const plan = planOfCreate('p', { ...use, start })
  expect(plan).toMatchObject({ use: { outcome: 'access_denied' }, create: { persona: 'p', outcome: 'created' } })
})

const CREATE_HOPS = [hopTo(`${SANDBOX}/create`, { endpoint: 'E3' }), hopTo(`${APP}/created`, { isCallback: true })]
const AT_CALLBACK = visitTo('200 /home Home.', { hops: CREATE_HOPS })
const onTo = (said: string) => visitTo(said, { hops: [...CREATE_HOPS, hopTo(`${APP}/home`)] })
const HOME = onTo('200 /home Home.')

test.each([
  ['goes on to the same page', true, [HOME, HOME, HOME, HOME]],
  ['goes on to the same page, but for once,', true, [HOME, AT_CALLBACK, HOME, HOME]],
  ['shows the same page at its callback', false, [AT_CALLBACK, AT_CALLBACK, AT_CALLBACK, AT_CALLBACK]],
  ['goes on to a page that tells', false, [HOME, onTo('200 /home Saved.'), HOME, onTo('200 /home Saved.')]],
])(
  'An app that %s after each end of Create is judged by what the sandbox sees alone: %s',
  async (_what, isSilent, shown) => {
    const { create } = await learn(showsInCreate(...shown))
    const labels = ['after access_denied', ...(isSilent ? [] : Array(3).fill('a stray answer'))]
    expect(create).toMatchObject({ kind: 'learned', no: labels.map((label) => ({ label })) })
    expect(create.kind === 'learned' && create.signature.noes.length > 0).toBe(!isSilent)
  },
)

test('An app that begins again after each end of Create shows nothing by that', async () => {
  const again = ended('stopped')
  for (const second of [again, undefined]) {
    const app = showsInCreate(again, again, second, again)
    expect((await learn(app)).create).toMatchObject({ kind: 'learned', signature: { noes: [] } })
  }
  const { create } = await learn(showsInCreate(undefined, again, undefined, again))
  expect(create.kind === 'learned' && create.signature.noes.length).toBeGreaterThan(0)
})

const refusedCall = (endpoint: string) => callOf(endpoint, { status: 400, findings: [FINDING] })
const REFUSES = (endpoint: string) =>
  `the sandbox refuses ${endpoint} of your app with 400: USE-08: it is missing; send one`

const refused = (evidence: string, ...rows: string[]) => ({ kind: 'refused', rows, evidence })
const NO_CREATE = 'your app began no Create flow after create_requested; name its page under create.start'
const OOPS = 'your app showed 400 at /created ("Oops.")'

test.each<[string, Done, object]>([
  [
    'whose pushed request the sandbox refuses',
    { shows: NO, calls: [refusedCall('E2')] },
    refused(REFUSES('E2'), 'use/create_requested', 'create/created'),
  ],
  ['that begins no Create', { shows: NO }, absent(NO_CREATE)],
  [
    'whose call of another flow the sandbox refuses',
    { shows: NO, calls: [refusedCall('E4')], changes: { useFlow: undefined } },
    absent(NO_CREATE),
  ],
  [
    'that shows an error after an age key was saved',
    { shows: '400 /created Oops.', calls: ['E2'], creates: true },
    refused(`after an age key was saved ${OOPS}`, 'create/created'),
  ],
])('Create cannot be learned of an app %s, and the reason is kept', async (_what, done, create) => {
  const app = whole((plan, what) => (what === 'create' ? done : right(plan, what)))
  expect((await learn(app)).create).toEqual(create)
})

test('What the sandbox refused of Create before is not why an app begins none', async () => {
  const before = { shows: NO, calls: [refusedCall('E2')] }
  const use = (plan: FlowPlan) => (isAdult(plan) ? { shows: YES } : before)
  const app = whole(() => ({ shows: NO }), use)
  expect((await learn(app)).create).toEqual(absent(NO_CREATE))
})

const noCode = (evidence: string) => refused(evidence, 'use/code_issued')
const AFTER_CODE = 'after a code your app showed 500 at /callback ("Oops.")'
const AFTER_TOKEN = 'after a right access token your app showed 400 at /callback ("Oops.")'
const NO_CODE = 'your app exchanged no code after code_issued; name its page under upgrade.start'
const NO_UPGRADE = 'your app sent no upgrade (E5) after code_issued; name its page under upgrade.start'

test.each<[string, Done, object]>([
  ['whose token call the sandbox refuses', { shows: NO, calls: [refusedCall('E4')] }, noCode(REFUSES('E4'))],
  ['whose upgrade the sandbox refuses', { shows: NO, calls: ['E4', refusedCall('E5')] }, noCode(REFUSES('E5'))],
  ['that shows an error after a code', { shows: '500 /callback Oops.' }, noCode(AFTER_CODE)],
  ['that shows an error after a token', { shows: '400 /callback Oops.', calls: ['E4'] }, noCode(AFTER_TOKEN)],
  ['that exchanges no code', { shows: YES }, absent(NO_CODE)],
  ['that does not come to Use again', { shows: YES, changes: { useFlow: undefined } }, absent(NO_CODE)],
  ['that sends no upgrade', { shows: YES, calls: ['E4', callOf('other', { status: 400 })] }, absent(NO_UPGRADE)],
])('Upgrade cannot be learned of an app %s, which is said at the end', async (_what, done, upgrade) => {
  const app = whole((plan, what) => (what === 'upgrade' ? done : right(plan, what)))
  const learned = await learn(app)
  expect(learned.upgrade).toEqual(upgrade)
  expect(learned.lines.at(-1)).toBe('evidence' in upgrade ? upgrade.evidence : 'reason' in upgrade && upgrade.reason)
  expect(Object.keys(learned.described)).toEqual(['use', 'create'])
})

test('An upgrade counts as done only when each run has sent it', async () => {
  const app = whole((plan, what) => {
    const isFirst = app.plans.filter(({ use }) => use.outcome === 'code_issued').length === 1
    return what === 'upgrade' && isFirst ? { shows: YES, calls: ['E4'] } : right(plan, what)
  })
  expect((await learn(app)).upgrade.kind).toBe('absent')
})

test('A test suite whose visit function says nothing of Create and Upgrade is told what to return', async () => {
  const later: Later = (plan, what) => ({ ...right(plan, what), shows: saidOf(true) })
  const app = whole(later, (plan) => ({ shows: saidOf(isAdult(plan)) }))
  const { create, upgrade, lines } = await learn(app, { agent: 'function' })
  const silence =
    'visit returned true whether Create ended well or not; return true for flow create when the age key was saved'
  expect(create).toMatchObject({ kind: 'learned', silence })
  expect(lines).toContain(silence)
  // The no of Upgrade is that of Use.
  expect(upgrade.kind === 'learned' && upgrade.silence).toBe(undefined)
})

test('A test suite whose app has no Create and no Upgrade is told so without a word about pages', async () => {
  const shows = (plan: FlowPlan) => ({ shows: saidOf(isAdult(plan)) })
  const asksForNone = absent('your app sends no can_create=true')
  expect(await learn(imitatedApp(shows), { agent: 'function' })).toMatchObject({ create: asksForNone })
  const create = absent('your app began no Create flow after create_requested')
  const upgrade = absent('your app exchanged no code after code_issued')
  expect(await learn(whole(shows, shows), { agent: 'function' })).toMatchObject({ create, upgrade })
})
