import { identifier } from '../http/calls/record-call.ts'
import type { Answer, Handler } from '../http/handler.ts'
import type { Incoming } from '../http/incoming.ts'
import { json } from '../http/reply.ts'
import { readRequestedDecision } from '../http/requested-decision.ts'
import { Refusal, unlessUnavailable } from '../oidc/refusal.ts'
import { basicClientId, bearerToken } from '../oidc/request/client-auth.ts'
import { accessTokens, stateOfCode } from '../oidc/token.ts'
import type { ReceivedCall } from '../sandbox/decision/call.ts'
import { decideServerCall, type ForcedOutcome } from '../sandbox/decision/decide-server-call.ts'
import { scenarioOf } from '../sandbox/decision/queue.ts'
import { type RequestedDecision, requireRequestedNames } from '../sandbox/decision/sources.ts'
import type { OutcomeFlow } from '../sandbox/outcomes/outcome.ts'
import type { ServerReply } from '../sandbox/outcomes/server-reply.ts'
import { createTamperTools } from '../sandbox/outcomes/tamper-tools.ts'
import { changeReply, NO_READINGS } from '../sandbox/readings/active-readings.ts'
import { inErrorForm } from '../sandbox/readings/error-form.ts'
import type { Tenant } from '../sandbox/tenants/tenant.ts'

type ServerFlow = Exclude<OutcomeFlow, 'use' | 'create'>

/** A server-to-server endpoint: its reply can be changed by an outcome. */
interface ServedAnswer extends Answer {
  readonly reply: ServerReply
}

type ServeCall = (request: Incoming, tenant: Tenant) => ServedAnswer | Promise<ServedAnswer>

interface ServedCall {
  readonly call: ReceivedCall
  readonly request: Incoming
  readonly tenant: Tenant
  readonly serve: ServeCall
}

/**
 * A server-to-server call whose outcome can be forced: by `sandbox_outcome` in its query, by the header `X-Sandbox-Outcome`, by
 * a queued decision, or by the default. An outcome with `instead` replaces the work of the service. Every other outcome changes a good reply; when
 * the service refuses the call, the refusal is sent unchanged and a queued decision stays queued. Scenarios observe every
 * call.
 */
export const withForcedOutcome =
  (flow: ServerFlow, serve: ServeCall): Handler =>
  async (request, tenant) => {
    const call = await describeCall(flow, request, tenant)
    const honest = readAsSet(flow, { tenant, serve })
    const served = { call, request, tenant, serve: honest }
    const { answer, decidedBy } = await serveOrForce(served).catch(async (error: unknown) => {
      await observe(call, error instanceof Refusal ? error.status : 500, { tenant })
      throw error
    })
    await observe(call, answer.reply.status, { tenant, decidedBy })
    return { ...answer, clientId: call.client_id }
  }

/** What was done is answered, also when a store that is away does not let a scenario see it: the client gets it once. */
const observe = (
  call: ReceivedCall,
  status: number,
  { tenant, decidedBy }: { tenant: Tenant; decidedBy?: string | undefined },
) => tenant.scenarios.observe(call, status, decidedBy).catch(unlessUnavailable)

/** A scenario that decided the call does not also observe it. */
async function serveOrForce(served: ServedCall): Promise<{ answer: ServedAnswer; decidedBy?: string | undefined }> {
  const { call, request, tenant, serve } = served
  const requested = await readServerDecision(call, request, tenant)
  const forced = await decideServerCall(call, { requested, tenant })
  if (!forced) return { answer: await serve(request, tenant) }
  const { outcome, source: forcedBy, queued } = forced
  const good = outcome.instead ? undefined : await serveGood(served, forced)
  if (!(await forced.settle(true))) return { answer: good ?? (await serve(request, tenant)) }
  const answer: ServedAnswer = good ?? { reply: json(200, {}) }
  const { reply, traps } = await applyOutcome(answer.reply, forced, tenant)
  const issuedIds = [...(answer.issuedIds ?? []), ...traps.map((id) => identifier('trap', id))]
  return {
    answer: { ...answer, reply, issuedIds, forcedOutcome: outcome, forcedBy, audit: queued?.audit },
    decidedBy: queued && scenarioOf(queued),
  }
}

