import { describe, expect, test } from 'vitest'
import { readError, refusal } from '../support/error-body.ts'
import { idTokenOf } from '../support/id-tokens.ts'
import { createRelyingParty, type RelyingParty } from '../support/relying-party.ts'
import { ageSignal, claims } from '../support/requests.ts'
import { startSandbox, type TestSandbox } from '../support/sandbox.ts'

/** A deviation that profile agekey serves with an advice and profile spec refuses. */
interface Tolerance {
  readonly name: string
  readonly rule: string
  /** Whether the request was served. */
  attempt(rp: RelyingParty, brand: string): Promise<boolean>
}

const TOLERANCES: readonly Tolerance[] = [
  {
    name: 'response_type "id_token code" with the upgrade scope',
    rule: 'USE-05',
    attempt: async (rp, brand) =>
      'id_token' in (await rp.use({ scope: `openid ${brand}.upgrade`, response_type: 'id_token code' })).params,
  },
  {
    name: 'response_type "code id_token" with the upgrade scope',
    rule: 'USE-05',
    attempt: async (rp, brand) =>
      'id_token' in (await rp.use({ scope: `openid ${brand}.upgrade`, response_type: 'code id_token' })).params,
  },
  ...['agekey_upgrade', 'agekey-upgrade'].map((word) => ({
    name: `the scope ${word}, which asks for a code as the upgrade scope does`,
    rule: 'USE-17',
    attempt: async (rp: RelyingParty) =>
      'code' in (await rp.use({ scope: `openid ${word}`, sandbox_persona: 'child-12' })).params,
  })),
  {
    name: 'the scope agekey_upgrade on a pushed request',
    rule: 'PAR-04',
    attempt: async (rp) => (await rp.push({ scope: 'openid agekey_upgrade' })).status === 201,
  },
  {
    name: 'the scope agekey-upgrade on a Create request',
    rule: 'CRE-05',
    async attempt(rp) {
      const { params } = await rp.create(await rp.obtainRequestUri(), { scope: 'openid agekey-upgrade' })
      return !('error' in params)
    },
  },
  {
    name: 'a pushed request without type',
    rule: 'PAR-07',
    attempt: async (rp) => (await rp.push({ type: undefined })).status === 201,
  },
  {
    name: 'the upgrade scope on a pushed request',
    rule: 'PAR-04',
    attempt: async (rp, brand) => (await rp.push({ scope: `openid ${brand}.upgrade` })).status === 201,
  },
  {
    name: 'the upgrade scope on a Create request',
    rule: 'CRE-05',
    async attempt(rp, brand) {
      const { params } = await rp.create(await rp.obtainRequestUri(), { scope: `openid ${brand}.upgrade` })
      return !('error' in params)
    },
  },
  {
    name: 'client_id and request_uri alone on the Create URL',
    rule: 'CRE-13',
    async attempt(rp) {
      const alone = { scope: undefined, response_type: undefined, redirect_uri: undefined }
      const { params } = await rp.create(await rp.obtainRequestUri(), alone)
      expect(params).toHaveProperty('state', 'state-1')
      return !('error' in params)
    },
  },
  {
    name: 'authorization_details as a string in the JSON of an upgrade',
    rule: 'UPG-06',
    attempt: async (rp) => (await rp.upgrade(await rp.obtainToken(), JSON.stringify([ageSignal()]))).status === 200,
  },
]

const lastFinding = async (sandbox: TestSandbox, rule: string) => {
  const flow = await sandbox.flows.last()
  return flow?.calls.flatMap(({ findings }) => findings).find((finding) => finding.rule === rule)
}

describe('Profile agekey serves, and profile spec refuses,', () => {
  test.each(TOLERANCES)('$name ($rule)', async ({ attempt, rule }) => {
    const lenient = await startSandbox({ profile: 'agekey' })
    expect(await attempt(createRelyingParty(lenient, { brand: 'agekey' }), 'agekey')).toBe(true)
    expect(await lastFinding(lenient, rule)).toMatchObject({ level: 'advice' })
    const strict = await startSandbox({ profile: 'spec' })
    expect(await attempt(createRelyingParty(strict), 'svc')).toBe(false)
    expect(await lastFinding(strict, rule)).toMatchObject({ level: 'error' })
  })
})

