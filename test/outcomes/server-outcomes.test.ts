import { expect, test } from 'vitest'
import { findOutcome } from '../../src/sandbox/outcomes/catalogue.ts'
import { createRelyingParty } from '../support/relying-party.ts'
import { shareSandbox } from '../support/sandbox.ts'
import { Refusal, readUseAnswer, verifyWithJose } from './correct-client.ts'
import { type CallOptions, exchange, fetchKeys, push, upgrade } from './correct-server-calls.ts'
import { CLIENT_WITH_ES256, issuerOf, rowsOf, runCreate, runUse } from './flows.ts'

// test/workbench/demo/checks.catalogue.test.ts shows of each row of a call that its reply fails
// just the checks of the row.

const sandbox = await shareSandbox()
/** Tokens are signed with RS256, but for the client of the tests. */
const withES256 = await shareSandbox(CLIENT_WITH_ES256)

const party = () => createRelyingParty(sandbox)
const forcing = (outcome: string): CallOptions => ({ headers: { 'X-Sandbox-Outcome': outcome } })

/** Reads a right token with the key set of a row. */
async function readByKeySetOf(row: string) {
  const keys = await fetchKeys(withES256.baseUrl, forcing(row))
  const { session, delivery } = await runUse(withES256, { name: 'verified' })
  const expected = { issuer: issuerOf(withES256), clientId: withES256.client.clientId }
  const verify = verifyWithJose(keys, expected, { algorithms: ['ES256'] })
  return readUseAnswer(delivery ?? expect.fail('a verified flow must be answered'), session, {
    verify,
  })
}

const ofKeySet = [...rowsOf('jwks', 'refuse'), ...rowsOf('jwks', 'accept')]

test.each(ofKeySet)(
  'A client that alone has ES256 is right about the key set of $name',
  async (row) => {
    if (row.correctClient === 'accept')
      expect(await readByKeySetOf(row.name)).toMatchObject({ kind: 'verified' })
    else await expect(readByKeySetOf(row.name)).rejects.toThrow(Refusal)
  },
)

const pushed = (outcome: string) => push(sandbox.baseUrl, {}, forcing(outcome))
const created = async (requestUri: string) =>
  (await runCreate(sandbox, requestUri, 'created'))?.params

test.each([
  ['par.request_uri_already_used', 'invalid_request_uri', 'state-1'],
  ['par.request_uri_of_other_client', 'invalid_request_uri', null],
])('E2 %s issues a reference that E3 refuses with %s (state: %s)', async (name, error, state) => {
  const params = await created(await pushed(name))
  expect(params?.get('error')).toEqual(error)
  expect(params?.get('state')).toEqual(state)
})

test.each([
  [0, null],
  [1, 'invalid_request_uri'],
])(
  'E2 par.expires_in_1 issues a reference that, after %i s, E3 answers with error %s',
  async (seconds, error) => {
    await sandbox.clock.freeze()
    const requestUri = await pushed('par.expires_in_1')
    await sandbox.clock.advance(seconds)
    expect((await created(requestUri))?.get('error')).toBe(error)
  },
)

test('E4 token.expires_in_1 issues a token that E5 refuses after a second', async () => {
  const token = await exchange(
    sandbox.baseUrl,
    await party().obtainCode(),
    forcing('token.expires_in_1'),
  )
  await sandbox.clock.advance(1)
  await expect(upgrade(sandbox.baseUrl, token)).rejects.toThrow(/status 401/)
})

test.each([
  ...['token.500', 'token.code_reused', 'token.dropped'].map(
    (name) => [name, 'leaves the code unspent'] as const,
  ),
  ...['token.reply_lost', 'token.truncated'].map((name) => [name, 'spends the code'] as const),
])('E4 %s %s', async (name, effect) => {
  const code = await party().obtainCode()
  await expect(exchange(sandbox.baseUrl, code, forcing(name))).rejects.toThrow(Refusal)
  const again = exchange(sandbox.baseUrl, code)
  if (effect === 'spends the code') await expect(again).rejects.toThrow(/invalid_grant/)
  else await expect(again).resolves.toEqual(expect.any(String))
})

test.each([
  ['par', '401', '/v1/oidc/create/par', 401, 'invalid_client', 'PAR-02'],
  ['par', '400', '/v1/oidc/create/par', 400, 'invalid_request', 'PAR-09'],
  ['token', 'code_expired', '/v1/oidc/use/token', 400, 'invalid_grant', 'TOK-06'],
  ['upgrade', 'token_expired', '/v1/svc/upgrade', 401, 'invalid_token', 'UPG-03'],
] as const)(
  'The outcome %s.%s at %s is what the service itself says: %i %s by %s',
  async (...told) => {
    const [flow, of, path, status, error, rule] = told
    const name = `${flow}.${of}`
    const answer = await sandbox.request
      .post(path)
      .set('X-Sandbox-Outcome', name)
      .send('')
      .expect(status)
    expect(answer.body).toMatchObject({
      error,
      findings: [{ rule, level: 'error', hint: expect.any(String) }],
    })
    expect('www-authenticate' in answer.headers).toBe(status === 401 && name !== 'par.401')
    expect(findOutcome(flow, name)?.instead).toBe(true)
  },
)

test('discovery.jwks_uri_on_other_host names a trap that can be fetched under another host', async () => {
  const path = '/v1/oidc/use/.well-known/openid-configuration'
  const reply = await sandbox.request
    .get(path)
    .set('X-Sandbox-Outcome', 'discovery.jwks_uri_on_other_host')
  const address = new URL(String(reply.body['jwks_uri']))
  expect(address.hostname).not.toBe(new URL(sandbox.baseUrl).hostname)
  expect(address.pathname).toMatch(/^\/_sandbox\/trap\//)
  expect(await (await fetch(address)).json()).toEqual({ keys: [] })
})
