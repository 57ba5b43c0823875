import type { CreateTransaction } from '../../oidc/create.ts'
import { IDENTIFIER_BYTES, TRANSACTION_SECONDS } from '../../oidc/decisions.ts'
import { inSeconds, type Provider } from '../../oidc/provider.ts'
import type { Finding } from '../../oidc/rules/finding.ts'
import type { UseTransaction } from '../../oidc/use.ts'

/** An authorization request that waits for its user on a page. It stays on the server: the page knows only its id. */
export interface Pending {
  readonly transaction: UseTransaction | CreateTransaction
  /** Advice on the request. */
  readonly findings: readonly Finding[]
}

/** Keeps it and returns the id that the page posts. */
export async function keepPending(pending: Pending, provider: Provider): Promise<string> {
  const id = provider.ids.random(IDENTIFIER_BYTES)
  await provider.store.put('transaction', id, pending, inSeconds(provider, TRANSACTION_SECONDS))
  return id
}

export const peekPending = async (id: string, { store }: Provider) =>
  (await store.get('transaction', id)) as Pending | undefined

/** Of two callers one receives it: a double submit or the back button never decides twice. */
export async function takePending(id: string, provider: Provider): Promise<Pending | undefined> {
  const pending = (await provider.store.take('transaction', id)) as Pending | undefined
  if (pending) await provider.store.put('answered', id, true, inSeconds(provider, TRANSACTION_SECONDS))
  return pending
}

/** Whether the request of this id was decided, for as long as it could have waited. */
export const wasAnswered = async (id: string, { store }: Provider): Promise<boolean> =>
  (await store.get('answered', id)) !== undefined
