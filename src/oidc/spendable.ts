import * as z from 'zod'
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
 * A record stays when it is spent or has expired, so that the service can say what became of it; the right to spend it
 * is a record of its own that only one caller can take.
 */
export interface Spendables<Value> {
  put(id: string, record: Value): Awaitable<boolean>
  /** The record, also a spent or expired one. */
  find(id: string): Awaitable<Value | undefined>
  isUnspent(id: string): Awaitable<boolean>
  /** The change that spends it: of two callers one can write this change. */
  spending(id: string): Change
}

/** The spendable records of one kind. */
export function spendables<Value extends Expiring>(
  kind: RecordKind<Value>,
): (ports: { readonly store: Store }) => Spendables<Value> {
  const [recordsOf, rightsOf] = [collection(kind), collection({ ...kind, name: `${kind.name}.unspent`, schema: RIGHT })]
  return oncePerStore((store) => {
    const records = recordsOf({ store })
    const rights = rightsOf({ store })
    return {
      put: (id, record) =>
        store.write([records.putting(id, record, forgottenAt(record)), rights.putting(id, true, forgottenAt(record))]),
      find: records.get,
      isUnspent: (id) => whenThere(rights.get(id), (right) => right !== undefined),
      spending: rights.taking,
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

const RIGHT = z.literal(true)
