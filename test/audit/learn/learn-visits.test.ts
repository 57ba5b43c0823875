import { expect, test } from 'vitest'
import type { FlowPlan } from '../../../src/audit/drive/driver.ts'
import { learnVisits, withSilence } from '../../../src/audit/learn/learn-visits.ts'
import { learnSignature } from '../../../src/audit/learn/signature.ts'
import {
  callOf,
  type Done,
  FINDING,
  imitatedApp,
  problem,
  requestOf,
  SANDBOX,
  saidOf,
} from '../../support/imitated-app.ts'

const isAdult = ({ use: { persona, outcome } }: FlowPlan) => outcome === 'verified' && persona === 'adult-passport'
const isMinor = ({ use: { persona, outcome } }: FlowPlan) => outcome === 'verified' && persona !== 'adult-passport'
const isDenial = ({ use: { outcome } }: FlowPlan) => outcome === 'access_denied'
/** A visit function that returns this. */
const returning = (result: (plan: FlowPlan, run: number) => boolean, changes: Done['changes'] = {}) =>
  imitatedApp((plan, run) => ({ shows: saidOf(result(plan, run)), ...(changes && { changes }) }))

test('A visit function is learned from two adults, two minors and two denials', async () => {
  const app = returning(isAdult)
  const { signature, denied, ...learned } = await learnVisits(app)
  const [adult, denial] = [{ persona: 'adult-passport', outcome: 'verified' }, { outcome: 'access_denied' }]
  const minor = (n: number) => ({ persona: `audit-minor-${n}`, outcome: 'verified' })
  expect(app.plans.map(({ use }) => use)).toEqual([denial, minor(1), adult, minor(2), denial, adult])
  const no = { always: new Set(['kept out']), lacks: new Set(['let in']) }
  expect(signature).toEqual({ yes: new Set(['let in']), yesStatus: 200, noes: [no, no] })
  expect(denied).toEqual({ label: 'access_denied', observations: [saidOf(false), saidOf(false)] })
  expect(learned).toMatchObject({ letsIn: [], strays: [], createsAfterDenial: false })
})

const WISHES = { response_mode: 'form_post', can_create: 'true', scope: 'openid svc.upgrade' }
const ALIKE = { response_mode: 'fragment', can_create: 'yes', scope: 'svc.upgraded' }

const CLAIMS = '{"age_thresholds":[18]}'

test.each([
  [requestOf(), { responseMode: 'query', canCreate: false, upgradeScope: false }],
  [requestOf(WISHES), { responseMode: 'form_post', canCreate: true, upgradeScope: true }],
  [requestOf(ALIKE), { responseMode: 'fragment', canCreate: false, upgradeScope: false }],
  // The defaults of the service.
  [
    { ...requestOf(), parameters: { claims: CLAIMS } },
    { responseMode: 'fragment', canCreate: false, upgradeScope: false },
  ],
])('A visit whose app sends the request %j has the profile %j', async (request, profile) => {
  const { profile: learned } = await learnVisits(returning(isAdult, { request }))
  expect(learned).toEqual({ ...profile, claims: CLAIMS, repeatsState: true })
})

test('A visit whose app sends another state each time is known as such, and one that creates after a denial', async () => {
  const app = imitatedApp((plan, run) => ({ shows: saidOf(isAdult(plan)), creates: run === 1 }))
  const { profile, createsAfterDenial } = await learnVisits(app)
  expect([profile.repeatsState, createsAfterDenial]).toEqual([false, true])
})

test.each([
  ['a minor', isMinor, ['minor']],
  ['a user who declined', isDenial, ['access_denied']],
  ['a minor before the first adult alone', (plan: FlowPlan, run: number) => isMinor(plan) && run === 2, []],
])('A visit function that lets in %s, beside adults, is known as such', async (_who, isLetIn, letsIn) => {
  expect((await learnVisits(returning((plan, run) => isAdult(plan) || isLetIn(plan, run)))).letsIn).toEqual(letsIn)
})

const REMEMBERS =
  'after adult-passport was let in: your app remembers the user; begin each visit in a fresh session, and as another user by n'
