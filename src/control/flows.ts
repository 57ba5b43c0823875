import * as z from 'zod'
import { json } from '../http/reply.ts'
import { Refusal } from '../oidc/refusal.ts'
import { requireOutcomeName, requirePersona } from '../sandbox/decision/names.ts'
import { isFlowId } from '../sandbox/journal/journal.ts'
import type { Tenant } from '../sandbox/tenants/tenant.ts'
import { controlRoute } from './control-route.ts'
import { flowShape } from './shapes.ts'
import { LONGEST_WAIT, waitFor } from './wait-for.ts'

const flowFilter = z.strictObject({
  flow: z.enum(['use', 'create', 'upgrade']).optional(),
  client_id: z.string().optional(),
  state: z.string().optional(),
  persona: z.string().optional(),
  outcome: z.string().optional(),
  after: z
    .string()
    .refine(isFlowId, { error: 'must be the id of a flow, for example f12' })
    .optional()
    .describe('Only flows that began after this one'),
  wait: z.coerce
    .number({ error: 'must be a number of seconds' })
    .min(0)
    .max(LONGEST_WAIT)
    .optional()
    .describe('Seconds to wait until an ended flow matches'),
})

export const flowRoutes = [
  controlRoute({
    method: 'get',
    path: '/flows',
    operationId: 'listFlows',
    summary: 'The journal, newest first; with wait only ended flows, as soon as there is one',
    query: flowFilter,
    responses: { 200: z.object({ flows: z.array(flowShape) }) },
    async handle({ tenant, query, signal }) {
      const { wait: seconds, ...filter } = query
      const { journal, name } = tenant
      if (filter.outcome !== undefined) requireOutcomeName(filter.outcome)
      if (filter.persona !== undefined) await checkPersona(filter.persona, tenant)
      if (seconds === undefined) return json(200, { flows: await journal.list(name, filter) })
      const look = async () => {
        const ended = (await journal.list(name, filter)).filter((flow) => flow.ended_at !== undefined)
        return ended.length > 0 ? ended : undefined
      }
      const flows = (await waitFor(journal, { tenant: name, seconds, signal, events: ['flow'], look })) ?? []
      return json(200, { flows })
    },
  }),
  controlRoute({
    method: 'get',
    path: '/flows/:id',
    operationId: 'getFlow',
    summary: 'One flow with all its calls',
    responses: { 200: flowShape },
    async handle({ tenant, params }) {
      const id = params['id'] ?? ''
      const flow = await tenant.journal.find(tenant.name, id)
      if (flow) return json(200, flow)
      const message = `flow: there is none with the id ${JSON.stringify(id.slice(0, 40))}; the oldest go when the journal is full`
      throw Refusal.notFound(message)
    },
  }),
]

/** A persona that is there, or was when a flow was decided as it: a misspelt one would be waited for in vain. */
async function checkPersona(persona: string, tenant: Tenant): Promise<void> {
  const { journal, name } = tenant
  if ((await journal.list(name, { persona })).length === 0) await requirePersona(persona, { personas: tenant.personas })
}
