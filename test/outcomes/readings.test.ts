import { createHash } from 'node:crypto'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { expect, test } from 'vitest'
import { readingId } from '../../src/sandbox/readings/reading.ts'
import { READINGS } from '../../src/sandbox/readings/readings.ts'
import type { SandboxApi } from '../../src/server/client/sandbox-api.ts'
import {
  ageSignal,
  basic,
  createRequest,
  pushedRequest,
  tokenRequest,
  useRequest,
} from '../support/requests.ts'
import { startSandbox } from '../support/sandbox.ts'

type Texts = Readonly<Record<string, string>>

const described = 'error error_description'
const CLAIM_NAMES = 'sub iss aud iat exp nonce age_thresholds req_claims_hash'

const UPGRADES = ['upgrade', 'signals', 'signals.forced']

/** All that a client sees otherwise under a variant, in the parts that it concerns. */
const CHANGED: Readonly<Record<string, Texts>> = {
  'upgrade_body=newline': { 'upgrade: upgrade.body': String.raw`"\"OK\"\n"` },
  'error_body=plain': refusals({ body: described }),
  'upgrade_error_body=empty': refusals({ type: 'null', body: '' }, UPGRADES),
  'upgrade_error_body=text': {
    ...refusals(
      { type: 'text/plain; charset=utf-8', body: 'invalid_authorization_details: ...' },
      UPGRADES,
    ),
    'refused: upgrade.refused.body': 'invalid_token: ...',
  },
  'client_error_status=400': {
    'refused: par.refused.status': '400',
    'refused: par.forced.refused.status': '400',
  },
  'refused_token_status=403': { 'refused: upgrade.refused.status': '403' },
  'refused_signal_status=422': {
    'refused: signals.refused.status': '422',
    'refused: signals.forced.refused.status': '422',
  },
  'error_redirect=general': {
    'use: use.refused.error': 'invalid_request',
    'create: create.refused': '302 invalid_request',
    ...expiredEnds('302 invalid_request'),
  },
  'error_description=absent': {
    ...refusals({ body: 'error error_uri findings' }),
    'refused: par.forced.refused.body': 'error findings',
    'refused: signals.forced.refused.body': 'error findings',
    'use: use.denied.params': 'error state',
    'use: use.denied.blanks': 'none',
    'use: use.refused.params': 'error state',
    'create: create.denied.params': 'error state',
  },
  'expired_request_uri=page': expiredEnds('400 no error'),
  'expired_request_uri=without_state': expiredEnds('302 invalid_request_uri without state'),
  'refused_request=page': {
    'use: use.refused.params': '',
    'use: use.refused.error': '',
    'create: create.refused': '400 no error',
  },
  'callback_order=reversed': {
    'use: use.params': 'state id_token',
    'use: use.denied.params': 'state error_description error',
    'use: use.refused.params': 'state error_description error',
    'create: create.denied.params': 'state error_description error',
    'upgrade: code.params': 'state code id_token',
  },
  'callback_iss=present': {
    ...callbacks('iss'),
    'published: discovery.members': '15 15',
    'published: discovery.added': 'authorization_response_iss_parameter_supported',
  },
  'callback_spaces=plus': { 'use: use.denied.blanks': '+' },
  'redirect_status=303': {
    'use: use.status': '303',
    'create: create.status': '303',
    'create: create.refused': '303 invalid_scope',
    ...expiredEnds('303 invalid_request_uri'),
  },
  'sub=uuid': { 'use: token.sub': 'uuid' },
  'sub=long': { 'use: token.sub': '255' },
  'token_times=fractional': { 'use: token.times': 'fractional' },
  'claims_hash=padded': { 'use: token.req_claims_hash': 'sent=' },
  'azp=present': claims({ azp: 'ak_test_sandbox' }),
  'nbf=present': claims({ nbf: '0' }),
  'signing=ES256': { 'use: token.alg': 'ES256', 'published: discovery.algs': 'ES256 RS256' },
  'typ=absent': { 'use: token.header': 'alg kid', 'use: token.typ': 'undefined' },
  'token_order=reversed': {
    'use: token.header': 'typ kid alg',
    'use: token.claims': 'req_claims_hash age_thresholds nonce exp iat aud iss sub',
  },
  'token_layout=indented': { 'use: token.layout': 'indented' },
  'code_use=repeated': {
    'upgrade: exchange.again': '200',
    'upgrade: upgrade.after_second_exchange': '200',
  },
  'request_uri_use=repeated': { 'create: create.again': '302 no error' },
  'access_token_use=single': { 'upgrade: upgrade.again': '401' },
  'code_lifetime=60': { 'upgrade: exchange.after_61s': '400' },
  'signals_limit=1': { 'create: par.two_signals': '400 invalid_authorization_details' },
  'verified_after_date=end': { 'use: use.on_that_day': 'false' },
  'upgrade_effect=replaces': { 'upgrade: upgrade.signals': '1' },
  'code_form=jwt': { 'upgrade: code.form': 'jwt' },
  'code_form=base64': { 'upgrade: code.form': 'base64' },
  'access_token_form=jwt': { 'upgrade: exchange.form': 'jwt' },
  'access_token_form=base64': { 'upgrade: exchange.form': 'base64' },
  'request_uri_form=jwt': { 'create: par.form': 'jwt' },
  'request_uri_form=base64': { 'create: par.form': 'base64' },
  'kid=absent': {
    'use: token.header': 'alg typ',
    'published: discovery.algs': 'RS256',
    'published: jwks.types': 'RSA',
    'published: jwks.members': 'alg e kty n use',
  },
  'discovery=minimal': { 'published: discovery.members': '9 11' },
  'key_set=one': {
    'published: discovery.algs': 'RS256',
    'published: jwks.types': 'RSA',
    'published: jwks.members': 'alg e kid kty n use',
  },
  'key_set=three': { 'published: jwks.types': 'RSA RSA EC' },
  'key_members=minimal': { 'published: jwks.members': 'crv kid kty x y' },
  'brand_word=agekey': {
    'create: par.prefix': 'urn:agekey:request:',
    'published: brand.scope': 'invalid_scope code',
    'published: brand.path': '404 401',
  },
  'unknown_members=everywhere': {
    ...callbacks('sandbox_extra'),
    ...claims({ sandbox_extra: '' }),
    'use: use.params': 'id_token state sandbox_extra',
    'use: token.header': 'alg kid typ sandbox_extra',
    'create: par.members': 'request_uri expires_in sandbox_extra',
    'upgrade: exchange.members': 'access_token token_type expires_in refresh_token sandbox_extra',
    'published: discovery.members': '15 15',
    'published: discovery.added': 'sandbox_extra',
    'published: jwks.types': 'SANDBOX RSA EC',
  },
}

