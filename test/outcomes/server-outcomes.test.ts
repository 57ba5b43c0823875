import { expect, test } from 'vitest'
import { findOutcome, OUTCOMES } from '../../src/sandbox/outcomes/catalogue.ts'
import type { Outcome } from '../../src/sandbox/outcomes/outcome.ts'
import type { ServerReply } from '../../src/sandbox/outcomes/server-reply.ts'
import type { TamperTools } from '../../src/sandbox/outcomes/tamper-tools.ts'
import type { Sandbox } from '../../src/server/create-sandbox.ts'
import { createRelyingParty } from '../support/relying-party.ts'
import { ageSignal, pushedRequest } from '../support/requests.ts'
import { type Policy, Refusal, readUseAnswer, verifyWithJose } from './correct-client.ts'
import { type CallOptions, discover, exchange, fetchKeys, push, upgrade } from './correct-server-calls.ts'
import { issuerOf, runCreate, runUse } from './flows.ts'
import { shareSandbox } from './shared-sandbox.ts'

const sandbox = shareSandbox()
/** Tokens are signed with RS256, but for the client of the tests. */
const withES256 = shareSandbox({
  builtinClient: false,
  clients: [
    {
      clientId: 'ak_test_sandbox',
      clientSecret: 'sk_test_sandbox',
      redirectUris: ['http://localhost:3000/callback'],
      signingAlg: 'ES256',
    },
  ],
})

const SERVER_FLOWS = ['par', 'token', 'upgrade', 'discovery', 'jwks'] as const
type ServerFlow = (typeof SERVER_FLOWS)[number]

const party = () => createRelyingParty(sandbox())
const credentials = () => `${sandbox().client.clientId}:${sandbox().client.clientSecret}`

/** Each call as a correct client makes it; the key set is judged by a token that is verified with it. */
const CALLS: Readonly<Record<ServerFlow, (options: CallOptions) => Promise<unknown>>> = {
  par: (options) => push(sandbox().baseUrl, new URLSearchParams(pushedRequest()), options),
  token: async (options) =>
    exchange(sandbox().baseUrl, { code: await party().obtainCode(), credentials: credentials() }, options),
  upgrade: async (options) =>
    upgrade(sandbox().baseUrl, { token: await party().obtainToken(), details: [ageSignal()] }, options),
  discovery: (options) => discover(issuerOf(sandbox()), options),
  jwks: (options) => verifyByKeySet(sandbox(), options),
}

async function verifyByKeySet(at: Sandbox, options: CallOptions, policy: Policy = {}): Promise<unknown> {
  const { session, delivery } = await runUse(at, { name: 'verified' })
  if (!delivery) throw new Error('a verified flow must be answered')
  const keys = await fetchKeys(at.baseUrl, options)
  const expected = { issuer: issuerOf(at), clientId: at.client.clientId }
  return readUseAnswer(delivery, session, { verify: verifyWithJose(keys, expected, policy) })
}

const forcing = (outcome: string): CallOptions => ({ headers: { 'X-Sandbox-Outcome': outcome } })
const rowsOf = (flow: Outcome['flow'], correctClient: Outcome['correctClient']) =>
  OUTCOMES.filter((row) => row.flow === flow && row.correctClient === correctClient)

const outcomeOf = (call: Promise<unknown>) =>
  call.then(
    () => 'accept',
    (error: unknown) => {
      if (error instanceof Refusal) return 'refuse'
      throw error
    },
  )

const judgedRows = (flow: ServerFlow) => [...rowsOf(flow, 'refuse'), ...rowsOf(flow, 'accept')]

test.each(judgedRows('jwks'))(
  'A client that alone has ES256 is right to $correctClient the key set of $name',
  async ({ name, correctClient }) => {
    const verified = verifyByKeySet(withES256(), forcing(name), { algorithms: ['ES256'] })
    expect(await outcomeOf(verified)).toBe(correctClient)
  },
)

test.each(SERVER_FLOWS.flatMap(judgedRows))(
  'A correct client is right to $correctClient the reply $name',
  async ({ flow, name, correctClient }) => {
    expect(await outcomeOf(CALLS[serverFlow(flow)](forcing(name)))).toBe(correctClient)
  },
)

test.each(SERVER_FLOWS)(
  'The call %s goes well unforced; its slow reply is a good one, and too late for a client that does not wait',
  async (flow) => {
    expect(await outcomeOf(CALLS[flow]({}))).toBe('accept')
    await sandbox().reset()
    expect(await outcomeOf(CALLS[flow]({ ...forcing(`${flow}.slow`), timeoutMs: 150 }))).toBe('refuse')
    const headers = { 'Content-Type': 'application/json' }
    const good = { status: 200, headers, body: { kind: 'json', value: {} } as const }
    expect(await applied(`${flow}.slow`, good, { slowReplySeconds: 7 })).toEqual({ ...good, delayMs: 7_000 })
  },
)

