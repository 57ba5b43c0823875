import { expect, test } from 'vitest'
import { parseJson } from '../../../src/oidc/request/json.ts'
import { refusal } from '../../support/error-body.ts'
import { createRelyingParty } from '../../support/relying-party.ts'
import { startSandbox } from '../../support/sandbox.ts'

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)

test('JSON is read down to 64 levels and refused below them, however it is nested', () => {
  expect(parseJson(nested(64)).ok).toBe(true)
  expect(parseJson(`${'{"a":'.repeat(64)}1${'}'.repeat(64)}`).ok).toBe(true)
  for (const text of [nested(66), nested(100_000), `${'{"a":'.repeat(66)}1${'}'.repeat(66)}`]) {
    expect(parseJson(text)).toEqual({ ok: false, reason: 'it is nested deeper than 64 levels' })
  }
})

test('JSON that is none is refused with a reason of at most 120 characters', () => {
  const parsed = parseJson(`{"a": ${'x'.repeat(1000)}}`)
  expect(parsed).toEqual({ ok: false, reason: expect.stringMatching(/^.{1,120}$/) })
})

test('E1, E2 and E5 refuse JSON that is nested 10,000 levels deep, and the journal still tells of it', async () => {
  const sandbox = await startSandbox()
  const rp = createRelyingParty(sandbox)
  const deep = nested(10_000)
  expect((await rp.use({ claims: deep })).params).toMatchObject({ error: 'invalid_request' })
  expect(refusal(await rp.push({ authorization_details: deep })).rules).toEqual(['PAR-10'])
  const headers = { Authorization: `Bearer ${await rp.obtainToken()}`, 'Content-Type': 'application/json' }
  const answer = await sandbox.request.post('/v1/svc/upgrade').set(headers).send(`{"authorization_details":${deep}}`)
  expect(refusal(answer)).toEqual({ status: 400, error: 'invalid_request', rules: ['UPG-05'] })
  expect((await sandbox.flows.last())?.calls.at(-1)?.status).toBe(400)
})
