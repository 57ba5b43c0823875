import { expect, test } from 'vitest'
import { createRelyingParty } from '../../support/relying-party.ts'
import { basic } from '../../support/requests.ts'
import { shareSandbox } from '../../support/sandbox.ts'

const sandbox = await shareSandbox()
const party = createRelyingParty(sandbox)

test('A refused call is summarized with its flow, client, rule and the sentence of its first finding', async () => {
  await party.use({ nonce: undefined, prompt: 'login' })
  const flow = expect.stringMatching(/^f\d+$/)
  const flowUrl = expect.stringContaining(`${sandbox.baseUrl}/_sandbox/console/flows/f`)
  expect(sandbox.calls).toEqual([
    {
      ...{ method: 'GET', path: '/v1/oidc/use', status: 302, durationMs: expect.any(Number), tenant: 'default' },
      ...{ endpoint: 'E1', flow, flowUrl, findings: ['USE-08', 'USE-11'] },
      ...{ client: 'ak_test_sandbox', error: 'invalid_request', rule: 'USE-08', message: 'nonce is missing' },
    },
  ])
})

test('A call that was answered is summarized with persona and outcome, and without a reason', async () => {
  await party.use({ sandbox_persona: 'teen-16', prompt: 'login' })
  expect(sandbox.calls[0]).toMatchObject({ persona: 'teen-16', outcome: 'verified', findings: ['USE-11'] })
  expect(sandbox.calls[0]).not.toHaveProperty('message')
  await party.use({ sandbox_outcome: 'jwks.no_keys' })
  expect(sandbox.calls[1]).toMatchObject({ persona: 'adult-passport', outcome: 'jwks.no_keys' })
})

test('The summary of a token call has the path with the tenant, the client of the Authorization header and no secret', async () => {
  const path = '/t/qa/v1/oidc/use/token'
  const call = sandbox.request.post(path).set('Authorization', basic('ak_test_sandbox', 'wrong'))
  await call.type('form').send({ code: 'c', grant_type: 'sk_test_sandbox' })
  expect(sandbox.calls[0]).toMatchObject({ path, client: 'ak_test_sandbox', error: 'invalid_client', rule: 'TOK-02' })
  await party.use({ response_mode: 'sk_test_sandbox' })
  expect(sandbox.calls[1]).toMatchObject({ rule: 'USE-06', message: expect.stringContaining('***') })
  expect(JSON.stringify(sandbox.calls)).not.toContain('sk_test_sandbox')
})
