import { createHash } from 'node:crypto'
import { createLocalJWKSet, jwtVerify } from 'jose'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { createKeyRing } from '../../../src/sandbox/keys/key-ring.ts'
import type { Seams } from '../../../src/service/oidc/callback.ts'
import {
  beginUse,
  finishUse,
  type UseDecision,
  type UseTransaction,
  useTransactionSchema,
} from '../../../src/service/oidc/use.ts'
import { headerOf, idTokenOf } from '../../support/id-tokens.ts'
import { readTestKeys } from '../../support/keys.ts'
import { CHILD, createAgeKey, createProvider, NOW } from '../../support/provider.ts'
import { type Changes, claims, REDIRECT_URI, useRequest } from '../../support/requests.ts'
import { createService, DECLINED, received, VERIFIED } from '../../support/service.ts'

const UPGRADE = { scope: 'openid svc.upgrade' }
const CHILD_VERIFIED = { kind: 'verified', ageKey: CHILD } as const

const begin = (changes?: Changes, by = createProvider()) =>
  beginUse(Object.entries(useRequest(changes)), by)

function transactionOf(provider = createProvider(), changes: Changes = {}): UseTransaction {
  const beginning = begin(changes, provider)
  if (beginning.kind === 'refused') throw new Error('the request is refused')
  return beginning.transaction
}

test('beginUse reads a valid request into a transaction that JSON can hold', () => {
  const changes = { can_create: 'true', response_mode: 'form_post', language: 'pt-BR', ...UPGRADE }
  expect(begin(changes)).toEqual({
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
      presentation: { theme: 'light', language: 'pt-BR', learnMore: true, appearance: {} },
    },
  })
  const transaction = transactionOf(createProvider(), changes)
  expect(useTransactionSchema.parse(JSON.parse(JSON.stringify(transaction)))).toEqual(transaction)
})

const EMPTY = { can_create: '', theme: '', language: '', response_mode: '', font: '' }
const PLAIN = { theme: 'light', learnMore: true, appearance: {} }

test.each<[string, Changes, object]>([
  ['scopes in the other order', { scope: 'svc.upgrade openid' }, { upgrade: true }],
  ['a scope that is named twice', { scope: 'openid openid' }, { upgrade: false }],
  ['two blanks between scopes', { scope: 'openid  svc.upgrade' }, { upgrade: true }],
  ['blanks around a scope', { scope: '  openid ' }, { upgrade: false }],
  ['can_create=false', { can_create: 'false' }, { canCreate: false }],
  ['empty optional parameters', EMPTY, { mode: 'fragment', canCreate: false, presentation: PLAIN }],
  ['values of 4096 bytes', { nonce: 'ü'.repeat(2_048) }, { nonce: 'ü'.repeat(2_048) }],
  ['claims of more than 4096 bytes', { claims: `${claims()}${' '.repeat(5_000)}` }, {}],
])('beginUse takes %s without a word', (_what, changes, transaction) => {
  expect(begin(changes)).toMatchObject({ kind: 'proceed', findings: [], transaction })
})

test.each(['TRUE', '1', 'yes'])('can_create=%s offers no creation', (can_create) => {
  expect(begin({ can_create })).toMatchObject({
    kind: 'proceed',
    transaction: { canCreate: false },
  })
})

test.each<[Changes, string]>([
  [{ nonce: undefined, response_mode: 'query' }, 'query'],
  [{ nonce: undefined, response_mode: 'jwt' }, 'fragment'],
  [{ response_type: 'code', scope: 'email', nonce: undefined }, 'query'],
  [{ response_type: 'code', response_mode: '' }, 'query'],
  [{ response_type: 'code', response_mode: 'fragment' }, 'fragment'],
  [{ response_type: 'code', response_mode: 'form_post' }, 'form_post'],
  [{ response_type: 'code', response_mode: 'jwt' }, 'fragment'],
  [{ response_type: ' code' }, 'fragment'],
  [{ response_type: 'code token' }, 'fragment'],
])('The error of a request with %j goes back by %s', (changes, mode) => {
  expect(begin(changes)).toMatchObject({ kind: 'refused', callback: { mode } })
})

test('The error of response_type=code goes back by fragment when response_mode is sent twice', () => {
  const query = Object.entries(useRequest({ response_type: 'code', response_mode: 'query' }))
  const twice = [...query, ['response_mode', 'query'] as const]
  expect(beginUse(twice, createProvider())).toMatchObject({
    kind: 'refused',
    callback: { mode: 'fragment' },
  })
})

const OF_10 = { ...UPGRADE, claims: claims({ age_thresholds: [10, 18] }) }

test.each<[string, Changes, UseDecision, readonly string[]]>([
  ['a verified user with id_token and state', {}, VERIFIED, ['id_token', 'state']],
  [
    'the upgrade scope by a code when every threshold is false',
    UPGRADE,
    CHILD_VERIFIED,
    ['id_token', 'code', 'state'],
  ],
  [
    'the upgrade scope without a code when one threshold is true',
    OF_10,
    CHILD_VERIFIED,
    ['id_token', 'state'],
  ],
  [
    'false thresholds without a code when no upgrade was asked for',
    {},
    CHILD_VERIFIED,
    ['id_token', 'state'],
  ],
])('finishUse answers %s', async (_what, changes, decision, names) => {
  const callback = await createService().use(changes, decision)
  expect(Object.keys(callback.params)).toEqual(names)
  // The left half of the SHA-256 of the code.
  const { code } = callback.params
  const digest =
    code && createHash('sha256').update(code).digest().subarray(0, 16).toString('base64url')
  expect(idTokenOf(callback).c_hash).toBe(digest)
})

