import { createHash } from 'node:crypto'
import { createLocalJWKSet, jwtVerify } from 'jose'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { NO_SEAMS } from '../../src/oidc/seams.ts'
import { beginUse, finishUse } from '../../src/oidc/use.ts'
import { createKeyRing } from '../../src/sandbox/keys/key-ring.ts'
import { headerOf, idTokenOf } from '../support/id-tokens.ts'
import { readTestKeys } from '../support/keys.ts'
import { CHILD, createAgeKey, createProvider, NOW } from '../support/provider.ts'
import { type Changes, claims, REDIRECT_URI, useRequest } from '../support/requests.ts'
import { createService, DECLINED, received, refused, VERIFIED } from '../support/service.ts'

const UPGRADE = { scope: 'openid svc.upgrade' }
const CHILD_VERIFIED = { kind: 'verified', ageKey: CHILD } as const

const begin = (changes?: Changes, provider = createProvider()) =>
  beginUse(Object.entries(useRequest(changes)), provider)

describe('beginUse', () => {
  test('reads a valid request into a transaction that JSON can hold', () => {
    const beginning = begin({ can_create: 'true', response_mode: 'form_post', ...UPGRADE })
    expect(beginning).toMatchObject({
      kind: 'proceed',
      findings: [],
      transaction: {
        flow: 'use',
        clientId: 'ak_test_sandbox',
        redirectUri: REDIRECT_URI,
        mode: 'form_post',
        state: 'state-1',
        nonce: 'nonce-1',
        claims: { age_thresholds: [13, 16, 18, 21] },
        claimsText: claims(),
        upgrade: true,
        canCreate: true,
      },
    })
    expect(JSON.parse(JSON.stringify(beginning))).toEqual(beginning)
  })

  test.each([
    ['an unknown client', { client_id: 'nobody' }, 'USE-01'],
    ['no client', { client_id: undefined }, 'USE-01'],
    ['an unregistered redirect_uri', { redirect_uri: 'https://evil.example/' }, 'USE-02'],
    ['a registered redirect_uri with a slash more', { redirect_uri: `${REDIRECT_URI}/` }, 'USE-02'],
    ['no redirect_uri', { redirect_uri: undefined }, 'USE-02'],
  ])('throws for %s instead of redirecting', async (_name, changes, rule) => {
    expect(await refused(() => begin(changes))).toMatchObject({ status: 400, rules: [rule] })
  })

  test.each<[string, Changes, string, string]>([
    ['no scope', { scope: undefined }, 'invalid_request', 'USE-03'],
    ['another scope', { scope: 'openid email' }, 'invalid_scope', 'USE-03'],
    ['another response_type', { response_type: 'token' }, 'unsupported_response_type', 'USE-04'],
    ['an unknown response_mode', { response_mode: 'pigeon' }, 'invalid_request', 'USE-06'],
    ['no nonce', { nonce: undefined }, 'invalid_request', 'USE-08'],
    ['no claims', { claims: undefined }, 'invalid_request', 'USE-09'],
  ])('sends %s back with state in the default mode', (_name, changes, error, rule) => {
    const beginning = begin(changes)
    if (beginning.kind !== 'refused') throw new Error('the request proceeds')
    expect(received(beginning.callback)).toEqual({
      mode: 'fragment',
      address: REDIRECT_URI,
      params: { error, error_description: expect.stringContaining(rule), state: 'state-1' },
    })
    expect(beginning.findings.map((finding) => finding.rule)).toContain(rule)
  })

  test.each<[string, Changes, string]>([
    ['response_type code', { response_type: 'code' }, 'query'],
    ['response_type code and other errors', { response_type: 'code', scope: 'email', nonce: undefined }, 'query'],
    ['response_type code and an empty response_mode', { response_type: 'code', response_mode: '' }, 'query'],
    ['response_type code and response_mode fragment', { response_type: 'code', response_mode: 'fragment' }, 'fragment'],
    [
      'response_type code and response_mode form_post',
      { response_type: 'code', response_mode: 'form_post' },
      'form_post',
    ],
    ['response_type code and an unknown response_mode', { response_type: 'code', response_mode: 'jwt' }, 'fragment'],
    ['response_type code with blanks', { response_type: ' code' }, 'fragment'],
    ['response_type code token', { response_type: 'code token' }, 'fragment'],
  ])('sends %s back by its own default mode', (_name, changes, mode) => {
    expect(begin(changes)).toMatchObject({ kind: 'refused', callback: { mode } })
  })

  test('sends response_type code back in the default mode fragment when response_mode is sent twice', () => {
    const query = Object.entries(useRequest({ response_type: 'code', response_mode: 'query' }))
    const twice = [...query, ['response_mode', 'query'] as const]
    expect(beginUse(twice, createProvider())).toMatchObject({ kind: 'refused', callback: { mode: 'fragment' } })
  })

  test('sends an error in the response mode that was asked for', () => {
    expect(begin({ nonce: undefined, response_mode: 'query' })).toMatchObject({ callback: { mode: 'query' } })
  })

  test('offers creation for can_create=true only, and advises when it is another value', () => {
    for (const can_create of ['TRUE', '1', 'yes']) {
      const beginning = begin({ can_create })
      expect(beginning, can_create).toMatchObject({
        transaction: { canCreate: false },
        findings: [{ rule: 'USE-12', level: 'advice' }],
      })
    }
    expect(begin({ can_create: 'false' })).toMatchObject({ transaction: { canCreate: false }, findings: [] })
  })
})

