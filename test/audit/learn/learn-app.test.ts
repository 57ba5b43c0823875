import { expect, test } from 'vitest'
import type { Browser } from '../../../src/audit/agent/browser.ts'
import type { AuditedApp } from '../../../src/audit/drive/driver.ts'
import type { FlowPlan } from '../../../src/audit/drive/flow-run.ts'
import { learnApp } from '../../../src/audit/learn/learn-app.ts'
import type { LearnedLater } from '../../../src/audit/learn/learn-later.ts'
import { planOfCreate } from '../../../src/audit/learn/plan-create.ts'
import type { AuditRunOptions } from '../../../src/audit/options.ts'
import { type Done, type ImitatedApp, imitatedApp } from '../../support/imitated-app.ts'
import {
  APP,
  callOf,
  FINDING,
  NO,
  problem,
  requestOf,
  SANDBOX,
  saidOf,
  YES,
} from '../../support/imitated-pages.ts'

const isAdult = ({ use: { persona, outcome } }: FlowPlan) =>
  outcome === 'verified' && persona === 'adult-passport'

const letsAdultsIn = (plan: FlowPlan) => (isAdult(plan) ? YES : NO)
const WAITS = '200 /callback Please wait.'

function learn(
  app: ImitatedApp,
  { options = {}, ...changes }: Partial<AuditedApp> & { options?: AuditRunOptions } = {},
) {
  const { sandbox, driver } = app
  const http = { agent: 'http', readsFragments: false } as const
  return learnApp(
    { sandbox, page: `${APP}/verify`, drive: () => driver, ...http, ...changes },
    driver,
    options,
  )
}

const learnVisits = (app: ImitatedApp) => learn(app, { agent: 'function', readsFragments: true })

const absent = (reason: string) => ({ kind: 'absent', reason })

const ADULT = { use: { persona: 'adult-passport', outcome: 'verified' } }
const DENIED = { use: { outcome: 'access_denied' } }
const INVENTED = { use: { persona: 'adult-passport', outcome: 'id_token.invented' } }
const MINOR = { use: { persona: 'child-12', outcome: 'verified' } }
/** The runs of an app that asks for one threshold. */
const RUNS = [DENIED, MINOR, ADULT, MINOR, DENIED, ADULT, ADULT, INVENTED, INVENTED]

test('An app that has Use alone is learned from eleven runs', async () => {
  const app = imitatedApp(letsAdultsIn)
  const { profile, use, create, upgrade, described, lines, ...learned } = await learn(app)
  expect(app.plans).toEqual([...RUNS, { ...DENIED, holds: 'E1' }])
  expect(profile).toMatchObject({
    responseMode: 'query',
    canCreate: false,
    upgradeScope: false,
    repeatsState: false,
  })
  expect(learned).toMatchObject({
    letsIn: [],
    between: [],
    createsAfterDenial: false,
    signOut: ['/logout'],
  })
  expect(use.outs.map(({ label }) => label)).toEqual([
    'access_denied',
    'minor',
    'an invented token',
  ])
  expect(use.probes).toEqual([])
  expect(use.isRefuted).toBe(false)
  expect(use.waitMs).toBe(0)
  const noCreate =
    'your app sends no can_create=true; name its page under create.start if it has create'
  const noUpgrade = 'your app does not ask for the upgrade scope'
  expect(create).toEqual(absent(noCreate))
  expect(upgrade).toEqual(absent(noUpgrade))
  const [yes, no] = ['200 at /members, says "welcome"', '403 at /callback ("Sorry.")']
  expect(described).toEqual({ use: { yes, no: [no] } })
  expect(lines).toEqual([`use: yes: ${yes}`, `use: no: ${no}`, noCreate, noUpgrade])
})

