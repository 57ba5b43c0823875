import fc from 'fast-check'
import { expect, test } from 'vitest'
import { exchangeRaw } from '../support/raw-exchange.ts'
import { claims, type Fields, useRequest } from '../support/requests.ts'
import { startSandbox } from '../support/sandbox.ts'
import { oddRequests } from './odd-requests.ts'

/** Odd requests to an endpoint, and to one of the many pages: each run of the tests sends others. */
const RUNS = { endpoint: 100, page: 40 }

/** Pages and forms around the service, each with a form of its own that is valid. */
const PAGES: readonly (readonly [method: string, path: string, form: Fields])[] = [
  ...['use', 'create'].flatMap((flow) => [
    ['POST', `/v1/oidc/${flow}/language`, { language: 'de' }] as const,
    ['POST', `/v1/oidc/${flow}/clock`, { advance: '91' }] as const,
  ]),
  ['GET', '/_sandbox/appearance.css', { primary_color: '#102030', font: 'Inter' }],
  ['GET', '/_sandbox/embedding', {}],
  ['GET', '/_sandbox/act-as/teen-16', {}],
  ['POST', '/_sandbox/act-as/teen-16', {}],
  ...['flows', 'flows/f1', 'personas', 'outcomes', 'readings', 'rules', 'tenants', 'expectations', 'clock', 'x'].map(
    (page) => ['GET', `/_sandbox/console/${page}`, { q: 'teen', flow: 'use' }] as const,
  ),
  ['POST', '/_sandbox/console/personas', { persona: 'teen-16' }],
  ['POST', '/_sandbox/console/tenants', { name: 'fuzz' }],
  ['POST', '/_sandbox/console/expectations', { flow: 'use', persona: 'teen-16' }],
  ['POST', '/_sandbox/console/clock', { set: '2026-01-01', freeze: 'true' }],
  ['POST', '/_sandbox/console/sign-in', { token: 'x' }],
  ['GET', '/_sandbox/demo', {}],
  ['POST', '/_sandbox/demo/use', { claims: claims(), response_mode: 'query', upgrade: 'true' }],
  ['POST', '/_sandbox/demo/create', { date_of_birth: '2000-02-29' }],
  ['GET', '/_sandbox/demo/callback', { state: 'state-1', error: 'access_denied' }],
  ['POST', '/_sandbox/demo/callback', { state: 'state-1', id_token: 'a.b.c' }],
  ['GET', '/_sandbox/demo/result', {}],
  ['POST', '/_sandbox/demo/upgrade', { date_of_birth: '2000-02-29' }],
]

const BROWSER = [
  ['GET', '/v1/oidc/use'],
  ['GET', '/v1/oidc/create'],
  ['POST', '/v1/oidc/use/choice'],
  ['POST', '/v1/oidc/create/choice'],
  ['GET', '/'],
] as const

const PROGRAMS = [
  ['POST', '/v1/oidc/create/par'],
  ['POST', '/v1/oidc/use/token'],
  ['POST', '/v1/svc/upgrade'],
  ['GET', '/v1/oidc/use/.well-known/openid-configuration'],
  ['GET', '/.well-known/jwks.json'],
  ['POST', '/t/fuzz/v1/oidc/create/par'],
  ['POST', '/_sandbox/evaluate'],
  ['POST', '/_sandbox/expectations'],
  ['PUT', '/_sandbox/personas/fuzz'],
  ['POST', '/_sandbox/clock'],
] as const

/** Sends odd requests to one endpoint: each is answered, none by a failure of ours, all under the banner. */
async function survive(method: string, path: string, { form, isCall }: { form?: Fields; isCall?: boolean } = {}) {
  const sandbox = await startSandbox()
  const page = await sandbox.request.get('/v1/oidc/use').query(useRequest())
  const transaction = /name="transaction" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
  const visit = await sandbox.request.post('/_sandbox/demo/use').type('form').send({ claims: claims() })
  const [session = ''] = visit.get('Set-Cookie') ?? []
  expect([transaction, session]).not.toContain('')
  const cookie = session.split(';')[0] ?? ''
  const requests = oddRequests(method, path, { cookie, form: form && { transaction, ...form } })
  const property = fc.asyncProperty(requests, async ({ text, isCutShort }) => {
    const answer = await exchangeRaw(sandbox.url, text, { ending: isCutShort ? 'end' : 'wait', until: 'answered' })
    const { status, headers, body } = answer
    expect([status >= 200 && status < 500, headers['x-agekey-sandbox']]).toEqual([true, 'testing-only'])
    if (!isCall || status < 400) return
    const said = { error: expect.stringMatching(/^[a-z_]+$/), error_description: expect.stringMatching(/./) }
    expect(JSON.parse(body)).toMatchObject(said)
  })
  await fc.assert(property, { numRuns: form ? RUNS.page : RUNS.endpoint })
  await sandbox.request.get('/_sandbox/health').expect(200)
  expect(sandbox.errors).toEqual([])
}

test.each(BROWSER)('%s %s survives odd requests', (method, path) => survive(method, path), 60_000)

test.each(PAGES)(
  '%s %s survives odd requests by a form',
  (method, path, form) => survive(method, path, { form }),
  60_000,
)

test.each(PROGRAMS)(
  '%s %s survives odd requests and says in JSON what is wrong with them',
  (method, path) => survive(method, path, { isCall: true }),
  60_000,
)