describe('finishUse answers', () => {
  test('a verified user with id_token and state, and nothing else', async () => {
    const { params, mode } = await createService().use()
    expect(Object.keys(params)).toEqual(['id_token', 'state'])
    expect(mode).toBe('fragment')
  })

  test('a code beside the id_token when upgrade was asked for and every threshold is false', async () => {
    const { params } = await createService().use(UPGRADE, CHILD_VERIFIED)
    expect(Object.keys(params).sort()).toEqual(['code', 'id_token', 'state'])
  })

  test('no code when one threshold is true', async () => {
    const changes = { ...UPGRADE, claims: claims({ age_thresholds: [10, 18] }) }
    const { params } = await createService().use(changes, CHILD_VERIFIED)
    expect(Object.keys(params)).toEqual(['id_token', 'state'])
  })

  test('no code without the upgrade scope, though every threshold is false', async () => {
    const callback = await createService().use({}, CHILD_VERIFIED)
    expect(Object.keys(callback.params)).toEqual(['id_token', 'state'])
    expect(idTokenOf(callback).c_hash).toBeUndefined()
  })

  test('create_requested and state, without an id_token, when the user chose to create', async () => {
    const { params } = await createService().use({ can_create: 'true' }, { kind: 'create_requested' })
    expect(params).toEqual({ create_requested: 'true', state: 'state-1' })
  })

  test('the error of the decision with state', async () => {
    const { params } = await createService().use({}, DECLINED)
    expect(params).toEqual({ error: 'access_denied', error_description: DECLINED.description, state: 'state-1' })
  })

  test.each(['fragment', 'query', 'form_post'] as const)('in the response mode %s', async (response_mode) => {
    const { mode, address } = await createService().use({ response_mode })
    expect([mode, address]).toEqual([response_mode, REDIRECT_URI])
  })

  test('what the seams make of the claims, the token and the callback, in this order', async () => {
    const provider = createProvider()
    const beginning = begin({}, provider)
    if (beginning.kind === 'refused') throw new Error('the request is refused')
    const { callback } = await finishUse(beginning.transaction, VERIFIED, {
      provider,
      seams: {
        ...NO_SEAMS,
        claims: (signed) => ({ ...signed, sub: 'changed' }),
        token: (idToken) => `${idToken}x`,
        callback: (sent) => ({ ...sent, params: [...sent.params, ['added', 'yes']] }),
      },
    })
    expect(idTokenOf(received(callback)).sub).toBe('changed')
    expect(received(callback).params).toMatchObject({ id_token: expect.stringMatching(/x$/), added: 'yes' })
  })
})

