import { messageOf } from '../files/caught.ts'
import { Refusal } from '../oidc/refusal.ts'
import { importKeys, storedForm, storedKeysSchema } from '../sandbox/keys/signing-keys.ts'
import { table } from '../sandbox/tables.ts'
import { MAX_TENANTS, type TenantDirectory } from '../sandbox/tenants/tenant-directory.ts'
import { connectRedis, type Redis, type RedisEvents } from './redis.ts'
import { createRedisJournal } from './redis-journal.ts'
import { createRedisStore, createRedisTables } from './redis-store.ts'
import type { Stores } from './stores.ts'

/** The key with the version that wrote the records; their keys begin with the version. */
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
    // Read first: a replica also starts while nothing can be written.
    if ((await foundVersion()) === null) {
      await redis.call((client) => client.set(VERSION_KEY, version, { condition: 'NX' }))
    }
    const found = await foundVersion()
    if (found !== version) {
      throw new Error(
        `store: ${redis.address} holds records of agekey-sandbox ${found}, and this is ${version}; ` +
          'name another database (redis://HOST:PORT/1), or stop the other replicas and remove every key that begins with agekey-sandbox:',
      )
    }

    const prefix = `agekey-sandbox:${version}:`
    const order = `${prefix}_order`
    const tables = (name: string) => createRedisTables(redis, { prefix: `${prefix}${name}:`, order })
    return {
      journal: await createRedisJournal(redis, { prefix: `${prefix}_journal:`, channel: `${prefix}_events` }),
      directory: createRedisDirectory(redis, { prefix: `${prefix}_tenants:`, order }),
      isShared: true,
      createRecords(tenant, clock) {
        const changed = tables(`${tenant}:changes`)
        const placed = { prefix: `${prefix}${tenant}:store:`, order, clock, rowTexts: changed.textsOf }
        return { store: createRedisStore(redis, placed), tables: changed, stateTables: tables(`${tenant}:state`) }
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
      // Writes each time, because a full or read-only store still answers reads.
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

/** Why the records for a start cannot be used, in one line. */
function startProblem(address: string, { key, what, cause }: { key: string; what: string; cause: unknown }): Error {
  const reason = messageOf(cause).replace(/^(the )?store:? (at \S+ )?/, '')
  return new Error(`store: ${address}, key ${key} (${what}): ${reason}`, { cause })
}

/**
 * The tenants of all replicas, in three keys: touched and declared ones, each sorted by their last use, and removed ones whose
 * records are still there. `order` is the key of the counter that sorts them.
 */
export function createRedisDirectory(
  redis: Redis,
  { prefix, order, max = MAX_TENANTS }: { prefix: string; order: string; max?: number },
): TenantDirectory {
  const [touched, declared, leaving] = [`${prefix}touched`, `${prefix}declared`, `${prefix}leaving`]
  const use = (name: string, declares: boolean) =>
    redis.call((client) => client.useTenant([touched, declared, order, leaving], { name, declares, max }))
  return {
    touch: (name) => use(name, false),
    declare: (name) => use(name, true),
    async has(name) {
      const scores = await redis.call((client) => client.multi().zScore(touched, name).zScore(declared, name).exec())
      return scores.some((score) => score !== null)
    },
    async list() {
      const names = await redis.call((client) =>
        client.multi().zRange(touched, 0, -1).zRange(declared, 0, -1).execTyped(),
      )
      return names.flat()
    },
    async remove(name) {
      const removed = await redis.call((client) => client.multi().zRem(touched, name).zRem(declared, name).execTyped())
      return removed.includes(1)
    },
    async forgotten(name) {
      await redis.call((client) => client.sRem(leaving, name))
    },
  }
}
