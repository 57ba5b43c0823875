import * as z from 'zod'
import type { Callback } from '../oidc/callback.ts'
import { inSeconds, type Provider } from '../oidc/provider.ts'
import type { UseTransaction } from '../oidc/use.ts'

const earlierFlowSchema = z.object({ state: z.string(), nonce: z.string(), idToken: z.string() })

/** What an attacker can replay: the answer of a Use flow that is over. */
export type EarlierFlow = z.infer<typeof earlierFlowSchema>

const COLLECTION = 'earlier_flow'
const REMEMBERED_SECONDS = 3_600

/** Keeps the last good answer that each client got. */
export async function rememberFlow(transaction: UseTransaction, callback: Callback, provider: Provider): Promise<void> {
  const idToken = callback.params.find(([name]) => name === 'id_token')?.[1]
  if (idToken === undefined) return
  const { clientId, state, nonce } = transaction
  const flow: EarlierFlow = { state, nonce, idToken }
  await provider.store.put(COLLECTION, clientId, flow, inSeconds(provider, REMEMBERED_SECONDS))
}

/**
 * The last good answer that the client of `transaction` got, or `undefined`: also when it has the same `state` or
 * `nonce`, for sent again it would then be right.
 */
export async function recallFlow(transaction: UseTransaction, provider: Provider): Promise<EarlierFlow | undefined> {
  const kept = earlierFlowSchema.safeParse(await provider.store.get(COLLECTION, transaction.clientId)).data
  return kept && kept.state !== transaction.state && kept.nonce !== transaction.nonce ? kept : undefined
}
