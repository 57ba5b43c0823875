import { expect, test } from 'vitest'
import { createTestTenant } from '../../support/tenant.ts'

const clientWith = (clientSecret: string) => ({
  clientId: 'shop',
  clientSecret,
  redirectUris: ['https://shop.example/callback'],
})

test('The first secret of a client stays masked when the clients are replaced twice', async () => {
  const tenant = await createTestTenant()
  await tenant.configure({ clients: [clientWith('first-secret')] })
  await tenant.configure({ clients: [clientWith('second-secret')] })
  await tenant.configure({ clients: [] })
  expect(tenant.clients.mask('first-secret')).toBe('***')
})

test('A secret that a client had twice stays masked as long as the secrets after it', async () => {
  const tenant = await createTestTenant()
  await tenant.configure({ clients: [clientWith('secret-twice')] })
  const others = (from: number, count: number) =>
    Array.from({ length: count }, (_, n) => ({
      ...clientWith(`other-secret-${from + n}`),
      clientId: `other-${n}`,
    }))
  await tenant.configure({ clients: others(0, 600) })
  await tenant.configure({ clients: [clientWith('secret-twice')] })
  await tenant.configure({ clients: others(600, 600) })
  await tenant.configure({ clients: [] })
  expect(tenant.clients.mask('secret-twice')).toBe('***')
})

test('The secrets of five replaced lists of clients stay masked', async () => {
  const tenant = await createTestTenant()
  for (let list = 0; list < 5; list++) {
    const clients = Array.from({ length: 200 }, (_, n) => ({
      ...clientWith(`secret-${list}-of-${n}`),
      clientId: `client-${n}`,
    }))
    await tenant.configure({ clients })
  }
  await tenant.configure({ clients: [] })
  expect(tenant.clients.mask('secret-0-of-0')).toBe('***')
})

test('A second change of lifetimes keeps the lifetime of the first', async () => {
  const tenant = await createTestTenant()
  await tenant.configure({ lifetimes: { code: 7 } })
  await tenant.configure({ lifetimes: { idToken: 8 } })
  expect(tenant.provider.lifetimes).toMatchObject({ code: 7, idToken: 8 })
})

test('A lifetime that is set twice is the one that was set last', async () => {
  const tenant = await createTestTenant()
  await tenant.configure({ lifetimes: { code: 7 } })
  await tenant.configure({ lifetimes: { code: 8 } })
  expect(tenant.provider.lifetimes.code).toBe(8)
})

test('A second default keeps the first default of another kind', async () => {
  const tenant = await createTestTenant()
  await tenant.configure({ defaults: { persona: 'teen-16' } })
  await tenant.configure({ defaults: { outcome: 'access_denied' } })
  expect(tenant.settings.defaults).toEqual({ persona: 'teen-16', outcome: 'access_denied' })
})

test('A slow reply of 0 seconds replaces an earlier number of seconds', async () => {
  const tenant = await createTestTenant()
  await tenant.configure({ slowReplySeconds: 5 })
  await tenant.configure({ slowReplySeconds: 0 })
  expect(tenant.settings.slowReplySeconds).toBe(0)
})

test('Readings that are set twice are those that were set last', async () => {
  const tenant = await createTestTenant()
  await tenant.configure({ readings: { typ: 'absent' } })
  await tenant.configure({ readings: {} })
  expect(tenant.readings.ids).toBeUndefined()
})

test('A setting keeps its value when another setting is changed', async () => {
  const tenant = await createTestTenant()
  await tenant.configure({ slowReplySeconds: 5 })
  await tenant.configure({ readings: { typ: 'absent' } })
  expect(tenant.settings.slowReplySeconds).toBe(5)
})

test('Keys can be rotated a second time', async () => {
  const tenant = await createTestTenant()
  for (const stage of ['publish', 'use', 'retire', 'publish'] as const)
    await tenant.rotateKeys(stage)
  expect((await tenant.provider.signer.jwks()).keys).toHaveLength(4)
})

test('Keys that are rotated after they were restored can be restored again', async () => {
  const tenant = await createTestTenant()
  await tenant.rotateKeys('publish')
  await tenant.restoreKeys()
  await tenant.rotateKeys('publish')
  await tenant.restoreKeys()
  expect(tenant.hasRotatedKeys()).toBe(false)
})

test('A second reset restores the clock again', async () => {
  const tenant = await createTestTenant()
  await tenant.reset()
  await tenant.moveClock({ advance: 91 })
  await tenant.reset()
  expect(tenant.clock.state().advanced_seconds).toBe(0)
})

test('A second reset removes the expectations again', async () => {
  const tenant = await createTestTenant()
  await tenant.expectations.add({ flow: 'use', outcome: 'access_denied' })
  await tenant.reset()
  await tenant.expectations.add({ flow: 'use', outcome: 'access_denied' })
  await tenant.reset()
  expect(await tenant.expectations.list()).toEqual([])
})

test('A second reset lets a tenant with a seed draw the same identifiers again', async () => {
  const tenant = await createTestTenant()
  const first = tenant.provider.ids.random(12)
  await tenant.reset()
  tenant.provider.ids.random(12)
  await tenant.reset()
  expect(tenant.provider.ids.random(12)).toBe(first)
})