describe('finishUse signs an id_token', () => {
  test('whose claims are those of the specification, with 10 minutes of validity', async () => {
    const callback = await createService().use({ nonce: 'n-ü +&' })
    const iat = Math.floor(NOW / 1000)
    expect(idTokenOf(callback)).toEqual({
      sub: expect.stringMatching(/^[A-Za-z0-9_-]{22}$/),
      iss: 'https://sandbox.example/v1/oidc/use',
      aud: ['ak_test_sandbox'],
      iat,
      exp: iat + 600,
      nonce: 'n-ü +&',
      age_thresholds: { 13: true, 16: true, 18: true, 21: true },
      req_claims_hash: expect.any(String),
    })
  })

  test('with a new sub for each verification', async () => {
    const service = createService()
    const subs = [await service.use(), await service.use()].map((callback) => idTokenOf(callback).sub)
    expect(new Set(subs).size).toBe(2)
  })

  test('with c_hash, the left half of the SHA-256 of the code', async () => {
    const callback = await createService().use(UPGRADE, CHILD_VERIFIED)
    const digest = createHash('sha256')
      .update(callback.params['code'] ?? '')
      .digest()
    expect(idTokenOf(callback).c_hash).toBe(digest.subarray(0, 16).toString('base64url'))
  })

  test.each([
    ['{"age_thresholds":[13,16,18,21]}', 'emT6KmIjrdc6juPaqvMe0D56OdGCMaAfsGehG-CfX9M'],
    ['{ "age_thresholds": [13, 16, 18, 21] }', undefined],
    ['{"age_thresholds":[18],"allowed_methods":["id_doc_scan"]}\n', undefined],
  ])('with req_claims_hash over the text %j exactly as sent', async (text, known) => {
    const token = idTokenOf(await createService().use({ claims: text }))
    expect(token.req_claims_hash).toBe(known ?? createHash('sha256').update(text).digest('base64url'))
  })

  test.each(['RS256', 'ES256'] as const)('with %s, under a kid of the key set', async (alg) => {
    const signer = createKeyRing({ alg, isRepeatable: true, keys: readTestKeys })
    const callback = await createService(createProvider({ signer })).use()
    expect(headerOf(callback)).toEqual({ alg, typ: 'JWT', kid: expect.stringMatching(/^sandbox-/) })
    const jwks = z.object({ keys: z.array(z.looseObject({ kty: z.string() })) }).parse(await signer.jwks())
    const verified = await jwtVerify(callback.params['id_token'] ?? '', createLocalJWKSet(jwks), {
      issuer: 'https://sandbox.example/v1/oidc/use',
      audience: 'ak_test_sandbox',
      algorithms: [alg],
      currentDate: new Date(NOW),
    })
    expect(verified.payload['nonce']).toBe('nonce-1')
  })

  test('whose thresholds follow the filters of the claims', async () => {
    const filtered = claims({ age_thresholds: [18], allowed_methods: ['email_age_estimation'] })
    expect(idTokenOf(await createService().use({ claims: filtered })).age_thresholds).toEqual({ 18: false })
  })

  test('by the clock: the day after, a user who turns 18 tomorrow is 18', async () => {
    const service = createService()
    const request = { claims: claims({ age_thresholds: [18] }) }
    const decision = { kind: 'verified', ageKey: createAgeKey('k', { date_of_birth: '2008-06-02' }) } as const
    expect(idTokenOf(await service.use(request, decision)).age_thresholds).toEqual({ 18: false })
    service.provider.clock.advance(86_400)
    expect(idTokenOf(await service.use(request, decision)).age_thresholds).toEqual({ 18: true })
  })

  test.each([
    [13, 99],
    [99, 13],
  ])('with false for a threshold that is named twice when one of its entries fails: %i, %i', async (...ages) => {
    const twice = claims({ age_thresholds: [13, 13], overrides: { id_doc_scan: { age_thresholds: ages } } })
    expect(idTokenOf(await createService().use({ claims: twice })).age_thresholds).toEqual({ 13: false })
  })
})
