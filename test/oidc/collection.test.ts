import { expect, test } from 'vitest'
import * as z from 'zod'
import { collection, parseRecord, parseStored } from '../../src/oidc/collection.ts'
import { createMemoryStore } from '../../src/store/memory.ts'

const kind = { name: 'code', schema: z.object({ clientId: z.string(), expiresAt: z.number() }) }
const LATER = Number.MAX_SAFE_INTEGER

function start() {
  const store = createMemoryStore({ clock: { now: () => 0 } })
  return { store, codes: collection(kind)({ store }) }
}

test('A collection gives back the record of its own kind that was put, and takes the record once', async () => {
  const { store, codes } = start()
  const record = { clientId: 'web-shop', expiresAt: 5 }
  await store.put('access_token', 'unknown', record, LATER)
  await codes.put('a', record, LATER)
  expect([await codes.get('a'), await codes.take('a'), await codes.take('a')]).toEqual([record, record, undefined])
  expect(await codes.get('unknown')).toBeUndefined()
})

const ADVICE = 'reset the tenant, or empty the store and start again'

test.each(['get', 'take'] as const)('A collection refuses a damaged record on %s without its values', async (read) => {
  const { store, codes } = start()
  await store.put('code', 'a', { clientId: 'web-shop', expiresAt: 'secret-value' }, LATER)
  const problem = 'store: a code record is damaged at expiresAt: Invalid input: expected number, received string;'
  await expect(async () => codes[read]('a')).rejects.toMatchObject({
    name: 'DamagedRecord',
    message: `${problem} ${ADVICE}`,
  })
})

test('A record that is no object is refused without a member, and with the remedy of its kind', async () => {
  const { store, codes } = start()
  await store.put('code', 'a', null, LATER)
  const problem = 'store: a code record is damaged: Invalid input: expected object, received null;'
  await expect(async () => codes.get('a')).rejects.toThrow(`${problem} ${ADVICE}`)
  await expect(async () => codes.get('a')).rejects.not.toHaveProperty('cause')
  const deep = { name: 'x', schema: z.object({ a: z.array(z.string()) }), remedy: 'remove it' }
  const inside = 'store: a x record is damaged at a.0: Invalid input: expected string, received number;'
  expect(() => parseRecord(deep, { a: [1] })).toThrow(`${inside} remove it, or empty the store`)
})

test('A stored text that is no JSON is refused by its key, without the text', () => {
  expect(parseStored('{"a":1}', 'k')).toEqual({ a: 1 })
  const read = () => parseStored('secret-value', 'tenant:code:a')
  const remedy = 'remove it there, or empty the store and start again'
  const message = `store: the record under tenant:code:a is damaged: it is no JSON; ${remedy}`
  expect(read).toThrow(expect.objectContaining({ name: 'DamagedRecord', message, cause: expect.any(SyntaxError) }))
})
