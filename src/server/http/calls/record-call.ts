import { DEMO_CLIENT_ID } from '../../../sandbox/clients/clients.ts'
import { recordedClock } from '../../../sandbox/clock/clock.ts'
import { seenNames } from '../../../sandbox/coverage/seen-names.ts'
import type { RecordedDecision, RecordedResponse } from '../../../sandbox/journal/call-record.ts'
import type { FlowFacts, RecordedIn } from '../../../sandbox/journal/journal.ts'
import type { Tenant } from '../../../sandbox/tenants/tenant.ts'
import type { CorrelationKind, Endpoint } from '../../../service/oidc/endpoints.ts'
import { type Awaitable, whenThere } from '../../../service/oidc/ports.ts'
import { basicClientId, bearerToken } from '../../../service/oidc/request/client-auth.ts'
import { copyOf } from '../../../service/oidc/request/parameters.ts'
import type { Answer } from '../handler.ts'
import type { Incoming } from '../incoming.ts'
import { type Body, sentStatus } from '../reply.ts'
import { isOfAudit } from '../requested-decision.ts'

interface Call {
  readonly request: Incoming
  readonly answer: Answer
  readonly tenant: Tenant
  /** Whether the call may begin a flow; otherwise only an existing flow records it. */
  readonly mayBegin: boolean
  /** The id of the flow that the answer names, assigned before the answer was created. */
  readonly assigned?: string | undefined
}

/**
 * Records a call before its answer is sent, so that a client with the answer finds the call in the
 * journal. The journal keeps the raw request; its readers decode the request and mask secrets. A
 * call without a flow is announced as an event but not kept.
 */
export function recordCall(
  endpoint: Endpoint,
  { request, answer, tenant, mayBegin, assigned }: Call,
): Awaitable<RecordedIn | undefined> {
  const { journal, name, clock } = tenant
  const { number, flow, beginsFlow = true } = endpoint
  const { method, path } = request
  const at = new Date(clock.now()).toISOString()
  const status = sentStatus(answer.reply)
  const announce = (shownPath: string) =>
    journal.announce({
      type: 'call',
      tenant: name,
      data: { at, endpoint: number, method, path: shownPath, status },
    })
  const { decision, evaluation, transaction, issuedIds = [] } = answer
  const audit = isOfAudit(request) || answer.audit || decision?.queued?.audit || undefined
  const seen = !audit && isOfApp(request, answer) ? seenNames(endpoint, answer) : []
  if (flow === undefined) {
    // No mask: the paths of discovery and keys contain no text of the caller.
    announce(path)
    return whenThere(journal.seen.add(name, seen), () => undefined)
  }
  const readings = answer.readings ?? tenant.readings.ids
  const recorded = journal.record(name, {
    correlationIds: correlationIdsIn(endpoint, request),
    issuedIds:
      transaction === undefined
        ? issuedIds
        : [identifier('transaction', transaction), ...issuedIds],
    facts: { flow, audit, readings, ...factsOf(endpoint, request, answer) },
    call: {
      at,
      endpoint: number,
      method,
      path,
      status,
      ...keptOf(endpoint, request, answer, tenant),
    },
    evaluation: evaluation && {
      claims: evaluation.claims,
      signals: evaluation.signals,
      now: evaluation.now,
    },
    seen,
    mask: tenant.clients.mask,
    begins: mayBegin && (answer.begins ?? beginsFlow),
    assigned,
    // A refused call ends its flow, except a call that continues a flow: a refused choice leaves
    // the flow pending.
    ends: answer.ends ?? ((status >= 400 || status === 0) && beginsFlow),
  })
  return whenThere(recorded, (place) => {
    if (place === undefined) announce(tenant.clients.mask(path))
    return place
  })
}

/** Reserves the flow in which a call will be recorded; `undefined` for a call without a flow. */
export function assignFlow(
  endpoint: Endpoint,
  { request, tenant, mayBegin }: Pick<Call, 'request' | 'tenant' | 'mayBegin'>,
): Awaitable<string | undefined> {
  if (endpoint.flow === undefined) return undefined
  const correlationIds = correlationIdsIn(endpoint, request)
  return tenant.journal.assign(tenant.name, {
    correlationIds,
    begins: mayBegin && (endpoint.beginsFlow ?? true),
  })
}

/**
 * An identifier with its kind as prefix, so that a code is never found as a token.
 * @example
 * identifier('code', 'abc') // 'code:abc'
 */
export const identifier = (kind: CorrelationKind, value: string) => `${kind}:${value}`

