import { TRANSACTION_SECONDS } from '../../oidc/decisions.ts'
import { ENDPOINTS } from '../../oidc/endpoints.ts'
import type { ListedFlow } from './journal.ts'

/** A flow that waits for its user after its request has expired. */
interface Overdue {
  /** What never came: a browser with the `request_uri`, or an answer of the user. */
  readonly missing: 'browser' | 'answer'
  /** How long the request was valid, in seconds. */
  readonly seconds: number
}

/** Describes a flow that waits longer than its request is valid; `undefined` for every other flow. @param now in milliseconds */
export function findOverdue(
  { calls, ended_at: endedAt }: ListedFlow,
  { now, requestUriSeconds }: { readonly now: number; readonly requestUriSeconds: number },
): Overdue | undefined {
  const last = calls.at(-1)
  if (!last || endedAt !== undefined) return undefined
  const isPushed = last.endpoint === ENDPOINTS.par.number
  const seconds = isPushed ? requestUriSeconds : TRANSACTION_SECONDS
  if (now < Date.parse(last.at) + seconds * 1000) return undefined
  return { missing: isPushed ? 'browser' : 'answer', seconds }
}
