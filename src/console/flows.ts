import type { Fields } from '../http/form.ts'
import type { RenderedPage } from '../http/html/layout.ts'
import { type Flow, isFlowId } from '../sandbox/journal/journal.ts'
import type { ConsoleCall, ConsoleRoute } from './console-route.ts'
import { type FlowListFilter, type FlowRow, renderFlowList } from './flows-page.ts'
import { refusalOf } from './refusal.ts'

/** Flows on one page. */
const PAGE_SIZE = 50

/** `console/flows`: the journal, newest first. */
export const flowsPage: ConsoleRoute = { name: 'flows', render: renderFlows }

async function renderFlows({ tenant, frame, fields }: ConsoleCall): Promise<RenderedPage> {
  const filter = readFilter(fields)
  const before = fields['before']
  // One more than is shown tells whether there are older ones.
  const page = { most: PAGE_SIZE + 1, before: before !== undefined && isFlowId(before) ? before : undefined }
  const flows = await tenant.journal.list(tenant.name, filter, page)
  const shown = flows.slice(0, PAGE_SIZE)
  const last = flows.length > PAGE_SIZE ? shown.at(-1) : undefined
  return renderFlowList({
    ...frame,
    flows: shown.map(rowOf),
    filter,
    olderPath: last && `?${new URLSearchParams({ ...defined(filter), before: last.id }).toString()}`,
  })
}

const readFilter = ({ flow, client_id, state, persona, outcome }: Fields): FlowListFilter => ({
  flow: flow === 'use' || flow === 'create' || flow === 'upgrade' ? flow : undefined,
  client_id,
  state,
  persona,
  outcome,
})

const defined = (filter: FlowListFilter) =>
  Object.fromEntries(Object.entries(filter).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))

function rowOf(flow: Flow): FlowRow {
  const findings = flow.calls.flatMap((call) => call.findings)
  const errors = findings.filter(({ level }) => level === 'error').length
  const last = flow.calls.at(-1)
  return {
    id: flow.id,
    flow: flow.flow,
    clientId: flow.client_id,
    state: flow.state,
    persona: flow.persona,
    outcome: flow.outcome,
    startedAt: flow.started_at,
    isOver: flow.ended_at !== undefined,
    answers: flow.age_thresholds ?? {},
    endpoints: flow.calls.map(({ endpoint }) => endpoint),
    errors,
    advice: findings.length - errors,
    refusal: last && refusalOf(last),
  }
}
