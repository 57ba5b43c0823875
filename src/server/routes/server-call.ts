import { decideServerCall, type ForcedOutcome } from '../../sandbox/decision/decide.ts'
import { type RequestedDecision, requireRequestedNames } from '../../sandbox/decision/sources.ts'
import { applyChanges } from '../../sandbox/outcomes/apply-changes.ts'
import type { AnswerChange, ServerReply } from '../../sandbox/outcomes/outcome.ts'
import { createTamperTools } from '../../sandbox/outcomes/tamper-tools.ts'
import type { ReceivedCall } from '../../sandbox/queue/queued.ts'
import { inErrorForm } from '../../sandbox/readings/error-form.ts'
import type { Tenant } from '../../sandbox/tenants/tenant.ts'
import type { ServerCall } from '../../service/oidc/endpoints.ts'
import { Refusal, unlessUnavailable } from '../../service/oidc/refusal.ts'
import { clientIn, identifier } from '../http/calls/record-call.ts'
import type { Answer } from '../http/handler.ts'
import type { Incoming } from '../http/incoming.ts'
import { json } from '../http/reply.ts'
import { readRequestedDecision } from '../http/requested-decision.ts'
import { rememberTraps } from './trap.ts'

/** The headers of an answer that holds a reference or a token (RFC 6749 section 5.1). */
export const NO_STORE = { 'Cache-Control': 'no-store', Pragma: 'no-cache' }

/**
 * A server-to-server call (E2, E4 to E6), described for matching with expectations and scenarios.
 */
interface DescribedCall extends ReceivedCall {
  readonly flow: ServerCall
}

/**
 * Describes a server-to-server call by its client and state, which the service has not checked yet.
 * @param continued client and state of the flow that the call continues, from the record of its
 * code or access token
 */
export function serverCall(
  flow: ServerCall,
  request: Incoming,
  tenant: Tenant,
  continued?: { readonly clientId?: string; readonly state?: string | undefined },
): DescribedCall {
  const parameters = request.sentParameters()
  const sentState = typeof parameters['state'] === 'string' ? parameters['state'] : undefined
  return {
    flow,
    client_id: continued?.clientId ?? clientIn(request),
    state: continued ? continued.state : sentState,
    nonce: undefined,
    sentParameters: () => parameters,
    mask: tenant.clients.mask,
  }
}

/** The answer to a server-to-server call. An outcome can change its reply. */
interface ServerAnswer extends Answer {
  readonly reply: ServerReply
}

/** How the service itself serves the call. */
interface Serving {
  readonly request: Incoming
  readonly tenant: Tenant
  /**
   * Serves the call as specified.
   * @throws Refusal
   */
  serve(): Promise<ServerAnswer>
}

/**
 * Answers a server-to-server call: decides its outcome, serves it, changes the answer, and shows
 * the call to scenarios.
 */
export async function answerServerCall(call: DescribedCall, serving: Serving): Promise<Answer> {
  const { tenant } = serving
  try {
    const { answer, scenario } = await serveAsDecided(call, serving)
    await observe(call, tenant, answer.reply.status, scenario)
    return { ...answer, clientId: call.client_id }
  } catch (error) {
    await observe(call, tenant, error instanceof Refusal ? error.status : 500)
    throw error
  }
}

/**
 * Shows the call to scenarios. A store that fails here does not prevent the answer: the call is
 * already carried out, and the client can get its answer only once.
 */
async function observe(
  call: DescribedCall,
  { queue }: Tenant,
  status: number,
  scenario?: string,
): Promise<void> {
  try {
    await queue.observe(call, status, scenario)
  } catch (error) {
    unlessUnavailable(error)
  }
}

interface Served {
  readonly answer: ServerAnswer
  /** The scenario whose step forced the outcome. */
  readonly scenario?: string | undefined
}

async function serveAsDecided(call: DescribedCall, serving: Serving): Promise<Served> {
  const { request, tenant } = serving
  const requested = await readServerDecision(call, request, tenant)
  const forced = await decideServerCall(call, { requested, tenant })
  if (!forced) {
    const answer = await serveInErrorForm(call, serving)
    const { changes } = tenant.readings
    return changes.length === 0 ? { answer } : change(answer, { call, tenant, changes })
  }
  // The outcome stands in place of the service.
  if (forced.outcome.instead) return replaceAnswer(call, forced, serving)
  // The outcome changes a good answer of the service.
  return changeAnswer(call, forced, serving)
}

