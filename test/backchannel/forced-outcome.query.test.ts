import { describe, expect, test } from 'vitest'
import { readError } from '../support/error-body.ts'
import { createRelyingParty } from '../support/relying-party.ts'
import { ageSignal, basic, pushedRequest, tokenRequest } from '../support/requests.ts'
import { startSandbox, type TestSandbox } from '../support/sandbox.ts'

const BASIC = basic('ak_test_sandbox', 'sk_test_sandbox')

/** A good call of each server-to-server endpoint, with a query or with further members in its body. */
const CALLS = {
  par: (sandbox: TestSandbox, query: object, more: object = {}) =>
    sandbox.request
      .post('/v1/oidc/create/par')
      .query(query)
      .type('form')
      .send({ ...pushedRequest(), ...more }),
  token: async (sandbox: TestSandbox, query: object, more: object = {}) => {
    const code = await createRelyingParty(sandbox).obtainCode()
    const call = sandbox.request.post('/v1/oidc/use/token').query(query).set('Authorization', BASIC).type('form')
    return call.send({ ...tokenRequest(code), ...more })
  },
  upgrade: async (sandbox: TestSandbox, query: object, more: object = {}) => {
    const token = await createRelyingParty(sandbox).obtainToken()
    const call = sandbox.request.post('/v1/svc/upgrade').query(query).set('Authorization', `Bearer ${token}`)
    return call.send({ authorization_details: [ageSignal()], ...more })
  },
  discovery: (sandbox: TestSandbox, query: object) =>
    sandbox.request.get('/v1/oidc/create/.well-known/openid-configuration').query(query),
  jwks: (sandbox: TestSandbox, query: object) => sandbox.request.get('/.well-known/jwks.json').query(query),
} as const

const FLOWS = Object.keys(CALLS) as (keyof typeof CALLS)[]

describe.each(FLOWS)('sandbox_ parameters in the query of a %s call', (flow) => {
  test('force an outcome of it, before a queued one, which stays queued', async () => {
    const sandbox = await startSandbox()
    await sandbox.next({ flow, outcome: `${flow}.503` })
    expect((await CALLS[flow](sandbox, { sandbox_outcome: `${flow}.429` })).status).toBe(429)
    expect(await sandbox.expectations.list()).toMatchObject([{ outcome: `${flow}.503`, remaining: 1 }])
  })

  test.each([
    [{ sandbox_outcome: `${flow}.502` }, `${flow}.502_html`],
    [{ sandbox_outcom: `${flow}.500` }, 'sandbox_outcome'],
  ])('are refused with near misses when a name is unknown: %j', async (query, nearMiss) => {
    const answer = await CALLS[flow](await startSandbox(), query)
    expect(answer.status).toBe(400)
    expect(readError(answer).suggestions).toContain(nearMiss)
  })

  test('are refused when they name a persona, which such a call does not have', async () => {
    const answer = await CALLS[flow](await startSandbox(), { sandbox_persona: 'teen-16' })
    expect(answer.status).toBe(400)
    expect(readError(answer).error_description).toMatch(/sandbox_persona.*no persona.*sandbox_outcome/)
  })
})

test.each(['par', 'token', 'upgrade'] as const)(
  'sandbox_outcome in the body of a %s call is refused, and the message says where it belongs',
  async (flow) => {
    const answer = await CALLS[flow](await startSandbox(), {}, { sandbox_outcome: `${flow}.500` })
    expect(answer.status).toBe(400)
    expect(readError(answer).error_description).toMatch(/sandbox_outcome.*body.*X-Sandbox-Outcome/)
  },
)

test('an unknown name in the header X-Sandbox-Persona is not ignored by a server-to-server call', async () => {
  const sandbox = await startSandbox()
  const call = sandbox.request.get('/.well-known/jwks.json')
  expect(readError(await call.set('X-Sandbox-Persona', 'teen-17').expect(400)).suggestions).toContain('teen-16')
})
