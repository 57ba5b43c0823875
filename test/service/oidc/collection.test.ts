import { expect, test } from 'vitest'
import * as z from 'zod'
import { createMemoryStore } from '../../../src/server/store/memory.ts'
import {
  collection,
  isExpired,
  parseRecord,
  parseStored,
  spendables,
} from '../../../src/service/oidc/collection.ts'
import { DEFAULT_POLICY } from '../../../src/service/oidc/policy.ts'
import type { Store } from '../../../src/service/oidc/ports.ts'
import { createProvider, NOW } from '../../support/provider.ts'
import { createService, refused } from '../../support/service.ts'

const kind = { name: 'code', schema: z.object({ clientId: z.string(), expiresAt: z.number() }) }
const LATER = Number.MAX_SAFE_INTEGER

function start() {
  const store = createMemoryStore({ clock: { now: () => 0 } })
  return { store, codes: collection(kind)({ store }) }
}

test('A collection gives a record to one caller of take', async () => {
  const { store, codes } = start()
  const record = { clientId: 'web-shop', expiresAt: 5 }
  await store.put('access_token', 'unknown', record, LATER)
  await codes.put('a', record, LATER)
  expect(await codes.get('a')).toEqual(record)
  expect(await codes.take('a')).toEqual(record)
  expect(await codes.take('a')).toBeUndefined()
})

test('A collection does not find a record of another kind', async () => {
  const { store, codes } = start()
  const record = { clientId: 'web-shop', expiresAt: 5 }
  await store.put('access_token', 'unknown', record, LATER)
  expect(await codes.get('unknown')).toBeUndefined()
})

const ADVICE = 'reset the tenant, or empty the store and start again'

test.each(['get', 'take'] as const)(
  'A collection refuses a damaged record on %s without its values',
  async (read) => {
    const { store, codes } = start()
    await store.put('code', 'a', { clientId: 'web-shop', expiresAt: 'secret-value' }, LATER)
    const problem =
      'store: a code record is damaged at expiresAt: Invalid input: expected number, received string;'
    await expect(async () => codes[read]('a')).rejects.toMatchObject({
      name: 'DamagedRecord',
      message: `${problem} ${ADVICE}`,
    })
  },
)

test('A record that is no object is refused without the name of a member', async () => {
  const { store, codes } = start()
  await store.put('code', 'a', null, LATER)
  const problem = 'store: a code record is damaged: Invalid input: expected object, received null;'
  await expect(async () => codes.get('a')).rejects.toThrow(`${problem} ${ADVICE}`)
  await expect(async () => codes.get('a')).rejects.not.toHaveProperty('cause')
})

test('A damaged record is refused with the remedy of its kind', () => {
  const deep = { name: 'x', schema: z.object({ a: z.array(z.string()) }), remedy: 'remove it' }
  const inside =
    'store: a x record is damaged at a.0: Invalid input: expected string, received number;'
  expect(() => parseRecord(deep, { a: [1] })).toThrow(`${inside} remove it, or empty the store`)
})

test('A stored text that is no JSON is refused by its key, without the text', () => {
  expect(parseStored('{"a":1}', 'k')).toEqual({ a: 1 })
  const read = () => parseStored('secret-value', 'tenant:code:a')
  const remedy = 'remove it there, or empty the store and start again'
  const message = `store: the record under tenant:code:a is damaged: it is no JSON; ${remedy}`
  expect(read).toThrow(
    expect.objectContaining({ name: 'DamagedRecord', message, cause: expect.any(SyntaxError) }),
  )
})

test('Each record stays in the store for a week after its end', async () => {
  const store = createMemoryStore({ clock: { now: () => NOW } })
  const kept: unknown[] = []
  const note = (
    kind: string,
    expiresAt: number,
    { isUnfinished }: { isUnfinished?: boolean | undefined } = {},
  ) => kept.push([kind, (expiresAt - NOW) / 1000 - 7 * 86_400, isUnfinished])
  const put: Store['put'] = (kind, id, value, expiresAt, options) => {
    note(kind, expiresAt, options)
    return store.put(kind, id, value, expiresAt, options)
  }
  const write: Store['write'] = (changes) => {
    for (const one of changes)
      if (one.kind === 'put') note(one.collection, one.expiresAt, one.options)
    return store.write(changes)
  }
  const policy = { ...DEFAULT_POLICY, accessTokenUse: 'single' } as const
  const service = createService(createProvider({ policy, store: { ...store, put, write } }))
  await service.push()
  const code = await service.obtainCode()
  await service.upgrade((await service.exchange(code)).response.access_token)
  await refused(() => service.exchange(code))
  expect(kept).toEqual([
    ['pushed_request', 90, true],
    ['code', 600, undefined],
    ['code.spent', 600, undefined],
    ['access_token', 10_800, undefined],
    ['access_token.used', 10_800, undefined],
    ['code.replayed', 10_800, undefined],
  ])
})

const RECORD = { clientId: 'web-shop', expiresAt: NOW + 600_000 }

async function keepRecord() {
  let now = NOW
  const clock = { now: () => now }
  const store = createMemoryStore({ clock })
  const codes = spendables(kind)({ store })
  const spend = () => store.write(codes.spending('a', RECORD))
  await codes.put('a', RECORD)
  const moveTo = (instant: number) => {
    now = instant
  }
  return { codes, spend, clock, moveTo }
}

test('A spendable record is spent by exactly one of many callers', async () => {
  const { codes, spend } = await keepRecord()
  expect(await codes.find('a')).toEqual({ record: RECORD, isSpent: false })
  const spent = await Promise.all(Array.from({ length: 50 }).map(spend))
  expect(spent.filter((isSpent) => isSpent)).toHaveLength(1)
  expect(await codes.find('a')).toEqual({ record: RECORD, isSpent: true })
})

test('A spendable record expires at its end to the millisecond', async () => {
  const { clock, moveTo } = await keepRecord()
  moveTo(RECORD.expiresAt - 1)
  expect(isExpired(RECORD, { clock })).toBe(false)
  moveTo(RECORD.expiresAt)
  expect(isExpired(RECORD, { clock })).toBe(true)
})

test('A spendable record is remembered for seven days after its end', async () => {
  const { codes, moveTo } = await keepRecord()
  moveTo(RECORD.expiresAt + 7 * 86_400_000 - 1)
  expect(await codes.find('a')).toEqual({ record: RECORD, isSpent: false })
  moveTo(RECORD.expiresAt + 7 * 86_400_000)
  expect(await codes.find('a')).toBeUndefined()
})
