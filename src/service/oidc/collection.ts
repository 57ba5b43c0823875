import type * as z from 'zod'
import { REMEMBERED_SECONDS } from './policy.ts'
import { type Awaitable, type RecordChange, type Store, whenThere } from './ports.ts'
import type { Provider } from './provider.ts'

/** One kind of records in a store: its name, and the schema of a record. */
export interface RecordKind<Value> {
  readonly name: string
  readonly schema: z.ZodType<Value>
  /**
   * Records that wait for a user or a client who may never come; they go first when there is no
   * room.
   */
  readonly isUnfinished?: true
  /** What to do about a damaged record that a reset of its tenant does not remove. */
  readonly remedy?: string
}

/**
 * Opens the collection of one kind in a store. Reading parses a record, and throws an Error for a
 * damaged one.
 */
export function collection<Value>(kind: RecordKind<Value>) {
  const { name } = kind
  const parse = (value: unknown) => (value === undefined ? undefined : parseRecord(kind, value))
  return oncePerStore((store) => ({
    /** @param expiresAt milliseconds of the sandbox clock */
    put: (id: string, value: Value, expiresAt: number) =>
      store.put(name, id, value, expiresAt, kind),
    get: (id: string) => whenThere(store.get(name, id), parse),
    /** Returns and removes the record in one step: exactly one of two callers receives it. */
    take: (id: string) => whenThere(store.take(name, id), parse),
    /** `put` as a change for `Store.write`. */
    putting: (id: string, value: Value, expiresAt: number): RecordChange => {
      return { kind: 'put', collection: name, id, value, expiresAt, options: kind }
    },
    /** `take` as a change for `Store.write`. */
    taking: (id: string): RecordChange => ({ kind: 'take', collection: name, id }),
  }))
}

/** Creates an object once for each store instead of once for each call. */
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

/** Parses a record of the store. @throws DamagedRecord that names kind and member */
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
 * A stored record that the sandbox cannot have written so. The message repeats no value: a record
 * may hold secrets.
 */
export class DamagedRecord extends Error {
  override readonly name = 'DamagedRecord'
  /** @param what `a code record`, or the key of it @param details.how `: it is no JSON` */
  constructor(
    what: string,
    { how, remedy, cause }: { how: string; remedy: string; cause?: unknown },
  ) {
    const message = `store: ${what} is damaged${how}; ${remedy}, or empty the store and start again`
    super(message, cause === undefined ? undefined : { cause })
  }
}

/** The JSON value that a store keeps under `key`. @throws DamagedRecord */
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

/** A record that expires, in milliseconds of the clock. */
interface Expiring {
  readonly expiresAt: number
}

export interface Found<Value> {
  readonly record: Value
  readonly isSpent: boolean
}

/**
 * Records that can be used for some time and spent once: codes, pushed requests. A spent or expired
 * record is kept for a while, so that the service can say what happened to it: spending moves it to
 * the spent ones.
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
      /** The record, also a spent or expired one. */
      find: (id: string): Awaitable<Found<Value> | undefined> =>
        whenThere(
          whenThere(unspent.get(id), found(false)),
          (there) => there ?? whenThere(spent.get(id), found(true)),
        ),
      /** The changes that spend a record: only one of two callers can write them. */
      spending: (id: string, record: Value) => [
        unspent.taking(id),
        spent.putting(id, record, forgottenAt(record)),
      ],
    }
  })
}

/**
 * When a record is removed, in milliseconds of the clock: some time after its end, so that the
 * service can say that it expired.
 */
export const forgottenAt = ({ expiresAt }: Expiring) => expiresAt + REMEMBERED_SECONDS * 1000

/** Lifetimes are kept to the second: a record is expired at `expiresAt`. */
export const isExpired = ({ expiresAt }: Expiring, { clock }: Pick<Provider, 'clock'>) =>
  clock.now() >= expiresAt

/** `expired 5 seconds ago by the sandbox clock; it lives 90 seconds`. */
export const expiredText = (
  record: Expiring,
  lifetimeSeconds: number,
  { clock }: Pick<Provider, 'clock'>,
): string => {
  const seconds = Math.floor((clock.now() - record.expiresAt) / 1000)
  return `expired ${seconds} second${seconds === 1 ? '' : 's'} ago by the sandbox clock; it lives ${lifetimeSeconds} seconds`
}
