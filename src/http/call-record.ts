import { bearerToken } from '../oidc/request/client-auth.ts'
import { decodePairs } from '../oidc/request/parameters.ts'
import type { FlowFacts, JournalEntry } from '../sandbox/journal/journal.ts'
import type { Tenant } from '../sandbox/tenants/tenant.ts'
import type { Incoming } from './incoming.ts'
import { readable, sentParameters } from './received-call.ts'
import type { Answer } from './route.ts'

/** Endpoints whose calls make up flows; `choice` is the form of a hosted page. */
export const FLOW_ENDPOINTS = ['E1', 'E2', 'E3', 'E4', 'E5', 'choice'] as const
export type FlowEndpoint = (typeof FLOW_ENDPOINTS)[number]

export const isFlowEndpoint = (endpoint: string | undefined): endpoint is FlowEndpoint =>
  FLOW_ENDPOINTS.some((known) => known === endpoint)

const MASK = '***'
/** However it is written: a name that is misspelt holds the same secret. */
const SECRET_PARAMETER = /secret|access.?token|control.?token/i

interface Call {
  readonly request: Incoming
  readonly answer: Answer
  readonly tenant: Tenant
}

/** Records a call of a flow. */
export async function recordCall(endpoint: FlowEndpoint, call: Call): Promise<void> {
  const { journal, name } = call.tenant
  await journal.record(name, journalEntry(endpoint, call))
}

/** Tells of a call that belongs to no flow: discovery and keys. */
export function announceCall(endpoint: string, { request, answer, tenant }: Call): void {
  const { method, path } = request
  const { status } = answer.reply
  const at = new Date(tenant.clock.now()).toISOString()
  tenant.journal.announce({ type: 'call', tenant: tenant.name, data: { at, endpoint, method, path, status } })
}

/** A call as the journal keeps it: secrets masked, texts in place of objects that live on. */
function journalEntry(endpoint: FlowEndpoint, { request, answer, tenant }: Call): JournalEntry {
  return {
    belongsTo: identifiersIn(endpoint, request),
    handsOut: answer.issuedIds ?? [],
    facts: factsOf(endpoint, request, answer),
    explain: answer.evaluation?.explain,
    // A choice for a transaction that nobody knows belongs to no flow.
    begins: endpoint !== 'choice',
    // A choice that is refused leaves its flow waiting.
    ends: answer.ends ?? (answer.reply.status >= 400 && endpoint !== 'choice'),
    ...recorded(endpoint, { request, answer, tenant }),
  }
}

/** Identifiers are told apart by what they are: a code is never looked up as a token. */
export const identifier = (kind: 'transaction' | 'request_uri' | 'code' | 'access_token', value: string) =>
  `${kind}:${value}`

/** A parameter as text; of a repeated one the last. */
function sentText(request: Incoming, name: string): string | undefined {
  const value =
    request.method === 'GET'
      ? request.queryPairs.findLast((pair) => pair[0] === name)?.[1]
      : sentParameters(request)[name]
  return typeof value === 'string' ? value : undefined
}

function identifiersIn(endpoint: FlowEndpoint, request: Incoming): string[] {
  const named = (kind: 'transaction' | 'request_uri' | 'code') => {
    const value = sentText(request, kind)
    return value ? [identifier(kind, value)] : []
  }
  switch (endpoint) {
    case 'E3':
      return named('request_uri')
    case 'E4':
      return named('code')
    case 'choice':
      return named('transaction')
    case 'E5': {
      const token = bearerToken(request.authorization)
      return token === undefined ? [] : [identifier('access_token', token)]
    }
    case 'E1':
    case 'E2':
      return []
  }
}

const FLOW_OF: Readonly<Record<FlowEndpoint, FlowFacts['flow']>> = {
  E1: 'use',
  E2: 'create',
  E3: 'create',
  E4: 'upgrade',
  E5: 'upgrade',
  choice: 'use',
}

function factsOf(
  endpoint: FlowEndpoint,
  request: Incoming,
  { decision, evaluation, forcedOutcome }: Answer,
): FlowFacts {
  const isCreate = endpoint === 'choice' && request.path.startsWith('/v1/oidc/create')
  const flow = isCreate ? 'create' : FLOW_OF[endpoint]
  // Only these say who asks and with which state; the others belong to a flow that knows.
  const saysIt = endpoint === 'E1' || endpoint === 'E2'
  return {
    flow,
    client_id: saysIt ? sentText(request, 'client_id') : undefined,
    state: saysIt ? sentText(request, 'state') : undefined,
    persona: decision?.persona?.name,
    outcome: decision?.laterOutcome?.name ?? decision?.outcome.name ?? forcedOutcome?.name,
    age_thresholds: evaluation?.ageThresholds,
  }
}

function recorded(endpoint: FlowEndpoint, { request, answer, tenant }: Call): Pick<JournalEntry, 'call' | 'holds'> {
  const { method, path, query } = request
  const { status, headers } = answer.reply
  const { findings = [] } = answer
  const call = {
    at: new Date(tenant.clock.now()).toISOString(),
    endpoint,
    method,
    path,
    status,
    parameters: {},
    findings,
    response: responseOf(answer),
  }
  const { Location: location } = headers
  if (method !== 'GET' || location === undefined || findings.length > 0) {
    return { call: { ...call, parameters: masked(sentParameters(request)) } }
  }
  // The usual end of a flow: two texts say everything, and are read when somebody looks.
  return {
    call: {
      ...call,
      get parameters() {
        return masked(readable(decodePairs(query)))
      },
    },
    holds: query.length + location.length,
  }
}

/** What was sent back: where a redirect leads, the JSON of a call, or the kind of page with what it says or its form carries. */
function responseOf({
  reply: { headers, body, dropped, title: page },
  callback,
  error,
  errorDescription,
}: Answer): unknown {
  if (dropped) return { dropped: true }
  if (headers['Location'] !== undefined) return { location: headers['Location'] }
  if (page !== undefined) {
    if (callback) return { page, params: Object.fromEntries(callback.params) }
    return errorDescription === undefined ? { page } : { page, error, error_description: errorDescription }
  }
  try {
    const json: unknown = JSON.parse(body)
    return typeof json === 'object' && json !== null && !Array.isArray(json) ? masked({ ...json }) : json
  } catch {
    return body.slice(0, 1_000)
  }
}

const masked = (members: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(members).map(([name, value]) => [name, SECRET_PARAMETER.test(name) ? MASK : value]))
