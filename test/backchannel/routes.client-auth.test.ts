import { describe, expect, test } from 'vitest'
import { refusal } from '../support/error-body.ts'
import { createRelyingParty } from '../support/relying-party.ts'
import { basic, tokenRequest } from '../support/requests.ts'
import { startSandbox } from '../support/sandbox.ts'

const PATH = '/v1/oidc/use/token'

/** Signs that mean something in HTTP Basic, in forms or in both. */
const AWKWARD = {
  clientId: 'shop one+%41&=',
  clientSecret: 'p:a s+s%2Bw%zz~',
  redirectUris: ['http://localhost:3000/callback'],
}

const formEncoded = (text: string) => new URLSearchParams({ text }).toString().slice('text='.length)

describe('E4 takes HTTP Basic credentials', () => {
  test.each([
    ['as they are', (text: string) => text],
    ['form-encoded (RFC 6749 2.3.1)', formEncoded],
    ['percent-encoded', encodeURIComponent],
  ])('%s, whatever characters they have', async (_name, encode) => {
    const sandbox = await startSandbox({ clients: [AWKWARD] })
    const code = await createRelyingParty(sandbox, AWKWARD).obtainCode()
    const Authorization = basic(encode(AWKWARD.clientId), encode(AWKWARD.clientSecret))
    await sandbox.request
      .post(PATH)
      .set('Authorization', Authorization)
      .type('form')
      .send(tokenRequest(code))
      .expect(200)
  })

  test.each(['basic', 'BASIC', 'Basic '])('with the scheme written %j', async (scheme) => {
    const sandbox = await startSandbox()
    const code = await createRelyingParty(sandbox).obtainCode()
    const Authorization = basic('ak_test_sandbox', 'sk_test_sandbox').replace('Basic', scheme)
    await sandbox.request
      .post(PATH)
      .set('Authorization', Authorization)
      .type('form')
      .send(tokenRequest(code))
      .expect(200)
  })
})

describe('E4 answers 401 invalid_client with WWW-Authenticate: Basic to', () => {
  const encode = (text: string) => Buffer.from(text).toString('base64')
  test.each([
    ['no Authorization', undefined],
    ['a wrong secret', basic('ak_test_sandbox', 'wrong')],
    ['a secret that only begins right', basic('ak_test_sandbox', 'sk_test_sandbo')],
    ['an empty secret', basic('ak_test_sandbox', '')],
    ['an unknown client', basic('nobody', 'sk_test_sandbox')],
    ['a name of every object', basic('constructor', 'x')],
    ['another scheme', `Bearer ${encode('ak_test_sandbox:sk_test_sandbox')}`],
    ['no credentials', 'Basic'],
    ['no base64', 'Basic ak_test_sandbox:sk_test_sandbox'],
    ['no colon', `Basic ${encode('ak_test_sandbox')}`],
    ['bytes that are not UTF-8', `Basic ${Buffer.from([0xff, 0x3a, 0xff]).toString('base64')}`],
  ])('%s', async (_name, authorization) => {
    const headers = authorization === undefined ? {} : { Authorization: authorization }
    const answer = await (await startSandbox()).request.post(PATH).set(headers).type('form').send(tokenRequest('x'))
    expect(refusal(answer)).toEqual({ status: 401, error: 'invalid_client', rules: ['TOK-02'] })
    expect(answer.headers['www-authenticate']).toMatch(/^Basic realm="/)
  })

  test('credentials in the form', async () => {
    const form = tokenRequest('x', { client_id: 'ak_test_sandbox', client_secret: 'sk_test_sandbox' })
    expect(refusal(await (await startSandbox()).request.post(PATH).type('form').send(form))).toMatchObject({
      error: 'invalid_client',
    })
  })
})

test('No refusal repeats a secret', async () => {
  const sandbox = await startSandbox()
  const rp = createRelyingParty(sandbox, { clientSecret: 'hunter2-hunter2' })
  for (const answer of [await rp.push(), await rp.exchange('x')]) {
    expect(answer.status).toBe(401)
    expect(answer.text).not.toContain('hunter2')
    expect(answer.text).not.toContain('sk_test_sandbox')
  }
})
