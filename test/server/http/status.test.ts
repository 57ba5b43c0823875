import { expect, test } from 'vitest'
import { actingValue } from '../../../src/sandbox/decision/sources.ts'
import type { Tenant } from '../../../src/sandbox/tenants/tenant.ts'
import { readModes, takeModeBack } from '../../../src/server/http/status.ts'
import type { AgeSignal } from '../../../src/service/age/signal.ts'
import { createTestTenant } from '../../support/tenant.ts'

/** A browser that sends this cookie, or none. */
const browser = (cookie = '') => ({
  header: (name: string) => (name === 'cookie' ? cookie : undefined),
})

async function runningTenant(): Promise<Tenant> {
  const tenant = await createTestTenant()
  await tenant.moveClock({ reset: true })
  return tenant
}

const modesOf = async (tenant: Tenant, cookie?: string) => {
  const modes = await readModes({ request: browser(cookie), tenant }, { consolePath: '/console' })
  return modes.map(({ id, value }) => [id, value])
}

const SIGNAL = {
  method: 'id_doc_scan',
  verified_at: '2026-05-01',
  provenance: '/veratad/roc',
} as const
const ID_SCAN: AgeSignal = { ...SIGNAL, age: { years: 34 } }
const OWN = ['one', 'two'].map((name) => ({ name, title: name, purpose: 'For a test.' }))
const TEEN = { flow: 'use', persona: 'teen-16' } as const
const DENIED = { persona: 'teen-16', outcome: 'access_denied' }
const SIGN_UP = { name: 'Sign up', steps: [{ await: 'par' as const }, { await: 'token' as const }] }
const LIFETIMES = { requestUri: 60, code: 5, idToken: 7200, accessToken: 90 }
const LIVES = 'request_uri 1 min, code 5 s, id_token 2 h, access token 1 min 30 s'
const TWO_READINGS = { typ: 'absent', nbf: 'present' } as const
const THRICE = { flow: 'token', outcome: 'token.503', times: 3 } as const
const CLIENT = {
  clientId: 'web-shop',
  clientSecret: 's',
  redirectUris: ['http://localhost/'],
  persona: 'teen-16',
}

test.each<[string, (tenant: Tenant) => Promise<unknown>, string]>([
  ['clock', (tenant) => tenant.moveClock({ advance: 93_600 }), '+1 day 2 h'],
  [
    'clock',
    (tenant) => tenant.moveClock({ set: '2030-01-31', freeze: true }),
    'frozen at 2030-01-31 00:00:00Z',
  ],
  ['expectations', (tenant) => tenant.expectations.add(TEEN), 'use: teen-16'],
  ['expectations', (tenant) => tenant.expectations.add(THRICE), 'token: token.503, 3 times'],
  ['scenarios', (tenant) => tenant.scenarios.arm(SIGN_UP), 'step 1 of 2'],
  [
    'personas',
    async ({ provider, personas }) =>
      provider.store.write((await personas.saving([ID_SCAN], 'no-age-key')).changes),
    'no-age-key changed',
  ],
  ['personas', (tenant) => tenant.personas.remove('teen-16'), 'teen-16 changed'],
  ['personas', (tenant) => tenant.personas.putAll(OWN), '2 changed'],
  ['default', (tenant) => tenant.configure({ defaults: DENIED }), 'teen-16 → access_denied'],
  ['clients', (tenant) => tenant.configure({ clients: [CLIENT] }), 'web-shop → teen-16'],
  ['lifetimes', (tenant) => tenant.configure({ lifetimes: LIFETIMES }), LIVES],
  ['readings', (tenant) => tenant.configure({ readings: { typ: 'absent' } }), 'typ=absent'],
  ['readings', (tenant) => tenant.configure({ readings: TWO_READINGS }), '2 set'],
  ['keys', (tenant) => tenant.rotateKeys('publish'), 'rotated'],
])('The status strip takes back the mode that it names for %s (%#)', async (id, set, value) => {
  const tenant = await runningTenant()
  await set(tenant)
  expect(await modesOf(tenant)).toEqual([[id, value]])
  await takeModeBack(id, tenant)
  expect(await modesOf(tenant)).toEqual([])
})

test('The status strip counts decisions as scenarios', async () => {
  const tenant = await runningTenant()
  for (const persona of ['teen-16', 'child-12'])
    await tenant.expectations.add({ flow: 'use', persona })
  for (const name of ['One', 'Two']) await tenant.scenarios.arm({ name, steps: [{ await: 'par' }] })
  expect(await modesOf(tenant)).toEqual([
    ['expectations', '2 decisions'],
    ['scenarios', '2 armed'],
  ])
})

test('The status strip names as what this browser acts, but not what it acts as in another tenant', async () => {
  const tenant = await runningTenant()
  const cookieFor = (path: string) =>
    `agekey_sandbox_acting=${encodeURIComponent(actingValue(path, DENIED))}`
  expect(await modesOf(tenant, cookieFor(''))).toEqual([['acting', 'teen-16 → access_denied']])
  expect(await modesOf(tenant, cookieFor('/t/qa'))).toEqual([])
  const cookies = await takeModeBack('acting', tenant)
  const cleared = ['persona', 'outcome', 'acting'].map((part) => [`agekey_sandbox_${part}`, '', 0])
  expect(cookies.map(({ name, value, options }) => [name, value, options.maxAge])).toEqual(cleared)
  // A test may put a persona into a cookie for every path.
  expect(await modesOf(tenant, 'agekey_sandbox_persona=child-12')).toEqual([['acting', 'child-12']])
})

test('The status strip names a profile other than spec, which only a new start changes', async () => {
  const tenant = await createTestTenant({ profile: 'agekey' })
  await tenant.moveClock({ reset: true })
  const [mode] = await readModes({ request: browser(), tenant }, { consolePath: '/console' })
  expect(mode).toEqual({ id: 'profile', title: 'Profile', value: 'agekey', href: '/console/rules' })
  const refusal = 'take_back: there is no "profile"; send one of tenant, clock'
  await expect(takeModeBack('profile', tenant)).rejects.toThrow(refusal)
})

test('The status strip leaves ended scenarios readable when it removes the running ones', async () => {
  const tenant = await runningTenant()
  const ended = await tenant.scenarios.arm({ name: 'Ended', steps: [{ clock: { advance: 0 } }] })
  for (const name of ['One', 'Two']) await tenant.scenarios.arm({ name, steps: [{ await: 'par' }] })
  await takeModeBack('scenarios', tenant)
  expect((await tenant.scenarios.list()).map(({ id }) => id)).toEqual([ended.id])
})

test('The status strip shows on an open page neither what is queued nor what clients have', async () => {
  const tenant = await runningTenant()
  await tenant.moveClock({ advance: 60 })
  await tenant.expectations.add(TEEN)
  await tenant.configure({ clients: [CLIENT], defaults: DENIED })
  const modes = await readModes(
    { request: browser(), tenant },
    { consolePath: '/console', isOpen: true },
  )
  expect(modes.map(({ id }) => id)).toEqual(['clock'])
})
