import { expect, test } from 'vitest'
import { createRelyingParty } from '../../support/relying-party.ts'
import { basic, useRequest } from '../../support/requests.ts'
import { startSandbox } from '../../support/sandbox.ts'

test('A refused call is summarized with its flow, client, rule and the sentence of its first finding', async () => {
  const sandbox = await startSandbox()
  await createRelyingParty(sandbox).use({ nonce: undefined, prompt: 'login' })
  expect(sandbox.calls).toEqual([
    {
      ...{ method: 'GET', path: '/v1/oidc/use', status: 302, durationMs: expect.any(Number), tenant: 'default' },
      ...{ endpoint: 'E1', flow: 'f1', flowUrl: `${sandbox.baseUrl}/_sandbox/console/flows/f1` },
      ...{ client: 'ak_test_sandbox', error: 'invalid_request', rule: 'USE-08', message: 'nonce is missing' },
      findings: ['USE-08', 'USE-11'],
    },
  ])
})

test('A call that was answered is summarized with persona and outcome, and without a reason', async () => {
  const sandbox = await startSandbox()
  await createRelyingParty(sandbox).use({ sandbox_persona: 'teen-16', prompt: 'login' })
  expect(sandbox.calls[0]).toMatchObject({ flow: 'f1', persona: 'teen-16', outcome: 'verified', findings: ['USE-11'] })
  expect(sandbox.calls[0]).not.toHaveProperty('message')
})

test('The client of a token call comes from its Authorization header, and no secret is in the summary', async () => {
  const sandbox = await startSandbox()
  await sandbox.request
    .post('/v1/oidc/use/token')
    .set('Authorization', basic('ak_test_sandbox', 'wrong'))
    .type('form')
    .send({ code: 'c', grant_type: 'sk_test_sandbox' })
  expect(sandbox.calls[0]).toMatchObject({ client: 'ak_test_sandbox', error: 'invalid_client', rule: 'TOK-02' })
  await sandbox.request.get('/v1/oidc/use').query(useRequest({ response_mode: 'sk_test_sandbox' }))
  expect(sandbox.calls[1]).toMatchObject({ rule: 'USE-06', message: expect.stringContaining('***') })
  expect(JSON.stringify(sandbox.calls)).not.toContain('sk_test_sandbox')
})
