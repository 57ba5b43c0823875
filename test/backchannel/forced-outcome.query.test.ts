import { expect, test } from 'vitest'
import { readError } from '../support/error-body.ts'
import { createRelyingParty } from '../support/relying-party.ts'
import { ageSignal, basic, pushedRequest, tokenRequest } from '../support/requests.ts'
import { shareSandbox } from '../support/sandbox.ts'

const sandbox = await shareSandbox()
const party = createRelyingParty(sandbox)
const post = (path: string, query: object) => sandbox.request.post(path).query(query)

/** A good call of each server-to-server endpoint, with a query or with further members in its body. */
const CALLS = {
  par: (query: object, more: object = {}) =>
    post('/v1/oidc/create/par', query)
      .type('form')
      .send({ ...pushedRequest(), ...more }),
  async token(query: object, more: object = {}) {
    const call = post('/v1/oidc/use/token', query).set('Authorization', basic('ak_test_sandbox', 'sk_test_sandbox'))
    return call.type('form').send({ ...tokenRequest(await party.obtainCode()), ...more })
  },
  async upgrade(query: object, more: object = {}) {
    const call = post('/v1/svc/upgrade', query).set('Authorization', `Bearer ${await party.obtainToken()}`)
    return call.send({ authorization_details: [ageSignal()], ...more })
  },
  discovery: (query: object) => sandbox.request.get('/v1/oidc/create/.well-known/openid-configuration').query(query),
  jwks: (query: object) => sandbox.request.get('/.well-known/jwks.json').query(query),
} as const

const FLOWS = Object.keys(CALLS) as (keyof typeof CALLS)[]

test.each(FLOWS)('sandbox_outcome in the query forces a %s call before a queued outcome, which stays', async (flow) => {
  await sandbox.next({ flow, outcome: `${flow}.503` })
  expect((await CALLS[flow]({ sandbox_outcome: `${flow}.429` })).status).toBe(429)
  expect(await sandbox.expectations.list()).toMatchObject([{ outcome: `${flow}.503`, remaining: 1 }])
})

test.each(FLOWS)('A %s call refuses a persona, and unknown sandbox_ parameters with near misses', async (flow) => {
  const unknown = { [`${flow}.502_html`]: { sandbox_outcome: `${flow}.502` }, sandbox_outcome: { sandbox_outcom: 'x' } }
  for (const [nearMiss, query] of Object.entries(unknown)) {
    const answer = await CALLS[flow](query)
    expect([answer.status, readError(answer).suggestions]).toEqual([400, expect.arrayContaining([nearMiss])])
  }
  const answer = await CALLS[flow]({ sandbox_persona: 'teen-16' })
  expect(answer.status).toBe(400)
  expect(readError(answer).error_description).toMatch(/sandbox_persona.*no persona.*sandbox_outcome/)
})

const POSTS = ['par', 'token', 'upgrade'] as const
test.each(POSTS)('sandbox_outcome in the body of a %s call is refused with where it belongs', async (flow) => {
  const answer = await CALLS[flow]({}, { sandbox_outcome: `${flow}.500` })
  expect(answer.status).toBe(400)
  expect(readError(answer).error_description).toMatch(/sandbox_outcome.*body.*X-Sandbox-Outcome/)
})

test('An unknown name in the header X-Sandbox-Persona is not ignored by a server-to-server call', async () => {
  const call = sandbox.request.get('/.well-known/jwks.json')
  expect(readError(await call.set('X-Sandbox-Persona', 'teen-17').expect(400)).suggestions).toContain('teen-16')
})