const DOCTOR = `agekey-sandbox doctor --issuer ${SANDBOX}/v1/oidc/use`
const NO_ADULT = `visit returned false for a right token of adult-passport: your app refuses it, or visit does not bring the answer of the sandbox to your app; run: ${DOCTOR}`
const ONCE = 'visit returned true, then false for a right token of adult-passport: it has to be true each time'
const EVERYBODY =
  'visit returned true for adult-passport, for child-12 and for access_denied; return false when the app refuses'

test.each<[string, (plan: FlowPlan, run: number) => boolean, string]>([
  ['lets no adult in', () => false, NO_ADULT],
  ['lets an adult in once', (plan, run) => isAdult(plan) && run < 4, ONCE],
  ['lets everybody in', () => true, EVERYBODY],
  [
    'lets a minor in after an adult',
    (plan, run) => isAdult(plan) || (isMinor(plan) && run > 2),
    `visit returned true for child-12 ${REMEMBERS}`,
  ],
  [
    'lets a denial in after an adult',
    (plan, run) => isAdult(plan) || (isDenial(plan) && run > 2),
    `visit returned true for access_denied ${REMEMBERS}`,
  ],
])('A visit function that %s can teach an audit nothing', async (_what, result, message) => {
  await expect(learnVisits(returning(result))).rejects.toThrow(problem(message))
})

const said = 'visit returned false'

const shows = saidOf(false)
const NO_USE = `${said}, and no Use request came to ${SANDBOX}; set your app's base URL to that address, and let visit follow redirects to it`
const DECIDED = `${said}, and the sandbox has answered its Use request otherwise than it was to (a summary); visit has to leave the choice to the audit, without a persona or an outcome of its own`
const WITHOUT_CLAIMS = { request: { ...requestOf(), parameters: {} } }

test.each<[string, Done, string]>([
  [
    'whose request the sandbox refuses',
    { shows, calls: [callOf('E1', { findings: [FINDING] })] },
    'the sandbox refuses the Use request of your app: USE-08: it is missing; send one',
  ],
  ['that fails', { shows: saidOf('visit threw Error: no') }, 'visit threw Error: no'],
  ['that sends no request', { shows, changes: { request: undefined, useFlow: undefined } }, NO_USE],
  ['that decides by itself', { shows, changes: { brought: { E1: false, E3: false } } }, DECIDED],
  ['whose request has no claims', { shows, changes: WITHOUT_CLAIMS }, `no claims came to ${SANDBOX}`],
])('A visit %s can teach an audit nothing', async (_what, done, message) => {
  await expect(learnVisits(imitatedApp(() => done))).rejects.toThrow(problem(message))
})

test.each([
  [{ frozen: true, advanced_seconds: 0 }, 'stands still'],
  [{ frozen: false, advanced_seconds: 90 }, 'is moved by 90 seconds'],
])('An audit learns nothing while the clock of the sandbox is %j', async (clock, how) => {
  const app = imitatedApp(() => '200 /', undefined, { clock })
  const message = `the clock of the sandbox ${how}, so that what is expired for it is not for your app; set it back by sandbox.clock.reset()`
  await expect(learnVisits(app)).rejects.toThrow(problem(message))
  expect(app.plans).toEqual([])
})

test('A visit function that says the same of each end of Create and Upgrade is told what to return', () => {
  const of = (yes: boolean, no: boolean) => {
    const noes = [{ label: 'no', observations: [saidOf(no)] }]
    return { kind: 'learned', signature: learnSignature([saidOf(yes)], noes), no: noes } as const
  }
  const [told, silent] = [of(true, false), of(true, true)]
  const absent = { kind: 'absent', reason: 'it has none' } as const
  expect(withSilence({ create: told, upgrade: absent })).toEqual({ create: told, upgrade: absent })
  const [ofCreate, ofUpgrade] = [
    'visit returned true whether Create ended well or not; return true for flow create when the age key was saved',
    'visit returned false whether Upgrade ended well or not; return true for flow upgrade when it was upgraded',
  ]
  expect(withSilence({ create: silent, upgrade: of(false, false) })).toEqual({
    create: { ...silent, silence: ofCreate },
    upgrade: { ...of(false, false), silence: ofUpgrade },
  })
})
