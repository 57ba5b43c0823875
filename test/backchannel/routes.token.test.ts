import { describe, expect, test } from 'vitest'
import { readError, refusal } from '../support/error-body.ts'
import { createRelyingParty } from '../support/relying-party.ts'
import { basic, tokenRequest } from '../support/requests.ts'
import { startSandbox } from '../support/sandbox.ts'

const PATH = '/v1/oidc/use/token'
const AUTHORIZED = { Authorization: basic('ak_test_sandbox', 'sk_test_sandbox') }

test('E4 answers an opaque bearer token for 10800 seconds, as JSON that is never stored', async () => {
  const rp = createRelyingParty(await startSandbox())
  const answer = await rp.exchange(await rp.obtainCode())
  expect(answer.status).toBe(200)
  expect(answer.body).toEqual({
    access_token: expect.stringMatching(/^[A-Za-z0-9_-]{22,}$/),
    token_type: 'Bearer',
    expires_in: 10_800,
  })
  expect(answer.headers['cache-control']).toContain('no-store')
  expect(answer.headers.pragma).toBe('no-cache')
})

describe('E4 refuses', () => {
  test('a wrong client_secret with 401 and a challenge, and an unknown code with 400', async () => {
    const sandbox = await startSandbox()
    const wrong = await createRelyingParty(sandbox, { clientSecret: 'wrong' }).exchange('x')
    expect(refusal(wrong)).toMatchObject({ status: 401, error: 'invalid_client' })
    expect(wrong.headers['www-authenticate']).toMatch(/^Basic /)
    const unknown = await createRelyingParty(sandbox).exchange('x')
    expect(refusal(unknown)).toEqual({ status: 400, error: 'invalid_grant', rules: ['TOK-05'] })
  })

  test.each([undefined, 'application/json', 'text/plain'])('the content type %j with 415', async (type) => {
    const headers = { ...AUTHORIZED, ...(type === undefined ? {} : { 'Content-Type': type }) }
    const answer = await (await startSandbox()).request
      .post(PATH)
      .set(headers)
      .send(Buffer.from(String(new URLSearchParams(tokenRequest('x')))))
    expect(refusal(answer)).toEqual({ status: 415, error: 'invalid_request', rules: ['TOK-01'] })
  })

  test('a body above 64 KiB with 413', async () => {
    const answer = await createRelyingParty(await startSandbox()).exchange('x'.repeat(64 * 1024))
    expect(answer.status).toBe(413)
    expect(readError(answer).error).toBe('invalid_request')
  })
})