export function clientIn(incoming: Incoming): string | undefined {
  const { client_id: clientId } = incoming.sentParameters()
  return typeof clientId === 'string' ? clientId : basicClientId(incoming.authorization)
}

/**
 * Whether an app made the call: not the demo, and not a tool of the sandbox, which sends
 * `X-Sandbox-Tool`.
 */
const isOfApp = (request: Incoming, { asked, clientId }: Answer): boolean =>
  request.method !== 'HEAD' &&
  request.header('x-sandbox-tool') === undefined &&
  (asked?.clientId ?? clientId ?? clientIn(request)) !== DEMO_CLIENT_ID

function correlationIdsIn({ correlation }: Endpoint, request: Incoming): string[] {
  if (correlation === undefined) return []
  const sent = correlationId(correlation, request)
  return typeof sent === 'string' && sent !== '' ? [identifier(correlation, sent)] : []
}

function correlationId(kind: CorrelationKind, request: Incoming): unknown {
  if (kind === 'access_token') return bearerToken(request.authorization)
  return kind === 'trap' ? request.params['id'] : request.sentParameters()[kind]
}

function factsOf(
  { correlation }: Endpoint,
  request: Incoming,
  { asked: transaction, decision, evaluation, holder, forcedOutcome, forcedBy }: Answer,
): Omit<FlowFacts, 'flow'> {
  // A call that continues a flow does not change the flow's client and state.
  const { client_id: clientId, state } =
    correlation === undefined ? asked(request, transaction) : {}
  return {
    // Copies, because a slice of a string keeps the whole request in memory (V8).
    client_id: typeof clientId === 'string' ? copyOf(clientId) : undefined,
    state: typeof state === 'string' ? copyOf(state) : undefined,
    persona: holder ?? decision?.persona?.name,
    outcome: decision?.laterOutcome?.name ?? decision?.outcome.name ?? forcedOutcome?.name,
    decided_by: decision?.decidedBy ?? forcedBy,
    age_thresholds: evaluation?.ageThresholds,
  }
}

/**
 * Client and state of a request: the parsed values of a valid request, otherwise the values as
 * sent.
 */
const asked = (
  request: Incoming,
  transaction: Answer['asked'],
): Readonly<Record<string, unknown>> =>
  transaction
    ? { client_id: transaction.clientId, state: transaction.state }
    : request.sentParameters()

function keptOf(
  { caller, correlation }: Endpoint,
  request: Incoming,
  answer: Answer,
  tenant: Tenant,
) {
  const { reply, findings = [] } = answer
  return {
    sent: request.sent,
    authorized:
      correlation === 'trap' && request.authorization !== undefined ? (true as const) : undefined,
    findings,
    response: reply.dropped ? ({ kind: 'dropped' } as const) : recordedBody(reply.body, answer),
    decision: decisionOf(answer),
    clock: recordedClock(tenant.clock),
    traceparent: caller === 'server' ? traceparentOf(request) : undefined,
    // Recorded because `Accept` decides whether a refusal is a page or JSON.
    accept: reply.status >= 400 ? request.header('accept')?.slice(0, MAX_ACCEPT) : undefined,
  }
}

/** Maximum number of characters of `Accept` in the journal. */
const MAX_ACCEPT = 200

/**
 * The decision about this call. An outcome that is queued for a later call is recorded with that
 * call.
 */
function decisionOf({ decision, forcedOutcome, forcedBy }: Answer): RecordedDecision | undefined {
  if (decision) {
    const { persona, outcome, decidedBy } = decision
    return { persona: persona?.name, outcome: outcome.name, decided_by: decidedBy }
  }
  return forcedOutcome && { outcome: forcedOutcome.name, decided_by: forcedBy }
}

/**
 * `traceparent` (W3C Trace Context, section 3.2): version, trace-id, parent-id, trace-flags.
 * Neither id may be all zeros.
 */
const TRACEPARENT = /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}$/

function traceparentOf(request: Incoming): string | undefined {
  const sent = request.header('traceparent')
  return sent !== undefined && TRACEPARENT.test(sent) ? sent : undefined
}

/** Maximum number of characters of a text body in the journal. */
const MAX_TEXT = 1_000

function recordedBody(body: Body, answer: Answer): RecordedResponse {
  const { callback, error } = answer
  switch (body.kind) {
    case 'redirect':
      return callback
        ? { kind: 'callback', callback }
        : { kind: 'redirect', location: body.location }
    case 'page': {
      const { title } = body
      if (answer.transaction !== undefined)
        return { kind: 'page', title, transaction: answer.transaction }
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
