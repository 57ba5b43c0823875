import { createHash } from 'node:crypto'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import type { SandboxApi } from '../../src/client/sandbox-api.ts'
import { ageSignal, basic, createRequest, pushedRequest, tokenRequest, useRequest } from '../support/requests.ts'

/** What a client sees of a tenant, by name, in words that are the same in each run. */
export type Observed = Readonly<Record<string, string>>

/** Blanks in it show which text a hash is over. */
const CLAIMS = '{"age_thresholds": [18, 21]}'

type Texts = Readonly<Record<string, string>>

async function callbackOf(answer: Promise<Response>) {
  const { status, headers } = await answer
  const location = headers.get('location') ?? ''
  const params = new URLSearchParams(location.split(/[?#]/)[1])
  return { status, location, names: [...params.keys()].join(' '), params: Object.fromEntries(params) }
}

/** A client of one tenant. */
function createObserver({ baseUrl }: Pick<SandboxApi, 'baseUrl'>) {
  const get = (path: string, query: Texts = {}, headers: Texts = {}) =>
    fetch(`${baseUrl}${path}?${new URLSearchParams(query)}`, { headers, redirect: 'manual' })
  const post = (path: string, body: BodyInit, headers: Texts = {}) =>
    fetch(`${baseUrl}${path}`, { method: 'POST', body, headers })
  const push = (changes: Texts = {}, headers: Texts = {}) =>
    post('/v1/oidc/create/par', new URLSearchParams(pushedRequest(changes)), headers)
  const use = (outcome: string, changes: Texts = {}) => {
    const headers = { 'X-Sandbox-Persona': 'adult-passport', 'X-Sandbox-Outcome': outcome }
    return callbackOf(get('/v1/oidc/use', useRequest({ claims: CLAIMS, ...changes }), headers))
  }
  return {
    get,
    use,
    push,
    useRefused: () => callbackOf(get('/v1/oidc/use', useRequest({ scope: 'profile' }))),
    obtainRequestUri: async () => String((await (await push()).json()).request_uri),
    create: (requestUri: string, outcome: string) =>
      callbackOf(get('/v1/oidc/create', createRequest(requestUri), { 'X-Sandbox-Outcome': outcome })),
    exchange: (code: string | undefined, secret = 'sk_test_sandbox') =>
      post('/v1/oidc/use/token', new URLSearchParams(tokenRequest(code)), {
        Authorization: basic('ak_test_sandbox', secret),
      }),
    upgrade: (token: string, word = 'svc') =>
      post(`/v1/${word}/upgrade`, JSON.stringify({ authorization_details: [ageSignal()] }), {
        Authorization: `Bearer ${token}`,
        'Content-Type': 'application/json',
      }),
    code: () => use('code_issued', { scope: 'openid svc.upgrade' }),
  }
}

type Observer = ReturnType<typeof createObserver>

/** What can be looked at apart, each with the facts whose names begin so. */
const PARTS = {
  use: observeUse,
  create: observeCreate,
  upgrade: observeUpgrade,
  refused: observeRefusals,
  published: observePublished,
}

export type Part = keyof typeof PARTS

/** Runs the flows of some parts, good and refused, and says what came back. */
export async function observe(tenant: SandboxApi, parts: readonly Part[]): Promise<Observed> {
  const observer = createObserver(tenant)
  const observed: Record<string, string> = {}
  for (const part of parts) {
    const facts = Object.entries(await PARTS[part](observer, tenant))
    for (const [fact, value] of facts) observed[`${part}: ${fact}`] = value
  }
  return observed
}

async function observeUse({ use, useRefused }: Observer): Promise<Observed> {
  const verified = await use('verified')
  const denied = await use('access_denied')
  const refused = await useRefused()
  return {
    'use.status': String(verified.status),
    'use.params': verified.names,
    'use.denied.params': denied.names,
    'use.denied.blanks': /%20|\+/.exec(denied.location)?.[0] ?? 'none',
    'use.refused.params': refused.names,
    'use.refused.error': refused.params['error'] ?? '',
    ...observeToken(verified.params['id_token'] ?? ''),
  }
}

function observeToken(idToken: string): Observed {
  const header = decodeProtectedHeader(idToken)
  const claims = decodeJwt(idToken)
  const payload = Buffer.from(idToken.split('.')[1] ?? '', 'base64url').toString()
  const sub = claims.sub ?? ''
  return {
    'token.header': Object.keys(header).join(' '),
    'token.alg': String(header.alg),
    'token.typ': String(header.typ),
    'token.claims': Object.keys(claims).join(' '),
    'token.layout': payload.includes('\n') ? 'indented' : 'compact',
    'token.sub': /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(sub) ? 'uuid' : String(sub.length),
    'token.times': Number.isInteger(claims.iat) && Number.isInteger(claims.exp) ? 'whole' : 'fractional',
    'token.lifetime': String((claims.exp ?? 0) - (claims.iat ?? 0)),
    'token.azp': String(claims['azp']),
    'token.nbf': claims.nbf === undefined ? 'absent' : String(Math.round((claims.iat ?? 0) - claims.nbf)),
    'token.req_claims_hash': hashOf(String(claims['req_claims_hash'])),
  }
}

/** What a hash is over, and its padding. */
function hashOf(hash: string): string {
  const sent = createHash('sha256').update(CLAIMS).digest('base64url')
  return hash.replace(/^[^=]*/, (bare) => (bare === sent ? 'sent' : 'other'))
}

async function observeCreate({ push, create, obtainRequestUri }: Observer, { clock }: SandboxApi): Promise<Observed> {
  const pushed = await push()
  const body = await pushed.json()
  const requestUri = String(body.request_uri)
  const denied = await create(await obtainRequestUri(), 'access_denied')
  const created = await create(requestUri, 'created')
  const again = await create(requestUri, 'created')
  const late = await obtainRequestUri()
  const forced = await create(await obtainRequestUri(), 'request_uri.expired')
  await clock.advance(91)
  const expired = await create(late, 'created')
  const endOf = ({ status, params }: typeof created) => `${status} ${params['error'] ?? 'no error'}`
  return {
    'par.status': String(pushed.status),
    'par.members': Object.keys(body).join(' '),
    'par.prefix': requestUri.replace(/[^:]*$/, ''),
    'create.status': String(created.status),
    'create.params': created.names,
    'create.denied.params': denied.names,
    'create.again': endOf(again),
    'create.expired': endOf(expired),
    'create.expired.forced': endOf(forced),
  }
}

async function observeUpgrade({ code, exchange, upgrade }: Observer, { clock }: SandboxApi): Promise<Observed> {
  const callback = await code()
  const { code: first } = callback.params
  const token = await (await exchange(first)).json()
  const upgraded = await upgrade(token.access_token)
  const upgradedAgain = await upgrade(token.access_token)
  const exchangedAgain = await exchange(first)
  const afterwards = await upgrade(token.access_token)
  const [early, late] = [await code(), await code()]
  await clock.advance(61)
  const afterMinute = await exchange(early.params['code'])
  await clock.advance(540)
  const afterTenMinutes = await exchange(late.params['code'])
  return {
    'code.params': callback.names,
    'code.c_hash': String('c_hash' in decodeJwt(callback.params['id_token'] ?? '')),
    'exchange.type': token.token_type,
    'exchange.members': Object.keys(token).join(' '),
    'exchange.again': String(exchangedAgain.status),
    'exchange.after_61s': String(afterMinute.status),
    'exchange.after_601s': String(afterTenMinutes.status),
    'upgrade.body': JSON.stringify(await upgraded.text()),
    'upgrade.type': upgraded.headers.get('content-type') ?? '',
    'upgrade.again': String(upgradedAgain.status),
    'upgrade.after_second_exchange': String(afterwards.status),
  }
}

async function observeRefusals({ push, exchange, upgrade }: Observer): Promise<Observed> {
  return {
    ...(await observeRefusal('par', await push({ client_secret: 'wrong' }))),
    ...(await observeRefusal('par.forced', await push({}, { 'X-Sandbox-Outcome': 'par.401' }))),
    ...(await observeRefusal('exchange', await exchange('any', 'wrong'))),
    ...(await observeRefusal('upgrade', await upgrade('none'))),
    ...(await observeRefusal('other_word', await upgrade('none', 'other'))),
  }
}

async function observeRefusal(call: string, answer: Response): Promise<Observed> {
  const text = await answer.text()
  const type = answer.headers.get('content-type')
  const isJson = type?.startsWith('application/json') === true
  return {
    [`${call}.refused.status`]: String(answer.status),
    [`${call}.refused.type`]: String(type),
    [`${call}.refused.challenge`]: String(answer.headers.has('www-authenticate')),
    [`${call}.refused.body`]: isJson ? Object.keys(JSON.parse(text)).join(' ') : text.replace(/: .*/, ': ...'),
  }
}

const ADDED = ['authorization_response_iss_parameter_supported', 'sandbox_extra']

async function observePublished({ get, use, upgrade }: Observer): Promise<Observed> {
  const read = async (path: string) => (await get(path)).json()
  const useDocument = await read('/v1/oidc/use/.well-known/openid-configuration')
  const createDocument = await read('/v1/oidc/create/.well-known/openid-configuration')
  const { keys } = await read('/.well-known/jwks.json')
  const words = ['svc', 'agekey']
  const scopes = await Promise.all(words.map((one) => use('code_issued', { scope: `openid ${one}.upgrade` })))
  const paths = await Promise.all(words.map((one) => upgrade('none', one)))
  return {
    'discovery.members': [useDocument, createDocument].map((document) => Object.keys(document).length).join(' '),
    'discovery.added': ADDED.filter((name) => name in useDocument && name in createDocument).join(' '),
    'discovery.algs': useDocument.id_token_signing_alg_values_supported.join(' '),
    'jwks.types': keys.map((key: { kty: string }) => key.kty).join(' '),
    'jwks.members': Object.keys(keys.at(-1)).sort().join(' '),
    'brand.scope': scopes.map(({ params }) => params['error'] ?? 'code').join(' '),
    'brand.path': paths.map(({ status }) => status).join(' '),
  }
}
