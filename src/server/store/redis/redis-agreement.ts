import { messageOf } from '../../../sandbox/files/caught.ts'
import { importKeptKeys } from '../../../sandbox/keys/kept-keys.ts'
import type { KeySource } from '../../../sandbox/keys/key-ring.ts'
import {
  type SigningKeys,
  storedForm,
  storedKeysSchema,
} from '../../../sandbox/keys/signing-keys.ts'
import { DamagedRecord, parseRecord, parseStored } from '../../../service/oidc/collection.ts'
import { Refusal } from '../../../service/oidc/refusal.ts'
import type { Redis } from './redis.ts'
import { contentIn, type RedisTables } from './redis-tables.ts'

/** The key with the version that wrote the records; their keys begin with the version. */
const VERSION_KEY = 'agekey-sandbox:version'

/** The table and the id of the row with the signing keys. */
const TABLE = 'signing'
const ID = 'initial'

/**
 * The records that every replica expects in Redis: the version that wrote the records, and the
 * signing keys. Redis may lose them while replicas run: by FLUSHALL, a restart without persistence,
 * or a failover to an empty Redis.
 */
export interface Agreement {
  /**
   * Writes the version if there is none.
   * @throws Error with one line: another version, or Redis refuses the call
   */
  beginWithVersion(): Promise<void>
  /**
   * Finds the signing keys of all replicas; the first replica makes them. From then on the replica
   * agrees at each new connection and each second.
   * @returns the keys that sign at present: `agree` may replace them
   * @throws Error with one line: the record is damaged, or Redis refuses the call
   */
  beginWithKeys(make: () => Promise<SigningKeys>): Promise<KeySource>
  /**
   * Writes the version and the keys of this replica where they are missing, and takes the keys of
   * the record otherwise. Of several replicas that find a record missing, one writes it.
   * @throws Refusal (503) while a record cannot be used, read or written
   */
  agree(): Promise<void>
}

export interface AgreementOptions {
  readonly version: string
  readonly tables: RedisTables
  /** Called when this replica has written its keys again, or has taken other keys. */
  onWarning(message: string): void
}

/** Creates the agreement of this replica with the others. */
export function createAgreement(redis: Redis, options: AgreementOptions): Agreement {
  const { address } = redis
  const { version } = options
  const signing = createSigningRecord(redis, options)
  const agreeOnVersion = () => requireVersion(redis, version)
  const agree = async () => {
    try {
      await Promise.all([agreeOnVersion(), signing.agreeAgain()])
    } catch (cause) {
      throw cause instanceof UnusableRecord
        ? Refusal.unavailable(`the store at ${cause.message}`, cause)
        : cause
    }
  }
  return {
    agree,
    beginWithVersion: () =>
      atStart({ address, key: VERSION_KEY, what: 'the version' }, agreeOnVersion),
    async beginWithKeys(make) {
      const record = { address, key: signing.key, what: 'the signing keys' }
      const first = await atStart(record, () => signing.agree(make))
      // A call tells its caller when it cannot agree.
      redis.onPulse(() => void agree().catch(() => {}))
      return () => signing.inUse() ?? first
    },
  }
}

/**
 * Writes the version if there is none. It is read first: a replica also starts and serves while
 * nothing can be written.
 * @throws UnusableRecord for another version
 */
async function requireVersion(redis: Redis, version: string): Promise<void> {
  const read = () => redis.call((client) => client.get(VERSION_KEY))
  let found = await read()
  if (found === null) {
    await redis.call((client) => client.set(VERSION_KEY, version, { condition: 'NX' }))
    found = await read()
  }
  if (found !== null && found !== version) throw otherVersion(redis.address, { found, version })
}

/** The record of the signing keys, and the keys of this replica. */
interface SigningRecord {
  /** The key of the record in Redis. */
  readonly key: string
  /** The keys that sign at present; absent before the first agreement. */
  inUse(): SigningKeys | undefined
  /**
   * Takes the keys of the record; writes those of this replica, or new ones, if there is none.
   * @throws UnusableRecord for a damaged record
   */
  agree(make: () => Promise<SigningKeys>): Promise<SigningKeys>
  /** Agrees with the keys in use; does nothing before the first agreement. */
  agreeAgain(): Promise<void>
}

