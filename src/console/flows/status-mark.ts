import { type Html, html } from '../../http/html/html.ts'
import { ENDPOINTS } from '../../oidc/endpoints.ts'
import { type FlowStatus, isForced, outcomeOf } from '../../sandbox/journal/explain-flow.ts'
import type { ListedFlow } from '../../sandbox/journal/journal.ts'
import { findOverdue } from '../../sandbox/journal/overdue.ts'
import type { PageClock } from './flow-time.ts'

/** A status as the console shows it; a flow that waits too long is overdue. */
type ShownStatus = FlowStatus | 'expired'

const MARKS: Readonly<Record<ShownStatus, string>> = {
  ok: 'yes',
  declined: 'declined',
  error: 'no',
  waiting: 'wait',
  expired: 'none',
}

/** The status of a flow as a mark. A refused flow is never green, nor is an answer that a correct client must refuse. */
export function renderStatusMark(flow: ListedFlow, status: ShownStatus): Html {
  const outcome = outcomeOf(flow)
  const isSpoiled = status === 'ok' && outcome !== undefined && isForced(outcome) && outcome.correctClient !== 'accept'
  return isSpoiled
    ? html`<span class="mark wait">forced</span>`
    : html`<span class="mark ${MARKS[status]}">${status}</span>`
}

/** Describes a flow that waits longer than its request is valid; `undefined` for every other flow. */
export function overdue(flow: ListedFlow, clock: PageClock): { status: 'expired'; summary: string } | undefined {
  const found = findOverdue(flow, clock)
  if (found === undefined) return undefined
  const summary =
    found.missing === 'browser'
      ? `pushed: no browser came to ${ENDPOINTS.create.number} within ${found.seconds} s`
      : `the user gave no answer within ${found.seconds} s`
  return { status: 'expired', summary }
}