/** What a row that looks at nothing but the reply and `tools` makes of it. */
function applied(name: string, reply: ServerReply, tools: Partial<TamperTools> = {}) {
  const row = OUTCOMES.find((outcome) => outcome.name === name)
  if (row?.seam !== 'reply') throw new Error(`${name} is no row of a server-to-server call`)
  return row.apply?.(
    reply,
    new Proxy(Object.create(tools), {
      get: (known, key) => (key in known ? Reflect.get(known, key) : expect.fail(`uses ${String(key)}`)),
    }),
  )
}

const serverFlow = (name: string): ServerFlow =>
  SERVER_FLOWS.find((flow) => name.split('.')[0] === flow) ?? expect.fail(`${name} is no row of a call`)

/** Rows after which a client may make the call again. */
const RETRIED = SERVER_FLOWS.flatMap((flow) => ['503', '429', 'dropped'].map((name) => `${flow}.${name}`))

/** Rows after which a client may go on with the document of an earlier call. */
const KEPT = [
  ...(['discovery', 'jwks'] as const).flatMap((flow) =>
    ['500', '502_html', '400_empty', 'html', 'empty_body', 'truncated', '404'].map((name) => `${flow}.${name}`),
  ),
  ...['jwks.no_keys', 'jwks.keys_missing', 'jwks.without_signing_key'],
  ...['discovery.jwks_uri_missing', 'discovery.authorization_endpoint_missing'],
]

const pushForced = (outcome: string) =>
  sandbox()
    .request.post('/v1/oidc/create/par')
    .set(outcome === 'verified' ? {} : { 'X-Sandbox-Outcome': outcome })
    .type('form')
    .send(pushedRequest())

const created = async (requestUri: string) => (await runCreate(sandbox(), requestUri, 'created'))?.params

test.each([
  ['par.request_uri_already_used', 'invalid_request_uri', 'state-1'],
  ['par.request_uri_of_other_client', 'invalid_request_uri', null],
])('E2 %s issues a reference that E3 refuses with %s and the state %s', async (name, error, state) => {
  const params = await created(await push(sandbox().baseUrl, new URLSearchParams(pushedRequest()), forcing(name)))
  expect([params?.get('error'), params?.get('state')]).toEqual([error, state])
})

test.each([
  [0, null],
  [1, 'invalid_request_uri'],
])('E2 par.expires_in_1 issues a reference that, after %i s, E3 answers with error %s', async (seconds, error) => {
  await sandbox().clock.freeze()
  const requestUri = await push(sandbox().baseUrl, new URLSearchParams(pushedRequest()), forcing('par.expires_in_1'))
  await sandbox().clock.advance(seconds)
  expect((await created(requestUri))?.get('error')).toBe(error)
})

test('E4 token.expires_in_1 issues a token that E5 refuses after a second', async () => {
  const code = await party().obtainCode()
  const token = await exchange(sandbox().baseUrl, { code, credentials: credentials() }, forcing('token.expires_in_1'))
  await sandbox().clock.advance(1)
  await expect(upgrade(sandbox().baseUrl, { token, details: [ageSignal()] })).rejects.toThrow(/status 401/)
})

test.each(['par.expires_in_string', 'token.expires_in_string', 'token.expires_in_missing'])(
  '%s is taken by a client that does not need the number',
  async (name) => {
    await expect(CALLS[serverFlow(name)](forcing(name))).resolves.not.toThrow()
  },
)

test('E5 upgrade.ok_without_quotes is done, and refused by a client that reads JSON', async () => {
  const token = await party().obtainToken()
  const answer = await sandbox()
    .request.post('/v1/svc/upgrade')
    .set({ Authorization: `Bearer ${token}`, 'X-Sandbox-Outcome': 'upgrade.ok_without_quotes' })
    .send({ authorization_details: [ageSignal()] })
  expect([answer.status, answer.text]).toEqual([200, 'OK'])
  const again = upgrade(sandbox().baseUrl, { token, details: [ageSignal()] }, forcing('upgrade.ok_without_quotes'))
  await expect(again).rejects.toThrow(/not JSON/)
})

test.each(['jwks.kid_twice', 'jwks.kid_missing'])('E6 %s leaves the right key in the set', async (name) => {
  const reply = await sandbox().request.get('/.well-known/jwks.json').set('X-Sandbox-Outcome', name)
  const good = await sandbox().request.get('/.well-known/jwks.json')
  const moduli = (text: string) => [...text.matchAll(/"n":"([\w-]+)"/g)].map((match) => match[1])
  expect(moduli(reply.text)).toEqual(expect.arrayContaining(moduli(good.text)))
  expect(reply.text).not.toBe(good.text)
})

