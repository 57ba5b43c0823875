import * as z from 'zod'
import { thresholdTraceSchema } from '../age/trace.ts'
import { decodeIdToken } from '../http/decode-id-token.ts'
import type { RenderedPage } from '../http/html/layout.ts'
import { Refusal } from '../oidc/refusal.ts'
import type { CallRecord, Flow } from '../sandbox/journal/journal.ts'
import { outcomesFor } from '../sandbox/outcomes/catalogue.ts'
import type { Tenant } from '../sandbox/tenants/tenant.ts'
import type { ConsoleCall, ConsoleRoute } from './console-route.ts'
import { curlCommand } from './curl.ts'
import { callbackOf } from './flow-callback.ts'
import type { CallView } from './flow-calls.ts'
import { type FlowView, renderFlow } from './flow-page.ts'
import { nextSteps } from './next-steps.ts'
import { refusalOf } from './refusal.ts'

/** `console/flows/ID`: one flow with all there is to know of it. */
export const flowPage: ConsoleRoute = { name: 'flows', below: '/:id', render: renderOne }

async function renderOne({ tenant, frame, params }: ConsoleCall): Promise<RenderedPage> {
  const id = params['id'] ?? ''
  const flow = await tenant.journal.find(tenant.name, id)
  if (flow) return renderFlow({ ...frame, ...viewOf(flow, tenant) })
  const message = `flow: there is none with the id ${JSON.stringify(id.slice(0, 40))}; the oldest go when the journal is full`
  throw Refusal.notFound(message)
}

function viewOf(flow: Flow, tenant: Tenant): Omit<FlowView, keyof ConsoleCall['frame']> {
  const idToken = callbackOf(flow)?.['id_token']
  return {
    id: flow.id,
    flow: flow.flow,
    clientId: flow.client_id,
    state: flow.state,
    persona: flow.persona,
    outcome: outcomeOf(flow),
    startedAt: flow.started_at,
    endedAt: flow.ended_at,
    answers: flow.age_thresholds ?? {},
    calls: flow.calls.map((call) => callView(call, flow, tenant)),
    idToken: idToken === undefined ? undefined : decodeIdToken(idToken),
    trace: z.array(thresholdTraceSchema).safeParse(flow.trace).data ?? [],
    jsonPath: `${tenant.basePath}/_sandbox/flows/${flow.id}`,
    next: nextSteps(flow, tenant.provider.lifetimes),
  }
}

/** The row of the flow's outcome: its own, or that of a later call which was told to go wrong. */
const outcomeOf = (flow: Flow) =>
  [...outcomesFor(flow.flow), ...outcomesFor('token')].find((row) => row.name === flow.outcome)

function callView(call: CallRecord, { client_id: clientId }: Flow, { provider }: Tenant): CallView {
  const { endpoint, method, path, parameters } = call
  const curl = curlCommand({ endpoint, method, url: `${provider.baseUrl}${path}`, parameters, clientId })
  return { ...call, curl, refusal: refusalOf(call)?.description }
}
