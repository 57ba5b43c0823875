import * as z from 'zod'
import { parseRecord, parseStored } from '../oidc/collection.ts'
import type { Clock, RecordChange } from '../oidc/ports.ts'
import type { Tables, TenantStore } from '../sandbox/tables.ts'
import type { Redis } from './redis.ts'
import type { ChangeTexts } from './redis-scripts.ts'

/**
 * Milliseconds of real time for which a record stays beyond its lifetime. The sandbox clock, which may be frozen or moved back, decides
 * whether it has expired; this limit only removes forgotten records.
 */
const KEPT_BEYOND_MS = 24 * 60 * 60 * 1000
const MAX_KEPT_MS = 10 * 365 * KEPT_BEYOND_MS

interface RedisStoreOptions {
  readonly clock: Clock
  /** The prefix of its keys: a key for each record, and for each collection a sorted set of ids in the order of writing. */
  readonly prefix: string
  /** The key of the counter that orders records. */
  readonly order: string
  /** Records per collection (default 100,000); beyond this limit the oldest goes. */
  readonly limit?: number
  /** A change of a table row for the script. */
  rowTexts(change: RowChange): ChangeTexts
}

const recordSchema = z.tuple([z.number(), z.unknown()])

/** The store of one tenant in Redis. A record is its expiry and its value, as JSON. */
export function createRedisStore(redis: Redis, options: RedisStoreOptions): TenantStore {
  const { clock, prefix, order, limit = 100_000, rowTexts } = options
  const collections = `${prefix}collections`
  const recordsOf = (collection: string) => `${prefix}record:${collection}:`
  const indexOf = (collection: string) => `${prefix}index:${collection}`
  const textsOf = (change: RecordChange): ChangeTexts => {
    if (change.kind === 'row') return rowTexts(change)
    const { kind, collection, id } = change
    const [records, index] = [recordsOf(collection), indexOf(collection)]
    if (kind === 'take') return [kind, records, id, '', '', index, '', '']
    const { value, expiresAt } = change
    const keptMs = Math.ceil(Math.min(Math.max(expiresAt - clock.now(), 0) + KEPT_BEYOND_MS, MAX_KEPT_MS))
    const text = JSON.stringify([expiresAt, value])
    return [kind, records, id, text, collections, index, String(keptMs), String(limit)]
  }
  const write = (changes: readonly RecordChange[]) =>
    redis.call((client) => client.writeChanges(order, changes.map(textsOf)))
  const get = async (collection: string, id: string): Promise<unknown> => {
    const text = await redis.call((client) => client.get(recordsOf(collection) + id))
    if (text === null) return undefined
    // The message leaves out the id, which may be a code or a token.
    const stored = parseStored(text, `${recordsOf(collection)}...`)
    const [expiresAt, value] = parseRecord({ name: collection, schema: recordSchema }, stored)
    return expiresAt > clock.now() ? value : undefined
  }
  return {
    get,
    write,
    async put(collection, id, value, expiresAt) {
      await write([{ kind: 'put', collection, id, value, expiresAt }])
    },
    async take(collection, id) {
      const value = await get(collection, id)
      return value !== undefined && (await write([{ kind: 'take', collection, id }])) ? value : undefined
    },
    clear: () => redis.call((client) => client.clearRecords(collections)),
  }
}

type RowChange = Omit<Extract<RecordChange, { readonly kind: 'row' }>, 'kind'>

/**
 * Tables in Redis: a hash for each, and a set with their names. A row is the place at which its id was first put, a colon, and the value
 * as JSON. `order` is the key of the counter for places.
 */
export function createRedisTables(
  redis: Redis,
  { prefix, order }: { prefix: string; order: string },
): Tables & { textsOf(change: RowChange): ChangeTexts } {
  const names = `${prefix}tables`
  const keyOf = (table: string) => `${prefix}table:${table}`
  const textsOf = ({ table, id, value, was }: RowChange): ChangeTexts => {
    const unless = was ? 'changed' : 'never'
    return ['row', keyOf(table), id, textOf(value), names, unless, textOf(was?.value), '']
  }
  const write = (change: RowChange) => redis.call((client) => client.writeChanges(order, [textsOf(change)]))
  const get = async (table: string, id: string) =>
    contentOf(await redis.call((client) => client.hGet(keyOf(table), id)), `${keyOf(table)}, field ${id}`)

  return {
    textsOf,
    get,
    async list(table) {
      const rows = await redis.call((client) => client.hGetAll(keyOf(table)))
      return [...rows]
        .sort(([, one], [, other]) => placeOf(one) - placeOf(other))
        .map(([id, row]) => [id, contentOf(row, `${keyOf(table)}, field ${id}`)] as const)
    },
    count: (table) => redis.call((client) => client.hLen(keyOf(table))),
    async put(table, id, value) {
      await write({ table, id, value })
    },
    add: (table, id, value) => write({ table, id, value, was: { value: undefined } }),
    async update(table, id, change) {
      for (;;) {
        const before = await get(table, id)
        const value = change(before)
        if (textOf(value) === textOf(before)) return value
        // Another caller was faster: its value must be changed now.
        if (await write({ table, id, value, was: { value: before } })) return value
      }
    },
    remove: async (table, id) => (await redis.call((client) => client.hDel(keyOf(table), id))) === 1,
    clear: () => redis.call((client) => client.clearTables(names)),
  }
}

const textOf = (value: unknown) => JSON.stringify(value) ?? ''
const placeOf = (row: string) => Number.parseInt(row, 10)
const contentOf = (row: string | null, key: string): unknown =>
  row === null ? undefined : parseStored(row.slice(row.indexOf(':') + 1), key)
