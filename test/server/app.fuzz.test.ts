import fc from 'fast-check'
import { expect, test } from 'vitest'
import { exchangeRaw, type RawAnswer } from '../support/raw-exchange.ts'
import { claims, useRequest } from '../support/requests.ts'
import { startSandbox } from '../support/sandbox.ts'
import { oddRequests } from './odd-requests.ts'

const RUNS = 300
/** A page: there are many, and each run of the tests sends others. */
const RUNS_OF_A_PAGE = 100
const TIMEOUT_MS = 120_000

const BROWSER = [
  ['E1', 'GET', '/v1/oidc/use'],
  ['E3', 'GET', '/v1/oidc/create'],
  ['the choice of E1', 'POST', '/v1/oidc/use/choice'],
  ['the choice of E3', 'POST', '/v1/oidc/create/choice'],
  ['the home page', 'GET', '/'],
] as const

/** Pages and forms around the service; each has a form of its own that is valid. */
const PAGES = [
  ...['use', 'create'].flatMap((flow) => [
    [`the language menu of ${flow}`, 'POST', `/v1/oidc/${flow}/language`, { language: 'de' }] as const,
    [`the clock of ${flow}`, 'POST', `/v1/oidc/${flow}/clock`, { advance: '91' }] as const,
  ]),
  ['the appearance', 'GET', '/_sandbox/appearance.css', { primary_color: '#102030', font: 'Inter' }],
  ['the embedding page', 'GET', '/_sandbox/embedding', {}],
  ['the page to act as a persona', 'GET', '/_sandbox/act-as/teen-16', {}],
  ['the button to act as a persona', 'POST', '/_sandbox/act-as/teen-16', {}],
  ...[
    'flows',
    'flows/f1',
    'personas',
    'outcomes',
    'readings',
    'rules',
    'tenants',
    'expectations',
    'clock',
    'nothing',
  ].map((page) => [`console/${page}`, 'GET', `/_sandbox/console/${page}`, { q: 'teen', flow: 'use' }] as const),
  ['the form of console/personas', 'POST', '/_sandbox/console/personas', { persona: 'teen-16' }],
  ['the form of console/tenants', 'POST', '/_sandbox/console/tenants', { name: 'fuzz' }],
  ['the form of console/expectations', 'POST', '/_sandbox/console/expectations', { flow: 'use', persona: 'teen-16' }],
  ['the form of console/clock', 'POST', '/_sandbox/console/clock', { set: '2026-01-01', freeze: 'true' }],
  ['the sign-in form', 'POST', '/_sandbox/console/sign-in', { token: 'x' }],
  ['the demo', 'GET', '/_sandbox/demo', {}],
  ['Use in the demo', 'POST', '/_sandbox/demo/use', { claims: claims(), response_mode: 'query', upgrade: 'true' }],
  ['Create in the demo', 'POST', '/_sandbox/demo/create', { date_of_birth: '2000-02-29' }],
  ['a callback of the demo', 'GET', '/_sandbox/demo/callback', { state: 'state-1', error: 'access_denied' }],
  ['a posted callback of the demo', 'POST', '/_sandbox/demo/callback', { state: 'state-1', id_token: 'a.b.c' }],
  ['the result of the demo', 'GET', '/_sandbox/demo/result', {}],
  ['Upgrade in the demo', 'POST', '/_sandbox/demo/upgrade', { date_of_birth: '2000-02-29' }],
] as const satisfies readonly (readonly [string, string, string, Readonly<Record<string, string>>])[]

const PROGRAMS = [
  ['E2', 'POST', '/v1/oidc/create/par'],
  ['E4', 'POST', '/v1/oidc/use/token'],
  ['E5', 'POST', '/v1/svc/upgrade'],
  ['E6', 'GET', '/v1/oidc/use/.well-known/openid-configuration'],
  ['the key set', 'GET', '/.well-known/jwks.json'],
  ['a tenant', 'POST', '/t/fuzz/v1/oidc/create/par'],
  ['evaluation', 'POST', '/_sandbox/evaluate'],
  ['expectations', 'POST', '/_sandbox/expectations'],
  ['personas', 'PUT', '/_sandbox/personas/fuzz'],
  ['the clock', 'POST', '/_sandbox/clock'],
] as const

interface Survival {
  /** A valid form of the endpoint. */
  readonly form?: Readonly<Record<string, string>>
  readonly runs?: number
  check?(answer: RawAnswer): void
}

/** Sends many odd requests to one endpoint: each is answered, none by a failure of ours, all under the banner. */
async function survive(method: string, path: string, { form, runs = RUNS, check }: Survival): Promise<void> {
  const sandbox = await startSandbox()
  const page = await sandbox.request.get('/v1/oidc/use').query(useRequest())
  const transaction = /name="transaction" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
  const visit = await sandbox.request.post('/_sandbox/demo/use').type('form').send({ claims: claims() })
  const [session = ''] = visit.get('Set-Cookie') ?? []
  expect([transaction, session]).not.toContain('')
  const usual = {
    headers: [`Cookie: ${session.split(';')[0]}`],
    ...(form ? { forms: [{ transaction, ...form }] } : {}),
  }
  const property = fc.asyncProperty(oddRequests(method, path, usual), async ({ text, isCutShort }) => {
    const answer = await exchangeRaw(sandbox.url, text, { ending: isCutShort ? 'end' : 'wait', until: 'answered' })
    expect(answer.status).toBeGreaterThanOrEqual(200)
    expect(answer.status).toBeLessThan(500)
    expect(answer.headers['x-agekey-sandbox']).toBe('testing-only')
    check?.(answer)
  })
  await fc.assert(property, { numRuns: runs })
  await sandbox.request.get('/_sandbox/health').expect(200)
  expect(sandbox.errors).toEqual([])
}

test.each(BROWSER)('HTTP: %s survives odd requests', (_name, method, path) => survive(method, path, {}), TIMEOUT_MS)

test.each(PAGES)(
  'HTTP: %s survives odd requests',
  (_name, method, path, form) => survive(method, path, { form, runs: RUNS_OF_A_PAGE }),
  TIMEOUT_MS,
)

test.each(PROGRAMS)(
  'HTTP: %s survives odd requests and says in JSON what is wrong with them',
  (_name, method, path) =>
    survive(method, path, {
      check({ status, body }) {
        if (status < 400) return
        expect(JSON.parse(body)).toMatchObject({
          error: expect.stringMatching(/^[a-z_]+$/),
          error_description: expect.stringMatching(/./),
        })
      },
    }),
  TIMEOUT_MS,
)
