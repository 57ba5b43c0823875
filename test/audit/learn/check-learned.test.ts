import { expect, test } from 'vitest'
import type { BrowserVisit, Hop } from '../../../src/audit/agent/browser.ts'
import type { AuditedApp } from '../../../src/audit/drive/driver.ts'
import { declaredRules } from '../../../src/audit/learn/accepted-rule.ts'
import { profileOf } from '../../../src/audit/learn/app-profile.ts'
import { checkAdults, checkControls } from '../../../src/audit/learn/check-controls.ts'
import { describeErrors } from '../../../src/audit/learn/check-learned.ts'
import type { SeenRun } from '../../../src/audit/learn/see-run.ts'
import { imitatedApp } from '../../support/imitated-app.ts'
import { seenOf } from '../../support/imitated-learning.ts'
import {
  APP,
  callOf,
  ended,
  FINDING,
  hopTo,
  NO,
  PERSONAS,
  pageOf,
  problem,
  requestOf,
  runOf,
  SANDBOX,
  visitTo,
  YES,
} from '../../support/imitated-pages.ts'

const personas = { ...PERSONAS, adult: 'adult-passport', minor: 'child-12' }

const subjectOf = (accepted?: string, agent: AuditedApp['agent'] = 'http') => {
  const strangers = imitatedApp(() => NO, {
    peek: (_path, { plan }) => (plan ? '200 /me' : '403 /me'),
  })
  const { sandbox, driver } = strangers
  const app = { sandbox, page: APP, agent, readsFragments: false, drive: () => driver }
  return { app, personas, rules: declaredRules({ accepted }), driver, fresh: new Map(), paths: [] }
}

const check = (adults: readonly SeenRun[], agent?: AuditedApp['agent']) => () =>
  checkAdults(adults, subjectOf(undefined, agent))

const ISSUER = `${SANDBOX}/v1/oidc/use`
const DIFFERS = 'your app answers a right token of adult-passport differently each time'
const RESTLESS =
  'your app answers a right token of adult-passport with a page that does not come to rest at /callback: it loads again; let its pages come to rest, or raise --timeout'
const refuses = (shown: string) =>
  `your app answers a right token of adult-passport with ${shown}; run: agekey-sandbox doctor --issuer ${ISSUER}`

test.each([
  [[YES, NO], refuses('403 at /callback ("Sorry.")')],
  [
    [visitTo('200 /signin?error=OAuthCallback Try another account.', { hops: [] })],
    refuses('200 at /signin ("Try another account.")'),
  ],
  [[YES, '400 /callback Sorry.'], refuses('400 at /callback ("Sorry.")')],
  [[YES, ended('dropped')], refuses('a closed connection without an answer at /callback')],
  [[ended('restless', { problem: 'it loads again' }), YES], RESTLESS],
  [
    [YES, '201 /members Welcome.'],
    `${DIFFERS}: 200 at /members ("Welcome."), then 201 at /members ("Welcome.")`,
  ],
] as const)(
  'An app that answers right tokens by %j can teach an audit nothing',
  (shown, message) => {
    expect(check(shown.map((last) => seenOf(last)))).toThrow(problem(message))
  },
)

test('An app that refuses a right token by form_post is told about its cookies', () => {
  const run = runOf(NO, { request: requestOf({ response_mode: 'form_post' }) })
  const advice =
    'a cookie with SameSite=Lax or Strict does not come along with form_post: SameSite=None; Secure does'
  expect(check([{ run, probes: new Map() }])).toThrow(`doctor --issuer ${ISSUER}; ${advice}`)
})

const sawHops = (hops: readonly Hop[]) => seenOf(visitTo('200 /session', { hops }))
const afterFragment = (
  status: number,
  changes: Partial<Hop> = {},
  callback = `${APP}/callback#id_token=a`,
) =>
  sawHops([
    hopTo(APP),
    hopTo(callback),
    hopTo(`${APP}/session?a=b`, { method: 'POST', status, ...changes }),
  ])

test.each([404, 405, 415])('A path of use.fragment that answers %i is refused', (status) => {
  const advice =
    'name the path that the page of the callback sends the answer to, and its kind of body by as: form or as: json'
  const message = `use.fragment: POST /session answers ${status}; ${advice}`
  expect(check([afterFragment(200), afterFragment(status)])).toThrow(problem(message))
})