function refusals(
  facts: Texts,
  calls: readonly string[] = ['par', 'par.forced', 'exchange', ...UPGRADES],
): Texts {
  const changed = calls.flatMap((call) =>
    Object.entries(facts).map(([fact, value]) => [`refused: ${call}.refused.${fact}`, value]),
  )
  return Object.fromEntries(changed)
}

/** How a Create flow ends whose request_uri has expired or was used. */
function expiredEnds(end: string): Texts {
  return {
    'create: create.again': end,
    'create: create.expired': end,
    'create: create.expired.forced': end,
  }
}

/** A parameter at the end of each callback. */
function callbacks(name: string): Texts {
  return {
    'use: use.params': `id_token state ${name}`,
    'use: use.denied.params': `${described} state ${name}`,
    'use: use.refused.params': `${described} state ${name}`,
    'create: create.params': `state ${name}`,
    'create: create.denied.params': `${described} state ${name}`,
    'upgrade: code.params': `id_token code state ${name}`,
  }
}

function claims(added: Texts): Texts {
  const names = Object.keys(added).join(' ')
  const facts = Object.entries(added).flatMap(([name, value]) =>
    value === '' ? [] : [[`use: token.${name}`, value]],
  )
  return { 'use: token.claims': `${CLAIM_NAMES} ${names}`, ...Object.fromEntries(facts) }
}

