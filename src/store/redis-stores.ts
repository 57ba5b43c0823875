import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { messageOf } from '../files/caught.ts'
import { isUnavailable, Refusal } from '../oidc/refusal.ts'
import { startStopwatch } from '../sandbox/clock/clock.ts'
import { importKeys, storedForm, storedKeysSchema } from '../sandbox/keys/signing-keys.ts'
import type { Change } from '../sandbox/tenants/shared-parts.ts'
import { table } from '../sandbox/tenants/tables.ts'
import { ANSWER_WITHIN_MS, connectRedis, type Redis, type RedisEvents } from './redis.ts'
import { createRedisDirectory } from './redis-directory.ts'
import { createRedisJournal } from './redis-journal.ts'
import { replyCode } from './redis-problem.ts'
import type { ChangeTexts } from './redis-scripts.ts'
import { createRedisStore } from './redis-store.ts'
import { createRedisTables } from './redis-tables.ts'
import type { Stores } from './stores.ts'

/** Holds the version that wrote the records; the keys of the records begin with it. */
const VERSION_KEY = 'agekey-sandbox:version'

/**
 * All stores in Redis or Valkey, so that any number of processes act as one sandbox. Keys are
 * `agekey-sandbox:{version}:{tenant}:...`; those of no tenant have a word with a leading underscore as {tenant}.
 * @param options.version records of another version are refused
 * @throws Error with one line: Redis cannot be reached, or holds records of another version
 */
export async function openRedisStores(
  url: string,
  { version, ...events }: RedisEvents & { version: string },
): Promise<Stores> {
  const redis = await connectRedis(url, events)
  try {
    const foundVersion = () => redis.call((client) => client.get(VERSION_KEY))
    // Read first: a replica also starts while records cannot be written.
    if ((await foundVersion()) === null) {
      await redis.call((client) => client.set(VERSION_KEY, version, { condition: 'NX' }))
    }
    const found = await foundVersion()
    if (found !== version) throw new Error(versionProblem(redis.address, { found: String(found), version }))

    const prefix = `agekey-sandbox:${version}:`
    const order = `${prefix}_order`
    const tables = (name: string) => createRedisTables(redis, { prefix: `${prefix}${name}:`, order })
    const writeInTime = createTimelyWriter(redis, { order, commits: `${prefix}_commits:` })
    return {
      journal: await createRedisJournal(redis, { prefix: `${prefix}_journal:`, channel: `${prefix}_events` }),
      directory: createRedisDirectory(redis, { prefix: `${prefix}_tenants:`, order }),
      isShared: true,
      createRecords(tenant, clock) {
        const store = createRedisStore(redis, { prefix: `${prefix}${tenant}:store:`, order, clock })
        const parts = { tables: tables(`${tenant}:changes`), stateTables: tables(`${tenant}:state`) }
        const textsOf = (change: Change) =>
          change.kind === 'row' ? parts[change.part].textsOf(change) : store.textsOf(change)
        const commit = (changes: readonly Change[]) => writeInTime(changes.map(textsOf))
        return { store, ...parts, commit }
      },
      async agreeOnKeys(make) {
        const remedy = 'remove the key'
        const kept = table(tables('_keys'), { name: 'signing', schema: storedKeysSchema, remedy })
        try {
          if ((await kept.get('initial')) === undefined) await kept.add('initial', storedForm(await make()))
          const agreed = await kept.get('initial')
          if (!agreed) throw new Error('they have gone; start again')
          return await importKeys(agreed)
        } catch (cause) {
          throw startProblem(redis.address, { key: `${prefix}_keys:table:signing`, what: 'the signing keys', cause })
        }
      },
      // A write, and each time: a store that is full or read-only answers all reads.
      check: async () => void (await redis.call((client) => client.set(`${prefix}_health`, '1'))),
      close: redis.close,
    }
  } catch (cause) {
    redis.close()
    throw cause instanceof Refusal
      ? startProblem(redis.address, { key: VERSION_KEY, what: 'the version', cause })
      : cause
  }
}

/** Why the records that every start reads cannot be used, in one line. */
function startProblem(address: string, { key, what, cause }: { key: string; what: string; cause: unknown }): Error {
  const reason = messageOf(cause).replace(/^(the )?store:? (at \S+ )?/, '')
  return new Error(`store: ${address}, key ${key} (${what}): ${reason}`, { cause })
}

function versionProblem(address: string, { found, version }: { found: string; version: string }): string {
  return (
    `store: ${address} holds records of agekey-sandbox ${found}, and this is ${version}; ` +
    'name another database (redis://HOST:PORT/1), or stop the other replicas and remove every key that begins with agekey-sandbox:'
  )
}

/**
 * Writes the changes of a call while it is waited for: a Redis that was silent must not spend a code, when it answers again, whose
 * token can no longer be given. When the connection breaks, the next one is asked whether they are written.
 * @param keys.order the key of the counter behind the order
 * @param keys.commits prefix of the keys that say for a while what was written
 */
function createTimelyWriter(
  redis: Redis,
  { order, commits }: { order: string; commits: string },
): (changes: readonly ChangeTexts[]) => Promise<boolean> {
  const sinceStart = startStopwatch()
  /** The clock of Redis less that of the stopwatch, as the last answer said. */
  let difference: number | undefined
  const write = async (changes: readonly ChangeTexts[], options?: { notAfter: number; commit: string }) => {
    const { result, now } = await redis.call((client) => client.writeChanges(order, changes, options))
    difference = now - sinceStart()
    return result
  }
  return async (changes) => {
    const end = sinceStart() + ANSWER_WITHIN_MS
    const commit = commits + randomUUID()
    const attempt = async () => {
      for (;;) {
        try {
          return await write(changes, { notAfter: Math.floor(end + (difference ?? 0)), commit })
        } catch (error) {
          if (!isConnectionLost(error) || sinceStart() >= end) throw error
          await pause(CONNECT_AGAIN_MS)
        }
      }
    }
    if (difference === undefined) await write([])
    for (;;) {
      const result = await attempt()
      if (result !== 'late') return result === 'written'
      // The clock of Redis was put forward, unless it really took so long.
      if (sinceStart() >= end) throw Refusal.unavailable(`the store at ${redis.address} answers too late; try again`)
    }
  }
}

/** What a lost connection takes to be there again, when Redis is. */
const CONNECT_AGAIN_MS = 50

/** Not so for an answer that is an error: then nothing was written. */
const isConnectionLost = (error: unknown) =>
  error instanceof Error && isUnavailable(error) && replyCode(error.cause) === undefined