test.each([
  ['a path that takes the answer', afterFragment(200)],
  ['a page that is only fetched', afterFragment(404, { method: 'GET' })],
  ['a callback without a fragment', afterFragment(404, {}, `${APP}/callback?id_token=a`)],
  ['a visit of one request', sawHops([hopTo(`${APP}/session`, { method: 'POST', status: 404 })])],
])('The path of use.fragment is not looked at for %s', (_what, seen) => {
  expect(check([seen])).not.toThrow()
  expect(check([afterFragment(404)], 'chromium')).not.toThrow()
})

const MORE = '200 /members Welcome. More.'
type Shown = readonly [first: string | BrowserVisit, second: string | BrowserVisit]
const twice = (shown: string): Shown => [shown, shown]

/** The first minor and the first denial precede the first adult. */
async function controls(
  shown: Readonly<Partial<Record<'minor' | 'denied' | 'adult', Shown>>>,
  subject = subjectOf(),
) {
  const see = (all: Shown) => all.map((last) => seenOf(last))
  const { minor = twice(NO), denied = twice(NO), adult = twice(YES) } = shown
  const seen = { minor: see(minor), access_denied: see(denied), adult: see(adult) }
  return (await checkControls(seen, subject)).letsIn
}

/** A page whose words mostly stand on each page of the app. */
const shop = (words: string) =>
  `200 /shop Home Products About Contact Imprint Privacy Terms Delivery Payment ${words}`

test.each([
  ['nobody', {}, []],
  ['nobody, as one word tells', { adult: twice(shop('Welcome')), minor: twice(shop('Sorry')) }, []],
  ['nobody, as each yes is the same page', { minor: twice(MORE) }, []],
  ['a minor', { minor: twice(YES) }, ['minor']],
  ['a user who declined', { denied: twice(YES) }, ['access_denied']],
])('An audit learns that an app lets in, beside adults, %s', async (_who, shown, kinds) => {
  expect(await controls(shown)).toEqual(kinds)
})

const ALIKE = 'yes and no look alike: '
const GIVE = '; give --accepted "get=/a-page-for-members status=200"'
const REMEMBERS = 'your app remembers the user; use {n} in before:, or give reset:'
const VARIED = ['200 /members Welcome. One.', '200 /members Welcome. Two.'] as const
const NEIN = '200 /members Nein.'
const LANGUAGES = ['200 /members Hallo.', '200 /members Bonjour.'] as const
const WELCOME = '200 at /members ("Welcome.")'
const LATER = [NO, YES] as const
const nothingBeside = (other: string, shown = WELCOME) =>
  `${ALIKE}after adult-passport your app shows nothing that it does not show after ${other}: ${shown}${GIVE}`
const HALLO = nothingBeside('access_denied', '200 at /members ("Hallo.")')

test.each([
  ['everybody', { minor: twice(YES), denied: twice(YES) }, nothingBeside('access_denied')],
  [
    'a minor after an adult',
    { minor: LATER },
    `child-12 is let in after adult-passport was: ${REMEMBERS}`,
  ],
  [
    'a denial after an adult',
    { denied: LATER },
    `access_denied is let in after adult-passport was: ${REMEMBERS}`,
  ],
  ['a minor, who is shown more', { adult: VARIED, minor: twice(MORE) }, nothingBeside('child-12')],
  [
    'a denial, after which more is shown',
    { adult: VARIED, denied: twice(MORE) },
    nothingBeside('access_denied'),
  ],
  [
    'adults by pages of other words',
    { adult: LANGUAGES, minor: twice(NEIN), denied: twice(NEIN) },
    HALLO,
  ],
])('An app that lets in %s can teach an audit nothing', async (_who, shown, message) => {
  await expect(controls(shown)).rejects.toThrow(problem(message))
})

test('Whom an app lets in is known by a page that is asked for again, whatever the page of the answer says', async () => {
  const [isIn, isOut] = [{ '/me': '200 /me You are in.' }, { '/me': '401 /me No.' }]
  const pair = (first: object, second = first) => [
    seenOf(YES, { ...first }),
    seenOf(YES, { ...second }),
  ]
  const subject = { ...subjectOf(), paths: ['/me'], fresh: seenOf(YES, isOut).probes }
  const among = async (minor: readonly SeenRun[]) =>
    (await checkControls({ adult: pair(isIn), access_denied: pair(isOut), minor }, subject)).letsIn
  expect(await among(pair(isOut))).toEqual([])
  expect(await among(pair(isIn))).toEqual(['minor'])
  await expect(among(pair(isOut, isIn))).rejects.toThrow(
    `child-12 is let in after adult-passport was: ${REMEMBERS}`,
  )
})

