import { type ConsoleFrame, renderConsolePage } from '../../../http/console-page.ts'
import { counted, renderTable, shortened } from '../../../http/html/elements.ts'
import { renderTextField } from '../../../http/html/fields.ts'
import { type Html, html } from '../../../http/html/html.ts'
import type { RenderedPage } from '../../../http/html/layout.ts'
import { Refusal } from '../../../oidc/refusal.ts'
import type { Flow } from '../../../sandbox/journal/journal.ts'
import type { Tenant } from '../../../sandbox/tenants/tenant.ts'
import type { ConsoleCall, ConsoleRoute } from '../../console-route.ts'
import { CALL_TITLES } from '../calls.ts'
import { ago } from '../flow-time.ts'
import { type ComparedCall, compareFlows } from './compare-flows.ts'
import type { Compared } from './compare-members.ts'

/** `console/flows/compare?a=f1&b=f2`: two flows side by side, with what differs first. */
export const comparePage: ConsoleRoute = { name: 'flows', below: '/compare', render: renderCall }

async function renderCall({ request, tenant, frame, fields }: ConsoleCall): Promise<RenderedPage> {
  // The boxes of the table all have one name; the older flow comes first.
  const picked = request.queryPairs.flatMap(([name, id]) => (name === 'pick' && id !== undefined ? [id] : []))
  const { a, b } = picked.length === 0 ? fields : { a: picked.at(-1), b: picked.length > 1 ? picked[0] : undefined }
  if (picked.length > 2)
    return renderComparison(frame, { a, b, problem: `${picked.length} flows are chosen; two can be compared` })
  if (a === undefined || b === undefined) return renderComparison(frame, { a: a ?? b, b: undefined })
  return renderComparison(frame, { a, b, flows: await Promise.all([findFlow(a, tenant), findFlow(b, tenant)]) })
}

async function findFlow(id: string, { journal, name }: Tenant): Promise<Flow> {
  const flow = await journal.find(name, id)
  if (flow) return flow
  const message = `flow: there is none with the id ${JSON.stringify(id.slice(0, 40))}, so that nothing can be compared; the oldest go when the journal is full, and all of them with a reset`
  throw Refusal.notFound(message, { title: 'There is no such flow' })
}

interface Comparison {
  readonly a?: string | undefined
  readonly b?: string | undefined
  readonly problem?: string
  readonly flows?: readonly [a: Flow, b: Flow]
}

/** The two flows, or the form that asks which. */
export function renderComparison(frame: ConsoleFrame, { a, b, problem, flows }: Comparison): RenderedPage {
  return renderConsolePage(frame, {
    title: flows ? `${flows[0].id} and ${flows[1].id} side by side` : 'Two flows side by side',
    current: 'flows',
    lead: flows
      ? html`${beganBetween(flows)}`
      : html`Choose two flows in <a href="${frame.consolePath}/flows">the table</a>, or name them here.`,
    styles: ['flows.css'],
    body: html`<section class="card" aria-label="Which flows">
${problem !== undefined && html`<p class="notice" role="alert">${problem}</p>`}
<form class="form-row" method="get">
${renderTextField({ name: 'a', label: 'One flow', value: a })}
${renderTextField({ name: 'b', label: 'The other', value: b })}
<button class="secondary">Compare</button>
</form>
</section>
${flows && renderFlows(flows, frame)}`,
  })
}

function beganBetween([a, b]: readonly [Flow, Flow]): string {
  const passed = ago(Date.parse(a.started_at), Date.parse(b.started_at))
  if (passed === 'now') return `${b.id} began when ${a.id} did, by the clock of the sandbox.`
  return passed.startsWith('in ')
    ? `${b.id} began ${passed.slice(3)} before ${a.id}, by the clock of the sandbox.`
    : `${b.id} began ${passed.replace(/ ago$/, '')} after ${a.id}, by the clock of the sandbox.`
}

