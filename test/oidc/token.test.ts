import { describe, expect, test } from 'vitest'
import { readError, refusal } from '../support/error-body.ts'
import { createRelyingParty } from '../support/relying-party.ts'
import { basic, tokenRequest } from '../support/requests.ts'
import { startSandbox } from '../support/sandbox.ts'

const PATH = '/v1/oidc/use/token'
const AUTHORIZED = { Authorization: basic('ak_test_sandbox', 'sk_test_sandbox') }
const OTHER = { clientId: 'other', clientSecret: 'secret', redirectUris: ['http://localhost:3000/callback'] }

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

describe('E4 takes a code', () => {
  test('once', async () => {
    const rp = createRelyingParty(await startSandbox())
    const code = await rp.obtainCode()
    expect((await rp.exchange(code)).status).toBe(200)
    expect(refusal(await rp.exchange(code))).toEqual({ status: 400, error: 'invalid_grant', rules: ['TOK-07'] })
  })

  test('for 600 seconds to the millisecond', async () => {
    const sandbox = await startSandbox()
    await sandbox.clock.freeze()
    const rp = createRelyingParty(sandbox)
    const [early, late] = [await rp.obtainCode(), await rp.obtainCode()]
    await sandbox.clock.advance(599.999)
    expect((await rp.exchange(early)).status).toBe(200)
    await sandbox.clock.advance(0.001)
    expect(refusal(await rp.exchange(late))).toEqual({ status: 400, error: 'invalid_grant', rules: ['TOK-06'] })
  })

  test('only from its own client, and another one that tries does not spend it', async () => {
    const sandbox = await startSandbox({ clients: [OTHER] })
    const owner = createRelyingParty(sandbox)
    const code = await owner.obtainCode()
    const theft = await createRelyingParty(sandbox, OTHER).exchange(code)
    expect(refusal(theft)).toEqual({ status: 400, error: 'invalid_grant', rules: ['TOK-05'] })
    const guess = await createRelyingParty(sandbox, OTHER).exchange('guess')
    expect(readError(guess)).toEqual(readError(theft))
    expect((await owner.exchange(code)).status).toBe(200)
  })

  test('that a refused request did not spend', async () => {
    const sandbox = await startSandbox()
    const rp = createRelyingParty(sandbox)
    const code = await rp.obtainCode()
    await rp.exchange(code, { grant_type: 'refresh_token' })
    await sandbox.request
      .post(PATH)
      .set('Authorization', basic('ak_test_sandbox', 'wrong'))
      .type('form')
      .send(tokenRequest(code))
    expect((await rp.exchange(code)).status).toBe(200)
  })
})

describe('E4 refuses', () => {
  test.each(['guess', '__proto__', 'x'.repeat(10_000)])('the unknown code %.20s with invalid_grant', async (code) => {
    const answer = await createRelyingParty(await startSandbox()).exchange(code)
    expect(refusal(answer)).toEqual({ status: 400, error: 'invalid_grant', rules: ['TOK-05'] })
  })

  test.each([
    ['no code', { code: undefined }, 'invalid_request', 'TOK-04'],
    ['an empty code', { code: '' }, 'invalid_request', 'TOK-04'],
    ['no grant_type', { grant_type: undefined }, 'invalid_request', 'TOK-03'],
    ['another grant_type', { grant_type: 'client_credentials' }, 'unsupported_grant_type', 'TOK-03'],
  ])('%s', async (_name, changes, error, rule) => {
    const rp = createRelyingParty(await startSandbox())
    expect(refusal(await rp.exchange(await rp.obtainCode(), changes))).toEqual({ status: 400, error, rules: [rule] })
  })

  test.each(['grant_type', 'code'])('%s sent twice', async (name) => {
    const form = new URLSearchParams(tokenRequest('x'))
    form.append(name, form.get(name) ?? '')
    const answer = await (await startSandbox()).request.post(PATH).set(AUTHORIZED).send(String(form))
    expect(refusal(answer)).toMatchObject({ status: 400, error: 'invalid_request' })
    expect(refusal(answer).rules).toContain('TOK-08')
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

test('E4 ignores parameters that it does not know, such as the redirect_uri of other providers', async () => {
  const rp = createRelyingParty(await startSandbox())
  expect((await rp.exchange(await rp.obtainCode(), { redirect_uri: 'http://localhost:3000/callback' })).status).toBe(
    200,
  )
})