/** Blanks in it show which text a hash is over. */
const CLAIMS = '{"age_thresholds": [18, 21]}'

async function callbackOf(answer: Promise<Response>) {
  const { status, headers } = await answer
  const location = headers.get('location') ?? ''
  const params = new URLSearchParams(location.split(/[?#]/)[1])
  return {
    status,
    location,
    names: [...params.keys()].join(' '),
    params: Object.fromEntries(params),
  }
}

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
    createRefused: (requestUri: string) =>
      callbackOf(get('/v1/oidc/create', createRequest(requestUri, { scope: 'profile' }))),
    create: (requestUri: string, outcome: string) =>
      callbackOf(
        get('/v1/oidc/create', createRequest(requestUri), { 'X-Sandbox-Outcome': outcome }),
      ),
    exchange: (code: string | undefined, secret = 'sk_test_sandbox') =>
      post('/v1/oidc/use/token', new URLSearchParams(tokenRequest(code)), {
        Authorization: basic('ak_test_sandbox', secret),
      }),
    upgrade: (token: string, { word = 'svc', provenance = '/veratad/roc', headers = {} } = {}) =>
      post(
        `/v1/${word}/upgrade`,
        JSON.stringify({ authorization_details: [ageSignal({ provenance })] }),
        {
          ...headers,
          Authorization: `Bearer ${token}`,
          'Content-Type': 'application/json',
        },
      ),
    signalsOf: async (persona: string): Promise<readonly { verified_at: string }[]> =>
      (await (await get(`/_sandbox/personas/${persona}`)).json()).age_key.signals,
    code: () => use('code_issued', { scope: 'openid svc.upgrade' }),
  }
}

type Observer = ReturnType<typeof createObserver>

const OBSERVERS = {
  use: observeUse,
  create: observeCreate,
  upgrade: observeUpgrade,
  refused: observeRefusals,
  published: observePublished,
}

/**
 * What a client sees of a tenant, in words that are the same in each run: `use: use.status` is of
 * the part `use`.
 */
async function observe(tenant: SandboxApi, isAsked: (part: string) => boolean): Promise<Texts> {
  const observed: Record<string, string> = {}
  for (const [part, look] of Object.entries(OBSERVERS).filter(([part]) => isAsked(part))) {
    const facts = Object.entries(await look(createObserver(tenant), tenant))
    for (const [fact, value] of facts) observed[`${part}: ${fact}`] = value
  }
  return observed
}

async function observeUse({ use, useRefused, signalsOf }: Observer): Promise<Texts> {
  const [signal] = await signalsOf('adult-passport')
  const day = signal?.verified_at.slice(0, 10)
  const onThatDay = await use('verified', {
    claims: `{"age_thresholds":[18],"verified_after":"${day}"}`,
  })
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
    'use.on_that_day': JSON.stringify(
      Object(decodeJwt(onThatDay.params['id_token'] ?? '')['age_thresholds'])['18'],
    ),
    ...observeToken(verified.params['id_token'] ?? ''),
  }
}

function observeToken(idToken: string): Texts {
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
    'token.times':
      Number.isInteger(claims.iat) && Number.isInteger(claims.exp) ? 'whole' : 'fractional',
    'token.lifetime': String((claims.exp ?? 0) - (claims.iat ?? 0)),
    'token.azp': String(claims['azp']),
    'token.nbf':
      claims.nbf === undefined ? 'absent' : String(Math.round((claims.iat ?? 0) - claims.nbf)),
    'token.req_claims_hash': hashOf(String(claims['req_claims_hash'])),
  }
}