test('An app that shows the page of a yes to an invented token, as to strangers, is not judged by that page', async () => {
  const act = (plan: FlowPlan) =>
    isAdult(plan) || plan.use.outcome === 'id_token.invented' ? YES : NO
  const { use } = await learn(
    imitatedApp(act, { peek: (path) => (path === '/members' ? YES : `404 ${path}`) }),
  )
  expect(use.isRefuted).toBe(true)
  expect(use.outs.map(({ label }) => label)).toEqual(['access_denied', 'minor'])
  expect((await learn(imitatedApp(act))).use.isRefuted).toBe(false)
})

const [ME_IN, ME_OUT] = ['200 /me You are in.', '401 /me No.']
/** An app that says the same to everybody, and lets in the right users after some time. */
function slowly(ms: number) {
  const lookers = new Set<Browser>()
  const app = imitatedApp(() => WAITS, {
    peek(path, { browser, plan, waited }) {
      if (path !== '/me') return `401 ${path} No.`
      lookers.add(browser)
      return plan && isAdult(plan) && waited >= ms ? ME_IN : ME_OUT
    },
  })
  return { ...app, lookers }
}

test('A page that tells who is in is asked for again', async () => {
  const { lookers, ...app } = slowly(0)
  const { use, described } = await learn(app)
  expect(use.probes.map(({ path }) => path)).toEqual(['/me'])
  expect(use.page).toBeUndefined()
  expect(use.waitMs).toBe(0)
  expect(described.use?.yes).toBe(
    '200 at /callback ("Please wait."); asked again, /me is 200, says "you are in"',
  )
  // Ten runs, one without an answer, and strangers.
  expect(lookers.size).toBe(10 + 1 + 8)
})

test.each([
  ['a user who is in', (isIn: boolean, look: number) => (isIn && look < 3 ? 'Ours' : 'Theirs')],
  ['a user who is out', (isIn: boolean, look: number) => (isIn || look > 3 ? 'Ours' : 'Theirs')],
])('A page that told by chance is no probe: it is asked for again by %s', async (_who, shows) => {
  const looks = new Map<Browser, number>()
  const app = imitatedApp(letsAdultsIn, {
    peek(path, { browser, plan }) {
      if (path === '/me') return plan && isAdult(plan) ? ME_IN : ME_OUT
      if (path !== '/account') return `404 ${path}`
      const look = (looks.get(browser) ?? 0) + 1
      looks.set(browser, look)
      return `200 /account ${shows(plan !== undefined && isAdult(plan), plan ? look : 9)} is the best wine.`
    },
  })
  expect((await learn(app)).use.probes.map(({ path }) => path)).toEqual(['/me'])
})

test('An app that lets users in by a job is waited for twice as long as it took', async () => {
  const app = slowly(1200)
  const { use, letsIn } = await learn(app)
  expect(use.probes.map(({ path }) => path)).toEqual(['/me'])
  expect(use.waitMs).toBe(3000)
  expect(letsIn).toEqual([])
  await expect(learn(slowly(20_000))).rejects.toThrow('yes and no look alike')
})

/** An app that shows the page /me only to adults, with a text for each look of a browser. */
function showingMe(
  says: (look: number, plan: FlowPlan) => string | undefined,
  act = (_plan: FlowPlan) => WAITS,
) {
  const looks = new Map<Browser, number>()
  return imitatedApp(act, {
    peek(path, { browser, plan }) {
      if (path !== '/me' || !plan || !isAdult(plan)) return `401 ${path} No.`
      const look = (looks.get(browser) ?? 0) + 1
      looks.set(browser, look)
      return `200 /me ${says(look, plan)}.`
    },
  })
}

/** Another text at each look, in turn. */
const words = ['bravo', 'charlie', 'delta', 'echo', 'foxtrot']
const news = () => {
  words.push(words.shift() ?? '')
  return words[0]
}

test('An app is not waited for because of news on a page that tells who is in', async () => {
  const app = showingMe(() => `You are in. Today: ${news()}`)
  const { use } = await learn(app)
  expect(use.probes.map(({ path }) => path)).toEqual(['/me'])
  expect(use.waitMs).toBe(0)
  expect(app.waits.reduce((sum, ms) => sum + ms, 0)).toBe(0)
})

