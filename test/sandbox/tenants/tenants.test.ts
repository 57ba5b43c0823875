import { expect, test } from 'vitest'
import { loadPersonas } from '../../../src/sandbox/personas/load-personas.ts'
import type { Tenant } from '../../../src/sandbox/tenants/tenant.ts'
import { createTenants } from '../../../src/sandbox/tenants/tenants.ts'
import { createMemoryDirectory, createMemoryStores } from '../../../src/server/store/stores.ts'
import type { AgeSignal } from '../../../src/service/age/signal.ts'
import { createTestParts, TEST_ADDRESSES } from '../../support/tenant.ts'

async function fewTenants() {
  const parts = await createTestParts({
    ...createMemoryStores(),
    directory: createMemoryDirectory({ max: 2 }),
  })
  const tenants = createTenants(parts, { addresses: TEST_ADDRESSES })
  const crowd = async () => {
    for (const name of ['x', 'y', 'z']) await tenants.touch(name)
  }
  return { tenants, crowd }
}

const PERSONA = { name: 'own', title: 'Own', purpose: 'Put by a test.' }

type Use = (tenant: Tenant) => Promise<unknown>

const [PASSPORT = expect.fail()] = (await loadPersonas()).filter(
  ({ name }) => name === 'adult-passport',
)
const SIGNAL: AgeSignal = {
  ...{ method: 'email_age_estimation', age: { at_least_years: 18 } },
  ...{ verified_at: '2026-01-15', provenance: '/yoti' },
}

test.each<[string, isKept: boolean, Use]>([
  [
    'was given an expectation',
    true,
    ({ expectations }) => expectations.add({ flow: 'use', outcome: 'access_denied' }),
  ],
  [
    'was given a scenario',
    true,
    ({ scenarios }) => scenarios.arm({ name: 'A', steps: [{ await: 'par' }] }),
  ],
  ['was given a persona', true, ({ personas }) => personas.put(PERSONA)],
  ['was given several personas', true, ({ personas }) => personas.putAll([PERSONA])],
  ['has lost a persona', true, ({ personas }) => personas.remove('teen-16')],
  ['was moved to another time', true, (tenant) => tenant.moveClock({ advance: 7 })],
  [
    'was configured',
    true,
    (tenant) => tenant.configure({ defaults: { outcome: 'access_denied' } }),
  ],
  ['was given a key', true, (tenant) => tenant.rotateKeys('publish')],
  ['is only touched', false, async () => {}],
  [
    'is read',
    false,
    ({ personas, expectations }) => Promise.all([personas.list(), expectations.list()]),
  ],
  ['is asked for an age key', false, ({ personas }) => personas.ageKeyOf(PASSPORT)],
  [
    'saved an age key in a flow',
    false,
    async ({ personas, provider }) =>
      provider.store.write((await personas.saving([SIGNAL], 'no-age-key')).changes),
  ],
  ['is reset', false, (tenant) => tenant.reset()],
])(
  'A touched tenant that %s is kept when others are touched after it: %s',
  async (_case, isKept, drive) => {
    const { tenants, crowd } = await fewTenants()
    const tenant = await tenants.touch('driven')
    await drive(tenant)
    await crowd()
    expect(await tenants.find('driven')).toBe(isKept ? tenant : undefined)
  },
)

test('The least recently used declared tenant gives way to a declared one, with everything in it', async () => {
  const { tenants } = await fewTenants()
  const first = await tenants.declare('first')
  await first.personas.put(PERSONA)
  await tenants.declare('second')
  await tenants.touch('first')
  await tenants.declare('third')
  expect(await tenants.find('second')).toBeUndefined()
  expect(await first.personas.find('own')).toMatchObject(PERSONA)
  await tenants.declare('fourth')
  await tenants.declare('fifth')
  expect(await (await tenants.touch('first')).personas.find('own')).toBeUndefined()
})

test('The list of the tenants makes no tenant', async () => {
  const { tenants } = await fewTenants()
  await tenants.touch('first')
  await tenants.touch('second')
  expect(await tenants.names()).toEqual(['default', 'first', 'second'])
  tenants.at('unmade')
  await tenants.touch('third')
  expect(await tenants.names()).toEqual(['default', 'second', 'third'])
})

test('Names that are only looked at push no tenant out of the memory of the process', async () => {
  const tenants = createTenants(await createTestParts(createMemoryStores()), {
    addresses: TEST_ADDRESSES,
  })
  const kept = await tenants.declare('kept')
  for (let n = 0; n < 2_200; n++) tenants.at(`unmade-${n}`)
  expect(tenants.at('kept')).toBe(kept)
})

test('A tenant that is made again begins without coverage', async () => {
  const { tenants } = await fewTenants()
  const { journal } = await tenants.declare('again')
  await journal.seen.add('again', [['row jwks/jwks.500', '']])
  await tenants.remove('again')
  await tenants.declare('again')
  expect(await journal.seen.read('again')).toEqual(new Map())
})

test('The coverage of a removed tenant counts for the root tenant', async () => {
  const { tenants } = await fewTenants()
  const { journal } = await tenants.declare('again')
  await journal.seen.add('again', [['row jwks/jwks.500', '']])
  await tenants.remove('again')
  expect(await journal.seen.read('default')).toEqual(new Map([['row jwks/jwks.500', '']]))
})

test('Tenants of a sandbox with a seed draw the same ids in each run', async () => {
  const draw = async (name: string) => {
    const { tenants } = await fewTenants()
    const tenant = await tenants.declare(name)
    const drawn = tenant.provider.ids.random(16)
    await tenant.reset()
    expect(tenant.provider.ids.random(16)).toBe(drawn)
    return drawn
  }
  expect(await draw('first')).toBe(await draw('first'))
})

test('Two tenants of a sandbox with a seed draw different ids', async () => {
  const draw = async (name: string) => {
    const { tenants } = await fewTenants()
    const tenant = await tenants.declare(name)
    const drawn = tenant.provider.ids.random(16)
    await tenant.reset()
    expect(tenant.provider.ids.random(16)).toBe(drawn)
    return drawn
  }
  expect(await draw('first')).not.toBe(await draw('second'))
})