/** What a hash is over, and its padding. */
function hashOf(hash: string): string {
  const sent = createHash('sha256').update(CLAIMS).digest('base64url')
  return hash.replace(/^[^=]*/, (bare) => (bare === sent ? 'sent' : 'other'))
}

const formOf = (issued: string) =>
  /^eyJ[\w-]+\.[\w-]+\.[\w-]+$/.test(issued) && issued.length > 900
    ? 'jwt'
    : ['/', '+', '='].every((one) => issued.includes(one))
      ? 'base64'
      : String(issued.length)

async function observeCreate(
  { push, create, createRefused, obtainRequestUri }: Observer,
  { clock }: SandboxApi,
): Promise<Texts> {
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
  const endOf = ({ status, params: { error = 'no error', state } }: typeof created) =>
    `${status} ${error}${status < 400 && state === undefined ? ' without state' : ''}`
  const signals = JSON.stringify([ageSignal(), ageSignal()])
  const two = await push({ authorization_details: signals })
  return {
    'par.status': String(pushed.status),
    'par.members': Object.keys(body).join(' '),
    'par.prefix': requestUri.replace(/[^:]*$/, ''),
    'par.form': formOf(requestUri.replace(/.*:/, '')),
    'par.two_signals': `${two.status} ${(await two.json()).error}`,
    'create.refused': endOf(await createRefused(await obtainRequestUri())),
    'create.status': String(created.status),
    'create.params': created.names,
    'create.denied.params': denied.names,
    'create.again': endOf(again),
    'create.expired': endOf(expired),
    'create.expired.forced': endOf(forced),
  }
}