test('News that all adults are shown by chance at first hide no page that tells who is in', async () => {
  const app = showingMe((look) => `In. ${look < 3 ? 'Alfa' : news()}`, letsAdultsIn)
  expect((await learn(app)).use.probes.map(({ path }) => path)).toEqual(['/me'])
})

test('More adults are learned from while one is shown what those before have taught nobody', async () => {
  const seen: FlowPlan[] = []
  const { use } = await learn(
    showingMe((_look, plan) => {
      if (!seen.includes(plan)) seen.push(plan)
      const adult = seen.indexOf(plan) + 1
      return adult > 3 ? `Hi Bob${adult}` : 'Hi Alfa'
    }),
  )
  expect(use.ins).toHaveLength(4)
  expect(use.probes.map(({ likeness }) => likeness.marks.join())).toEqual(['status 200,says hi'])
})

const BOTH = requestOf({ claims: '{"age_thresholds":[18,16]}' })
const isTeen = ({ use: { persona = '' } }: FlowPlan) => persona === 'teen-16'

test.each([
  ['all that an adult gets', YES, ['/me', '/members'], true],
  ['one of the two pages that an adult gets', YES, ['/me'], false],
  ['only the page of the answer', YES, [], false],
  ['nothing', NO, [], false],
])(
  'A user between two thresholds who gets %s is known as such',
  async (_what, shows, pages, isLetIn) => {
    const opens = (path: string, plan?: FlowPlan) =>
      plan && (isTeen(plan) ? pages : isAdult(plan) ? ['/me', '/members'] : []).includes(path)
    const app = imitatedApp(
      (plan) => ({
        shows: isAdult(plan) ? YES : isTeen(plan) ? shows : NO,
        changes: { request: BOTH },
      }),
      {
        peek: (path, { plan }) =>
          opens(path, plan) ? `200 ${path} You are in.` : `401 ${path} No.`,
      },
    )
    const { between, use } = await learn(app)
    expect(use.probes.map(({ path }) => path)).toEqual(['/me', '/members'])
    expect(between).toMatchObject([{ persona: 'teen-16', misses: 18, isLetIn }])
    expect(app.plans.at(-3)?.use.persona).toBe('teen-16')
  },
)

test('The profile of an app is that of its first request, with a state that it repeats or not', async () => {
  const request = requestOf({ response_mode: 'fragment' })
  const profileOf = async (changes: (run: number) => Done['changes']) => {
    const app = imitatedApp((plan, run) => ({
      shows: isAdult(plan) ? YES : NO,
      changes: changes(run) ?? {},
    }))
    return (await learn(app, { readsFragments: true })).profile
  }
  expect(await profileOf(() => ({ request }))).toMatchObject({
    responseMode: 'fragment',
    repeatsState: true,
  })
  expect((await profileOf((run) => (run > 1 ? { request: undefined } : {}))).repeatsState).toBe(
    false,
  )
})

test('An app that lets a minor in by a rule of the user is known as such', async () => {
  const minors = imitatedApp(({ use: { outcome } }) => (outcome === 'verified' ? YES : NO))
  const { letsIn, use } = await learn(minors, { options: { use: { accepted: 'text=Welcome' } } })
  expect(letsIn).toEqual(['minor'])
  expect(use.rules.accepted?.text).toBe('text=Welcome')
})

test('An app that creates after a denial is known as such', async () => {
  const creates = imitatedApp((plan, run) => ({
    shows: isAdult(plan) ? YES : NO,
    creates: run === 1,
  }))
  expect((await learn(creates)).createsAfterDenial).toBe(true)
})

test('An app whose request the sandbox refuses is told by which rule', async () => {
  const app = imitatedApp(() => ({ shows: NO, calls: [callOf('E1', { findings: [FINDING] })] }))
  const message = 'the sandbox refuses the Use request of your app: USE-08: it is missing; send one'
  await expect(learn(app)).rejects.toThrow(problem(message))
  await expect(learnVisits(app)).rejects.toThrow(problem(message))
})

