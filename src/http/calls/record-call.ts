import type { CorrelationKind, Endpoint } from '../../oidc/endpoints.ts'
import { bearerToken } from '../../oidc/request/client-auth.ts'
import type { UseEvaluation } from '../../oidc/use.ts'
import { MASKED } from '../../sandbox/clients/mask.ts'
import type { CallRecord, RecordedDecision, RecordedResponse } from '../../sandbox/journal/call-record.ts'
import type { EvaluationInput } from '../../sandbox/journal/evaluation.ts'
import type { FlowFacts, RecordedIn } from '../../sandbox/journal/journal.ts'
import { recordedClock } from '../../sandbox/journal/recorded-clock.ts'
import type { Tenant } from '../../sandbox/tenants/tenant.ts'
import type { Answer } from '../handler.ts'
import type { Incoming } from '../incoming.ts'
import { type Body, sentStatus } from '../reply.ts'
import { isOfAudit } from '../requested-decision.ts'

interface Call {
  readonly request: Incoming
  readonly answer: Answer
  readonly tenant: Tenant
  /** The flow that was assigned to the call, when its answer leads to it. */
  readonly assigned?: string | undefined
}

type Parameters = Readonly<Record<string, unknown>>

/**
 * Records a call before it is answered, so that a client that has the answer finds it in the journal. A call that belongs
 * to no flow is only announced.
 */
export async function recordCall(endpoint: Endpoint, call: Call): Promise<RecordedIn | undefined> {
  const { journal, name, clock } = call.tenant
  const at = new Date(clock.now()).toISOString()
  const { flow } = endpoint
  const recorded = flow && (await recordInFlow({ ...endpoint, flow }, call, at))
  if (recorded === undefined) {
    const { request, answer } = call
    const { method, path } = request
    const status = sentStatus(answer.reply)
    journal.announce({ type: 'call', tenant: name, data: { at, endpoint: endpoint.number, method, path, status } })
  }
  return recorded
}

/** The flow that a call is going to be recorded in; `undefined` for one that belongs to none. */
export async function assignFlow(
  endpoint: Endpoint,
  { request, tenant }: Pick<Call, 'request' | 'tenant'>,
): Promise<string | undefined> {
  if (endpoint.flow === undefined) return undefined
  const correlationIds = correlationIdsIn(endpoint, request, parametersOf(endpoint, request))
  return tenant.journal.assign(tenant.name, { correlationIds, begins: endpoint.beginsFlow ?? true })
}

/** `undefined` when the call belongs to no flow that is known, and begins none. */
async function recordInFlow(
  endpoint: Endpoint & Pick<FlowFacts, 'flow'>,
  call: Call,
  at: string,
): Promise<RecordedIn | undefined> {
  const { journal, name, clients } = call.tenant
  const { flow, beginsFlow = true } = endpoint
  const { answer, request, assigned } = call
  const status = sentStatus(answer.reply)
  const parameters = parametersOf(endpoint, request)
  const audit = isOfAudit(request) || answer.audit || answer.decision?.queued?.audit || undefined
  const readings = answer.readings ?? call.tenant.readings.ids
  const shown = clients.mask({
    facts: { flow, audit, readings, ...factsOf(endpoint, parameters, answer) },
    call: callRecord(endpoint, call, { at, parameters }),
  })
  return journal.record(name, {
    correlationIds: correlationIdsIn(endpoint, request, parameters),
    issuedIds: issuedIdsOf(answer),
    ...shown,
    evaluation: answer.evaluation && inputOf(answer.evaluation),
    begins: beginsFlow,
    assigned,
    // A refused choice leaves its flow pending.
    ends: answer.ends ?? ((status >= 400 || status === 0) && beginsFlow),
  })
}

const inputOf = ({ claims, signals, now }: UseEvaluation): EvaluationInput => ({ claims, signals, now })

function issuedIdsOf({ transaction, issuedIds = [] }: Answer): readonly string[] {
  return transaction === undefined ? issuedIds : [identifier('transaction', transaction), ...issuedIds]
}

