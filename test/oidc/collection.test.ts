import { expect, test } from 'vitest'
import * as z from 'zod'
import { collection } from '../../src/oidc/collection.ts'
import { createMemoryStore } from '../../src/store/memory.ts'

const kind = { name: 'code', schema: z.object({ clientId: z.string(), expiresAt: z.number() }) }
const LATER = Number.MAX_SAFE_INTEGER

function start() {
  const store = createMemoryStore({ clock: { now: () => 0 } })
  return { store, codes: collection(store, kind) }
}

test('A collection gives back the record that was put, and takes it once', async () => {
  const { codes } = start()
  const record = { clientId: 'web-shop', expiresAt: 5 }
  await codes.put('a', record, LATER)
  expect(await codes.get('a')).toEqual(record)
  expect(await codes.take('a')).toEqual(record)
  expect(await codes.take('a')).toBeUndefined()
  expect(await codes.get('unknown')).toBeUndefined()
})

test('A collection reads only the records of its own kind', async () => {
  const { store, codes } = start()
  await store.put('access_token', 'a', { clientId: 'web-shop', expiresAt: 5 }, LATER)
  expect(await codes.get('a')).toBeUndefined()
})

test.each(['get', 'take'] as const)(
  'A collection refuses a damaged record on %s, by the name of its member',
  async (read) => {
    const { store, codes } = start()
    await store.put('code', 'a', { clientId: 'web-shop', expiresAt: 'secret-value' }, LATER)
    const refused = codes[read]('a')
    await expect(refused).rejects.toThrow(/^store: a code record is damaged at expiresAt: .*expected number/)
    await expect(refused).rejects.toThrow('reset the tenant, or empty the store and start again')
    await expect(refused).rejects.not.toThrow('secret-value')
  },
)

test('A collection refuses a record that is no object at all', async () => {
  const { store, codes } = start()
  await store.put('code', 'a', null, LATER)
  await expect(codes.get('a')).rejects.toThrow(/^store: a code record is damaged: .*expected object/)
})
