import type * as z from 'zod'
import { REMEMBERED_SECONDS } from './policy.ts'
import { type Awaitable, type RecordChange, type Store, whenThere } from './ports.ts'
import type { Provider } from './provider.ts'

/** A kind of records in a store: the name of the collection, and the schema of a record. */
export interface RecordKind<Value> {
  readonly name: string
  readonly schema: z.ZodType<Value>
  /**
   * Set for records that wait for a user or a client who may never come. A full store removes these
   * records first.
   */
  readonly isUnfinished?: true
  /** The remedy for a damaged record, if resetting its tenant does not remove it. */
  readonly remedy?: string
}

/**
 * Opens the collection of one kind of records in a store. Each read validates the record.
 * @throws DamagedRecord when a record does not match its schema
 */
export function collection<Value>(kind: RecordKind<Value>) {
  const { name } = kind
  const parse = (value: unknown) => (value === undefined ? undefined : parseRecord(kind, value))
  return oncePerStore((store) => ({
    /** @param expiresAt milliseconds since the UNIX epoch, by the sandbox clock */
    put: (id: string, value: Value, expiresAt: number) =>
      store.put(name, id, value, expiresAt, kind),
    get: (id: string) => whenThere(store.get(name, id), parse),
    /**
     * Returns and removes the record in one step. Exactly one of two concurrent callers receives
     * it.
     */
    take: (id: string) => whenThere(store.take(name, id), parse),
    /** `put` as a change for `Store.write`. */
    putting: (id: string, value: Value, expiresAt: number): RecordChange => {
      return { kind: 'put', collection: name, id, value, expiresAt, options: kind }
    },
    /** `take` as a change for `Store.write`. */
    taking: (id: string): RecordChange => ({ kind: 'take', collection: name, id }),
  }))
}

/** Creates an object once for each store, not once for each call. */
export function oncePerStore<Made>(
  make: (store: Store) => Made,
): (ports: { readonly store: Store }) => Made {
  const made = new WeakMap<Store, Made>()
  return ({ store }) => {
    const known = made.get(store)
    if (known !== undefined) return known
    const first = make(store)
    made.set(store, first)
    return first
  }
}

/**
 * Validates a stored record.
 * @throws DamagedRecord with the kind and the member
 */
export function parseRecord<Value>(
  { name, schema, remedy = 'reset the tenant' }: RecordKind<Value>,
  value: unknown,
): Value {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const [first] = parsed.error.issues
  const member = first?.path.length ? ` at ${first.path.map(String).join('.')}` : ''
  throw new DamagedRecord(`a ${name} record`, { how: `${member}: ${first?.message}`, remedy })
}

/**
 * A stored record that the sandbox cannot have written. The message repeats no value, because a
 * record may hold secrets.
 */
export class DamagedRecord extends Error {
  override readonly name = 'DamagedRecord'
  /**
   * @param what `a code record`, or the key of the record
   * @param details.how `: it is no JSON`
   */
  constructor(
    what: string,
    { how, remedy, cause }: { how: string; remedy: string; cause?: unknown },
  ) {
    const message = `store: ${what} is damaged${how}; ${remedy}, or empty the store and start again`
    super(message, cause === undefined ? undefined : { cause })
  }
}

/**
 * Parses the JSON that a store keeps under `key`.
 * @throws DamagedRecord when the text is not JSON
 */
export function parseStored(text: string, key: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new DamagedRecord(`the record under ${key}`, {
      how: ': it is no JSON',
      remedy: 'remove it there',
      cause,
    })
  }
}

/** `expiresAt` is in milliseconds since the UNIX epoch, by the sandbox clock. */
interface Expiring {
  readonly expiresAt: number
}

export interface Found<Value> {
  readonly record: Value
  readonly isSpent: boolean
}

/**
 * Opens a kind of records that are valid for some time and can be spent once: codes, pushed
 * requests. Spending moves a record to a second collection. Expired and spent records are kept for
 * a while, so that an error can say what happened to them.
 */
export function spendables<Value extends Expiring>(kind: RecordKind<Value>) {
  const [unspentOf, spentOf] = [
    collection(kind),
    collection({ name: `${kind.name}.spent`, schema: kind.schema }),
  ]
  return oncePerStore((store) => {
    const [unspent, spent] = [unspentOf({ store }), spentOf({ store })]
    const found = (isSpent: boolean) => (record: Value | undefined) => record && { record, isSpent }
    return {
      put: (id: string, record: Value) => unspent.put(id, record, forgottenAt(record)),
      /** The record, even if it is spent or expired. */
      find: (id: string): Awaitable<Found<Value> | undefined> =>
        whenThere(
          whenThere(unspent.get(id), found(false)),
          (there) => there ?? whenThere(spent.get(id), found(true)),
        ),
      /** The changes that spend a record. Only one of two concurrent callers can write them. */
      spending: (id: string, record: Value) => [
        unspent.taking(id),
        spent.putting(id, record, forgottenAt(record)),
      ],
    }
  })
}

/**
 * When an expired record is removed, in milliseconds since the UNIX epoch. It is kept after
 * `expiresAt`, so that an error can say that it expired.
 */
export const forgottenAt = ({ expiresAt }: Expiring) => expiresAt + REMEMBERED_SECONDS * 1000

/** Whether a record has expired by the sandbox clock. At `expiresAt` it has. */
export const isExpired = ({ expiresAt }: Expiring, { clock }: Pick<Provider, 'clock'>) =>
  clock.now() >= expiresAt

/**
 * The problem of an expired record: `expired 5 seconds ago by the sandbox clock; it lives 90
 * seconds`.
 */
export const expiredText = (
  record: Expiring,
  lifetimeSeconds: number,
  { clock }: Pick<Provider, 'clock'>,
): string => {
  const seconds = Math.floor((clock.now() - record.expiresAt) / 1000)
  return `expired ${seconds} second${seconds === 1 ? '' : 's'} ago by the sandbox clock; it lives ${lifetimeSeconds} seconds`
}
