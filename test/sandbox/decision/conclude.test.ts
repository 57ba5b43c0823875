import { decodeJwt, decodeProtectedHeader } from 'jose'
import { expect, test } from 'vitest'
import { conclude } from '../../../src/sandbox/decision/conclude.ts'
import { requireOutcome } from '../../../src/sandbox/outcomes/names.ts'
import type { Tenant } from '../../../src/sandbox/tenants/tenant.ts'
import { Refusal } from '../../../src/service/oidc/refusal.ts'
import { type Changes, REDIRECT_URI } from '../../support/requests.ts'
import { createService, received, transactionOf } from '../../support/service.ts'
import { createTestTenant } from '../../support/tenant.ts'

type Decided = { outcome: string; persona?: string | undefined; saves?: boolean }
type Transaction = Awaited<ReturnType<typeof transactionOf>>

async function end(tenant: Tenant, transaction: Transaction, decided: Decided) {
  const { outcome, persona = '', ...options } = decided
  const decision = {
    persona: await tenant.personas.find(persona),
    outcome: requireOutcome(transaction.flow, outcome),
    laterOutcome: undefined,
    decidedBy: 'the choice page',
  }
  const conclusion = await conclude(transaction, decision, { tenant, ...options })
  return { ...conclusion, callback: conclusion.callback && received(conclusion.callback) }
}

const concludeUse = async (
  tenant: Tenant,
  outcome: string,
  persona?: string,
  changes: Changes = {},
) => end(tenant, await transactionOf('use', tenant.provider, changes), { outcome, persona })

const concludeCreate = async (tenant: Tenant, outcome: string, options: { saves?: boolean } = {}) =>
  end(tenant, await transactionOf('create', tenant.provider), {
    outcome,
    persona: 'no-age-key',
    ...options,
  })

type Conclusion = Awaited<ReturnType<typeof end>>
const paramsOf = ({ callback }: Conclusion) =>
  callback?.params ?? expect.fail('there is no callback')
const tokenOf = (conclusion: Conclusion) =>
  paramsOf(conclusion)['id_token'] ?? expect.fail('there is no id_token')

test('A verified Use request gives the answers of the persona', async () => {
  const conclusion = await concludeUse(await createTestTenant(), 'verified', 'teen-16')
  const answers = { 13: true, 16: true, 18: false, 21: false }
  expect(decodeJwt(tokenOf(conclusion))['age_thresholds']).toEqual(answers)
  expect(conclusion).toMatchObject({
    evaluation: { ageThresholds: answers },
    outcome: { name: 'verified' },
  })
})

test.each([
  [{ can_create: 'true' }, 'create_requested', { create_requested: 'true', state: 'state-1' }],
  [
    {},
    'access_denied',
    { error: 'access_denied', error_description: 'the user has no age key', state: 'state-1' },
  ],
])(
  'A Use request with %j ends for a persona without an age key with %s',
  async (changes, ending, params) => {
    const conclusion = await concludeUse(
      await createTestTenant(),
      'verified',
      'no-age-key',
      changes,
    )
    expect(paramsOf(conclusion)).toEqual(params)
    expect(conclusion.evaluation).toBeUndefined()
    expect(conclusion.outcome.name).toEqual(ending)
  },
)

test.each([
  ['id_token.expired', 'id_token state'],
  ['callback.error_unknown', 'error error_description state'],
  ['callback.error_with_wrong_state', 'error error_description state'],
  ['access_denied', 'error error_description state'],
  ['server_error', 'error error_description state'],
  ['no_answer', undefined],
])('A Use request that ends with %s has a callback with: %s', async (name, params) => {
  const { callback, outcome } = await concludeUse(await createTestTenant(), name, 'adult-passport')
  expect(outcome.name).toEqual(name)
  expect(callback && Object.keys(callback.params).join(' ')).toEqual(params)
})

test.each([
  ['verified', 'child-12'],
  ['code_issued', 'adult-passport'],
  ['code_issued', 'senior-72'],
])(
  'A Use request with svc.upgrade gets by %s a code when every threshold is false, as for %s',
  async (...by) => {
    const conclusion = await concludeUse(await createTestTenant(), ...by, {
      scope: 'openid svc.upgrade',
    })
    expect(Object.keys(paramsOf(conclusion)).sort()).toEqual(['code', 'id_token', 'state'])
    expect(conclusion.evaluation?.ageThresholds).toEqual({
      13: false,
      16: false,
      18: false,
      21: false,
    })
  },
)

test('A Create request saves the submitted signals for the persona, or for a new persona with created_new', async () => {
  const tenant = await createTestTenant()
  const before = await tenant.personas.list()
  await concludeCreate(tenant, 'created_new')
  const personas = await tenant.personas.list()
  expect(personas).toHaveLength(before.length + 1)
  expect(personas.at(-1)?.age_key?.signals).toHaveLength(1)
  expect((await tenant.personas.find('no-age-key'))?.age_key).toBeUndefined()
  const conclusion = await concludeCreate(tenant, 'created')
  expect(paramsOf(conclusion)).toEqual({ state: 'state-1' })
  expect(conclusion.outcome.name).toBe('created')
  expect(
    (await concludeUse(tenant, 'verified', 'no-age-key')).evaluation?.ageThresholds,
  ).toMatchObject({ 21: true })
})