const CAN_CREATE = requestOf({ can_create: 'true', scope: 'openid svc.upgrade' })

type Later = (plan: FlowPlan, what: 'create' | 'upgrade') => Done

/** An app with Create and Upgrade, which behaves like `later` in these. */
const whole = (
  later: Later,
  use = (plan: FlowPlan): Done => ({ shows: isAdult(plan) ? YES : NO }),
  asked?: (path: string, plan: FlowPlan | undefined) => string,
) =>
  imitatedApp(
    (plan) => {
      const what = plan.create
        ? 'create'
        : plan.use.outcome === 'code_issued'
          ? 'upgrade'
          : undefined
      return { changes: { request: CAN_CREATE }, ...(what ? later(plan, what) : use(plan)) }
    },
    asked && { peek: (path, { plan }) => asked(path, plan) },
  )

const right: Later = ({ create, later }, what) => {
  if (what === 'upgrade')
    return { shows: `200 /${later ? 'same Not' : 'upgraded'} Done.`, calls: ['E4', 'E5'] }
  return {
    shows: `200 /created ${create?.outcome === 'created' ? 'Saved' : 'Nothing'}.`,
    calls: ['E2'],
    creates: true,
  }
}

test('An app with later flows is brought to both ends of each', async () => {
  const app = whole(right)
  const { create, upgrade, described, lines } = await learn(app)
  const newcomer = (outcome: string) => ({
    use: { persona: 'no-age-key', outcome: 'create_requested' },
    create: { persona: 'no-age-key', outcome },
    page: undefined,
  })
  const upgrading = (later?: object) => ({
    use: { persona: 'child-12', outcome: 'code_issued' },
    page: undefined,
    waitMs: 0,
    ...(later && { later }),
  })
  const creations = [
    'created',
    'created',
    'access_denied',
    'access_denied',
    'callback.state_changed',
  ]
  expect(app.plans.slice(RUNS.length + 1)).toEqual([
    ...creations.map(newcomer),
    { ...newcomer('created'), holds: 'E3' },
    upgrading(),
    upgrading(),
    upgrading({ flow: 'token', outcome: 'token.code_expired' }),
    upgrading({ flow: 'upgrade', outcome: 'upgrade.token_expired' }),
    { ...upgrading(), holds: 'E1' },
  ])
  const noes = (later: LearnedLater) =>
    later.kind === 'learned' && later.flow.outs.map(({ label }) => label)
  expect(noes(create)).toEqual(['access_denied,access_denied', 'callback.state_changed'])
  const ofUse = ['access_denied', 'an invented token']
  expect(noes(upgrade)).toEqual(['token.code_expired', 'upgrade.token_expired', ...ofUse])
  expect(described).toMatchObject({
    create: { yes: 'says "saved"' },
    upgrade: { yes: 'at /upgraded' },
  })
  const some = ['create: yes: says "saved"', 'upgrade: no: 403 at /callback ("Sorry.")']
  expect(lines).toEqual(expect.arrayContaining(some))
})

test('What an app shows as it shows a yes is no refusal of Upgrade', async () => {
  const app = whole((plan, what) =>
    what === 'upgrade' ? { shows: '200 /upgraded Done.', calls: ['E4', 'E5'] } : right(plan, what),
  )
  const { upgrade } = await learn(app)
  const labels = upgrade.kind === 'learned' && upgrade.flow.outs.map(({ label }) => label)
  expect(labels).toEqual(['access_denied', 'an invented token'])
})

test('A page that says more after a failed upgrade than after a good one leaves open how it ended', async () => {
  const app = whole(
    (plan, what) =>
      what === 'upgrade'
        ? { shows: '200 /upgraded Done.', calls: ['E4', 'E5'] }
        : right(plan, what),
    undefined,
    (path, plan) => {
      const isUpgrade = path === '/me' && plan?.use.outcome === 'code_issued' && !plan.holds
      return `200 ${path} ${isUpgrade ? `${plan.later ? 'Not' : ''} updated` : 'Nothing'}.`
    },
  )
  expect((await learn(app)).upgrade).toMatchObject({
    kind: 'learned',
    flow: { outs: [], tells: false },
  })
})

