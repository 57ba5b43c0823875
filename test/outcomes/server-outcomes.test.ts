import type { JWTVerifyGetKey } from 'jose'
import { expect, test } from 'vitest'
import { findOutcome } from '../../src/sandbox/outcomes/catalogue.ts'
import type { Sandbox } from '../../src/server/create-sandbox.ts'
import { createRelyingParty } from '../support/relying-party.ts'
import { ageSignal, pushedRequest } from '../support/requests.ts'
import { shareSandbox } from '../support/sandbox.ts'
import { type Policy, Refusal, readUseAnswer, verifyWithJose } from './correct-client.ts'
import { type CallOptions, discover, exchange, fetchKeys, push, upgrade } from './correct-server-calls.ts'
import { CLIENT_WITH_ES256, issuerOf, rowsOf, runCreate, runUse } from './flows.ts'

const sandbox = await shareSandbox()
/** Tokens are signed with RS256, but for the client of the tests. */
const withES256 = await shareSandbox(CLIENT_WITH_ES256)
const SERVER_FLOWS = ['par', 'token', 'upgrade', 'discovery', 'jwks'] as const
type ServerFlow = (typeof SERVER_FLOWS)[number]

const party = () => createRelyingParty(sandbox)

const pushed = (options?: CallOptions) => push(sandbox.baseUrl, {}, options)
const exchanged = (code: string, options?: CallOptions) => exchange(sandbox.baseUrl, code, options)
const upgraded = (token: string, options?: CallOptions) => upgrade(sandbox.baseUrl, token, options)

/** Each call as a correct client makes it; the key set is judged by a token that is verified with it. */
const CALLS: Readonly<Record<ServerFlow, (options?: CallOptions) => Promise<unknown>>> = {
  par: pushed,
  token: async (options) => exchanged(await party().obtainCode(), options),
  upgrade: async (options) => upgraded(await party().obtainToken(), options),
  discovery: (options) => discover(issuerOf(sandbox), options),
  jwks: async (options) => verifyByKeySet(sandbox, await fetchKeys(sandbox.baseUrl, options)),
}

async function verifyByKeySet(at: Sandbox, keys: JWTVerifyGetKey, policy: Policy = {}) {
  const { session, delivery } = await runUse(at, { name: 'verified' })
  const expected = { issuer: issuerOf(at), clientId: at.client.clientId }
  const verify = verifyWithJose(keys, expected, policy)
  return readUseAnswer(delivery ?? expect.fail('a verified flow must be answered'), session, { verify })
}

const forcing = (outcome: string): CallOptions => ({ headers: { 'X-Sandbox-Outcome': outcome } })

async function outcomeOf(call: Promise<unknown>) {
  const [result] = await Promise.allSettled([call])
  if (result.status === 'fulfilled') return 'accept'
  expect(result.reason).toBeInstanceOf(Refusal)
  return 'refuse'
}

const judgedRows = (flow: ServerFlow) => [...rowsOf(flow, 'refuse'), ...rowsOf(flow, 'accept')]

test.each(judgedRows('jwks'))('A client that alone has ES256 is right about the key set of $name', async (row) => {
  const keys = () => fetchKeys(withES256.baseUrl, forcing(row.name))
  const read = async () => verifyByKeySet(withES256, await keys(), { algorithms: ['ES256'] })
  expect(await outcomeOf(read())).toBe(row.correctClient)
})

const judged = SERVER_FLOWS.flatMap(judgedRows)

test.each(judged)('A correct client is right to $correctClient the reply $name', async ({ name, correctClient }) => {
  expect(await outcomeOf(CALLS[serverFlow(name)](forcing(name)))).toBe(correctClient)
})

test.each(SERVER_FLOWS)('The call %s goes well unforced, and is too slow for a hasty client', async (flow) => {
  expect(await outcomeOf(CALLS[flow]())).toBe('accept')
  await sandbox.reset()
  expect(await outcomeOf(CALLS[flow]({ ...forcing(`${flow}.slow`), timeoutMs: 150 }))).toBe('refuse')
})

const serverFlow = (name: string): ServerFlow =>
  SERVER_FLOWS.find((flow) => name.split('.')[0] === flow) ?? expect.fail(`${name} is no row of a call`)

