import { clientIn, identifier } from '../http/calls/record-call.ts'
import type { Answer, Handler } from '../http/handler.ts'
import type { Incoming } from '../http/incoming.ts'
import { json } from '../http/reply.ts'
import { readRequestedDecision } from '../http/requested-decision.ts'
import type { ServerCall } from '../oidc/endpoints.ts'
import type { Awaitable } from '../oidc/ports.ts'
import { Refusal, unlessUnavailable } from '../oidc/refusal.ts'
import { decideServerCall } from '../sandbox/decision/decide-server-call.ts'
import { type RequestedDecision, requireRequestedNames } from '../sandbox/decision/sources.ts'
import { applyChanges } from '../sandbox/outcomes/apply-changes.ts'
import type { AnswerChange, ServerReply } from '../sandbox/outcomes/outcome.ts'
import { createTamperTools } from '../sandbox/outcomes/tamper-tools.ts'
import type { ReceivedCall } from '../sandbox/queue/call.ts'
import { inErrorForm } from '../sandbox/readings/error-form.ts'
import type { Tenant } from '../sandbox/tenants/tenant.ts'

/** A server-to-server endpoint, whose reply an outcome can change. */
interface ServedAnswer extends Answer {
  readonly reply: ServerReply
}

/** The flow that a call continues, read from the record of its code or access token. */
interface Continued {
  readonly clientId?: string | undefined
  readonly state?: string | undefined
}

interface ServerEndpoint<Found> {
  /** Reads the record that the call names, once for all callers. */
  find(request: Incoming, tenant: Tenant): Awaitable<Found>
  continues?(found: Found): Continued | undefined
  serve(request: Incoming, tenant: Tenant, found: Found): ServedAnswer | Promise<ServedAnswer>
}

/**
 * A server-to-server call whose outcome can be forced. An outcome with `instead` replaces the work of the service. Every other
 * outcome changes a good reply: a refusal is sent unchanged, and a queued decision stays queued. Scenarios observe every call.
 */
export const withForcedOutcome =
  <Found>(flow: ServerCall, { find, continues, serve }: ServerEndpoint<Found>): Handler =>
  async (request, tenant) => {
    const found = await find(request, tenant)
    const call = describeCall(flow, { request, tenant, continued: continues?.(found) })
    const observe = async (status: number, decidedBy?: string) => {
      try {
        await tenant.queue.observe(call, status, decidedBy)
      } catch (error) {
        // The call was carried out, so it is answered even if the store fails before scenarios see it: the client gets the answer once.
        unlessUnavailable(error)
      }
    }
    try {
      const serveCall = async () => serve(request, tenant, found)
      const { answer, decidedBy } = await answerCall(call, { request, tenant, serve: serveCall })
      await observe(answer.reply.status, decidedBy)
      return { ...answer, clientId: call.client_id }
    } catch (error) {
      await observe(error instanceof Refusal ? error.status : 500)
      const { decisions, ids } = tenant.readings
      throw error instanceof Refusal && ids ? error.with({ form: { call: flow, decisions, readings: ids } }) : error
    }
  }

/** The reply of the service, after the readings and a forced outcome. */
async function answerCall(
  call: ReceivedCall,
  { request, tenant, serve }: { request: Incoming; tenant: Tenant; serve(): Promise<ServedAnswer> },
): Promise<{ answer: ServedAnswer; decidedBy?: string | undefined }> {
  const requested = await readServerDecision(call, request, tenant)
  const forced = await decideServerCall(call, { requested, tenant })
  const { changes: readings } = tenant.readings
  if (!forced) {
    const answer = await serve()
    return readings.length === 0 ? { answer } : changed(answer, { call, tenant, changes: readings })
  }
  const { outcome, source: forcedBy, queued } = forced
  const good = outcome.instead
    ? undefined
    : await serve().catch(async (error: unknown) => {
        // A refused call does not use up the forced outcome.
        await forced.settle(false)
        throw error
      })
  if (!(await forced.settle(true))) return changed(good ?? (await serve()), { call, tenant, changes: readings })
  const honest: ServedAnswer = good ?? { reply: json(200, {}) }
  const changes = outcome.instead ? [outcome] : [...readings, outcome]
  const { answer, traps } = await changed(honest, { call, tenant, changes })
  // A forced refusal is one of the service. The service never refuses a discovery document or a key set.
  const isRefusal = outcome.instead && call.flow !== 'discovery' && call.flow !== 'jwks'
  const reply = isRefusal ? inErrorForm(call.flow, answer.reply, tenant.provider.decisions) : answer.reply
  const issuedIds = [...(answer.issuedIds ?? []), ...traps.map((id) => identifier('trap', id))]
  return {
    answer: { ...answer, reply, issuedIds, forcedOutcome: outcome, forcedBy, audit: queued?.audit },
    decidedBy: queued?.scenario,
  }
}

async function changed(
  answer: ServedAnswer,
  { call: { flow }, tenant, changes }: { call: ReceivedCall; tenant: Tenant; changes: readonly AnswerChange[] },
): Promise<{ answer: ServedAnswer; traps: readonly string[] }> {
  const tools = createTamperTools(tenant)
  const reply = await applyChanges('reply', answer.reply, { flow, changes, tools })
  return { answer: { ...answer, reply }, traps: tools.traps }
}

/** The outcome that the call names in its query or headers. @throws Refusal for anything that would be ignored otherwise */
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

/** A server-to-server call with the client and state that it claims or that its record has. The service has not checked them yet. */
function describeCall(
  flow: ServerCall,
  { request, tenant, continued }: { request: Incoming; tenant: Tenant; continued: Continued | undefined },
): ReceivedCall {
  const parameters = request.sentParameters()
  const { state } = parameters
  const isContinuing = flow === 'token' || flow === 'upgrade'
  return {
    flow,
    client_id: continued?.clientId ?? clientIn(request),
    state: isContinuing ? continued?.state : typeof state === 'string' ? state : undefined,
    nonce: undefined,
    sentParameters: () => parameters,
    mask: tenant.clients.mask,
  }
}