test.each<[string, UseDecision, object]>([
  [
    'create_requested, when the user chose to create',
    { kind: 'create_requested' },
    { create_requested: 'true' },
  ],
  [
    'the error of the decision',
    DECLINED,
    { error: 'access_denied', error_description: DECLINED.description },
  ],
])(
  'finishUse answers without an id_token, in each response mode: %s',
  async (_what, decision, params) => {
    for (const mode of ['fragment', 'query', 'form_post']) {
      const callback = await createService().use(
        { can_create: 'true', response_mode: mode },
        decision,
      )
      expect(callback).toEqual({
        mode,
        address: REDIRECT_URI,
        params: { ...params, state: 'state-1' },
      })
    }
  },
)

test('finishUse tells how the signals were evaluated', async () => {
  const provider = createProvider()
  const transaction = transactionOf(provider)
  const { evaluation } = await finishUse(transaction, CHILD_VERIFIED, { provider })
  const ageThresholds = { 13: false, 16: false, 18: false, 21: false }
  const asked = { age_thresholds: [13, 16, 18, 21] }
  expect(evaluation).toEqual({ ageThresholds, claims: asked, signals: CHILD.signals, now: NOW })
})

test('finishUse has no evaluation when the user declined', async () => {
  const provider = createProvider()
  const transaction = transactionOf(provider)
  expect(await finishUse(transaction, DECLINED, { provider })).not.toHaveProperty('evaluation')
})

test('finishUse passes the claims, the token, the callback through the seams', async () => {
  const provider = createProvider()
  const transaction = transactionOf(provider)
  const seams: Seams = {
    claims: (signed) => ({ ...signed, sub: 'changed' }),
    token: (idToken) => `${idToken}x`,
    callback: (sent) => ({ ...sent, params: [...sent.params, ['added', 'yes']] }),
  }
  const finish = async (decision: UseDecision) =>
    received((await finishUse(transaction, decision, { provider, seams })).callback)
  const callback = await finish(VERIFIED)
  expect(idTokenOf(callback).sub).toBe('changed')
  expect(callback.params).toMatchObject({ id_token: expect.stringMatching(/x$/), added: 'yes' })
  for (const decision of [DECLINED, { kind: 'create_requested' }] as const)
    expect((await finish(decision)).params).toMatchObject({ added: 'yes' })
})

test('An id_token has the claims of the specification', async () => {
  const service = createService()
  const token = idTokenOf(await service.use({ nonce: 'n-ü +&' }))
  const iat = Math.floor(NOW / 1000)
  expect(token).toEqual({
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

test('Each id_token has a sub of its own', async () => {
  const service = createService()
  const subOf = async () => idTokenOf(await service.use()).sub
  expect(await subOf()).not.toBe(await subOf())
})

test.each([
  ['{"age_thresholds":[13,16,18,21]}', 'emT6KmIjrdc6juPaqvMe0D56OdGCMaAfsGehG-CfX9M'],
  ['{ "age_thresholds": [13, 16, 18, 21] }', undefined],
  ['{"age_thresholds":[18],"allowed_methods":["id_doc_scan"]}\n', undefined],
])(
  'The req_claims_hash of an id_token is over the text %j exactly as sent',
  async (text, known) => {
    const token = idTokenOf(await createService().use({ claims: text }))
    expect(token.req_claims_hash).toBe(
      known ?? createHash('sha256').update(text).digest('base64url'),
    )
  },
)

test.each(['RS256', 'ES256'] as const)(
  'An id_token is signed with %s under a kid of the key set',
  async (alg) => {
    const signer = createKeyRing({ alg, isRepeatable: true, keys: readTestKeys })
    const callback = await createService(createProvider({ signer })).use()
    expect(headerOf(callback)).toEqual({ alg, typ: 'JWT', kid: expect.stringMatching(/^sandbox-/) })
    const jwks = z
      .object({ keys: z.array(z.looseObject({ kty: z.string() })) })
      .parse(await signer.jwks())
    const verified = await jwtVerify(callback.params['id_token'] ?? '', createLocalJWKSet(jwks), {
      issuer: 'https://sandbox.example/v1/oidc/use',
      audience: 'ak_test_sandbox',
      algorithms: [alg],
      currentDate: new Date(NOW),
    })
    expect(verified.payload['nonce']).toBe('nonce-1')
  },
)

test('The thresholds of an id_token follow the filters of the claims', async () => {
  const service = createService()
  const filtered = claims({ age_thresholds: [18], allowed_methods: ['email_age_estimation'] })
  expect(idTokenOf(await service.use({ claims: filtered })).age_thresholds).toEqual({ 18: false })
})

test('The thresholds of an id_token follow the clock', async () => {
  const service = createService()
  const request = { claims: claims({ age_thresholds: [18] }) }
  const decision = {
    kind: 'verified',
    ageKey: createAgeKey('k', { date_of_birth: '2008-06-02' }),
  } as const
  expect(idTokenOf(await service.use(request, decision)).age_thresholds).toEqual({ 18: false })
  service.provider.clock.advance(86_400)
  expect(idTokenOf(await service.use(request, decision)).age_thresholds).toEqual({ 18: true })
})
