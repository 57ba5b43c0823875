import fc from 'fast-check'
import { expect, test } from 'vitest'
import { exchangeRaw, type RawAnswer } from '../support/raw-exchange.ts'
import { startSandbox } from '../support/sandbox.ts'
import { oddRequests } from './odd-requests.ts'

const RUNS = 300
const TIMEOUT_MS = 120_000

const BROWSER = [
  ['E1', 'GET', '/v1/oidc/use'],
  ['E3', 'GET', '/v1/oidc/create'],
  ['the choice of E1', 'POST', '/v1/oidc/use/choice'],
  ['the choice of E3', 'POST', '/v1/oidc/create/choice'],
  ['the home page', 'GET', '/'],
] as const

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

/** Sends many odd requests to one endpoint: each is answered, none by a failure of ours, all under the banner. */
async function survive(method: string, path: string, check: (answer: RawAnswer) => void): Promise<void> {
  const sandbox = await startSandbox()
  const property = fc.asyncProperty(oddRequests(method, path), async ({ text, isCutShort }) => {
    const answer = await exchangeRaw(sandbox.url, text, { ending: isCutShort ? 'end' : 'wait' })
    expect(answer.status).toBeGreaterThanOrEqual(200)
    expect(answer.status).toBeLessThan(500)
    expect(answer.headers['x-agekey-sandbox']).toBe('testing-only')
    check(answer)
  })
  await fc.assert(property, { numRuns: RUNS })
  await sandbox.request.get('/_sandbox/health').expect(200)
  expect(sandbox.errors).toEqual([])
}

test.each(BROWSER)(
  'HTTP: %s survives odd requests',
  (_name, method, path) => survive(method, path, () => {}),
  TIMEOUT_MS,
)

test.each(PROGRAMS)(
  'HTTP: %s survives odd requests and says in JSON what is wrong with them',
  (_name, method, path) =>
    survive(method, path, ({ status, body }) => {
      if (status < 400) return
      expect(JSON.parse(body)).toMatchObject({
        error: expect.stringMatching(/^[a-z_]+$/),
        error_description: expect.stringMatching(/./),
      })
    }),
  TIMEOUT_MS,
)