async function observeUpgrade(
  { code, exchange, upgrade, signalsOf }: Observer,
  { clock }: SandboxApi,
): Promise<Texts> {
  const callback = await code()
  const { code: first } = callback.params
  const token = await (await exchange(first)).json()
  const upgraded = await upgrade(token.access_token)
  const signals = await signalsOf('adult-passport')
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
    'code.form': formOf(first ?? ''),
    'exchange.form': formOf(token.access_token),
    'upgrade.signals': String(signals.length),
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

async function observeRefusals({ push, code, exchange, upgrade }: Observer): Promise<Texts> {
  const issued = await exchange((await code()).params['code'])
  const token = (await issued.json()).access_token
  const refused = { provenance: '/nobody' }
  const forced = { headers: { 'X-Sandbox-Outcome': 'upgrade.400' } }
  return {
    ...(await observeRefusal('par', await push({ client_secret: 'wrong' }))),
    ...(await observeRefusal('par.forced', await push({}, { 'X-Sandbox-Outcome': 'par.401' }))),
    ...(await observeRefusal('exchange', await exchange('any', 'wrong'))),
    ...(await observeRefusal('upgrade', await upgrade('none'))),
    ...(await observeRefusal('signals', await upgrade(token, refused))),
    ...(await observeRefusal('signals.forced', await upgrade(token, forced))),
    ...(await observeRefusal('other_word', await upgrade('none', { word: 'other' }))),
  }
}

async function observeRefusal(call: string, answer: Response): Promise<Texts> {
  const text = await answer.text()
  const type = answer.headers.get('content-type')
  const isJson = type?.startsWith('application/json') === true
  return {
    [`${call}.refused.status`]: String(answer.status),
    [`${call}.refused.type`]: String(type),
    [`${call}.refused.challenge`]: String(answer.headers.has('www-authenticate')),
    [`${call}.refused.body`]: isJson
      ? Object.keys(JSON.parse(text)).join(' ')
      : text.replace(/: .*/, ': ...'),
  }
}

const ADDED = ['authorization_response_iss_parameter_supported', 'sandbox_extra']

async function observePublished({ get, use, upgrade }: Observer): Promise<Texts> {
  const read = async (path: string) => (await get(path)).json()
  const useDocument = await read('/v1/oidc/use/.well-known/openid-configuration')
  const createDocument = await read('/v1/oidc/create/.well-known/openid-configuration')
  const { keys } = await read('/.well-known/jwks.json')
  const words = ['svc', 'agekey']
  const scopes = await Promise.all(
    words.map((one) => use('code_issued', { scope: `openid ${one}.upgrade` })),
  )
  const paths = await Promise.all(words.map((word) => upgrade('none', { word })))
  return {
    'discovery.members': [useDocument, createDocument]
      .map((document) => Object.keys(document).length)
      .join(' '),
    'discovery.added': ADDED.filter((name) => name in useDocument && name in createDocument).join(
      ' ',
    ),
    'discovery.algs': useDocument.id_token_signing_alg_values_supported.join(' '),
    'jwks.types': keys.map((key: { kty: string }) => key.kty).join(' '),
    'jwks.members': Object.keys(keys.at(-1)).sort().join(' '),
    'brand.scope': scopes.map(({ params }) => params['error'] ?? 'code').join(' '),
    'brand.path': paths.map(({ status }) => status).join(' '),
  }
}

const VARIANTS = READINGS.flatMap(({ name, variants, default: usual }) =>
  variants
    .filter((variant) => variant.name !== usual)
    .map((variant) => ({ name, variant: variant.name })),
)

test('Each variant of a reading but the default has a line that says what a client sees of it', () => {
  expect(Object.keys(CHANGED).sort()).toEqual(
    VARIANTS.map(({ name, variant }) => readingId(name, variant)).sort(),
  )
})

test('A variant of a reading changes exactly the members that its line names', async () => {
  const sandbox = await startSandbox()
  const usual = await observe(sandbox.tenant('usual'), () => true)
  for (const [index, { name, variant }] of VARIANTS.entries()) {
    const id = readingId(name, variant)
    const expected = CHANGED[id] ?? {}
    const tenant = sandbox.tenant(`variant-${index}`)
    await tenant.configure({ readings: { [name]: variant } })
    const isConcerned = (part: string) =>
      Object.keys(expected).some((fact) => fact.startsWith(`${part}:`))
    const seen = await observe(tenant, isConcerned)
    const changed = Object.fromEntries(
      Object.entries(seen).filter(([fact, value]) => usual[fact] !== value),
    )
    expect({ [id]: changed }).toEqual({ [id]: expected })
  }
}, 60_000)

/**
 * What a client takes for the value of a member that is absent (OpenID Connect Discovery 1.0
 * section 3, RFC 9126 section 5).
 */
const WHEN_ABSENT = {
  response_modes_supported: ['query', 'fragment'],
  grant_types_supported: ['authorization_code', 'implicit'],
  token_endpoint_auth_methods_supported: ['client_secret_basic'],
  claim_types_supported: ['normal'],
  claims_parameter_supported: false,
  request_parameter_supported: false,
  request_uri_parameter_supported: true,
  require_request_uri_registration: false,
  require_pushed_authorization_requests: false,
}

test('The minimal discovery documents say by their defaults what the full ones say', async () => {
  const sandbox = await startSandbox()
  const minimal = sandbox.tenant('minimal')
  await minimal.configure({ readings: { discovery: 'minimal' } })
  const read = async (
    { get }: Observer,
    flow: string,
  ): Promise<Readonly<Record<string, unknown>>> =>
    (await get(`/v1/oidc/${flow}/.well-known/openid-configuration`)).json()
  for (const flow of ['use', 'create']) {
    const [full, few] = await Promise.all(
      [sandbox, minimal].map((api) => read(createObserver(api), flow)),
    )
    const told = (document = {}) =>
      Object.entries({ ...WHEN_ABSENT, ...document }).map(([name, value]) => [
        name,
        [value].flat().sort(),
      ])
    const inFew = Object.keys({ ...WHEN_ABSENT, ...few })
    const ofMinimal = JSON.stringify(told(few)).replaceAll('/t/minimal', '')
    expect(Object.fromEntries(JSON.parse(ofMinimal))).toEqual(
      Object.fromEntries(told(full).filter(([name]) => inFew.includes(String(name)))),
    )
  }
})