/** Rows after which a client may make the call again. */
const RETRIED = SERVER_FLOWS.flatMap((flow) => ['503', '429', 'dropped'].map((name) => `${flow}.${name}`))

/** Rows after which a client may go on with the document of an earlier call. */
const KEPT = [
  ...(['discovery', 'jwks'] as const).flatMap((flow) =>
    ['500', '502_html', '400_empty', 'html', 'redirect', 'empty_body', 'truncated', '404'].map(
      (name) => `${flow}.${name}`,
    ),
  ),
  ...['jwks.no_keys', 'jwks.keys_missing', 'jwks.without_signing_key'],
  ...['discovery.jwks_uri_missing', 'discovery.authorization_endpoint_missing'],
]

const pushForced = (outcome: string) =>
  sandbox.request.post('/v1/oidc/create/par').set('X-Sandbox-Outcome', outcome).type('form').send(pushedRequest())

const created = async (requestUri: string) => (await runCreate(sandbox, requestUri, 'created'))?.params

test.each([
  ['par.request_uri_already_used', 'invalid_request_uri', 'state-1'],
  ['par.request_uri_of_other_client', 'invalid_request_uri', null],
])('E2 %s issues a reference that E3 refuses with %s and the state %s', async (name, error, state) => {
  const params = await created(await pushed(forcing(name)))
  expect([params?.get('error'), params?.get('state')]).toEqual([error, state])
})

test.each([
  [0, null],
  [1, 'invalid_request_uri'],
])('E2 par.expires_in_1 issues a reference that, after %i s, E3 answers with error %s', async (seconds, error) => {
  await sandbox.clock.freeze()
  const requestUri = await pushed(forcing('par.expires_in_1'))
  await sandbox.clock.advance(seconds)
  expect((await created(requestUri))?.get('error')).toBe(error)
})

test('E4 token.expires_in_1 issues a token that E5 refuses after a second', async () => {
  const token = await exchanged(await party().obtainCode(), forcing('token.expires_in_1'))
  await sandbox.clock.advance(1)
  await expect(upgraded(token)).rejects.toThrow(/status 401/)
})

const WITHOUT_A_NUMBER = ['par.expires_in_string', 'token.expires_in_string', 'token.expires_in_missing']

test.each(WITHOUT_A_NUMBER)('The reply %s is taken by a client that does not need the number', async (name) => {
  expect(await outcomeOf(CALLS[serverFlow(name)](forcing(name)))).toBe('accept')
})

test('E5 upgrade.ok_without_quotes is done, and refused as no JSON; upgrade.reply_lost can be sent again', async () => {
  const token = await party().obtainToken()
  const answer = await sandbox.request
    .post('/v1/svc/upgrade')
    .set({ Authorization: `Bearer ${token}`, 'X-Sandbox-Outcome': 'upgrade.ok_without_quotes' })
    .send({ authorization_details: [ageSignal()] })
  expect([answer.status, answer.text]).toEqual([200, 'OK'])
  await expect(upgraded(token, forcing('upgrade.ok_without_quotes'))).rejects.toThrow(/not JSON/)
  expect(await outcomeOf(upgraded(token, forcing('upgrade.reply_lost')))).toBe('refuse')
  expect(await outcomeOf(upgraded(token))).toBe('accept')
})

test.each(['jwks.kid_twice', 'jwks.kid_missing'])('E6 %s leaves the right key in the set', async (name) => {
  const reply = await sandbox.request.get('/.well-known/jwks.json').set('X-Sandbox-Outcome', name)
  const good = await sandbox.request.get('/.well-known/jwks.json')
  const moduli = (text: string) => [...text.matchAll(/"n":"([\w-]+)"/g)].map((match) => match[1])
  expect(moduli(reply.text)).toEqual(expect.arrayContaining(moduli(good.text)))
  expect(reply.text).not.toBe(good.text)
})

test.each(RETRIED)('The outcome %s is over when the call is made once more', async (name) => {
  const flow = serverFlow(name)
  await sandbox.next({ flow, outcome: name })
  expect(await outcomeOf(CALLS[flow]())).toBe('refuse')
  // The outcome of a document is over when a flow has ended.
  await runUse(sandbox, { name: 'verified' })
  expect(await outcomeOf(CALLS[flow]())).toBe('accept')
})