type Held = Partial<
  Record<'adult' | 'minor' | 'denied', readonly [first: boolean, second: boolean]>
>

async function byRule(
  { adult = [true, true], minor = [false, false], denied = [false, false] }: Held,
  rule: string,
) {
  const subject = subjectOf(rule)
  const see = (held: readonly boolean[]) => held.map((accepted) => ({ ...seenOf(YES), accepted }))
  checkAdults(see(adult), subject)
  const seen = { adult: see(adult), minor: see(minor), access_denied: see(denied) }
  return (await checkControls(seen, subject)).letsIn
}

test.each<[Held, string, readonly string[]]>([
  [{}, 'text=Welcome', []],
  [{ minor: [true, true] }, 'text=Welcome', ['minor']],
  // The page is for members: it does not open in a browser that proved nothing.
  [{ denied: [true, true] }, 'get=/me status=200', ['access_denied']],
])('Whom an app lets in is known by a rule of the user: %j by %j', async (held, rule, kinds) => {
  expect(await byRule(held, rule)).toEqual(kinds)
})

const [TEXT, GET] = ['text=Welcome', 'get=/me status=403']
const HOLDS_AFTER_BOTH = `holds after adult-passport and after access_denied${GIVE}`
const NOT_HELD = `--accepted "${TEXT}" does not hold after adult-passport: your app shows ${WELCOME}`

test.each<[Held, string, string]>([
  [{ adult: [true, false] }, TEXT, NOT_HELD],
  [{ minor: [false, true] }, TEXT, `child-12 is let in after adult-passport was: ${REMEMBERS}`],
  [{ denied: [true, true] }, TEXT, `${ALIKE}--accepted "${TEXT}" ${HOLDS_AFTER_BOTH}`],
  [{ denied: [true, true] }, GET, `${ALIKE}--accepted "${GET}" ${HOLDS_AFTER_BOTH}`],
])('A rule of the user that holds as %j cannot be used: %s', async (held, rule, message) => {
  await expect(byRule(held, rule)).rejects.toThrow(problem(message))
})

const OPTIONS = { page: `${APP}/verify?from=home`, baseUrl: SANDBOX, readsFragments: false }
const claims = '{"age_thresholds":[18]}'

test.each([
  [{}, 'query', false, false],
  [{ response_mode: 'form_post', can_create: 'true' }, 'form_post', true, false],
  [{ can_create: 'false', scope: 'openid svc.upgrade' }, 'query', false, true],
  [{ scope: 'agekey_upgrade openid' }, 'query', false, true],
  [{ scope: 'svc-upgrade' }, 'query', false, true],
  [{ scope: 'upgrade svc.upgraded openid' }, 'query', false, false],
])(
  'An app that sends %j answers by %s, can create: %s, can upgrade: %s',
  (sent, responseMode, canCreate, upgradeScope) => {
    const profile = { responseMode, canCreate, upgradeScope, claims }
    expect(profileOf(runOf('200 /', { request: requestOf(sent) }), OPTIONS)).toEqual(profile)
  },
)

test('A request without parameters is read by the defaults of the service', () => {
  const request = { ...requestOf(), parameters: {} }
  const profile = { responseMode: 'fragment', canCreate: false, upgradeScope: false, claims: '' }
  expect(profileOf(runOf('200 /', { request }), { ...OPTIONS, readsFragments: true })).toEqual(
    profile,
  )
  const odd = { ...requestOf(), parameters: { response_mode: 'fragment.jwt' } }
  expect(profileOf(runOf('200 /', { request: odd }), { ...OPTIONS, readsFragments: true })).toEqual(
    profile,
  )
})

const begun = (visit: Parameters<typeof runOf>[0]) =>
  runOf(visit, { request: undefined, useFlow: undefined })
const failed = (end: BrowserVisit['end'], changes?: Partial<BrowserVisit>) =>
  begun(ended(end, changes))
