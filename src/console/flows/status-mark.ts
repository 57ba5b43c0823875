import { type Html, html } from '../../http/html/html.ts'
import { TRANSACTION_SECONDS } from '../../oidc/decisions.ts'
import { ENDPOINTS } from '../../oidc/endpoints.ts'
import { type FlowStatus, isForced, outcomeOf } from '../../sandbox/journal/explain-flow.ts'
import type { ListedFlow } from '../../sandbox/journal/journal.ts'
import type { PageClock } from './flow-time.ts'

/** A status as the console shows it: what waits too long is over. */
type ShownStatus = FlowStatus | 'expired'

const MARKS: Readonly<Record<ShownStatus, string>> = { ok: 'yes', error: 'no', waiting: 'wait', expired: 'none' }

/** The status of a flow as a mark: what was refused is never green, and neither is what a correct client has to refuse. */
export function renderStatusMark(flow: ListedFlow, status: ShownStatus): Html {
  const outcome = outcomeOf(flow)
  const isSpoiled = status === 'ok' && outcome !== undefined && isForced(outcome) && outcome.correctClient !== 'accept'
  return isSpoiled
    ? html`<span class="mark wait">forced</span>`
    : html`<span class="mark ${MARKS[status]}">${status}</span>`
}

/** What to say of a flow that waits longer than its request lives; `undefined` for every other one. */
export function overdue(
  { calls, ended_at: endedAt }: ListedFlow,
  { now, requestUriSeconds }: PageClock,
): { status: 'expired'; summary: string } | undefined {
  const last = calls.at(-1)
  if (!last || endedAt !== undefined) return undefined
  const isPushed = last.endpoint === ENDPOINTS.par.number
  const seconds = isPushed ? requestUriSeconds : TRANSACTION_SECONDS
  if (now < Date.parse(last.at) + seconds * 1000) return undefined
  const summary = isPushed
    ? `pushed: no browser came to ${ENDPOINTS.create.number} within ${seconds} s`
    : `the user gave no answer within ${seconds} s`
  return { status: 'expired', summary }
}