test.each(KEPT)('A client refuses %s unless the client goes on with what was fetched before', async (name) => {
  const kept = await fetchKeys(sandbox.baseUrl)
  expect(await outcomeOf(CALLS[serverFlow(name)](forcing(name)))).toBe('refuse')
  expect(await verifyByKeySet(sandbox, kept)).toMatchObject({ kind: 'verified' })
})

test('E2 par.expires_in_missing has a reference that serves at once, and par.status_200 the status of OAuth 2.0', async () => {
  expect(await outcomeOf(pushed(forcing('par.expires_in_missing')))).toBe('refuse')
  const reply = await pushForced('par.expires_in_missing')
  expect((await created(String(reply.body['request_uri'])))?.get('error')).toBeNull()
  // RFC 9126 has 201.
  expect([(await pushForced('par.status_200')).status, (await party().push()).status]).toEqual([200, 201])
  expect(await outcomeOf(pushed(forcing('par.status_200')))).toBe('accept')
})

const ANY_CASE = 'token.token_type_lower_case'

test(`The reply ${ANY_CASE} is taken by a client that goes by RFC 6749`, async () => {
  expect(await outcomeOf(CALLS.token(forcing(ANY_CASE)))).toBe('accept')
})

test('Every outcome of a call that needs more context has a test of its own', () => {
  const names = [
    ...SERVER_FLOWS.map((flow) => `${flow}.slow`),
    ...['par.request_uri_already_used', 'par.request_uri_of_other_client', 'par.expires_in_1'],
    ...['token.expires_in_1', ...WITHOUT_A_NUMBER],
    ...['upgrade.ok_without_quotes', 'jwks.kid_twice', 'jwks.kid_missing'],
    ...['par.expires_in_missing', 'par.status_200', 'upgrade.reply_lost', ANY_CASE],
    ...RETRIED,
    ...KEPT,
  ]
  const rows = SERVER_FLOWS.flatMap((flow) => rowsOf(flow, 'depends')).map(({ name }) => name)
  expect(rows.toSorted()).toEqual(names.toSorted())
})

test.each([
  ...['token.500', 'token.code_reused', 'token.dropped'].map((name) => [name, 'leaves the code unspent'] as const),
  ...['token.reply_lost', 'token.truncated'].map((name) => [name, 'spends the code'] as const),
])('E4 %s %s', async (name, effect) => {
  const code = await party().obtainCode()
  expect(await outcomeOf(exchanged(code, forcing(name)))).toBe('refuse')
  const again = exchanged(code)
  if (effect === 'spends the code') await expect(again).rejects.toThrow(/invalid_grant/)
  else await expect(again).resolves.toEqual(expect.any(String))
})

test.each([
  ['par.401', '/v1/oidc/create/par', 401, 'invalid_client', 'PAR-02'],
  ['par.400', '/v1/oidc/create/par', 400, 'invalid_request', 'PAR-09'],
  ['token.code_expired', '/v1/oidc/use/token', 400, 'invalid_grant', 'TOK-06'],
  ['upgrade.token_expired', '/v1/svc/upgrade', 401, 'invalid_token', 'UPG-03'],
])('The outcome %s at %s is what the service itself says: %i %s by %s', async (name, path, status, error, rule) => {
  const answer = await sandbox.request.post(path).set('X-Sandbox-Outcome', name).send('').expect(status)
  expect(answer.body).toMatchObject({ error, findings: [{ rule, level: 'error', hint: expect.any(String) }] })
  expect('www-authenticate' in answer.headers).toBe(status === 401 && name !== 'par.401')
  expect(findOutcome(serverFlow(name), name)?.instead).toBe(true)
})

test('discovery.jwks_uri_on_other_host names a trap that can be fetched under another host', async () => {
  const path = '/v1/oidc/use/.well-known/openid-configuration'
  const reply = await sandbox.request.get(path).set('X-Sandbox-Outcome', 'discovery.jwks_uri_on_other_host')
  const address = new URL(String(reply.body['jwks_uri']))
  expect(address.hostname).not.toBe(new URL(sandbox.baseUrl).hostname)
  expect(address.pathname).toMatch(/^\/_sandbox\/trap\//)
  expect(await (await fetch(address)).json()).toEqual({ keys: [] })
})
