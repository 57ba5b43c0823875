import { type Html, html } from '../../http/html/html.ts'
import { type FlowStatus, isForced, outcomeOf } from '../../sandbox/journal/explain-flow.ts'
import type { ListedFlow } from '../../sandbox/journal/journal.ts'

const MARKS: Readonly<Record<FlowStatus, string>> = { ok: 'yes', error: 'no', waiting: 'wait' }

/** The status of a flow as a mark: what was refused is never green, and neither is what a correct client has to refuse. */
export function renderStatusMark(flow: ListedFlow, status: FlowStatus): Html {
  const outcome = outcomeOf(flow)
  const isSpoiled = status === 'ok' && outcome !== undefined && isForced(outcome) && outcome.correctClient !== 'accept'
  return isSpoiled
    ? html`<span class="mark wait">forced</span>`
    : html`<span class="mark ${MARKS[status]}">${status}</span>`
}
