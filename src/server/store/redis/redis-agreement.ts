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

/**
 * The key that holds the version of the sandbox that wrote the records. The keys of all records
 * contain that version.
 */
const VERSION_KEY = 'agekey-sandbox:version'

/** The table and the id of the row with the signing keys. */
const TABLE = 'signing'
const ID = 'initial'

/**
 * The records that all replicas share in Redis: the version that wrote the records, and the signing
 * keys. Redis may lose both while replicas run: through FLUSHALL, a restart without persistence, or
 * a failover to an empty server.
 */
export interface Agreement {
  /**
   * Writes the version if Redis has none.
   * @throws Error with one line: Redis holds another version or refuses the call
   */
  beginWithVersion(): Promise<void>
  /**
   * Reads the signing keys of all replicas; the first replica creates them. From then on `agree`
   * runs at each new connection and once a second.
   * @returns the current signing keys, which `agree` may replace
   * @throws Error with one line: the record is damaged, or Redis refuses the call
   */
  beginWithKeys(make: () => Promise<SigningKeys>): Promise<KeySource>
  /**
   * Writes the version and this replica's keys where Redis has none; otherwise takes the keys from
   * Redis. If several replicas find a record missing, one of them writes it.
   * @throws Refusal 503 while a record cannot be used, read or written
   */
  agree(): Promise<void>
}

export interface AgreementOptions {
  readonly version: string
  readonly tables: RedisTables
  /** Called when this replica wrote its keys again, or took other keys. */
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
      // Errors are ignored here: each call runs `agree` again and reports them to its caller.
      redis.onPulse(() => void agree().catch(() => {}))
      return () => signing.inUse() ?? first
    },
  }
}

/**
 * Writes the version if Redis has none. The version is read first, so that a replica can start and
 * serve while Redis is read-only.
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
  /** The current signing keys; absent before the first agreement. */
  inUse(): SigningKeys | undefined
  /**
   * Takes the keys from Redis. If Redis has none, writes the keys of this replica, or new ones.
   * @throws UnusableRecord for a damaged record
   */
  agree(make: () => Promise<SigningKeys>): Promise<SigningKeys>
  /** Runs `agree` with the current keys; does nothing before the first agreement. */
  agreeAgain(): Promise<void>
}

function createSigningRecord(redis: Redis, { tables, onWarning }: AgreementOptions): SigningRecord {
  const { address } = redis
  const key = tables.keyOf(TABLE)
  let inUse: { readonly text: string; readonly keys: SigningKeys } | undefined
  /**
   * The record that was read last, so that each record is imported only once, even a damaged one.
   */
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
    // Another call may have read a newer record in the meantime.
    if (inUse && record !== latest) return inUse.keys
    if (inUse?.text === text) return inUse.keys
    if (inUse && inUse.keys.RS256.kid !== keys.RS256.kid) onWarning(keysWereReplaced(address))
    inUse = { text, keys }
    return keys
  }
  const agree = async (make: () => Promise<SigningKeys>) => {
    // Read first, so that a replica can start and serve while Redis is read-only.
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

/** This replica cannot use a record. The message begins with the address of the store. */
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

/** Runs `act` at the start: its errors become one line with the address and the key. */
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

/** The message of an error without the store address at its beginning. */
const reasonOf = (cause: unknown) => messageOf(cause).replace(/^(the )?store:? (at \S+ )?/, '')

const keysWereMissing = (address: string) =>
  `store: ${address} had lost the signing keys; this replica has written its keys there again. Codes, tokens, flows, tenants ` +
  'and settings may be lost too'

const keysWereReplaced = (address: string) =>
  `store: ${address} holds other signing keys now, and this replica signs with them; clients that remember the old key set refuse ` +
  'new tokens until they read it again'
