import {
  type FlowStatus,
  isForced,
  outcomeOf,
  summarizeFlow,
} from '../../../sandbox/journal/explain-flow.ts'
import type { ListedFlow } from '../../../sandbox/journal/journal.ts'
import { linkStories } from '../../../sandbox/journal/link-stories.ts'
import { findOverdue } from '../../../sandbox/journal/next-steps.ts'
import type { Tenant } from '../../../sandbox/tenants/tenant.ts'
import type { ConsoleFrame } from '../../../server/http/console-page.ts'
import { shortened } from '../../../server/http/html/elements.ts'
import { type Html, html } from '../../../server/http/html/html.ts'
import { ENDPOINTS } from '../../../service/oidc/endpoints.ts'
/** The words for flows in headings and in the filter. */
export const FLOW_TITLES: Readonly<Record<ListedFlow['flow'], string>> = {
  use: 'Use',
  create: 'Create',
  upgrade: 'Upgrade',
}

/** `Use`, or `Use, Upgrade` when the code of the Use flow led to an upgrade. */
const flowTitle = ({ flow, calls }: ListedFlow): string =>
  flow === 'use' && calls.some(({ endpoint }) => endpoint === ENDPOINTS.upgrade.number)
    ? `${FLOW_TITLES.use}, ${FLOW_TITLES.upgrade}`
    : FLOW_TITLES[flow]

const COLUMNS = ['Time', 'Flow', 'Persona', 'What happened', 'Client', 'Status']

/** The table of flows, a row each. @param flows newest first */
export function renderFlowTable(
  flows: readonly ListedFlow[],
  { frame, clock }: { frame: ConsoleFrame; clock: PageClock },
): Html {
  const stories = linkStories(flows)
  return html`<table class="flow-table" data-now="${new Date(clock.now).toISOString()}"${clock.frozen && html` data-frozen`}>
<caption class="unseen">Flows, newest first</caption>
<thead><tr>${COLUMNS.map((column) => html`<th scope="col">${column}</th>`)}</tr></thead>
<tbody>
${flows.map((flow, index) => {
  const { before, after } = stories.get(flow.id) ?? {}
  const run = [
    after !== undefined && after === flows[index - 1]?.id && ' run-up',
    before !== undefined && before === flows[index + 1]?.id && ' run-down',
  ]
  return renderRow(flow, { frame, clock, before, run })
})}</tbody>
</table>`
}

/** Characters of a value in a row; the page of the flow has the whole value. */
const MAX_SUMMARY = 240
const MAX_TITLE = 400
const MAX_NAME = 60

interface RowContext {
  readonly frame: ConsoleFrame
  readonly clock: PageClock
  /** The flow before in the story. */
  readonly before: string | undefined
  /** The classes of a row that meets its story in the row above or below. */
  readonly run: readonly (string | false)[]
}

function renderRow(flow: ListedFlow, { frame, clock, before, run }: RowContext): Html {
  const { id, persona, client_id: clientId = '' } = flow
  const { status, summary } = overdue(flow, clock) ?? summarizeFlow(flow)
  return html`<tr class="flow-row ${status}${run}" data-testid="flow-${id}">
<td class="when">${renderFlowTime(flow.started_at, clock)}</td>
<th scope="row"><a href="${frame.consolePath}/flows/${id}">${flowTitle(flow)} <span class="muted">${id}</span>${before !== undefined && html` <span class="after">after ${before}</span>`}</a></th>
<td class="persona">${persona === undefined ? html`<span class="muted">none</span>` : html`<code>${shortened(persona, MAX_NAME)}</code>`}</td>
<td class="summary"><span title="${shortened(summary, MAX_TITLE)}">${shortened(summary, MAX_SUMMARY)}</span></td>
<td class="client"><code>${shortened(clientId, MAX_NAME)}</code></td>
<td class="state">${renderStatusMark(flow, status)}</td>
</tr>
`
}

/** The clock of a tenant when a page is made. */
export interface PageClock {
  /** Milliseconds since the UNIX epoch. */
  readonly now: number
  readonly frozen: boolean
  /** The lifetime of a `request_uri`, which decides when a waiting flow is overdue. */
  readonly requestUriSeconds: number
}

export const pageClock = ({ clock, provider }: Pick<Tenant, 'clock' | 'provider'>): PageClock => ({
  now: clock.now(),
  frozen: clock.state().frozen,
  requestUriSeconds: provider.lifetimes.requestUri,
})

/** How long ago an instant was; a style sheet shows the instant itself on hover and on focus. */
export function renderFlowTime(instant: string, { now }: Pick<PageClock, 'now'>): Html {
  const shown = instant.replace('T', ' ').replace(/(?:\.\d+)?Z$/, 'Z')
  const isToday = instant.slice(0, 10) === new Date(now).toISOString().slice(0, 10)
  return html`<time datetime="${instant}" title="${shown} by the clock of the sandbox"><span data-ago>${ago(Date.parse(instant), now)}</span> <span class="instant">${isToday ? shown.slice(11) : shown.slice(5)}</span></time>`
}

/** `12 s ago`, by the clock of the sandbox; `in 3 h` if the clock was set back since. */
export function ago(instant: number, now: number): string {
  if (Number.isNaN(instant)) return 'unknown'
  const seconds = Math.round(Math.abs(now - instant) / 1000)
  if (seconds < 2) return 'now'
  const [size, unit] = UNITS.find(([most]) => seconds < most)?.slice(1) ?? DAYS
  const length = `${Math.floor(seconds / Number(size))} ${unit}`
  return instant > now ? `in ${length}` : `${length} ago`
}

const DAYS = [86_400, 'd'] as const
/** The largest number of seconds for each unit. `public/flows-times.js` has the same rows. */
const UNITS = [
  [120, 1, 's'],
  [7_200, 60, 'min'],
  [172_800, 3_600, 'h'],
] as const

/** A status as the console shows it; a flow that waits too long is overdue. */
type ShownStatus = FlowStatus | 'expired'

const MARKS: Readonly<Record<ShownStatus, string>> = {
  ok: 'yes',
  declined: 'declined',
  error: 'no',
  waiting: 'wait',
  expired: 'none',
}

/**
 * The status of a flow as a mark. A refused flow is never green, nor is an answer that a correct
 * client must refuse.
 */
export function renderStatusMark(flow: ListedFlow, status: ShownStatus): Html {
  const outcome = outcomeOf(flow)
  const isSpoiled =
    status === 'ok' &&
    outcome !== undefined &&
    isForced(outcome) &&
    outcome.correctClient !== 'accept'
  return isSpoiled
    ? html`<span class="mark wait">forced</span>`
    : html`<span class="mark ${MARKS[status]}">${status}</span>`
}

/**
 * Describes a flow that waits longer than its request is valid; `undefined` for every other flow.
 */
export function overdue(
  flow: ListedFlow,
  clock: PageClock,
): { status: 'expired'; summary: string } | undefined {
  const found = findOverdue(flow, clock)
  if (found === undefined) return undefined
  const summary =
    found.missing === 'browser'
      ? `pushed: no browser came to ${ENDPOINTS.create.number} within ${found.seconds} s`
      : `the user gave no answer within ${found.seconds} s`
  return { status: 'expired', summary }
}