test('A page of its own that tells how Upgrade ended is asked for again', async () => {
  const app = whole(
    (plan, what) =>
      what === 'upgrade'
        ? { shows: '200 /upgraded <a href="/keys">Keys</a> Done.', calls: ['E4', 'E5'] }
        : right(plan, what),
    undefined,
    (path, plan) =>
      `200 ${path} ${path === '/keys' && plan?.use.outcome === 'code_issued' && !plan.later && !plan.holds ? 'New' : 'Old'} key.`,
  )
  const { upgrade } = await learn(app)
  expect(upgrade.kind === 'learned' && upgrade.flow.probes.map(({ path }) => path)).toEqual([
    '/keys',
  ])
})

test('What the wish for an age key left behind is no sign that one was saved', async () => {
  const home = { shows: '200 /home Home.', calls: ['E2'], creates: true }
  const app = whole(
    (plan, what) => (what === 'create' ? home : right(plan, what)),
    undefined,
    (path, plan) => `200 ${path} ${path === '/me' && plan?.create ? 'Wished' : 'Nothing'}.`,
  )
  expect((await learn(app)).create).toMatchObject({
    kind: 'learned',
    flow: { probes: [], tells: false },
  })
})

test('A rule of Create or Upgrade that does not hold when it ended well is refused', async () => {
  const options = { upgrade: { accepted: 'text=done' } }
  const message =
    'upgrade.accepted "text=done" does not hold after upgrade: your app shows 200 at /upgraded ("Done.")'
  await expect(learn(whole(right), { options })).rejects.toThrow(problem(message))
  const { upgrade } = await learn(whole(right), {
    options: { upgrade: { accepted: 'url=**/upgraded' } },
  })
  expect(upgrade.kind).toBe('learned')
})

test('An app without can_create is brought to Create by its own page, after a denial', async () => {
  const start = { url: '/create' }
  const app = imitatedApp((plan) =>
    plan.create ? right(plan, 'create') : isAdult(plan) ? YES : NO,
  )
  const { create, profile } = await learn(app, { options: { create: { start } } })
  expect(create.kind).toBe('learned')
  const newcomer = { persona: 'no-age-key', outcome: 'access_denied' }
  const created = { ...newcomer, outcome: 'created' }
  expect(app.plans[RUNS.length + 1]).toEqual({ use: newcomer, create: created, page: start })
  const plan = planOfCreate('p', { profile, page: start })
  expect(plan).toMatchObject({
    use: { outcome: 'access_denied' },
    create: { persona: 'p', outcome: 'created' },
  })
})

const refusedCall = (endpoint: string) => callOf(endpoint, { status: 400, findings: [FINDING] })
const REFUSES = (endpoint: string) =>
  `the sandbox refuses ${endpoint} of your app with 400: USE-08: it is missing; send one`

const refused = (evidence: string, ...rows: string[]) => ({
  kind: 'refused',
  rows,
  reason: evidence,
})
const NO_CREATE =
  'your app began no Create flow after create_requested; name its page under create.start if it has create'
const OOPS = 'your app showed 400 at /created ("Oops.")'

const NO_PUSH = refused(REFUSES('E2'), 'use/create_requested', 'create/created')
const NO_END = refused(`after an age key was saved ${OOPS}`, 'create/created')
const WISHED = { ...absent(NO_CREATE), letsIn: expect.objectContaining({ run: expect.anything() }) }
const begun = { useFlow: undefined }