/** What the call says about its outcome, in its query or its headers. @throws Refusal for what would else be ignored */
async function readServerDecision(
  { flow, sentParameters }: ReceivedCall,
  request: Incoming,
  tenant: Tenant,
): Promise<RequestedDecision> {
  const { requested } = readRequestedDecision(request)
  await requireRequestedNames(flow, requested, tenant)
  if (requested.query?.persona !== undefined) {
    throw Refusal.invalidRequest(
      `query parameter sandbox_persona: a ${flow} call has no persona; send it with the authorization request (E1, E3), and here sandbox_outcome`,
    )
  }
  const misplaced =
    request.method === 'POST' ? Object.keys(sentParameters()).find((name) => name.startsWith('sandbox_')) : undefined
  if (misplaced !== undefined) {
    throw Refusal.invalidRequest(
      `${misplaced}: it stands in the body, where it decides nothing; send the header X-Sandbox-Outcome, or sandbox_outcome in the query`,
    )
  }
  return requested
}

/** A refused call leaves the forced outcome for the next one. */
async function serveGood({ request, tenant, serve }: ServedCall, forced: ForcedOutcome): Promise<ServedAnswer> {
  try {
    return await serve(request, tenant)
  } catch (error) {
    await forced.settle(false)
    throw error
  }
}

/** A token or upgrade call has the state of the flow that its code or access token came from; the token names the client, too. */
async function describeCall(flow: ServerFlow, request: Incoming, tenant: Tenant): Promise<ReceivedCall> {
  const call = serverCall(flow, request, tenant)
  if (flow === 'token') {
    const { code } = call.sentParameters()
    return { ...call, state: typeof code === 'string' ? await stateOfCode(code, tenant.provider) : undefined }
  }
  if (flow !== 'upgrade') return call
  const token = bearerToken(request.authorization)
  const grant = token === undefined ? undefined : await accessTokens(tenant.provider).get(token)
  return { ...call, client_id: grant?.clientId ?? call.client_id, state: grant?.state }
}

/** A server-to-server call with the client and state that it claims; the service has not checked them yet. */
function serverCall(flow: OutcomeFlow, request: Incoming, { clients }: Tenant): ReceivedCall {
  const parameters = request.sentParameters()
  const { client_id: clientId, state } = parameters
  return {
    flow,
    client_id: typeof clientId === 'string' ? clientId : basicClientId(request.authorization),
    state: typeof state === 'string' ? state : undefined,
    nonce: undefined,
    sentParameters: () => parameters,
    mask: clients.mask,
  }
}

async function applyOutcome(
  reply: ServerReply,
  { outcome }: ForcedOutcome,
  tenant: Tenant,
): Promise<{ reply: ServerReply; traps: readonly string[] }> {
  if (outcome.seam !== 'reply' || !outcome.apply) return { reply, traps: [] }
  const { provider } = tenant
  const tools = toolsOf(tenant)
  const changed = await outcome.apply(reply, tools)
  // A refusal that is forced is a refusal of the service: a discovery document or a key set is never refused.
  const isRefusal = outcome.instead && outcome.flow !== 'discovery' && outcome.flow !== 'jwks'
  return { reply: isRefusal ? inErrorForm(changed, provider.decisions) : changed, traps: tools.traps }
}

/** Replies belong to no Use request. */
const toolsOf = ({ provider, keys, clients, settings }: Tenant) =>
  createTamperTools({ provider, keys, clients, settings, transaction: undefined })

/** The call as the readings of the tenant have it answered. */
function readAsSet(flow: ServerFlow, { tenant, serve }: { tenant: Tenant; serve: ServeCall }): ServeCall {
  const { readings } = tenant
  if (readings === NO_READINGS) return serve
  return async (request) => {
    try {
      const answer = await serve(request, tenant)
      return { ...answer, reply: await changeReply(answer.reply, readings, { flow, tools: toolsOf(tenant) }) }
    } catch (error) {
      throw error instanceof Refusal ? error.inForm({ ...readings.decisions, readings: readings.ids }) : error
    }
  }
}