const NO_USE =
  'leads to no Use request of this sandbox; give the page where a user begins to prove an age'
const NO_CERTIFICATE = `${APP}/verify?from=home: no certificate; look at the address of your app`
const FOR_EVER = `GET /verify is redirected more than 20 times, the last time to ${APP}/login`
const NOTHING = `${APP}/verify?from=home: nothing answers; start your app first, or name its command by --start`
const goesTo = (address: string) =>
  `GET /verify goes to ${address}, not to this sandbox; set your app's base URL to ${SANDBOX}`
const LIVE = 'https://live.example/use'
const HEADER =
  'it is an older agekey-sandbox, or a proxy takes its header X-AgeKey-Sandbox-Flow away'
const REFUSED = 'the sandbox refuses the request of your app: '
const NO_NONCE = 'USE-08: there is no nonce'
const BROWSER = 'takes a browser: npm i -D playwright-core'
const SCRIPT = visitTo('', { page: pageOf('200 / <script src="a.js"></script>') })
const NO_BUTTON = visitTo('', { page: pageOf('200 / <SCRIPT>'), problem: 'no button was found' })
const BY_FRAGMENT = `your app answers by fragment, which ${BROWSER}, or say how the page passes the answer on (use.fragment)`

test.each([
  [failed('unreachable', { problem: 'no certificate' }), NO_CERTIFICATE],
  [failed('unreachable', { problem: `${APP}/: nothing answers there` }), NOTHING],
  [failed('unreachable'), NOTHING],
  [failed('elsewhere', { url: `${LIVE}?secret=1` }), goesTo(LIVE)],
  [failed('elsewhere', { url: 'no address' }), goesTo('no address')],
  [failed('elsewhere'), goesTo('')],
  [
    failed('timed_out'),
    'GET /verify is not answered in time; raise --timeout when your app is that slow',
  ],
  [
    failed('dropped'),
    'GET /verify: your app closes the connection without an answer; look into its log',
  ],
  [failed('too_many_redirects', { url: `${APP}/login?next=1` }), FOR_EVER],
  [failed('framed', { problem: 'a popup opened' }), 'GET /verify: a popup opened'],
  [failed('restless', { problem: 'it loads again' }), 'GET /verify: it loads again'],
  [begun('404 / Not found.'), `GET /verify answers 404 and ${NO_USE}`],
  [failed('page'), `GET /verify answers nothing and ${NO_USE}`],
  [
    begun(SCRIPT),
    `GET /verify answers 200 and ${NO_USE}; when a script of it begins, that ${BROWSER}`,
  ],
  [
    begun(NO_BUTTON),
    `GET /verify answers 200 and ${NO_USE} (no button was found); when a script of it begins, that ${BROWSER}`,
  ],
  [
    runOf('200 /', { useFlow: undefined }),
    `${SANDBOX} does not say which flow it answers in; ${HEADER}`,
  ],
  [
    runOf(ended('sandbox_page', { problem: NO_NONCE }), { useFlow: undefined }),
    `${REFUSED}${NO_NONCE}`,
  ],
  [runOf(ended('sandbox_page')), `${REFUSED}it shows an error page`],
  [runOf('200 /', { request: requestOf({ response_mode: 'fragment' }) }), BY_FRAGMENT],
])('An app of which nothing can be learned is told why (%#)', (run, message) => {
  expect(() => profileOf(run, OPTIONS)).toThrow(
    expect.objectContaining({ name: 'AuditProblem', message }),
  )
})

test('An app that goes past the tenant of an audit is told how its command gets the address', () => {
  const baseUrl = `${SANDBOX}/t/audit-x1-2`
  expect(() => profileOf(failed('elsewhere', { url: LIVE }), { ...OPTIONS, baseUrl })).toThrow(
    `set your app's base URL to ${baseUrl}; in start that is {base_url}`,
  )
})

test('The mistakes that the sandbox found are told without advice', () => {
  const calls = [
    callOf('E1', { findings: [FINDING, { ...FINDING, level: 'advice', rule: 'USE-13' }] }),
    callOf('E4', { findings: [{ ...FINDING, rule: 'TOK-01' }] }),
  ]
  expect(describeErrors(calls)).toBe(
    'USE-08: it is missing; send one TOK-01: it is missing; send one',
  )
  expect(describeErrors([])).toBe('')
})
