import { expect, test } from 'vitest'
import type { BrowserVisit } from '../../../src/audit/agent/browser.ts'
import { describeErrors, profileOf } from '../../../src/audit/learn/check-learned.ts'
import {
  APP,
  callOf,
  ended,
  FINDING,
  pageOf,
  requestOf,
  runOf,
  SANDBOX,
  visitTo,
} from '../../support/imitated-pages.ts'

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
  expect(profileOf(runOf('200 /', { request }), { ...OPTIONS, readsFragments: true })).toEqual(profile)
  const odd = { ...requestOf(), parameters: { response_mode: 'fragment.jwt' } }
  expect(profileOf(runOf('200 /', { request: odd }), { ...OPTIONS, readsFragments: true })).toEqual(profile)
})

const begun = (visit: Parameters<typeof runOf>[0]) => runOf(visit, { request: undefined, useFlow: undefined })
const failed = (end: BrowserVisit['end'], changes?: Partial<BrowserVisit>) => begun(ended(end, changes))
const NO_USE = 'leads to no Use request of this sandbox; give the page where a user begins to prove an age'
const NO_CERTIFICATE = `${APP}/verify?from=home: no certificate; look at the address of your app`
const FOR_EVER = `GET /verify is redirected more than 20 times, the last time to ${APP}/login`
const NOTHING = `${APP}/verify?from=home: nothing answers; start your app first, or name its command by --start`
const goesTo = (address: string) =>
  `GET /verify goes to ${address}, not to this sandbox; set your app's base URL to ${SANDBOX}`
const LIVE = 'https://live.example/use'
const HEADER = 'it is an older agekey-sandbox, or a proxy takes its header X-AgeKey-Sandbox-Flow away'
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
  [failed('timed_out'), 'GET /verify is not answered in time; raise --timeout when your app is that slow'],
  [failed('dropped'), 'GET /verify: your app closes the connection without an answer; look into its log'],
  [failed('too_many_redirects', { url: `${APP}/login?next=1` }), FOR_EVER],
  [failed('astray', { problem: 'a popup opened' }), 'GET /verify: a popup opened'],
  [failed('restless', { problem: 'it loads again' }), 'GET /verify: it loads again'],
  [begun('404 / Not found.'), `GET /verify answers 404 and ${NO_USE}`],
  [failed('page'), `GET /verify answers nothing and ${NO_USE}`],
  [begun(SCRIPT), `GET /verify answers 200 and ${NO_USE}; when a script of it begins, that ${BROWSER}`],
  [
    begun(NO_BUTTON),
    `GET /verify answers 200 and ${NO_USE} (no button was found); when a script of it begins, that ${BROWSER}`,
  ],
  [runOf('200 /', { useFlow: undefined }), `${SANDBOX} does not say which flow it answers in; ${HEADER}`],
  [runOf(ended('sandbox_page', { problem: NO_NONCE }), { useFlow: undefined }), `${REFUSED}${NO_NONCE}`],
  [runOf(ended('sandbox_page')), `${REFUSED}it shows an error page`],
  [runOf('200 /', { request: requestOf({ response_mode: 'fragment' }) }), BY_FRAGMENT],
])('An app of which nothing can be learned is told why and what to do (%#)', (run, message) => {
  expect(() => profileOf(run, OPTIONS)).toThrow(expect.objectContaining({ name: 'AuditProblem', message }))
})

test('An app that goes past the tenant of an audit is told how its command gets the address', () => {
  const baseUrl = `${SANDBOX}/t/audit-x1-2`
  expect(() => profileOf(failed('elsewhere', { url: LIVE }), { ...OPTIONS, baseUrl })).toThrow(
    `set your app's base URL to ${baseUrl}; in start that is {base_url}`,
  )
})

test('What the sandbox found wrong with calls is told by rule, problem and remedy, without advice', () => {
  const calls = [
    callOf('E1', { findings: [FINDING, { ...FINDING, level: 'advice', rule: 'USE-13' }] }),
    callOf('E4', { findings: [{ ...FINDING, rule: 'TOK-01' }] }),
  ]
  expect(describeErrors(calls)).toBe('USE-08: it is missing; send one TOK-01: it is missing; send one')
  expect(describeErrors([])).toBe('')
})