/** Answers with an outcome that replaces the work of the service (`instead`). */
async function replaceAnswer(
  call: DescribedCall,
  forced: ForcedOutcome,
  serving: Serving,
): Promise<Served> {
  const { tenant } = serving
  const { changes: readings } = tenant.readings
  // Another call used the expectation first, so the service answers.
  if (!(await forced.settle(true)))
    return change(await serveInErrorForm(call, serving), { call, tenant, changes: readings })
  const empty: ServerAnswer = { reply: json(200, {}) }
  const { answer, traps } = await change(empty, { call, tenant, changes: [forced.outcome] })
  // The service never refuses discovery or the key set, so the readings do not change the form of a
  // forced refusal there.
  if (isPublished(call)) return recordForced({ answer, traps }, forced, { call, tenant })
  const reply = inErrorForm(call.flow, answer.reply, tenant.provider.policy)
  return recordForced({ answer: { ...answer, reply }, traps }, forced, { call, tenant })
}

/**
 * Serves the call, then changes the good answer. If the service refuses the call, the refusal is
 * sent unchanged and the expectation is not used.
 */
async function changeAnswer(
  call: DescribedCall,
  forced: ForcedOutcome,
  serving: Serving,
): Promise<Served> {
  const { tenant } = serving
  const { changes: readings } = tenant.readings
  const good = await serveInErrorForm(call, serving).catch(async (error: unknown) => {
    await forced.settle(false)
    throw error
  })
  // Another call used the expectation first, so the good answer is sent.
  if (!(await forced.settle(true))) return change(good, { call, tenant, changes: readings })
  const changes = [...readings, forced.outcome]
  return recordForced(await change(good, { call, tenant, changes }), forced, { call, tenant })
}

/** Adds the forced outcome and its decision source to the answer. */
async function recordForced(
  { answer, traps }: Changed,
  { outcome, source, queued }: ForcedOutcome,
  { call, tenant }: { call: DescribedCall; tenant: Tenant },
): Promise<Served> {
  if (isPublished(call)) await rememberTraps(traps, tenant.provider)
  const issuedIds = [...(answer.issuedIds ?? []), ...traps.map((id) => identifier('trap', id))]
  return {
    answer: {
      ...answer,
      issuedIds,
      forcedOutcome: outcome,
      forcedBy: source,
      audit: queued?.audit,
    },
    scenario: queued?.scenario,
  }
}

const isPublished = ({ flow }: DescribedCall) => flow === 'discovery' || flow === 'jwks'

interface Changed {
  readonly answer: ServerAnswer
  /** The ids of the traps that the changed reply names. */
  readonly traps: readonly string[]
}

async function change(
  answer: ServerAnswer,
  {
    call: { flow },
    tenant,
    changes,
  }: { call: DescribedCall; tenant: Tenant; changes: readonly AnswerChange[] },
): Promise<Changed> {
  const tools = createTamperTools(tenant)
  const reply = await applyChanges('reply', answer.reply, { flow, changes, tools })
  return { answer: { ...answer, reply }, traps: tools.traps }
}

/**
 * Serves the call. The readings of the tenant change the form of refusals by the service. Refusals
 * by the sandbox itself, such as an unknown name in `X-Sandbox-Outcome`, keep their form, because
 * developers read them.
 */
async function serveInErrorForm(
  { flow }: DescribedCall,
  { tenant, serve }: Serving,
): Promise<ServerAnswer> {
  try {
    return await serve()
  } catch (error) {
    const { policy, ids } = tenant.readings
    throw error instanceof Refusal && ids
      ? error.with({ form: { call: flow, policy, readings: ids } })
      : error
  }
}

/**
 * Reads the outcome that the call names in its query or headers.
 * @throws Refusal for an unknown name, for a persona, and for a `sandbox_` parameter in the body
 */
async function readServerDecision(
  { flow, sentParameters }: DescribedCall,
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
    request.method === 'POST'
      ? Object.keys(sentParameters()).find((name) => name.startsWith('sandbox_'))
      : undefined
  if (misplaced !== undefined) {
    throw Refusal.invalidRequest(
      `${misplaced}: it stands in the body, where it decides nothing; send the header X-Sandbox-Outcome, or sandbox_outcome in the query`,
    )
  }
  return requested
}