test('A Create request saves nothing with an error or when the user closes the window, which has no callback', async () => {
  const tenant = await createTestTenant()
  const before = await tenant.personas.list()
  const closed = { callback: undefined, outcome: { name: 'no_answer' } }
  expect(await concludeCreate(tenant, 'no_answer')).toMatchObject(closed)
  const params = paramsOf(await concludeCreate(tenant, 'access_denied'))
  expect(params).toMatchObject({ error: 'access_denied', state: 'state-1' })
  expect(await tenant.personas.list()).toEqual(before)
})

test('A Create request saves nothing where no passkey can be made', async () => {
  const tenant = await createTestTenant()
  const conclusion = await concludeCreate(tenant, 'created', { saves: false })
  expect(paramsOf(conclusion)).toEqual({ state: 'state-1' })
  expect(conclusion.isUnsaved).toBe(true)
  expect((await concludeUse(tenant, 'verified', 'no-age-key')).outcome.name).toBe('access_denied')
})

test('A conclusion says whether the decision was left unsaved', async () => {
  const tenant = await createTestTenant()
  expect((await concludeCreate(tenant, 'created_new', { saves: false })).isUnsaved).toBe(true)
  expect((await concludeCreate(tenant, 'access_denied', { saves: false })).isUnsaved).toBe(false)
  expect(await concludeCreate(tenant, 'created')).toMatchObject({ isUnsaved: false, traps: [] })
})

test('An upgrade in an audit succeeds without a change of the persona', async () => {
  const tenant = await createTestTenant()
  const upgraded = async (saves: boolean) => {
    const transaction = await transactionOf('use', tenant.provider, { scope: 'openid svc.upgrade' })
    const { code = '' } = paramsOf(
      await end(tenant, transaction, { outcome: 'verified', persona: 'child-12', saves }),
    )
    const service = createService(tenant.provider)
    const { response } = await service.exchange(code)
    expect((await service.upgrade(response.access_token)).response).toBe('OK')
    return (await tenant.personas.find('child-12'))?.age_key?.signals.length
  }
  const before = (await tenant.personas.find('child-12'))?.age_key?.signals.length ?? 0
  expect(await upgraded(false)).toEqual(before)
  expect(await upgraded(true)).toEqual(before + 1)
})

test('The honest answer is changed by the readings of the tenant, then by the outcome', async () => {
  const tenant = await createTestTenant({
    readings: { azp: 'present', typ: 'absent', callback_iss: 'present' },
  })
  const read = async (outcome: string) => {
    const { id_token: idToken = '', iss } = paramsOf(
      await concludeUse(tenant, outcome, 'adult-passport'),
    )
    const { azp, nonce } = decodeJwt(idToken)
    return { azp, nonce, typ: decodeProtectedHeader(idToken).typ, iss }
  }
  const iss = 'https://sandbox.example/v1/oidc/use'
  const honest = { azp: 'ak_test_sandbox', nonce: 'nonce-1', typ: undefined, iss }
  expect(await read('verified')).toEqual(honest)
  expect(await read('id_token.nonce_missing')).toEqual({ ...honest, nonce: undefined })
  expect(await read('id_token.typ_other')).toEqual({ ...honest, typ: 'at+jwt' })
  expect(await read('callback.extra_parameter')).toEqual(honest)
  const other = await createTestTenant({ readings: { nbf: 'present', callback_order: 'reversed' } })
  const params = paramsOf(await concludeUse(other, 'callback.extra_parameter', 'adult-passport'))
  expect(Object.keys(params)).toEqual(['state', 'id_token', 'sandbox_unknown'])
  const { nbf = 0, iat = 0 } = decodeJwt(
    tokenOf(await concludeUse(other, 'id_token.nbf_future', 'adult-passport')),
  )
  expect(nbf - iat).toBe(3600)
})

test('A conclusion signs with the algorithm of the client', async () => {
  const clients = [
    {
      clientId: 'shop',
      clientSecret: 's',
      redirectUris: [REDIRECT_URI],
      signingAlg: 'ES256' as const,
    },
  ]
  const tenant = await createTestTenant({ clients })
  const conclusion = await concludeUse(tenant, 'id_token.jku', 'adult-passport', {
    client_id: 'shop',
  })
  const jku = `https://sandbox.example/_sandbox/trap/${conclusion.traps[0]}`
  expect(decodeProtectedHeader(tokenOf(conclusion))).toMatchObject({ alg: 'ES256', jku })
  expect(conclusion.traps).toHaveLength(1)
})

test('A row of the next key uses a next key that is published already', async () => {
  const tenant = await createTestTenant()
  const rotated = (of: Tenant) => concludeUse(of, 'id_token.key_rotated', 'adult-passport')
  const kids = [await rotated(tenant), await rotated(tenant)].map(
    (one) => decodeProtectedHeader(tokenOf(one)).kid,
  )
  expect(kids[1]).toBe(kids[0])
})

test('A row of the next key passes on that no key can be published', async () => {
  const tenant = await createTestTenant()
  const rotated = (of: Tenant) => concludeUse(of, 'id_token.key_rotated', 'adult-passport')
  for (const error of [Refusal.unavailable('the store is away'), new Error('the disk is full')]) {
    const broken: Tenant = Object.assign(Object.create(tenant), {
      rotateKeys: () => Promise.reject(error),
    })
    await expect(rotated(broken)).rejects.toBe(error)
  }
})
