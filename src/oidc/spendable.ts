import { REMEMBERED_SECONDS } from './decisions.ts'
import type { Provider } from './provider.ts'

/**
 * A record that can be used for some time and spent once: a code, a pushed request.
 *
 * The record stays behind when it is spent or has expired, so that the service can say what became of it; the right
 * to spend it is a record of its own that only one caller can take.
 */
export interface Spendable {
  readonly clientId: string
  /** Milliseconds of the clock. */
  readonly expiresAt: number
}

export async function putSpendable(
  kind: string,
  id: string,
  { record, provider }: { record: Spendable; provider: Provider },
): Promise<void> {
  const forgottenAt = record.expiresAt + REMEMBERED_SECONDS * 1000
  await provider.store.put(kind, id, record, forgottenAt)
  await provider.store.put(`${kind}.unspent`, id, true, forgottenAt)
}

/** Whether nobody has spent it yet. */
export const isUnspent = async (kind: string, id: string, provider: Provider) =>
  (await provider.store.get(`${kind}.unspent`, id)) !== undefined

/** Spends it: `true` for one caller only. */
export const spend = async (kind: string, id: string, provider: Provider) =>
  (await provider.store.take(`${kind}.unspent`, id)) !== undefined

/** Lifetimes are kept to the second: at `expiresAt` it is over. */
export const isExpired = (record: { readonly expiresAt: number }, provider: Provider) =>
  provider.clock.now() >= record.expiresAt