test.each(RETRIED)('%s is over when the call is made once more', async (name) => {
  const flow = serverFlow(name)
  await sandbox().next({ flow, outcome: name })
  await expect(CALLS[flow]({})).rejects.toThrow(Refusal)
  // The outcome of a document is over when a flow has ended.
  await runUse(sandbox(), { name: 'verified' })
  await expect(CALLS[flow]({})).resolves.not.toThrow()
})

test.each(KEPT)('%s is refused, but by a client that goes on with what it fetched before', async (name) => {
  const kept = await fetchKeys(sandbox().baseUrl)
  await expect(CALLS[serverFlow(name)](forcing(name))).rejects.toThrow(Refusal)
  const { session, delivery } = await runUse(sandbox(), { name: 'verified' })
  const expected = { issuer: issuerOf(sandbox()), clientId: sandbox().client.clientId }
  const answer = delivery && readUseAnswer(delivery, session, { verify: verifyWithJose(kept, expected) })
  await expect(answer).resolves.toMatchObject({ kind: 'verified' })
})

test('E2 par.expires_in_missing has a reference that a client can use at once', async () => {
  await expect(CALLS.par(forcing('par.expires_in_missing'))).rejects.toThrow(Refusal)
  const reply = await pushForced('par.expires_in_missing')
  expect((await created(String(reply.body['request_uri'])))?.get('error')).toBeNull()
})

test('E2 par.status_200 has the status of OAuth 2.0 instead of that of RFC 9126', async () => {
  expect([(await pushForced('par.status_200')).status, (await pushForced('verified')).status]).toEqual([200, 201])
  await expect(CALLS.par(forcing('par.status_200'))).resolves.not.toThrow()
})

test('E5 upgrade.reply_lost can be sent again', async () => {
  const token = await party().obtainToken()
  const call = (options: CallOptions = {}) => upgrade(sandbox().baseUrl, { token, details: [ageSignal()] }, options)
  await expect(call(forcing('upgrade.reply_lost'))).rejects.toThrow(Refusal)
  await expect(call()).resolves.not.toThrow()
})

test('Every outcome of a call that needs more context is judged above', () => {
  const judged = [
    ...SERVER_FLOWS.map((flow) => `${flow}.slow`),
    ...['par.request_uri_already_used', 'par.request_uri_of_other_client', 'par.expires_in_1'],
    ...['par.expires_in_string', 'token.expires_in_1', 'token.expires_in_string', 'token.expires_in_missing'],
    ...['upgrade.ok_without_quotes', 'jwks.kid_twice', 'jwks.kid_missing'],
    ...['par.expires_in_missing', 'par.status_200', 'upgrade.reply_lost'],
    ...RETRIED,
    ...KEPT,
  ]
  const rows = SERVER_FLOWS.flatMap((flow) => rowsOf(flow, 'depends')).map(({ name }) => name)
  expect(rows.toSorted()).toEqual(judged.toSorted())
})

test.each([
  ['token.500', 'leaves the code unspent'],
  ['token.code_reused', 'leaves the code unspent'],
  ['token.dropped', 'leaves the code unspent'],
  ['token.reply_lost', 'spends the code'],
  ['token.truncated', 'spends the code'],
])('E4 %s %s', async (name, effect) => {
  const request = { code: await party().obtainCode(), credentials: credentials() }
  await expect(exchange(sandbox().baseUrl, request, forcing(name))).rejects.toThrow(Refusal)
  const again = exchange(sandbox().baseUrl, request)
  if (effect === 'spends the code') await expect(again).rejects.toThrow(/invalid_grant/)
  else await expect(again).resolves.toEqual(expect.any(String))
})

test.each([
  ['par.401', '/v1/oidc/create/par', 401, 'invalid_client', 'PAR-02'],
  ['par.400', '/v1/oidc/create/par', 400, 'invalid_request', 'PAR-09'],
  ['token.code_expired', '/v1/oidc/use/token', 400, 'invalid_grant', 'TOK-06'],
  ['upgrade.token_expired', '/v1/svc/upgrade', 401, 'invalid_token', 'UPG-03'],
])('%s, forced at %s, is what the service itself says: %i %s by %s', async (name, path, status, error, rule) => {
  const answer = await sandbox().request.post(path).set('X-Sandbox-Outcome', name).send('').expect(status)
  expect(answer.body).toMatchObject({ error, findings: [{ rule, level: 'error', hint: expect.any(String) }] })
  expect('www-authenticate' in answer.headers).toBe(status === 401 && name !== 'par.401')
  expect(findOutcome(serverFlow(name), name)?.instead).toBe(true)
})
