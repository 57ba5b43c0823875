import { collection, oncePerStore, type RecordKind } from './collection.ts'
import { REMEMBERED_SECONDS } from './decisions.ts'
import { type Awaitable, type Change, type Store, whenThere } from './ports.ts'
import type { Provider } from './provider.ts'

/** A record with an end, in milliseconds of the clock. */
interface Expiring {
  readonly expiresAt: number
}

/**
 * Records that can be used for some time and spent once: codes, pushed requests.
 *
 * A record stays when it is spent or has expired, so that the service can say what became of it: spending moves it to the
 * spent ones.
 */
export interface Spendables<Value> {
  put(id: string, record: Value): Awaitable<void>
  /** The record, also a spent or expired one. */
  find(id: string): Awaitable<Found<Value> | undefined>
  /** The changes that spend it: of two callers one can write these changes. */
  spending(id: string, record: Value): readonly Change[]
}

export interface Found<Value> {
  readonly record: Value
  readonly isSpent: boolean
}

/** The spendable records of one kind. */
export function spendables<Value extends Expiring>(
  kind: RecordKind<Value>,
): (ports: { readonly store: Store }) => Spendables<Value> {
  const { name, schema } = kind
  const [unspentOf, spentOf] = [collection(kind), collection({ name: `${name}.spent`, schema })]
  return oncePerStore((store) => {
    const [unspent, spent] = [unspentOf({ store }), spentOf({ store })]
    const found = (isSpent: boolean) => (record: Value | undefined) => record && { record, isSpent }
    return {
      put: (id, record) => unspent.put(id, record, forgottenAt(record)),
      find: (id) =>
        whenThere(whenThere(unspent.get(id), found(false)), (there) => there ?? whenThere(spent.get(id), found(true))),
      spending: (id, record) => [unspent.taking(id), spent.putting(id, record, forgottenAt(record))],
    }
  })
}

/** Until when a record is kept, in milliseconds of the clock: beyond its end, so that the service can say that it has expired. */
export const forgottenAt = ({ expiresAt }: Expiring) => expiresAt + REMEMBERED_SECONDS * 1000

/** Lifetimes are kept to the second: at `expiresAt` it is over. */
export const isExpired = ({ expiresAt }: Expiring, { clock }: Pick<Provider, 'clock'>) => clock.now() >= expiresAt

/** `expired 5 seconds ago by the sandbox clock; it lives 90 seconds`. */
export const expiredText = (record: Expiring, lifetimeSeconds: number, { clock }: Pick<Provider, 'clock'>): string => {
  const seconds = Math.floor((clock.now() - record.expiresAt) / 1000)
  return `expired ${seconds} second${seconds === 1 ? '' : 's'} ago by the sandbox clock; it lives ${lifetimeSeconds} seconds`
}
