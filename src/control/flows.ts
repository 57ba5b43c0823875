import { Refusal } from '../oidc/refusal.ts'
import { parsedParameters } from '../sandbox/decision/call.ts'
import { requireOutcomeName, requirePersona } from '../sandbox/decision/names.ts'
import { shownResponse } from '../sandbox/journal/call-record.ts'
import type { Flow } from '../sandbox/journal/journal.ts'
import type { Tenant } from '../sandbox/tenants/tenant.ts'
import type { flowOperations } from './contract/flows.ts'
import type { Handlers } from './handler.ts'
import { waitFor } from './wait-for.ts'

/** Milliseconds between two comment lines: they keep proxies from closing the stream. */
const COMMENT_EVERY_MS = 15_000

export const flowHandlers: Pick<Handlers, keyof typeof flowOperations> = {
  async listFlows({ tenant, query, signal }) {
    const { wait: seconds, ...filter } = query
    const { journal, name } = tenant
    if (filter.outcome !== undefined) requireOutcomeName(filter.outcome)
    if (filter.persona !== undefined) await checkPersona(filter.persona, tenant)
    if (seconds === undefined) return { status: 200, body: { flows: (await journal.list(name, filter)).map(wireFlow) } }
    const look = async () => {
      const ended = (await journal.list(name, filter)).filter((flow) => flow.ended_at !== undefined)
      return ended.length > 0 ? ended : undefined
    }
    const flows = (await waitFor(journal, { tenant: name, seconds, signal, events: ['flow'], look })) ?? []
    return { status: 200, body: { flows: flows.map(wireFlow) } }
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
        // `id` is the id of the flow, unless the event is about a whole scenario.
        const data = { id: event.flow ?? null, flow: event.flow ?? null, ...event.data }
        send(`event: ${event.type}\ndata: ${JSON.stringify(data)}\n\n`)
      })
      return () => {
        clearInterval(timer)
        unsubscribe()
      }
    },
  }),
}

/** A flow as the control API shows it. */
const wireFlow = ({ calls, ...flow }: Flow) => ({
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
