import { expect, test } from 'vitest'
import type { SandboxSettings, SharedParts } from '../../../src/sandbox/tenants/shared-parts.ts'
import { formerSecretsOf } from '../../../src/sandbox/tenants/tenant-settings.ts'
import { createTenants } from '../../../src/sandbox/tenants/tenants.ts'
import { createMemoryStores } from '../../../src/server/store/stores.ts'
import { createTestParts, TEST_ADDRESSES } from '../../support/tenant.ts'

const clientOf = (clientId: string) => ({
  clientId,
  clientSecret: `secret-of-${clientId}`,
  redirectUris: ['https://shop.example/callback'],
})

/** Tenants whose declared settings are replaced by `declare`. */
async function declaredTenants(changes: Partial<SandboxSettings> = {}) {
  const parts = await createTestParts(createMemoryStores(), changes)
  const declared = { settings: parts.declared.settings }
  const shared: SharedParts = { ...parts, declared }
  const tenants = createTenants(shared, { addresses: TEST_ADDRESSES })
  return {
    tenants,
    declare(next: Partial<SandboxSettings>) {
      const { settings } = declared
      declared.settings = { ...settings, ...next, formerSecrets: formerSecretsOf(settings) }
      tenants.followSettings()
    },
  }
}

test('A tenant has the clients that are declared anew', async () => {
  const { tenants, declare } = await declaredTenants()
  const tenant = await tenants.touch('a')
  declare({ clients: [clientOf('shop')] })
  expect(tenant.clients.find('shop')).toMatchObject({ clientSecret: 'secret-of-shop' })
})

test('A tenant that is made later has the settings that are declared by then', async () => {
  const { tenants, declare } = await declaredTenants()
  declare({ clients: [clientOf('shop')] })
  expect((await tenants.touch('late')).clients.ids).toContain('shop')
})

test('The service of a tenant works with the settings that are declared anew', async () => {
  const { tenants, declare } = await declaredTenants()
  const { provider } = tenants.root
  const next = {
    profile: 'agekey',
    vocabulary: { provenanceAllowlist: ['/own'], platforms: ['own'] },
    certifications: { '/own': { id_doc_scan: 'effective' } },
    lifetimes: { requestUri: 1, code: 2, idToken: 3, accessToken: 4 },
    readings: { typ: 'absent' },
  } as const
  declare(next)
  const { readings: _, ...served } = next
  expect(provider).toMatchObject(served)
  expect(tenants.root.readings.ids).toEqual(['typ=absent'])
})

test('A tenant loses the built-in client when the declared settings remove it', async () => {
  const { tenants, declare } = await declaredTenants()
  declare({ builtinClient: false })
  expect(tenants.root.clients.ids).toEqual([])
})

test('A tenant keeps a setting that a caller has set when another value is declared', async () => {
  const { tenants, declare } = await declaredTenants()
  await tenants.root.configure({ clients: [clientOf('own')] })
  declare({ clients: [clientOf('shop')] })
  expect(tenants.root.settings.clients).toEqual([clientOf('own')])
})

test('A tenant follows the declared settings in all that a caller has not set', async () => {
  const { tenants, declare } = await declaredTenants()
  await tenants.root.configure({ lifetimes: { code: 7 }, defaults: { persona: 'teen-16' } })
  declare({
    lifetimes: { requestUri: 1, code: 2, idToken: 3, accessToken: 4 },
    defaults: { persona: 'child-12', outcome: 'access_denied' },
    slowReplySeconds: 5,
  })
  expect(tenants.root.settings).toMatchObject({
    lifetimes: { requestUri: 1, code: 7, idToken: 3, accessToken: 4 },
    defaults: { persona: 'teen-16', outcome: 'access_denied' },
    slowReplySeconds: 5,
  })
})

test('A default that a caller has removed stays removed when another one is declared', async () => {
  const { tenants, declare } = await declaredTenants({ defaults: { persona: 'teen-16' } })
  await tenants.root.configure({ defaults: { persona: null } })
  declare({ defaults: { persona: 'child-12' } })
  expect(tenants.root.settings.defaults.persona).toBeUndefined()
})

test('A tenant names the settings that a caller has set', async () => {
  const { tenants } = await declaredTenants()
  await tenants.root.configure({ slowReplySeconds: 1, clients: [], defaults: { outcome: null } })
  expect(tenants.root.namesOfOwn().sort()).toEqual(['clients', 'outcome', 'slowReplySeconds'])
})

test('The secret of a client that is no longer declared stays masked', async () => {
  const { tenants, declare } = await declaredTenants({ clients: [clientOf('shop')] })
  declare({ clients: [] })
  declare({ clients: [clientOf('other')] })
  expect(tenants.root.clients.mask('secret-of-shop')).toBe('***')
})

test('A tenant masks the secrets of all clients that were ever declared', async () => {
  const { tenants, declare } = await declaredTenants({ clients: [clientOf('shop')] })
  await tenants.root.configure({ clients: [clientOf('own')] })
  declare({ clients: [clientOf('later')] })
  declare({ clients: [] })
  expect(tenants.root.clients.mask('secret-of-shop secret-of-own secret-of-later')).toBe(
    '*** *** ***',
  )
})

const ANNA = { name: 'anna', title: 'Anna', purpose: 'For this test.' }

test('A tenant has the personas that are declared anew, in place of those before', async () => {
  const { tenants, declare } = await declaredTenants()
  declare({ personas: [ANNA] })
  expect(await tenants.root.personas.list()).toEqual([ANNA])
})

test('A persona that a caller has put goes before the declared one until a reset', async () => {
  const { tenants, declare } = await declaredTenants()
  await tenants.root.personas.put({ ...ANNA, title: 'Put' })
  declare({ personas: [ANNA] })
  expect(await tenants.root.personas.find('anna')).toMatchObject({ title: 'Put' })
  await tenants.root.reset()
  expect(await tenants.root.personas.find('anna')).toEqual(ANNA)
})
