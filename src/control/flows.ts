import { Refusal } from '../oidc/refusal.ts'
import { parsedParameters } from '../sandbox/decision/call.ts'
import { requireOutcomeName, requirePersona } from '../sandbox/decision/names.ts'
import { shownResponse } from '../sandbox/journal/call-record.ts'
import {
  type FlowFilter,
  type FlowPage,
  fitsFilter,
  flowNumber,
  type ListedFlow,
  lastEnded,
  NONE_ENDED,
} from '../sandbox/journal/journal.ts'
import type { Tenant } from '../sandbox/tenants/tenant.ts'
import { DEFAULT_LISTED, type flowOperations } from './contract/flows.ts'
import type { Handlers } from './handler.ts'
import { waitFor } from './wait-for.ts'

/** Milliseconds between two comment lines: they keep proxies from closing the stream. */
const COMMENT_EVERY_MS = 15_000

export const flowHandlers: Pick<Handlers, keyof typeof flowOperations> = {
  async listFlows({ tenant, query, signal }) {
    const { wait: seconds, since: given, limit = DEFAULT_LISTED, ...filter } = query
    const { journal, name } = tenant
    // First of all, so that what ends while names are checked has ended after the call.
    const since = given === undefined ? undefined : await flowEndedBefore(given, tenant)
    if (filter.outcome !== undefined) requireOutcomeName(filter.outcome)
    if (filter.persona !== undefined) await checkPersona(filter.persona, tenant)
    const find = async (page: FlowPage) =>
      since === undefined
        ? journal.list(name, filter, page)
        : (await listEndedSince(since, filter, tenant)).slice(0, page.limit)
    const look = async () => {
      // Among all flows: those that are still open must not take the places of those that ended.
      const ended = (await find({})).filter((flow) => flow.ended_at !== undefined)
      return ended.length > 0 ? ended.slice(0, limit) : undefined
    }
    const waited =
      seconds === undefined
        ? find({ limit })
        : waitFor(journal, { tenant: name, seconds, signal, events: ['flow'], look })
    const flows = ((await waited) ?? []).map(wireFlow)
    return { status: 200, body: { flows, last_ended: await lastEnded(journal, name) } }
  },
  async getFlow({ tenant, params: { id } }) {
    const flow = await tenant.journal.find(tenant.name, id)
    if (flow) return { status: 200, body: wireFlow(flow) }
    const message = `flow: there is none with the id ${JSON.stringify(id.slice(0, 40))}; the oldest go when the journal is full`
    throw Refusal.notFound(message)
  },
  streamEvents: ({ tenant }) => ({
    status: 200,
    stream(send) {
      send(': agekey-sandbox\n\n')
      const timer = setInterval(() => send(': still here\n\n'), COMMENT_EVERY_MS)
      timer.unref()
      const unsubscribe = tenant.journal.subscribe((event) => {
        if (event.tenant !== tenant.name) return
        // The data of a scenario has an id of its own.
        const data = { id: event.flow ?? null, flow: null, ...event.data }
        send(`event: ${event.type}\ndata: ${JSON.stringify(data)}\n\n`)
      })
      return () => {
        clearInterval(timer)
        unsubscribe()
      }
    },
  }),
}

/** The flow whose end `since` means: of a flow that is still open, as of `now`, the present is meant. */
async function flowEndedBefore(since: string, tenant: Tenant): Promise<string> {
  const { journal, name } = tenant
  const last = await lastEnded(journal, name)
  const flow = since === 'now' ? undefined : await journal.find(name, since)
  return since === 'now' || (flow && flow.ended_at === undefined) ? last : since
}

/** In the order in which they ended. */
async function listEndedSince(since: string, filter: FlowFilter, { journal, name }: Tenant): Promise<ListedFlow[]> {
  const { after = NONE_ENDED, ...facts } = filter
  const ids = (await journal.listEnded(name, since)).filter((id) => flowNumber(id) > flowNumber(after))
  const flows = await Promise.all(ids.map((id) => journal.find(name, id)))
  return flows.filter((flow) => flow !== undefined).filter((flow) => fitsFilter(flow, facts))
}

/** A flow as the control API shows it. */
const wireFlow = <Read extends ListedFlow>({ calls, ...flow }: Read) => ({
  ...flow,
  calls: calls.map((call) => ({
    ...call,
    parameters: parsedParameters(call.parameters),
    response: shownResponse(call.response),
  })),
})

/** A persona that exists, or existed when a flow was decided as it; a misspelt one would never come. */
async function checkPersona(persona: string, tenant: Tenant): Promise<void> {
  const { journal, name } = tenant
  if ((await journal.list(name, { persona })).length === 0) await requirePersona(persona, { personas: tenant.personas })
}