test.each<[string, Done, object]>([
  ['whose pushed request the sandbox refuses', { shows: NO, calls: [refusedCall('E2')] }, NO_PUSH],
  ['that begins no Create', { shows: NO }, absent(NO_CREATE)],
  ['that takes the wish for a yes', { shows: YES }, WISHED],
  [
    'whose other call is refused',
    { shows: NO, calls: [refusedCall('E4')], changes: begun },
    absent(NO_CREATE),
  ],
  [
    'that shows an error at the end',
    { shows: '400 /created Oops.', calls: ['E2'], creates: true },
    NO_END,
  ],
])('Create cannot be learned of an app %s', async (_what, done, create) => {
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
const NO_CODE =
  'your app exchanged no code after code_issued; name its page under upgrade.start if it has upgrade'
const NO_UPGRADE =
  'your app sent no upgrade (E5) after code_issued; name its page under upgrade.start if it has upgrade'

test.each<[string, Done, object]>([
  [
    'whose token call the sandbox refuses',
    { shows: NO, calls: [refusedCall('E4')] },
    noCode(REFUSES('E4')),
  ],
  [
    'whose upgrade the sandbox refuses',
    { shows: NO, calls: ['E4', refusedCall('E5')] },
    noCode(REFUSES('E5')),
  ],
  ['that shows an error after a code', { shows: '500 /callback Oops.' }, noCode(AFTER_CODE)],
  [
    'that shows an error after a token',
    { shows: '400 /callback Oops.', calls: ['E4'] },
    noCode(AFTER_TOKEN),
  ],
  ['that exchanges no code', { shows: YES }, absent(NO_CODE)],
  ['that does not come to Use again', { shows: YES, changes: begun }, absent(NO_CODE)],
  [
    'that sends no upgrade',
    { shows: YES, calls: ['E4', callOf('other', { status: 400 })] },
    absent(NO_UPGRADE),
  ],
])(
  'Upgrade cannot be learned of an app %s, which is said at the end',
  async (_what, done, upgrade) => {
    const app = whole((plan, what) => (what === 'upgrade' ? done : right(plan, what)))
    const learned = await learn(app)
    expect(learned.upgrade).toEqual(upgrade)
    expect(learned.lines.at(-1)).toBe('reason' in upgrade && upgrade.reason)
    expect(Object.keys(learned.described)).toEqual(['use', 'create'])
  },
)

test('An upgrade counts as done only when each run has sent it', async () => {
  const app = whole((plan, what) => {
    const isFirst = app.plans.filter(({ use }) => use.outcome === 'code_issued').length === 1
    return what === 'upgrade' && isFirst ? { shows: YES, calls: ['E4'] } : right(plan, what)
  })
  expect((await learn(app)).upgrade.kind).toBe('absent')
})

test('A visit function that says nothing of later flows is told what to return', async () => {
  const later: Later = (plan, what) => ({ ...right(plan, what), shows: saidOf(true) })
  const app = whole(later, (plan) => ({ shows: saidOf(isAdult(plan)) }))
  const { create, upgrade, lines } = await learn(app, { agent: 'function' })
  const reason =
    'visit returned true whether create ended well or not; return true for flow create when it did'
  expect(create).toMatchObject({ kind: 'learned', reason })
  expect(lines).toContain(reason)
  // The no of Upgrade equals that of Use.
  expect(upgrade.kind === 'learned' && upgrade.reason).toBe(undefined)
})

test('A visit function of an app without later flows is told nothing about pages', async () => {
  const shows = (plan: FlowPlan) => ({ shows: saidOf(isAdult(plan)) })
  const asksForNone = absent('your app sends no can_create=true')
  expect(await learn(imitatedApp(shows), { agent: 'function' })).toMatchObject({
    create: asksForNone,
  })
  const create = absent('your app began no Create flow after create_requested')
  const upgrade = absent('your app exchanged no code after code_issued')
  expect(await learn(whole(shows, shows), { agent: 'function' })).toMatchObject({ create, upgrade })
})

const isMinor = ({ use: { persona, outcome } }: FlowPlan) =>
  outcome === 'verified' && persona !== 'adult-passport'
const isDenial = ({ use: { outcome } }: FlowPlan) => outcome === 'access_denied'
/** A visit function with this result. */
const returning = (result: (plan: FlowPlan, run: number) => boolean) =>
  imitatedApp((plan, run) => ({ shows: saidOf(result(plan, run)) }))

test('A visit function is learned by what the function returns', async () => {
  const app = returning(isAdult)
  const { use, letsIn } = await learnVisits(app)
  expect(app.plans).toEqual(RUNS)
  expect(app.peeked).toEqual([])
  expect(letsIn).toEqual([])
  expect([...(use.page?.marks ?? [])]).toEqual(['let in'])
})

test('A visit function that lets a minor in before the first adult alone is known as such', async () => {
  const app = returning((plan, run) => isAdult(plan) || (isMinor(plan) && run === 2))
  expect((await learnVisits(app)).letsIn).toEqual(['minor'])
})

const remembers = (name: string) =>
  `${name} is let in after adult-passport was: your app remembers the user; begin each visit in a fresh session, and as another user by n`
const DOCTOR = `agekey-sandbox doctor --issuer ${SANDBOX}/v1/oidc/use`
const noAdult = (results: string) =>
  `visit returned ${results} for a right token of adult-passport, and has to return true each time: your app refuses it, or visit does not bring the answer of the sandbox to your app; run: ${DOCTOR}`
const EVERYBODY =
  'yes and no look alike: after adult-passport your app shows nothing that it does not show after access_denied: visit returned true; return false when the app refuses'

test.each<[string, (plan: FlowPlan, run: number) => boolean, string]>([
  ['lets no adult in', () => false, noAdult('false')],
  ['lets an adult in once', (plan, run) => isAdult(plan) && run < 4, noAdult('false')],
  ['lets everybody in', () => true, EVERYBODY],
  [
    'lets a minor in after an adult',
    (plan, run) => isAdult(plan) || (isMinor(plan) && run > 2),
    remembers('child-12'),
  ],
  [
    'lets a denial in then',
    (plan, run) => isAdult(plan) || (isDenial(plan) && run > 2),
    remembers('access_denied'),
  ],
])('A visit function that %s can teach an audit nothing', async (_what, result, message) => {
  await expect(learnVisits(returning(result))).rejects.toThrow(problem(message))
})

const shows = saidOf(false)
const NO_USE = `visit returned false, and no Use request came to ${SANDBOX}; set your app's base URL to that address, and let visit follow redirects to it`
const DECIDED = `visit returned false, and the sandbox has answered its Use request otherwise than it was to (a summary); visit has to leave the choice to the audit, without a persona or an outcome of its own`

test.each<[string, Done, string]>([
  ['that fails', { shows: saidOf('visit threw Error: no') }, 'visit threw Error: no'],
  ['that sends no request', { shows, changes: { request: undefined, useFlow: undefined } }, NO_USE],
  ['that decides by itself', { shows, changes: { brought: { E1: false, E3: false } } }, DECIDED],
])('A visit %s can teach an audit nothing', async (_what, done, message) => {
  await expect(learnVisits(imitatedApp(() => done))).rejects.toThrow(problem(message))
})

test.each([
  [true, 0, 'stands still'],
  [false, 3600, 'is 3600 seconds ahead'],
  [false, -11, 'is 11 seconds behind'],
])(
  'An audit learns nothing while a clock, stopped: %s, is %i seconds ahead',
  async (frozen, seconds, how) => {
    const now = new Date(Date.now() + seconds * 1000).toISOString()
    const app = imitatedApp(() => '200 /', { clock: { frozen, now } })
    const message = `${SANDBOX}: the clock of the sandbox ${how}, so that what is expired for it is not for your app; set it back by sandbox.clock.reset(), in the console, or by POST ${SANDBOX}/_sandbox/clock with {"reset": true}`
    await expect(learn(app)).rejects.toThrow(problem(message))
    await expect(learnVisits(app)).rejects.toThrow(problem(message))
    expect(app.plans).toEqual([])
  },
)
