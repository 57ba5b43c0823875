import { decodeJwt, decodeProtectedHeader } from 'jose'
import { describe, expect, test } from 'vitest'
import { beginCreate } from '../../../src/oidc/create.ts'
import { beginUse } from '../../../src/oidc/use.ts'
import { conclude } from '../../../src/sandbox/decision/conclude.ts'
import { requireOutcome } from '../../../src/sandbox/decision/names.ts'
import type { Tenant } from '../../../src/sandbox/tenants/tenant.ts'
import { idTokenOf } from '../../support/id-tokens.ts'
import { type Changes, createRequest, REDIRECT_URI, useRequest } from '../../support/requests.ts'
import { createService, received } from '../../support/service.ts'
import { createTestTenant } from '../../support/tenant.ts'

const UPGRADE = { scope: 'openid svc.upgrade' }

/** Ends a valid Use request with an outcome by a persona. */
async function concludeUse(tenant: Tenant, outcome: string, persona?: string, changes: Changes = {}) {
  const beginning = beginUse(Object.entries(useRequest(changes)), tenant.provider)
  if (beginning.kind === 'refused') throw new Error('the request is refused')
  const decision = {
    persona: persona === undefined ? undefined : await tenant.personas.find(persona),
    outcome: requireOutcome('use', outcome),
    laterOutcome: undefined,
    decidedBy: 'the choice page',
  }
  const conclusion = await conclude(beginning.transaction, decision, { tenant })
  return { ...conclusion, callback: conclusion.callback && received(conclusion.callback) }
}

/** Ends a valid Create request with an outcome by a persona. */
async function concludeCreate(tenant: Tenant, outcome: string, persona?: string, options: { saves?: boolean } = {}) {
  const requestUri = await createService(tenant.provider).obtainRequestUri()
  const beginning = await beginCreate(Object.entries(createRequest(requestUri)), tenant.provider)
  if (beginning.kind === 'refused') throw new Error('the request is refused')
  const decision = {
    persona: persona === undefined ? undefined : await tenant.personas.find(persona),
    outcome: requireOutcome('create', outcome),
    laterOutcome: undefined,
    decidedBy: 'the choice page',
  }
  const conclusion = await conclude(beginning.transaction, decision, { tenant, ...options })
  return { ...conclusion, callback: conclusion.callback && received(conclusion.callback) }
}

describe('conclude of a Use request', () => {
  test('verifies the persona and says how its signals were evaluated', async () => {
    const { callback, evaluation, outcome } = await concludeUse(await createTestTenant(), 'verified', 'teen-16')
    if (!callback) throw new Error('there is no callback')
    expect(idTokenOf(callback).age_thresholds).toEqual({ 13: true, 16: true, 18: false, 21: false })
    expect(evaluation?.ageThresholds).toEqual({ 13: true, 16: true, 18: false, 21: false })
    expect(outcome.name).toBe('verified')
  })

  test.each([
    [{ can_create: 'true' }, 'create_requested', { create_requested: 'true', state: 'state-1' }],
    [{}, 'access_denied', { error: 'access_denied', error_description: 'the user has no age key', state: 'state-1' }],
  ])('leaves a persona without an age key what %j allows: %s', async (changes, ending, params) => {
    const tenant = await createTestTenant()
    const { callback, evaluation, outcome } = await concludeUse(tenant, 'verified', 'no-age-key', changes)
    expect([callback?.params, evaluation, outcome.name]).toEqual([params, undefined, ending])
  })

  test('has no callback when the user closes the window', async () => {
    const { callback, evaluation, outcome } = await concludeUse(await createTestTenant(), 'no_answer')
    expect([callback, evaluation, outcome.name]).toEqual([undefined, undefined, 'no_answer'])
  })

  test.each(['callback.error_unknown', 'callback.error_with_wrong_state', 'id_token.expired'])(
    'keeps the name %s',
    async (name) => {
      expect((await concludeUse(await createTestTenant(), name, 'adult-passport')).outcome.name).toBe(name)
    },
  )

  test.each(['access_denied', 'server_error'])('ends with the error %s', async (name) => {
    const { callback } = await concludeUse(await createTestTenant(), name)
    expect(callback?.params).toEqual({ error: name, error_description: expect.any(String), state: 'state-1' })
  })

  test('applies the seam of the outcome to the claims, the token or the callback', async () => {
    const tenant = await createTestTenant()
    const right = await concludeUse(tenant, 'verified', 'adult-passport')
    const claims = await concludeUse(tenant, 'id_token.nonce_other', 'adult-passport')
    const callback = await concludeUse(tenant, 'callback.state_missing', 'adult-passport')
    if (!right.callback || !claims.callback) throw new Error('there is no callback')
    expect(idTokenOf(right.callback).nonce).toBe('nonce-1')
    expect(idTokenOf(claims.callback).nonce).not.toBe('nonce-1')
    expect(Object.keys(callback.callback?.params ?? {})).toEqual(['id_token'])
  })

  test('issues a code when every threshold is false', async () => {
    const { callback } = await concludeUse(await createTestTenant(), 'verified', 'child-12', UPGRADE)
    expect(Object.keys(callback?.params ?? {}).sort()).toEqual(['code', 'id_token', 'state'])
  })

  test.each(['adult-passport', 'senior-72'])('issues a code with code_issued, whatever %s holds', async (persona) => {
    const { callback, evaluation } = await concludeUse(await createTestTenant(), 'code_issued', persona, UPGRADE)
    expect(Object.keys(callback?.params ?? {}).sort()).toEqual(['code', 'id_token', 'state'])
    expect(evaluation?.ageThresholds).toEqual({ 13: false, 16: false, 18: false, 21: false })
  })
})

