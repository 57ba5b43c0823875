import { shownResponse } from '../../sandbox/journal/call-record.ts'
import { explainFlow, summarizeFlow } from '../../sandbox/journal/explain-flow.ts'
import {
  type Flow,
  type FlowFilter,
  fitsFilter,
  type JournalEvent,
  type ListedFlow,
  NONE_ENDED,
} from '../../sandbox/journal/journal.ts'
import { nextSteps } from '../../sandbox/journal/next-steps.ts'
import { searchFlows } from '../../sandbox/journal/search-flows.ts'
import { requireOutcomeName, requirePersona } from '../../sandbox/outcomes/names.ts'
import { parsedParameters } from '../../sandbox/queue/mismatches.ts'
import type { Tenant } from '../../sandbox/tenants/tenant.ts'
import { readPage } from '../http/list-page.ts'
import { DEFAULT_LISTED, type flowOperations } from './contract/flows.ts'
import { feedOf } from './event-feed.ts'
import type { Handlers } from './handler.ts'
import { noneWith } from './queue.ts'
import { waitFor } from './wait-for.ts'

export const flowHandlers: Pick<Handlers, keyof typeof flowOperations> = {
  async listFlows({ tenant, query, signal }) {
    const { wait: seconds, since: given, limit = DEFAULT_LISTED, status, q, ...filter } = query
    const { journal, name } = tenant
    // Read first: a flow that ends while the names are checked must count as ended after the call.
    const since = given === undefined ? undefined : await flowEndedBefore(given, tenant)
    if (filter.outcome !== undefined) requireOutcomeName(filter.outcome)
    if (filter.persona !== undefined) await checkPersona(filter.persona, tenant)
    const read = (filter: FlowFilter, from = since) => {
      const flows =
        from === undefined ? journal.list(name, filter) : journal.listEnded(name, from, filter)
      return readPage(searchFlows(flows, { status, q }), {
        limit,
        idOf: ({ id }) => id,
        show: listedOnWire,
      })
    }
    const began = seconds === undefined ? undefined : await startOf(since, tenant)
    const look = async () => {
      // A store that was emptied numbers flows from f1 again. If another flow has the id of
      // `since`, every flow ended after this call began.
      const isSame = (await startOf(since, tenant)) === began
      const page = await read({ ...filter, isEnded: true }, isSame ? since : NONE_ENDED)
      return page.items.length > 0 ? page : undefined
    }
    const isNews = ({ type, flow = NONE_ENDED, data }: JournalEvent) =>
      type === 'flow' && fitsFilter(flow, data, { ...filter, isEnded: true })
    const waited =
      seconds === undefined
        ? read(filter)
        : waitFor(journal, { tenant: name, seconds, signal, isNews, look })
    const { items: flows, next } = (await waited) ?? { items: [], next: undefined }
    return { status: 200, body: { flows, next, last_ended: await journal.lastEnded(name) } }
  },
  async getFlow({ tenant, host, params: { id }, query: { as } }) {
    const flow = await existing(id, tenant)
    if (as !== undefined) return { status: 200, file: await host.exportFlow(flow, as, tenant) }
    const next = nextSteps(flow, { lifetimes: tenant.provider.lifetimes, now: tenant.clock.now() })
    return { status: 200, body: { ...wireFlow(flow), ...explainFlow(flow), next_steps: next } }
  },
  async exportFlow({ tenant, host, params: { id, as } }) {
    return { status: 200, body: await host.exportFlow(await existing(id, tenant), as, tenant) }
  },
  streamEvents: ({ tenant: { journal, name }, signal }) => ({
    status: 200,
    stream: feedOf(journal).open(name, signal),
  }),
}

async function existing(id: string, { journal, name }: Tenant): Promise<Flow> {
  const flow = await journal.find(name, id)
  if (!flow) throw noneWith('flow', id, 'the oldest go when the journal is full')
  return flow
}

/**
 * The ended flow that `since` means. `now`, or a flow that has not ended, means the flow that ended
 * last.
 */
async function flowEndedBefore(since: string, tenant: Tenant): Promise<string> {
  const { journal, name } = tenant
  const last = await journal.lastEnded(name)
  const flow = since === 'now' ? undefined : await journal.find(name, since)
  return since === 'now' || (flow && flow.ended_at === undefined) ? last : since
}

const listedOnWire = (flow: ListedFlow) => ({ ...wireFlow(flow), ...summarizeFlow(flow) })

/** The start of the flow that `since` names; `undefined` without such a flow. */
const startOf = async (since: string | undefined, { journal, name }: Tenant) =>
  since === undefined ? undefined : (await journal.find(name, since))?.started_at

/**
 * A flow as the control API shows it. The evaluated signals are left out, because the trace
 * explains the answers.
 */
const wireFlow = <Read extends Flow>({ calls, signals: _, ...flow }: Read) => ({
  ...flow,
  calls: calls.map((call) => ({
    ...call,
    parameters: parsedParameters(call.parameters),
    response: shownResponse(call.response),
  })),
})

/**
 * Checks that the persona exists, or is named by a flow. A misspelt name would never match.
 * @throws Refusal 400 for an unknown persona
 */
async function checkPersona(persona: string, tenant: Tenant): Promise<void> {
  for await (const _ of tenant.journal.list(tenant.name, { persona, audit: 'also' })) return
  await requirePersona(persona, { personas: tenant.personas })
}
