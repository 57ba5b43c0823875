import { grouped } from '../../../http/html/elements.ts'
import { decodeIdToken } from '../../../http/html/id-token-table.ts'
import { ENDPOINTS } from '../../../oidc/endpoints.ts'
import { callbackOf } from '../../../sandbox/journal/call-meaning.ts'
import type { CallRecord, RecordedResponse } from '../../../sandbox/journal/call-record.ts'
import { explainFlow } from '../../../sandbox/journal/explain-flow.ts'
import type { Flow } from '../../../sandbox/journal/journal.ts'
import { reasoningLines } from '../../../sandbox/journal/reasoning-lines.ts'
import { type Compared, compareMembers, type Members } from './compare-members.ts'

/** Two flows side by side. */
export interface ComparedFlows {
  /** What a list says of a flow: persona, outcome, status, answers. */
  readonly facts: readonly Compared[]
  /** The reasons of each age. */
  readonly reasons: readonly Compared[]
  /** Header and payload of the id_token; empty when neither flow has one. */
  readonly idToken: readonly Compared[]
  /** The calls of both in order. */
  readonly calls: readonly ComparedCall[]
}

/** The n-th call of an endpoint in both flows. */
export interface ComparedCall {
  readonly endpoint: string
  readonly in: 'both' | 'a' | 'b'
  readonly members: readonly Compared[]
}

export const compareFlows = (a: Flow, b: Flow): ComparedFlows => ({
  facts: compareMembers(factsOf(a), factsOf(b)),
  reasons: compareMembers(reasonsOf(a), reasonsOf(b)),
  idToken: compareMembers(idTokenOf(a), idTokenOf(b)),
  calls: alignCalls(a, b),
})

/** What is compared elsewhere, or is another one in each flow. */
const ELSEWHERE: readonly string[] = ['id', 'tenant', 'started_at', 'ended_at', 'calls', 'trace']

function factsOf(flow: Flow): Members {
  const { status, summary } = explainFlow(flow)
  const facts = Object.entries(flow).filter(([name]) => !ELSEWHERE.includes(name))
  return { status, 'what happened': summary, ...Object.fromEntries(facts) }
}

const reasonsOf = ({ trace = [] }: Flow): Members =>
  Object.fromEntries(
    trace.map((one) => {
      const lines = reasoningLines([one]).map((line) => line.replace(`${one.threshold}: `, ''))
      return [`age ${one.threshold}`, lines.join('; ') || 'no. The age key holds no signal']
    }),
  )

function idTokenOf(flow: Flow): Members {
  const token = callbackOf(flow)?.['id_token']
  if (token === undefined) return {}
  const { header, payload } = decodeIdToken(token)
  const { iat, exp, nonce } = payload
  const asked = flow.calls.find(({ endpoint }) => endpoint === ENDPOINTS.use.number)?.parameters['nonce']
  // What is another one in each flow can be compared by what it should be.
  return {
    header,
    payload,
    'nonce of the request': nonce === asked ? 'repeated' : 'not repeated',
    ...(typeof iat === 'number' && typeof exp === 'number' && { 'exp minus iat, in seconds': exp - iat }),
    ...(typeof iat === 'number' && { 'iat, beside the time of the answer': besideOf(iat * 1000, flow) }),
  }
}

/** Seconds that a token and its answer may lie apart without meaning. */
const SAME_TIME_SECONDS = 2

function besideOf(instant: number, { calls, started_at: startedAt }: Flow): string {
  const answered = calls.findLast(({ response }) => response.kind === 'callback' || response.kind === 'page')
  const seconds = Math.round((instant - Date.parse(answered?.at ?? startedAt)) / 1000)
  if (Math.abs(seconds) <= SAME_TIME_SECONDS) return 'the same'
  return `${Math.abs(seconds)} seconds ${seconds < 0 ? 'before' : 'after'}`
}

/** Pairs the n-th call of an endpoint with the n-th of the other flow. A call of one flow alone stays where it was made. */
function alignCalls(a: Flow, b: Flow): ComparedCall[] {
  const [ofA, ofB] = [numbered(a.calls), numbered(b.calls)]
  const order = [...ofA.keys()]
  let place = 0
  for (const key of ofB.keys()) {
    const index = order.indexOf(key)
    if (index < 0) order.splice(place++, 0, key)
    else place = Math.max(place, index + 1)
  }
  return order.map((key) => compareCalls(ofA.get(key), ofB.get(key)))
}

/** Calls by endpoint and by how often it was called before: `E1 0`. */
function numbered(calls: readonly CallRecord[]): ReadonlyMap<string, CallRecord> {
  const counts = new Map<string, number>()
  return new Map(
    calls.map((call) => {
      const count = counts.get(call.endpoint) ?? 0
      counts.set(call.endpoint, count + 1)
      return [`${call.endpoint} ${count}`, call]
    }),
  )
}

const compareCalls = (a: CallRecord | undefined, b: CallRecord | undefined): ComparedCall => ({
  endpoint: a?.endpoint ?? b?.endpoint ?? '',
  in: a && b ? 'both' : a ? 'a' : 'b',
  members: compareMembers(a ? membersOf(a) : {}, b ? membersOf(b) : {}),
})

const membersOf = ({ method, path, status, parameters, findings, response }: CallRecord): Members => ({
  call: `${method} ${path}`,
  status,
  ...Object.fromEntries(
    grouped(findings, ({ rule, level }) => `${level} ${rule}`).map(([name, broken]) => [
      name,
      broken.map(({ message }) => message).join('; '),
    ]),
  ),
  ...prefixed('sent', textOfClaims(parameters)),
  ...prefixed('answered', answerOf(response, parameters)),
})

const prefixed = (prefix: string, members: Members): Members =>
  Object.fromEntries(Object.entries(members).map(([name, value]) => [`${prefix}: ${name}`, value]))

/** The id_token binds the text of claims, so that a space in it is a difference. */
const textOfClaims = (parameters: Members): Members => {
  const { claims } = parameters
  return typeof claims === 'string' ? { ...parameters, 'characters of claims': claims.length } : parameters
}

/** What was sent back. The id_token is compared by its members. */
function answerOf(response: RecordedResponse, { state: asked }: Members): Members {
  switch (response.kind) {
    case 'callback': {
      const { mode, redirectUri, params } = response.callback
      return { 'sent to': redirectUri, mode, ...callbackMembers(Object.fromEntries(params), asked) }
    }
    case 'redirect':
      return { 'sent to': response.location }
    case 'page': {
      const { title, params, error } = response
      return { page: title, error, ...(params && callbackMembers(params, asked)) }
    }
    case 'json':
      return { body: response.value }
    case 'text':
      return { body: response.text }
    case 'dropped':
      return { body: 'none: the connection was closed' }
  }
}

const callbackMembers = (
  { id_token: idToken, ...params }: Readonly<Record<string, string>>,
  asked: unknown,
): Members => ({
  ...params,
  ...(idToken !== undefined && { id_token: 'there' }),
  ...(asked !== undefined && { 'state of the request': params['state'] === asked ? 'repeated' : 'not repeated' }),
})
