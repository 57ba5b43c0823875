import { expect, test } from 'vitest'
import { refusal } from '../support/error-body.ts'
import { createRelyingParty } from '../support/relying-party.ts'
import { startSandbox } from '../support/sandbox.ts'

test('E1, E2 and E5 refuse JSON that is nested 10,000 levels deep, and the journal still records the call', async () => {
  const sandbox = await startSandbox()
  const rp = createRelyingParty(sandbox)
  const deep = '['.repeat(10_000) + ']'.repeat(10_000)
  expect((await rp.use({ claims: deep })).params).toMatchObject({ error: 'invalid_request' })
  expect(refusal(await rp.push({ authorization_details: deep })).rules).toEqual(['PAR-10'])
  const headers = { Authorization: `Bearer ${await rp.obtainToken()}`, 'Content-Type': 'application/json' }
  const answer = await sandbox.request.post('/v1/svc/upgrade').set(headers).send(`{"authorization_details":${deep}}`)
  expect(refusal(answer)).toEqual({ status: 400, error: 'invalid_request', rules: ['UPG-05'] })
  expect((await sandbox.flows.last())?.calls.at(-1)?.status).toBe(400)
})
