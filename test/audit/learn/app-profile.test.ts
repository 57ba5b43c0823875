import { expect, test } from 'vitest'
import { profileOf } from '../../../src/audit/learn/app-profile.ts'
import { describeErrors } from '../../../src/audit/learn/describe-errors.ts'
import { APP, callOf, ended, pageOf, requestOf, runOf, SANDBOX, visitTo } from '../../support/imitated-app.ts'

const OPTIONS = { page: `${APP}/verify?from=home`, baseUrl: SANDBOX, readsFragments: false }
const claims = '{"age_thresholds":[18]}'

test.each([
  [{}, { responseMode: 'query', canCreate: false, upgradeScope: false }],
  [
    { response_mode: 'form_post', can_create: 'true' },
    { responseMode: 'form_post', canCreate: true, upgradeScope: false },
  ],
  [
    { can_create: 'false', scope: 'openid svc.upgrade' },
    { responseMode: 'query', canCreate: false, upgradeScope: true },
  ],
  [{ scope: 'agekey_upgrade openid' }, { responseMode: 'query', canCreate: false, upgradeScope: true }],
  [{ scope: 'svc-upgrade' }, { responseMode: 'query', canCreate: false, upgradeScope: true }],
  [{ scope: 'upgrade svc.upgraded openid' }, { responseMode: 'query', canCreate: false, upgradeScope: false }],
])('The profile of an app that sends %j is %j', (parameters, profile) => {
  expect(profileOf(runOf('200 /', { request: requestOf(parameters) }), OPTIONS)).toEqual({ ...profile, claims })
})

test('An app that says nothing is read by the defaults of the service', () => {
  const request = { ...requestOf(), parameters: {} }
  const profile = { responseMode: 'fragment', canCreate: false, upgradeScope: false, claims: '' }
  expect(profileOf(runOf('200 /', { request }), { ...OPTIONS, readsFragments: true })).toEqual(profile)
  const odd = { ...requestOf(), parameters: { response_mode: 'fragment.jwt' } }
  expect(profileOf(runOf('200 /', { request: odd }), { ...OPTIONS, readsFragments: true })).toEqual(profile)
})

const begun = (visit: Parameters<typeof runOf>[0]) => runOf(visit, { request: undefined, useFlow: undefined })
const NO_USE = 'leads to no Use request of this sandbox; give the page where a user begins to prove an age'

test.each([
  [
    begun(ended('unreachable', { problem: 'no certificate' })),
    `${APP}/verify?from=home: no certificate; look at the address of your app`,
  ],
  [
    begun(ended('unreachable', { problem: `${APP}/: nothing answers there` })),
    `${APP}/verify?from=home: nothing answers; start your app first, or name its command by --start`,
  ],
  [
    begun(ended('unreachable')),
    `${APP}/verify?from=home: nothing answers; start your app first, or name its command by --start`,
  ],
  [
    begun(ended('elsewhere', { url: 'https://live.example/use?secret=1' })),
    `GET /verify goes to https://live.example/use, not to this sandbox; set your app's base URL to ${SANDBOX}`,
  ],
  [
    begun(ended('elsewhere', { url: 'no address' })),
    `GET /verify goes to no address, not to this sandbox; set your app's base URL to ${SANDBOX}`,
  ],
  [begun(ended('elsewhere')), `GET /verify goes to , not to this sandbox; set your app's base URL to ${SANDBOX}`],
  [begun(ended('timed_out')), 'GET /verify is not answered in time; raise --timeout when your app is that slow'],
  [begun(ended('dropped')), 'GET /verify: your app closes the connection without an answer; look into its log'],
  [
    begun(ended('too_many_redirects', { url: `${APP}/login?next=1` })),
    `GET /verify is redirected more than 20 times, the last time to ${APP}/login`,
  ],
  [begun(ended('astray', { problem: 'a popup opened' })), 'GET /verify: a popup opened'],
  [begun(ended('restless', { problem: 'it loads again' })), 'GET /verify: it loads again'],
  [begun('404 / Not found.'), `GET /verify answers 404 and ${NO_USE}`],
  [begun(ended('page')), `GET /verify answers nothing and ${NO_USE}`],
  [
    begun(visitTo('', { page: pageOf('200 / <script src="a.js"></script>') })),
    `GET /verify answers 200 and ${NO_USE}; when a script of it begins, that takes a browser: npm i -D playwright-core`,
  ],
  [
    begun(visitTo('', { page: pageOf('200 / <SCRIPT>'), problem: 'no button was found' })),
    `GET /verify answers 200 and ${NO_USE} (no button was found)`,
  ],
  [
    runOf('200 /', { useFlow: undefined }),
    `${SANDBOX} does not say which flow it answers in; it is an older agekey-sandbox, or a proxy takes its header X-AgeKey-Sandbox-Flow away`,
  ],
  [
    runOf(ended('sandbox_page', { problem: 'USE-08: there is no nonce' }), { useFlow: undefined }),
    'the sandbox refuses the request of your app: USE-08: there is no nonce',
  ],
  [runOf(ended('sandbox_page')), 'the sandbox refuses the request of your app: it shows an error page'],
  [
    runOf('200 /', { request: requestOf({ response_mode: 'fragment' }) }),
    'your app answers by fragment, which takes a browser: npm i -D playwright-core, or say how the page passes the answer on (use.fragment)',
  ],
])('An app of which nothing can be learned is told why and what to do (%#)', (run, message) => {
  expect(() => profileOf(run, OPTIONS)).toThrow(expect.objectContaining({ name: 'AuditProblem', message }))
})

test('An app that goes past the tenant of an audit is told how its command gets the address', () => {
  const run = begun(ended('elsewhere', { url: 'https://live.example/use' }))
  const baseUrl = `${SANDBOX}/t/audit-x1-2`
  expect(() => profileOf(run, { ...OPTIONS, baseUrl })).toThrow(
    `set your app's base URL to ${baseUrl}; in start that is {base_url}`,
  )
})

test('What the sandbox found wrong with calls is told by rule, problem and remedy, without advice', () => {
  const finding = { rule: 'USE-08', level: 'error', path: 'nonce', message: 'it is missing', hint: 'send one' } as const
  const calls = [
    callOf('E1', { findings: [finding, { ...finding, level: 'advice', rule: 'USE-13' }] }),
    callOf('E4', { findings: [{ ...finding, rule: 'TOK-01' }] }),
  ]
  expect(describeErrors(calls)).toBe('USE-08: it is missing; send one TOK-01: it is missing; send one')
  expect(describeErrors([])).toBe('')
})
