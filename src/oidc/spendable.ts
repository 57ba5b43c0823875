import * as z from 'zod'
import { collection, type RecordKind } from './collection.ts'
import { REMEMBERED_SECONDS } from './decisions.ts'
import type { Store } from './ports.ts'
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
  put(id: string, record: Value): Promise<void>
  /** The record, also a spent or expired one. */
  find(id: string): Promise<Value | undefined>
  /** Replaces the record; a spent one stays spent. */
  replace(id: string, record: Value): Promise<void>
  isUnspent(id: string): Promise<boolean>
  /** `true` for one caller only. */
  spend(id: string): Promise<boolean>
}

/** The spendable records of one kind. */
export function spendables<Value extends Expiring>(store: Store, kind: RecordKind<Value>): Spendables<Value> {
  const records = collection(store, kind)
  const rights = collection(store, { ...kind, name: `${kind.name}.unspent`, schema: RIGHT })
  const replace = (id: string, record: Value) => records.put(id, record, forgottenAt(record))
  return {
    async put(id, record) {
      await replace(id, record)
      await rights.put(id, true, forgottenAt(record))
    },
    find: records.get,
    replace,
    isUnspent: async (id) => (await rights.get(id)) !== undefined,
    spend: async (id) => (await rights.take(id)) !== undefined,
  }
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
