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
/** The titles of flows in headings and in the filter. */
export const FLOW_TITLES: Readonly<Record<ListedFlow['flow'], string>> = {
  use: 'Use',
  create: 'Create',
  upgrade: 'Upgrade',
}

/** The title of a flow: `Use`, or `Use, Upgrade` when its code led to an upgrade. */
const flowTitle = ({ flow, calls }: ListedFlow): string =>
  flow === 'use' && calls.some(({ endpoint }) => endpoint === ENDPOINTS.upgrade.number)
    ? `${FLOW_TITLES.use}, ${FLOW_TITLES.upgrade}`
    : FLOW_TITLES[flow]

const COLUMNS = ['Time', 'Flow', 'Persona', 'What happened', 'Client', 'Status']

/**
 * Renders the table of flows.
 * @param flows newest first
 */
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

/** Maximum number of characters of a value in a row. The page of the flow has the whole value. */
const MAX_SUMMARY = 240
const MAX_TITLE = 400
const MAX_NAME = 60

interface RowContext {
  readonly frame: ConsoleFrame
  readonly clock: PageClock
  /** The previous flow of the same user's story. */
  readonly before: string | undefined
  /** CSS classes that join the row with a row of the same story above or below. */
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

/** The clock of a tenant at the time when a page is rendered. */
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

/**
 * Renders how long ago an instant was. A style sheet shows the instant itself on hover and on
 * focus.
 */
export function renderFlowTime(instant: string, { now }: Pick<PageClock, 'now'>): Html {
  const shown = instant.replace('T', ' ').replace(/(?:\.\d+)?Z$/, 'Z')
  const isToday = instant.slice(0, 10) === new Date(now).toISOString().slice(0, 10)
  return html`<time datetime="${instant}" title="${shown} by the clock of the sandbox"><span data-ago>${ago(Date.parse(instant), now)}</span> <span class="instant">${isToday ? shown.slice(11) : shown.slice(5)}</span></time>`
}

/**
 * The time from `instant` to `now` in words. It lies in the future if the clock was set back since.
 * @param instant milliseconds since the UNIX epoch, as `now`
 * @example
 * ago(0, 12_000) // '12 s ago'
 * ago(10_800_000, 0) // 'in 3 h'
 */
export function ago(instant: number, now: number): string {
  if (Number.isNaN(instant)) return 'unknown'
  const seconds = Math.round(Math.abs(now - instant) / 1000)
  if (seconds < 2) return 'now'
  const [size, unit] = UNITS.find(([most]) => seconds < most)?.slice(1) ?? DAYS
  const length = `${Math.floor(seconds / Number(size))} ${unit}`
  return instant > now ? `in ${length}` : `${length} ago`
}

const DAYS = [86_400, 'd'] as const
/**
 * The units: seconds below which a unit is used, its size in seconds, its name.
 * `public/flows-times.js` has the same rows.
 */
const UNITS = [
  [120, 1, 's'],
  [7_200, 60, 'min'],
  [172_800, 3_600, 'h'],
] as const

/** A status as the console shows it. A flow that waits too long is `expired`. */
type ShownStatus = FlowStatus | 'expired'

const MARKS: Readonly<Record<ShownStatus, string>> = {
  ok: 'yes',
  declined: 'declined',
  error: 'no',
  waiting: 'wait',
  expired: 'none',
}

/**
 * Renders the status of a flow. Neither a refused flow nor a forced answer that a correct client
 * may refuse is green.
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
 * Describes a flow that waits although its request has expired; `undefined` for every other flow.
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