describe('conclude of a Create request', () => {
  test('saves the submitted signals for the persona', async () => {
    const tenant = await createTestTenant()
    const { callback, outcome } = await concludeCreate(tenant, 'created', 'no-age-key')
    expect([callback?.params, outcome.name]).toEqual([{ state: 'state-1' }, 'created'])
    const { evaluation } = await concludeUse(tenant, 'verified', 'no-age-key')
    expect(evaluation?.ageThresholds).toMatchObject({ 21: true })
  })

  test('saves them for a new persona with created_new', async () => {
    const tenant = await createTestTenant()
    const before = await tenant.personas.list()
    await concludeCreate(tenant, 'created_new', 'no-age-key')
    const personas = await tenant.personas.list()
    expect(personas).toHaveLength(before.length + 1)
    expect(personas.at(-1)?.age_key?.signals).toHaveLength(1)
    expect((await tenant.personas.find('no-age-key'))?.age_key).toBeUndefined()
  })

  test('has no callback and saves nothing when the user closes the window', async () => {
    const tenant = await createTestTenant()
    const before = await tenant.personas.list()
    expect((await concludeCreate(tenant, 'no_answer', 'no-age-key')).callback).toBeUndefined()
    expect(await tenant.personas.list()).toEqual(before)
  })

  test('saves nothing with an error', async () => {
    const tenant = await createTestTenant()
    const { callback } = await concludeCreate(tenant, 'access_denied', 'no-age-key')
    expect(callback?.params).toMatchObject({ error: 'access_denied', state: 'state-1' })
    const { outcome } = await concludeUse(tenant, 'verified', 'no-age-key')
    expect(outcome.name).toBe('access_denied')
  })
})

test('conclude of a Create request saves nothing where no passkey can be made, and says so', async () => {
  const tenant = await createTestTenant()
  const { callback, isUnsaved } = await concludeCreate(tenant, 'created', 'no-age-key', { saves: false })
  expect([callback?.params, isUnsaved]).toEqual([{ state: 'state-1' }, true])
  expect((await concludeUse(tenant, 'verified', 'no-age-key')).outcome.name).toBe('access_denied')
  expect((await concludeCreate(tenant, 'access_denied', 'no-age-key', { saves: false })).isUnsaved).toBe(false)
  expect(await concludeCreate(tenant, 'created', 'no-age-key')).toMatchObject({ isUnsaved: false, traps: [] })
})

test('conclude changes the honest answer by the readings of the tenant, then by the outcome', async () => {
  const tenant = await createTestTenant({ readings: { azp: 'present', typ: 'absent', callback_iss: 'present' } })
  const end = async (outcome: string) => {
    const { callback } = await concludeUse(tenant, outcome, 'adult-passport')
    const idToken = callback?.params['id_token'] ?? ''
    const { azp, nonce } = decodeJwt(idToken)
    return { azp, nonce, typ: decodeProtectedHeader(idToken).typ, iss: callback?.params['iss'] }
  }
  const honest = {
    azp: 'ak_test_sandbox',
    nonce: 'nonce-1',
    typ: undefined,
    iss: 'https://sandbox.example/v1/oidc/use',
  }
  expect(await end('verified')).toEqual(honest)
  expect(await end('id_token.nonce_missing')).toEqual({ ...honest, nonce: undefined })
  expect(await end('id_token.typ_other')).toEqual({ ...honest, typ: 'at+jwt' })
  expect(await end('callback.extra_parameter')).toEqual(honest)
})

test('conclude applies an outcome after the readings, to the claims and to the callback', async () => {
  const tenant = await createTestTenant({ readings: { nbf: 'present', callback_order: 'reversed' } })
  const names = async (outcome: string) => {
    const { callback } = await concludeUse(tenant, outcome, 'adult-passport')
    return Object.keys(callback?.params ?? {})
  }
  expect(await names('callback.extra_parameter')).toEqual(['state', 'id_token', 'session_state'])
  const { callback } = await concludeUse(tenant, 'id_token.nbf_future', 'adult-passport')
  const { nbf = 0, iat = 0 } = decodeJwt(callback?.params['id_token'] ?? '')
  expect(nbf - iat).toBe(3600)
})

test('conclude names the traps that the answer leads to, and signs with the algorithm of the client', async () => {
  const clients = [{ clientId: 'shop', clientSecret: 's', redirectUris: [REDIRECT_URI], signingAlg: 'ES256' as const }]
  const tenant = await createTestTenant({ clients })
  const { callback, traps } = await concludeUse(tenant, 'id_token.jku', 'adult-passport', { client_id: 'shop' })
  expect(decodeProtectedHeader(callback?.params['id_token'] ?? '')).toMatchObject({
    alg: 'ES256',
    jku: `https://sandbox.example/_sandbox/trap/${traps[0]}`,
  })
  expect(traps).toHaveLength(1)
})