function createSigningRecord(redis: Redis, { tables, onWarning }: AgreementOptions): SigningRecord {
  const { address } = redis
  const key = tables.keyOf(TABLE)
  let inUse: { readonly text: string; readonly keys: SigningKeys } | undefined
  /** The record that was read last. Each record is imported once, a damaged one too. */
  let latest: { readonly text: string; readonly keys: Promise<SigningKeys> } | undefined

  const read = () => redis.call((client) => client.hGet(key, ID))
  const write = async (make: () => Promise<SigningKeys>) => {
    const keys = inUse?.keys ?? (await make())
    const isWritten = await tables.add(TABLE, ID, storedForm(keys))
    if (isWritten && inUse) onWarning(keysWereMissing(address))
  }
  const take = async (text: string): Promise<SigningKeys> => {
    if (latest?.text !== text) latest = { text, keys: importRecord(text, { address, key }) }
    const record = latest
    const keys = await record.keys
    // Another call may have read a newer record meanwhile.
    if (inUse && record !== latest) return inUse.keys
    if (inUse?.text === text) return inUse.keys
    if (inUse && inUse.keys.RS256.kid !== keys.RS256.kid) onWarning(keysWereReplaced(address))
    inUse = { text, keys }
    return keys
  }
  const agree = async (make: () => Promise<SigningKeys>) => {
    // The record is read first: a replica also starts and serves while nothing can be written.
    let row = await read()
    if (row === null) {
      await write(make)
      row = await read()
    }
    if (row === null)
      throw Refusal.unavailable(`the store at ${address} loses its records at once; try again`)
    return take(contentIn(row))
  }
  return {
    key,
    inUse: () => inUse?.keys,
    agree,
    async agreeAgain() {
      const keys = inUse?.keys
      if (keys) await agree(async () => keys)
    },
  }
}

/** A record that this replica cannot use. The message begins with the address of the store. */
class UnusableRecord extends Error {
  override readonly name = 'UnusableRecord'
}

const otherVersion = (address: string, { found, version }: { found: string; version: string }) =>
  new UnusableRecord(
    `${address} holds records of agekey-sandbox ${found}, and this is ${version}; ` +
      'name another database (redis://HOST:PORT/1), or stop the other replicas and remove every key that begins with agekey-sandbox:',
  )

async function importRecord(
  text: string,
  { address, key }: { address: string; key: string },
): Promise<SigningKeys> {
  const remedy = 'remove the key'
  const kind = { name: TABLE, schema: storedKeysSchema, remedy }
  try {
    const stored = parseRecord(kind, parseStored(text, `${key}, field ${ID}`))
    return await importKeptKeys(stored).catch((cause: unknown) => {
      throw new DamagedRecord(`a ${TABLE} record`, { how: `: ${messageOf(cause)}`, remedy, cause })
    })
  } catch (cause) {
    throw new UnusableRecord(`${address}, key ${key} (the signing keys): ${reasonOf(cause)}`, {
      cause,
    })
  }
}

/** Makes the errors of `act` those of a start, in one line with the address and the key. */
async function atStart<Result>(
  { address, key, what }: { address: string; key: string; what: string },
  act: () => Promise<Result>,
): Promise<Result> {
  try {
    return await act()
  } catch (cause) {
    if (cause instanceof UnusableRecord) throw new Error(`store: ${cause.message}`, { cause })
    if (!(cause instanceof Refusal)) throw cause
    throw new Error(`store: ${address}, key ${key} (${what}): ${reasonOf(cause)}`, { cause })
  }
}

/** The message of an error without the place that it names itself. */
const reasonOf = (cause: unknown) => messageOf(cause).replace(/^(the )?store:? (at \S+ )?/, '')

const keysWereMissing = (address: string) =>
  `store: ${address} had lost the signing keys; this replica has written its keys there again. Codes, tokens, flows, tenants ` +
  'and settings may be lost too'

const keysWereReplaced = (address: string) =>
  `store: ${address} holds other signing keys now, and this replica signs with them; clients that remember the old key set refuse ` +
  'new tokens until they read it again'
