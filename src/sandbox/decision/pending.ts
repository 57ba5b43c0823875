import * as z from 'zod'
import { collection } from '../../service/oidc/collection.ts'
import { createTransactionSchema } from '../../service/oidc/create.ts'
import { IDENTIFIER_BYTES, TRANSACTION_SECONDS } from '../../service/oidc/policy.ts'
import { type Awaitable, whenThere } from '../../service/oidc/ports.ts'
import { inSeconds, type Provider } from '../../service/oidc/provider.ts'
import { findingSchema } from '../../service/oidc/rules/finding.ts'
import { useTransactionSchema } from '../../service/oidc/use.ts'

const pendingSchema = z.object({
  transaction: z.discriminatedUnion('flow', [useTransactionSchema, createTransactionSchema]),
  /** The base URL of the request, which the issuer in the id_token must match. */
  baseUrl: z.string(),
  /** Advice on the request. */
  findings: z.array(findingSchema).readonly(),
})

/**
 * An authorization request that waits for its user. The server keeps the request, and the page has
 * only its id.
 */
export type Pending = Readonly<z.infer<typeof pendingSchema>>

type Ports = Pick<Provider, 'store' | 'ids' | 'clock'>

const waiting = collection({ name: 'transaction', schema: pendingSchema, isUnfinished: true })
/** Ids of decided requests. */
const answered = collection({ name: 'answered', schema: z.literal(true) })

/**
 * Stores the request.
 * @returns the id that the page posts
 */
export async function keepPending(pending: Pending, provider: Ports): Promise<string> {
  const id = provider.ids.random(IDENTIFIER_BYTES)
  await waiting(provider).put(id, pending, inSeconds(provider, TRANSACTION_SECONDS))
  return id
}

export const peekPending = (id: string, provider: Ports): Awaitable<Pending | undefined> =>
  waiting(provider).get(id)

/**
 * Removes and returns the request. Only one of two concurrent callers receives it, so a double
 * submit or the back button never decides twice.
 */
export async function takePending(id: string, provider: Ports): Promise<Pending | undefined> {
  const pending = await peekPending(id, provider)
  const mark = answered(provider).putting(id, true, inSeconds(provider, TRANSACTION_SECONDS))
  return pending && (await provider.store.write([waiting(provider).taking(id), mark]))
    ? pending
    : undefined
}

/**
 * Whether the request with this id was decided. This is remembered as long as a request can wait.
 */
export const wasAnswered = (id: string, provider: Ports): Awaitable<boolean> =>
  whenThere(answered(provider).get(id), (mark) => mark !== undefined)