function renderFlows(flows: readonly [Flow, Flow], { consolePath }: ConsoleFrame): Html {
  const { facts, reasons, idToken, calls } = compareFlows(...flows)
  const ids: Ids = [flows[0].id, flows[1].id]
  const differing = [facts, reasons, idToken, ...calls.map(({ members }) => members)].flat().filter(differs)
  return html`<p class="links" data-testid="difference-count"><strong>${differing.length === 0 ? 'Nothing differs but what is another one in every flow.' : `${counted(differing.length, 'difference')}.`}</strong> ${ids.map((id) => html`<a class="target" href="${consolePath}/flows/${id}">Open ${id}</a> `)}</p>
${renderPart('What happened', facts, ids)}
${reasons.length > 0 && renderPart('Why: each age', reasons, ids)}
${idToken.length > 0 && renderPart('The id_token', idToken, ids)}
${calls.map((call) => renderPart(titleOf(call, ids), call.members, ids))}`
}

type Ids = readonly [a: string, b: string]

const differs = ({ kind }: Compared) => kind === 'differs'

function titleOf({ endpoint, in: found }: ComparedCall, [a, b]: Ids): string {
  const title = `${endpoint} ${CALL_TITLES[endpoint] ?? ''}`.trim()
  return found === 'both' ? title : `${title}: only in ${found === 'a' ? a : b}`
}

/** One part of both flows: what differs, then folded what is the same, and what is another one in every flow. */
function renderPart(title: string, members: readonly Compared[], ids: Ids): Html {
  const of = (kind: Compared['kind']) => members.filter((member) => member.kind === kind)
  const differing = of('differs')
  return html`<section class="card compared"><h2>${title} <span class="mark ${differing.length > 0 ? 'wait' : 'none'}">${differing.length > 0 ? `${differing.length} ${differing.length === 1 ? 'differs' : 'differ'}` : 'no difference'}</span></h2>
${differing.length > 0 && renderMembers(`What differs: ${title}`, differing, ids)}
${renderFolded('The same in both', title, of('same'), ids)}
${renderFolded('Another one in every flow', title, of('random'), ids)}
</section>
`
}

const renderFolded = (summary: string, title: string, members: readonly Compared[], ids: Ids): Html | false =>
  members.length > 0 &&
  html`<details class="raw"><summary>${summary} <span class="count">${members.length}</span></summary>
${renderMembers(`${summary}: ${title}`, members, ids)}</details>`

/** Rows of one table. */
const MAX_ROWS = 80
/** Characters of one value; the page of the flow has more. */
const MAX_VALUE = 600

function renderMembers(caption: string, members: readonly Compared[], [a, b]: Ids): Html {
  const rows = members.slice(0, MAX_ROWS).map((member) => ({
    cells: [html`<code>${shortened(member.name, 120)}</code>`, renderValue(member.a), renderValue(member.b)],
  }))
  return html`${renderTable(caption, ['Value', a, b], rows)}
${members.length > MAX_ROWS && html`<p class="hint">The first ${MAX_ROWS} of ${members.length}.</p>`}`
}

const renderValue = (value: string | undefined): Html =>
  value === undefined
    ? html`<span class="muted">absent</span>`
    : value === ''
      ? html`<span class="muted">empty</span>`
      : html`<code>${shortened(value, MAX_VALUE)}</code>`

/** The flow of the same kind and client before this one, when the journal still holds it. */
export async function findPrevious(
  { id, flow, client_id, audit }: Flow,
  { journal, name }: Pick<Tenant, 'journal' | 'name'>,
): Promise<string | undefined> {
  for await (const earlier of journal.list(name, { flow, client_id, audit: audit && 'only', before: id }))
    return earlier.id
  return undefined
}

/** Leads from the page of a flow to the comparison with the one before. */
export const renderCompareLink = (previous: string, id: string, { consolePath }: ConsoleFrame): Html =>
  html`<p class="links"><a class="target" href="${consolePath}/flows/compare?a=${previous}&amp;b=${id}" data-testid="compare">Compare with ${previous}, the one before</a></p>`