describe('Profile agekey refuses, and profile spec serves with an advice,', () => {
  test.each([
    ['a threshold named twice', 'CLM-04', [18, 18]],
    ['more than 5 thresholds', 'CLM-06', [1, 2, 3, 4, 5, 6]],
  ])('%s (%s)', async (_name, rule, age_thresholds) => {
    const strict = await startSandbox({ profile: 'agekey' })
    const { params } = await createRelyingParty(strict).use({ claims: claims({ age_thresholds }) })
    expect(params).toMatchObject({ error: 'invalid_request', error_description: expect.stringContaining(rule) })
    expect(await lastFinding(strict, rule)).toMatchObject({ level: 'error' })
    const lenient = await startSandbox()
    expect((await createRelyingParty(lenient).use({ claims: claims({ age_thresholds }) })).params).toHaveProperty(
      'id_token',
    )
    expect(await lastFinding(lenient, rule)).toMatchObject({ level: 'advice' })
  })
})

test.each(['spec', 'agekey'] as const)(
  'Profile %s serves thresholds that do not ascend, with an advice, and maps an override to them as they were sent',
  async (profile) => {
    const sandbox = await startSandbox({ profile })
    const overrides = { id_doc_scan: { age_thresholds: [18, 99] } }
    const sent = claims({ age_thresholds: [18, 13], overrides })
    const token = idTokenOf(await createRelyingParty(sandbox).use({ claims: sent }))
    expect(token.age_thresholds).toEqual({ 13: false, 18: true })
    expect(await lastFinding(sandbox, 'CLM-05')).toMatchObject({ level: 'advice' })
  },
)

test.each(['spec', 'agekey'] as const)(
  'Profile %s ignores extra parameters on the Create URL, with an advice',
  async (profile) => {
    const sandbox = await startSandbox({ profile })
    const rp = createRelyingParty(sandbox)
    const { params } = await rp.create(await rp.obtainRequestUri(), { state: 'x', authorization_details: '[]' })
    expect(params).toEqual({ state: 'state-1' })
    expect(await lastFinding(sandbox, 'CRE-12')).toMatchObject({ level: 'advice' })
  },
)

test('Profile agekey puts its brand word into the scope, the upgrade path and the request_uri, instead of svc', async () => {
  const sandbox = await startSandbox({ profile: 'agekey' })
  const rp = createRelyingParty(sandbox, { brand: 'agekey' })
  expect(await rp.obtainRequestUri()).toMatch(/^urn:agekey:request:/)
  const token = await rp.obtainToken({ sandbox_persona: 'child-12' })
  expect((await createRelyingParty(sandbox).upgrade(token)).status).toBe(404)
  expect((await rp.upgrade(token)).status).toBe(200)
  expect(idTokenOf(await rp.use({ sandbox_persona: 'child-12' })).age_thresholds).toMatchObject({ 21: true })
  expect((await rp.use({ scope: 'openid svc.upgrade' })).params).toMatchObject({ error: 'invalid_scope' })
})

test('Profile agekey refuses a code without the upgrade scope, and a string that holds no array', async () => {
  const rp = createRelyingParty(await startSandbox({ profile: 'agekey' }), { brand: 'agekey' })
  expect((await rp.use({ response_type: 'id_token code' })).params).toMatchObject({
    error: 'unsupported_response_type',
  })
  const answer = await rp.upgrade(await rp.obtainToken(), 'not json')
  expect(refusal(answer)).toMatchObject({ status: 400, error: 'invalid_authorization_details' })
})

test('Profile spec says once what is wrong with stringified authorization_details', async () => {
  const rp = createRelyingParty(await startSandbox())
  const answer = await rp.upgrade(await rp.obtainToken(), JSON.stringify([ageSignal()]))
  expect(refusal(answer)).toEqual({ status: 400, error: 'invalid_authorization_details', rules: ['UPG-06'] })
  expect(readError(answer).findings).toHaveLength(1)
})
