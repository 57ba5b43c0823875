import { expect, test } from 'vitest'
import { readingId } from '../../src/sandbox/readings/reading.ts'
import { READINGS } from '../../src/sandbox/readings/readings.ts'
import { startSandbox } from '../support/sandbox.ts'
import { observe, type Part } from './observe-tenant.ts'

const described = 'error error_description'

/** All that a client sees otherwise under a variant, in the parts that it concerns. */
const CHANGED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'par_status=200': { 'create: par.status': '200' },
  'token_type=bearer': { 'upgrade: exchange.type': 'bearer' },
  'upgrade_body=newline': { 'upgrade: upgrade.body': String.raw`"\"OK\"\n"` },
  'upgrade_body=text': { 'upgrade: upgrade.body': '"OK"', 'upgrade: upgrade.type': 'text/plain; charset=utf-8' },
  'error_body=plain': refusals({ body: described }),
  'error_body=empty': refusals({ type: 'null', body: '' }),
  'error_body=text': {
    ...refusals({ type: 'text/plain; charset=utf-8', body: 'invalid_client: ...' }),
    'refused: upgrade.refused.body': 'invalid_token: ...',
  },
  'client_error_status=400': {
    'refused: par.refused.status': '400',
    'refused: par.forced.refused.status': '400',
    'refused: exchange.refused.status': '400',
    'refused: exchange.refused.challenge': 'false',
  },
  'error_redirect=general': {
    'use: use.refused.error': 'invalid_request',
    ...expiredEnds('302 invalid_request'),
  },
  'error_description=absent': {
    ...refusals({ body: 'error error_uri findings' }),
    'refused: par.forced.refused.body': 'error findings',
    'use: use.denied.params': 'error state',
    'use: use.denied.blanks': 'none',
    'use: use.refused.params': 'error state',
    'create: create.denied.params': 'error state',
  },
  'expired_request_uri=page': expiredEnds('400 no error'),
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
    ...expiredEnds('303 invalid_request_uri'),
  },
  'sub=uuid': { 'use: token.sub': 'uuid' },
  'sub=long': { 'use: token.sub': '255' },
  'token_times=fractional': { 'use: token.times': 'fractional' },
  'claims_hash=padded': { 'use: token.req_claims_hash': 'sent=' },
  'c_hash=absent': { 'upgrade: code.c_hash': 'false' },
  'azp=present': claims({ azp: 'ak_test_sandbox' }),
  'nbf=present': claims({ nbf: '60' }),
  'signing=ES256': { 'use: token.alg': 'ES256', 'published: discovery.algs': 'ES256 RS256' },
  'typ=absent': { 'use: token.header': 'alg kid', 'use: token.typ': 'undefined' },
  'token_order=reversed': {
    'use: token.header': 'typ kid alg',
    'use: token.claims': 'req_claims_hash age_thresholds nonce exp iat aud iss sub',
  },
  'token_layout=indented': { 'use: token.layout': 'indented' },
  'code_use=repeated': { 'upgrade: exchange.again': '200', 'upgrade: upgrade.after_second_exchange': '200' },
  'request_uri_use=repeated': { 'create: create.again': '302 no error' },
  'access_token_use=single': { 'upgrade: upgrade.again': '401' },
  'code_lifetime=60': { 'upgrade: exchange.after_61s': '400' },
  'code_lifetime=3600': { 'upgrade: exchange.after_601s': '200' },
  'discovery=minimal': { 'published: discovery.members': '7 7' },
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

/** The same of each refused call. */
function refusals(facts: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const calls = ['par', 'par.forced', 'exchange', 'upgrade']
  return Object.fromEntries(
    calls.flatMap((call) => Object.entries(facts).map(([fact, value]) => [`refused: ${call}.refused.${fact}`, value])),
  )
}

/** How a Create flow ends whose request_uri has expired or was used. */
function expiredEnds(end: string): Readonly<Record<string, string>> {
  return { 'create: create.again': end, 'create: create.expired': end, 'create: create.expired.forced': end }
}

/** A parameter at the end of each callback. */
function callbacks(name: string): Readonly<Record<string, string>> {
  return {
    'use: use.params': `id_token state ${name}`,
    'use: use.denied.params': `${described} state ${name}`,
    'use: use.refused.params': `${described} state ${name}`,
    'create: create.params': `state ${name}`,
    'create: create.denied.params': `${described} state ${name}`,
    'upgrade: code.params': `id_token code state ${name}`,
  }
}

function claims(added: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const names = Object.keys(added).join(' ')
  const facts = Object.entries(added).flatMap(([name, value]) => (value === '' ? [] : [[`use: token.${name}`, value]]))
  return {
    'use: token.claims': `sub iss aud iat exp nonce age_thresholds req_claims_hash ${names}`,
    ...Object.fromEntries(facts),
  }
}

const VARIANTS = READINGS.flatMap(({ name, variants, default: usual }) =>
  variants.filter((variant) => variant.name !== usual).map((variant) => ({ name, variant: variant.name })),
)

test('Each variant of a reading but the default has a line that says what a client sees of it', () => {
  expect(Object.keys(CHANGED).sort()).toEqual(VARIANTS.map(({ name, variant }) => readingId(name, variant)).sort())
})

const PARTS = ['use', 'create', 'upgrade', 'refused', 'published'] as const satisfies readonly Part[]

test('A variant changes what it says, on every answer that it concerns, and nothing else there', async () => {
  const sandbox = await startSandbox()
  const usual = await observe(sandbox.tenant('usual'), PARTS)
  for (const [index, { name, variant }] of VARIANTS.entries()) {
    const id = readingId(name, variant)
    const expected = CHANGED[id] ?? {}
    const tenant = sandbox.tenant(`variant-${index}`)
    await tenant.configure({ readings: { [name]: variant } })
    const parts = PARTS.filter((part) => Object.keys(expected).some((fact) => fact.startsWith(`${part}:`)))
    const seen = await observe(tenant, parts)
    const changed = Object.fromEntries(Object.entries(seen).filter(([fact, value]) => usual[fact] !== value))
    expect({ [id]: changed }).toEqual({ [id]: expected })
  }
})
