import type { ConsoleFrame } from '../../http/console-page.ts'
import { shortened } from '../../http/html/elements.ts'
import { type Html, html } from '../../http/html/html.ts'
import { ENDPOINTS } from '../../oidc/endpoints.ts'
import { summarizeFlow } from '../../sandbox/journal/explain-flow.ts'
import type { ListedFlow } from '../../sandbox/journal/journal.ts'
import { linkStories, type StoryLinks } from '../../sandbox/journal/link-stories.ts'
import { type PageClock, renderFlowTime } from './flow-time.ts'
import { overdue, renderStatusMark } from './status-mark.ts'

/** The words for flows in headings and in the filter. */
export const FLOW_TITLES: Readonly<Record<ListedFlow['flow'], string>> = {
  use: 'Use',
  create: 'Create',
  upgrade: 'Upgrade',
}

/** `Use`, or `Use, Upgrade` when the code of the Use flow led to an upgrade. */
export const flowTitle = ({ flow, calls }: ListedFlow): string =>
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
${flows.map((flow, index) =>
  renderRow(flow, {
    frame,
    clock,
    links: stories.get(flow.id) ?? {},
    above: flows[index - 1]?.id,
    below: flows[index + 1]?.id,
  }),
)}</tbody>
</table>`
}

/** Characters of a value in a row; the page of the flow has the whole value. */
const MAX_SUMMARY = 240
const MAX_TITLE = 400
const MAX_NAME = 60

interface RowContext {
  readonly frame: ConsoleFrame
  readonly clock: PageClock
  readonly links: StoryLinks
  /** The ids of the flows in the rows above and below. */
  readonly above: string | undefined
  readonly below: string | undefined
}

function renderRow(flow: ListedFlow, { frame, clock, links, above, below }: RowContext): Html {
  const { id, persona, client_id: clientId = '' } = flow
  const { status, summary } = overdue(flow, clock) ?? summarizeFlow(flow)
  const run = [
    links.after !== undefined && links.after === above ? 'run-up' : '',
    links.before !== undefined && links.before === below ? 'run-down' : '',
  ]
  return html`<tr class="${['flow-row', status, ...run].filter(Boolean).join(' ')}" data-testid="flow-${id}">
<td class="when">${renderFlowTime(flow.started_at, clock)}</td>
<th scope="row"><a href="${frame.consolePath}/flows/${id}">${flowTitle(flow)} <span class="muted">${id}</span>${links.before !== undefined && html` <span class="after">after ${links.before}</span>`}</a></th>
<td class="persona">${persona === undefined ? html`<span class="muted">none</span>` : html`<code>${shortened(persona, MAX_NAME)}</code>`}</td>
<td class="summary"><span title="${shortened(summary, MAX_TITLE)}">${shortened(summary, MAX_SUMMARY)}</span></td>
<td class="client"><code>${shortened(clientId, MAX_NAME)}</code></td>
<td class="state">${renderStatusMark(flow, status)}</td>
</tr>
`
}