/** A trap also shows that credentials came along; the journal masks those in a body by itself. */
const parametersOf = ({ correlation }: Endpoint, request: Incoming): Parameters => ({
  ...request.sentParameters(),
  ...(correlation === 'trap' && request.authorization !== undefined ? { authorization: MASKED } : {}),
})

/** Identifiers carry their kind: a code is never looked up as a token. */
export const identifier = (kind: CorrelationKind, value: string) => `${kind}:${value}`

function correlationIdsIn({ correlation }: Endpoint, request: Incoming, parameters: Parameters): string[] {
  if (correlation === undefined) return []
  const value = correlationId(correlation, request, parameters)
  return value ? [identifier(correlation, value)] : []
}

function correlationId(kind: CorrelationKind, request: Incoming, parameters: Parameters): string | undefined {
  switch (kind) {
    case 'access_token':
      return bearerToken(request.authorization)
    case 'trap':
      return request.params['id']
    default:
      return textOf(parameters[kind])
  }
}

function factsOf(
  { correlation }: Endpoint,
  { client_id: clientId, state }: Parameters,
  { decision, evaluation, forcedOutcome, forcedBy }: Answer,
): Omit<FlowFacts, 'flow'> {
  // A call that continues a flow adds neither client nor state to it.
  const continues = correlation !== undefined
  return {
    client_id: continues ? undefined : textOf(clientId),
    state: continues ? undefined : textOf(state),
    persona: decision?.persona?.name,
    outcome: decision?.laterOutcome?.name ?? decision?.outcome.name ?? forcedOutcome?.name,
    decided_by: decision?.decidedBy ?? forcedBy,
    age_thresholds: evaluation?.ageThresholds,
  }
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined)

function callRecord(
  { number, caller }: Endpoint,
  { request, answer, tenant }: Call,
  { at, parameters }: { at: string; parameters: Parameters },
): CallRecord {
  const { method, path } = request
  const decision = decisionOf(answer)
  const clock = recordedClock(tenant.clock)
  const traceparent = caller === 'server' ? traceparentOf(request) : undefined
  return {
    at,
    endpoint: number,
    method,
    path,
    status: sentStatus(answer.reply),
    parameters,
    findings: answer.findings ?? [],
    response: answer.reply.dropped ? { kind: 'dropped' } : recordedBody(answer.reply.body, answer),
    ...(decision && { decision }),
    ...(clock && { clock }),
    ...(traceparent !== undefined && { traceparent }),
  }
}

/** What decided this call alone: an outcome of a later call is recorded with that one. */
function decisionOf({ decision, forcedOutcome, forcedBy }: Answer): RecordedDecision | undefined {
  if (decision) {
    const { persona, outcome, decidedBy } = decision
    return { persona: persona?.name, outcome: outcome.name, decided_by: decidedBy }
  }
  return forcedOutcome && { outcome: forcedOutcome.name, decided_by: forcedBy }
}

/** W3C Trace Context, section 3.2: version, trace-id, parent-id and trace-flags; no id is all zeros. */
const TRACEPARENT = /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}$/

function traceparentOf(request: Incoming): string | undefined {
  const sent = request.header('traceparent')
  return sent !== undefined && TRACEPARENT.test(sent) ? sent : undefined
}

/** Characters of a text that the journal keeps. */
const MAX_TEXT = 1_000

function recordedBody(body: Body, answer: Answer): RecordedResponse {
  const { callback, error } = answer
  switch (body.kind) {
    case 'redirect':
      return callback ? { kind: 'callback', callback } : { kind: 'redirect', location: body.location }
    case 'page': {
      const { title } = body
      if (answer.transaction !== undefined) return { kind: 'page', title, transaction: answer.transaction }
      if (callback) return { kind: 'page', title, params: Object.fromEntries(callback.params) }
      return error ? { kind: 'page', title, error } : { kind: 'page', title }
    }
    case 'json':
      return { kind: 'json', value: body.value }
    case 'text':
      return { kind: 'text', text: body.text.slice(0, MAX_TEXT) }
    case 'truncated':
      return recordedBody(body.body, answer)
    case 'empty':
    case 'bytes':
    case 'stream':
      return { kind: 'text', text: '' }
  }
}
