import * as z from 'zod'
import type { TenantStore } from '../../../sandbox/tables.ts'
import { MAX_TENANTS, type TenantDirectory } from '../../../sandbox/tenants/shared-parts.ts'
import { parseRecord, parseStored } from '../../../service/oidc/collection.ts'
import type { Clock, RecordChange } from '../../../service/oidc/ports.ts'
import type { Stores } from '../stores.ts'
import { connectRedis, type Redis, type RedisEvents } from './redis.ts'
import { createAgreement } from './redis-agreement.ts'
import { createRedisJournal } from './redis-journal.ts'
import type { ChangeTexts } from './redis-scripts.ts'
import { createRedisTables, type RowChange } from './redis-tables.ts'

/**
 * Opens all stores in Redis or Valkey, so that any number of processes act as one sandbox. Keys are
 * `agekey-sandbox:{version}:{tenant}:...`. Keys that belong to no tenant have a word with a leading
 * underscore as {tenant}.
 * @param options.version the version of this sandbox; records of another version are refused
 * @param options.onWarning called when Redis has lost or replaced the signing keys
 * @throws Error with one line: Redis cannot be reached, or holds records of another version
 */
export async function openRedisStores(
  url: string,
  {
    version,
    onWarning,
    ...events
  }: RedisEvents & { version: string; onWarning?: (message: string) => void },
): Promise<Stores> {
  const redis = await connectRedis(url, events)
  try {
    const prefix = `agekey-sandbox:${version}:`
    const order = `${prefix}_order`
    const tables = (name: string) =>
      createRedisTables(redis, { prefix: `${prefix}${name}:`, order })
    const { beginWithVersion, beginWithKeys, agree } = createAgreement(redis, {
      version,
      tables: tables('_keys'),
      onWarning: (message) => onWarning?.(message),
    })
    await beginWithVersion()
    return {
      journal: await createRedisJournal(redis, {
        prefix: `${prefix}_journal:`,
        channel: `${prefix}_events`,
      }),
      directory: createRedisDirectory(redis, { prefix: `${prefix}_tenants:`, order }),
      createRecords(tenant, clock) {
        const changed = tables(`${tenant}:changes`)
        const placed = {
          prefix: `${prefix}${tenant}:store:`,
          order,
          clock,
          rowTexts: changed.textsOf,
        }
        return {
          store: createRedisStore(redis, placed),
          tables: changed,
          stateTables: tables(`${tenant}:state`),
        }
      },
      agreeOnKeys: beginWithKeys,
      agree,
      // Checks by a write, because a full or read-only store still answers reads.
      check: async () => void (await redis.call((client) => client.set(`${prefix}_health`, '1'))),
      close: redis.close,
    }
  } catch (cause) {
    redis.close()
    throw cause
  }
}

/**
 * The tenants of all replicas, in three keys: touched tenants and declared tenants, both sorted by
 * last use, and removed tenants whose records still exist. `order` is the key of the counter that
 * sorts the tenants.
 */
export function createRedisDirectory(
  redis: Redis,
  { prefix, order, max = MAX_TENANTS }: { prefix: string; order: string; max?: number },
): TenantDirectory {
  const [touched, declared, leaving] = [`${prefix}touched`, `${prefix}declared`, `${prefix}leaving`]
  const use = (name: string, declares: boolean) =>
    redis.call((client) =>
      client.useTenant([touched, declared, order, leaving], { name, declares, max }),
    )
  return {
    touch: (name) => use(name, false),
    declare: (name) => use(name, true),
    async has(name) {
      const scores = await redis.call((client) =>
        client.multi().zScore(touched, name).zScore(declared, name).exec(),
      )
      return scores.some((score) => score !== null)
    },
    async list() {
      const names = await redis.call((client) =>
        client.multi().zRange(touched, 0, -1).zRange(declared, 0, -1).execTyped(),
      )
      return names.flat()
    },
    async remove(name) {
      const removed = await redis.call((client) =>
        client.multi().zRem(touched, name).zRem(declared, name).execTyped(),
      )
      return removed.includes(1)
    },
    async forgotten(name) {
      await redis.call((client) => client.sRem(leaving, name))
    },
  }
}

/**
 * Milliseconds of real time that Redis keeps a record beyond its lifetime. The sandbox clock, which
 * may be frozen or moved back, decides whether the record has expired; Redis only removes forgotten
 * records.
 */
const KEPT_BEYOND_MS = 24 * 60 * 60 * 1000
const MAX_KEPT_MS = 10 * 365 * KEPT_BEYOND_MS

interface RedisStoreOptions {
  readonly clock: Clock
  /**
   * The prefix of all keys: one key for each record, and a sorted set of ids, in the order of
   * writing, for each collection.
   */
  readonly prefix: string
  /** The key of the counter that orders records. */
  readonly order: string
  /**
   * Maximum number of records in a collection (default 100,000). Beyond the limit the oldest is
   * removed.
   */
  readonly limit?: number
  /** Converts a change of a table row for the script. */
  rowTexts(change: RowChange): ChangeTexts
}

const recordSchema = z.tuple([z.number(), z.unknown()])

/**
 * Creates the store of one tenant in Redis. A record is a JSON array of its expiry and its value.
 */
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
    const keptMs = Math.ceil(
      Math.min(Math.max(expiresAt - clock.now(), 0) + KEPT_BEYOND_MS, MAX_KEPT_MS),
    )
    const text = JSON.stringify([expiresAt, value])
    return [kind, records, id, text, collections, index, String(keptMs), String(limit)]
  }
  const write = (changes: readonly RecordChange[]) =>
    redis.call((client) => client.writeChanges(order, changes.map(textsOf)))
  const get = async (collection: string, id: string): Promise<unknown> => {
    const text = await redis.call((client) => client.get(recordsOf(collection) + id))
    if (text === null) return undefined
    // The message omits the id, which may be a code or a token.
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
      return value !== undefined && (await write([{ kind: 'take', collection, id }]))
        ? value
        : undefined
    },
    clear: () => redis.call((client) => client.clearRecords(collections)),
  }
}
