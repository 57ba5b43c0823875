import { MASKED } from '../../sandbox/clients/mask.ts'
import type { ClockMove } from '../../sandbox/clock/clock.ts'
import {
  type CallRecord,
  type RecordedDecision,
  refusalOf,
} from '../../sandbox/journal/call-record.ts'
import type { Flow, ListedFlow } from '../../sandbox/journal/journal.ts'
import { findOutcome } from '../../sandbox/outcomes/catalogue.ts'
import { isJsonObject } from '../../service/age/json-object.ts'
import type { Callback } from '../../service/oidc/callback.ts'
import { type CallName, ENDPOINTS, type Endpoint } from '../../service/oidc/endpoints.ts'
import { parseJson } from '../../service/oidc/request/json.ts'
import type {
  ExpectedAnswer,
  ExpectedCallback,
  FieldValue,
  IssuedValue,
  RecordedRequest,
  RecordedStep,
} from './recording.ts'

/** A pause of this many seconds or more is replayed as a move of the clock. */
const PAUSE_SECONDS = 30

/**
 * Reads the steps to repeat from a flow. A choice on a page becomes the decision for the request
 * that showed the page.
 * @param options.shortestLifetime in seconds: after a pause of this length, something may have
 * expired
 * @param options.replayed the flow whose answer was sent again, if the journal still keeps it
 */
export function readSteps(
  flow: Flow,
  {
    shortestLifetime,
    replayed,
  }: { readonly shortestLifetime: number; readonly replayed?: ListedFlow | undefined },
): { readonly steps: RecordedStep[]; readonly leftOut: string[] } {
  const pauseSeconds = Math.min(PAUSE_SECONDS, shortestLifetime)
  const reader = createRequestReader(flow)
  const steps: RecordedStep[] = []
  const leftOut: string[] = []
  const add = (move: ClockMove | undefined) => {
    if (move) steps.push({ kind: 'clock', move })
  }
  let last: CallRecord | undefined
  for (const call of flow.calls) {
    if (call.endpoint === 'choice') {
      if (!call.decision)
        leftOut.push(
          `The choice at ${call.at} was answered with ${call.status}: it decided nothing.`,
        )
      continue
    }
    add(last ? moveBetween(last, call, { pauseSeconds }) : moveBefore(call))
    last = call
    const choice = choiceFor(call, flow)
    const read = reader.read(call, choice ?? call)
    if (typeof read === 'string') {
      leftOut.push(read)
      continue
    }
    // The time that a user thinks is not replayed: real time changes no answer.
    const thought = choice && moveBetween(call, choice, { pauseSeconds: Number.POSITIVE_INFINITY })
    if (choice) last = choice
    // Decision: ages are evaluated when the user answers, so the clock moves before a Use request.
    // Before a Create request, the move could expire the request_uri.
    if (read.flow === 'use') add(thought)
    if (needsEarlier(read)) steps.push(earlierFlow(read, replayed))
    steps.push(read)
    if (read.flow !== 'use') add(thought)
  }
  return { steps, leftOut }
}

/** The choice that decided a waiting page. */
function choiceFor({ response }: CallRecord, { calls }: Flow): CallRecord | undefined {
  const transaction = response.kind === 'page' ? response.transaction : undefined
  if (transaction === undefined) return undefined
  return calls.find(
    ({ endpoint, decision, parameters }) =>
      endpoint === 'choice' && decision !== undefined && parameters['transaction'] === transaction,
  )
}

const needsEarlier = ({ flow, decision }: RecordedRequest): boolean =>
  findOutcome(flow, decision?.outcome ?? '')?.needs?.includes('earlier_flow') === true

/**
 * The good flow whose answer the outcome replays. If the journal no longer has it, a flow like this
 * one with another `state` and `nonce` takes its place.
 */
function earlierFlow(request: RecordedRequest, replayed: ListedFlow | undefined): RecordedRequest {
  const [call] = replayed?.calls ?? []
  const read = replayed && call && createRequestReader(replayed).read(call, call)
  const others = { state: 'earlier-state', nonce: 'earlier-nonce' }
  const invented = Object.entries(others).map(
    ([name, text]) => [name, { kind: 'text', text } as const] as const,
  )
  const alike = [...request.fields.filter(([name]) => !Object.hasOwn(others, name)), ...invented]
  return {
    ...request,
    name: `earlier_${request.name}`,
    title: `An earlier good flow of this client, whose answer comes again: ${request.title}`,
    decision: {
      persona: replayed?.persona ?? request.decision?.persona,
    } satisfies RecordedDecision,
    fields: typeof read === 'object' ? read.fields : alike,
    issues: undefined,
    expected: { kind: 'any' },
  }
}

type Moment = Pick<CallRecord, 'at' | 'clock'>

/** A clock in real time. */
const REAL: NonNullable<CallRecord['clock']> = {}

/**
 * The move from real time to the state of the clock at the beginning of a flow; `undefined` if the
 * clock showed real time. Decision: a clock that was only advanced is advanced, so that the
 * recording works on every day. A clock that was set or frozen is set to the recorded instant,
 * because the dates of the personas counted from this instant.
 */
const moveBefore = ({ at, clock }: Moment): ClockMove | undefined => clock && movesTo({ at, clock })

/**
 * The move of the clock between two calls; `undefined` if the clock only ran on.
 * @param options.pauseSeconds a shorter pause in real time changes no answer and is not replayed
 */
function moveBetween(
  before: Moment,
  after: Moment,
  { pauseSeconds }: { readonly pauseSeconds: number },
): ClockMove | undefined {
  const [was, is] = [before.clock ?? REAL, after.clock ?? REAL]
  if (after.clock === undefined && before.clock !== undefined) return { reset: true }
  const advanced = (is.advanced_seconds ?? 0) - (was.advanced_seconds ?? 0)
  if (was.base !== is.base || was.frozen !== is.frozen || advanced < 0) return movesTo(after)
  const passed = secondsBetween(before.at, after.at) - advanced
  const seconds = rounded(passed >= pauseSeconds ? advanced + passed : advanced)
  return seconds === 0 ? undefined : { advance: seconds }
}

/** A move from any state of the clock to the recorded state. */
function movesTo({ at, clock = REAL }: Moment): ClockMove {
  const { base, advanced_seconds: advanced = 0, frozen } = clock
  // A clock that was set runs on, so the time since then is added.
  const seconds = base === undefined ? advanced : Math.max(0, rounded(secondsBetween(base, at)))
  return {
    reset: true,
    ...(base !== undefined && { set: base }),
    ...(frozen && { freeze: true }),
    ...(seconds > 0 && { advance: seconds }),
  }
}

const secondsBetween = (from: string, to: string) => (Date.parse(to) - Date.parse(from)) / 1000

const rounded = (seconds: number) => Math.round(seconds * 1000) / 1000

type RecordedEndpoint = Endpoint & {
  readonly call: CallName
  readonly caller: 'browser' | 'server'
}

/** The endpoints of a flow by their number. */
const REQUESTS: ReadonlyMap<string, RecordedEndpoint> = new Map(
  Object.values(ENDPOINTS).flatMap((endpoint) =>
    endpoint.caller === 'any' ? [] : [[endpoint.number, endpoint] as const],
  ),
)

/** The outcome of a call if only a persona is decided. */
const USUAL: Readonly<Record<string, string>> = { use: 'verified', create: 'created' }

/** Reads the calls of a flow in order. */
interface RequestReader {
  /**
   * Reads a call.
   * @param answer the call with the answer: the choice on a page, or the call itself
   * @returns the request, or a sentence that says why the call cannot be repeated
   */
  read(call: CallRecord, answer: CallRecord): RecordedRequest | string
}

/** The requests read so far, and the values that they issued. */
interface ReadCalls {
  /** Whether the journal dropped calls from the beginning of the flow. */
  readonly hasDropped: boolean
  readonly issued: Map<string, IssuedValue>
  tokens: number
  count: number
}

function createRequestReader({ dropped_calls: dropped = 0 }: ListedFlow): RequestReader {
  const calls: ReadCalls = { hasDropped: dropped > 0, issued: new Map(), tokens: 0, count: 0 }
  return {
    read(call, answer) {
      const endpoint = REQUESTS.get(call.endpoint)
      if (!endpoint) return `${call.method} ${call.path}: no app is meant to call it.`
      const obstacle = obstacleTo(call, endpoint, calls)
      if (obstacle !== undefined) return obstacle
      const request = readRequest({ call, answer, endpoint }, calls)
      calls.count += 1
      if (endpoint.call === 'token' && call.status < 400 && request.issues) calls.tokens += 1
      if (endpoint.issues) {
        for (const text of issuedBy(answer)) calls.issued.set(text, endpoint.issues)
      }
      return request
    },
  }
}

/** Why a call cannot be repeated, in a sentence; `undefined` if it can. */
function obstacleTo(
  call: CallRecord,
  { call: flow }: RecordedEndpoint,
  calls: ReadCalls,
): string | undefined {
  const { endpoint, at, status, parameters } = call
  if (isUnreadable(call)) {
    return `${endpoint} at ${at} was answered with ${status}: the journal does not keep what it sent.`
  }
  if (isAboutDecision(call)) return `${endpoint} at ${at} was refused for what was to decide it.`
  const link = LINKS[flow]
  if (calls.hasDropped && link !== undefined && isDropped(link, parameters[link], calls)) {
    return `${endpoint} at ${at} continues a call that the journal keeps no longer.`
  }
  return undefined
}

/** Whether no kept call issued the value. Access tokens are masked, so any token counts. */
const isDropped = (kind: IssuedValue, value: unknown, { issued, tokens }: ReadCalls) =>
  typeof value === 'string' ? issued.get(value) !== kind : tokens === 0

interface AnsweredCall {
  readonly call: CallRecord
  readonly answer: CallRecord
  readonly endpoint: RecordedEndpoint
}

function readRequest(
  { call, answer, endpoint }: AnsweredCall,
  { issued, tokens, count }: ReadCalls,
): RecordedRequest {
  const { call: flow, title, caller, issues } = endpoint
  const { parameters } = call
  const isRefusedClient = call.status === 401 && !call.decision
  const hasIssued = issuedBy(answer).length > 0 && !isCutOff(answer)
  const fieldValue = (name: string, sent: unknown): FieldValue => {
    if (name === 'client_secret' && sent === MASKED) {
      return { kind: 'client_secret', isRight: !isRefusedClient }
    }
    const text = typeof sent === 'string' ? sent : JSON.stringify(sent)
    const kind = name === LINKS[flow] ? issued.get(text) : undefined
    return kind ? { kind: 'issued', issued: kind } : { kind: 'text', text }
  }
  const fields = Object.entries(parameters)
    .filter(([name]) => !name.startsWith('sandbox_'))
    .map(([name, sent]) => [name, fieldValue(name, sent)] as const)
  return {
    kind: 'request',
    name: `${flow}${count + 1}`,
    title: `${call.endpoint} ${title}`,
    flow,
    caller,
    call,
    decision: withoutUsual(flow, answer.decision),
    fields: flow === 'upgrade' ? [] : fields,
    body: flow === 'upgrade' ? parameters : undefined,
    accept: caller === 'browser' && call.accept?.includes('json') ? call.accept : undefined,
    credentials: credentialsOf(flow, { isRefusedClient, hasToken: tokens > 0 }),
    issues: hasIssued ? issues : undefined,
    expected: expectedAnswer(answer),
  }
}

/** The value of a call that an earlier call of the flow issued. */
const LINKS: Readonly<Partial<Record<CallName, IssuedValue>>> = {
  create: 'request_uri',
  token: 'code',
  upgrade: 'access_token',
}

/** Whether the sandbox could not read the body: the journal then keeps only a sentence. */
function isUnreadable({ method, parameters, endpoint }: CallRecord): boolean {
  const names = Object.keys(parameters)
  if (names.length !== 1) return false
  if (names[0] === 'refused') return true
  return (
    method === 'POST' &&
    endpoint !== 'choice' &&
    /^\d+ characters that are /.test(String(parameters['body']))
  )
}

/**
 * Whether the sandbox, not the service, refused the call because of its decision. The description
 * then begins with the decision source.
 */
const isAboutDecision = (call: CallRecord): boolean =>
  !call.decision &&
  /^(?:query parameter sandbox_|request header X-Sandbox-|expectation |scenario "|cookie agekey_|client \S+:|the default of )/.test(
    refusalOf(call)?.description ?? '',
  )

function credentialsOf(
  flow: CallName,
  { isRefusedClient, hasToken }: { isRefusedClient: boolean; hasToken: boolean },
): RecordedRequest['credentials'] {
  if (flow === 'token') return isRefusedClient ? 'wrong_basic' : 'basic'
  if (flow === 'upgrade') return hasToken ? 'bearer' : 'wrong_bearer'
  return 'none'
}

function withoutUsual(
  flow: CallName,
  decision: RecordedDecision | undefined,
): RecordedDecision | undefined {
  if (!decision || decision.outcome !== USUAL[flow] || decision.persona === undefined)
    return decision
  const { outcome: _, ...rest } = decision
  return rest
}

/** Whether the reply was cut off. The journal keeps the whole body. */
const isCutOff = ({ decision }: CallRecord): boolean =>
  decision?.outcome?.endsWith('.truncated') === true

/** The values that later calls of the flow send. An access token is masked. */
function issuedBy({ response }: CallRecord): string[] {
  if (response.kind === 'callback')
    return response.callback.params.flatMap(([name, value]) => (name === 'code' ? [value] : []))
  if (response.kind === 'page') return [response.params?.['code'] ?? []].flat()
  if (response.kind !== 'json' || !isJsonObject(response.value)) return []
  const { request_uri: requestUri, access_token: token } = response.value
  return [requestUri, token].filter((value) => typeof value === 'string')
}

/**
 * The expected answer if the call is repeated with the same decision.
 * @param answer the call with the answer: the choice on a page, or the call itself
 */
function expectedAnswer(answer: CallRecord): ExpectedAnswer {
  const { status, response, decision } = answer
  switch (response.kind) {
    case 'dropped':
      return { kind: 'dropped' }
    case 'callback':
      return fromCallback(response.callback)
    case 'page':
      if (response.params) return expectedCallback('form', Object.entries(response.params))
      // In an iframe, the sandbox shows a page instead of the callback. A test opens no iframe, so
      // the same request is redirected.
      return decision && !response.error && !isSilent(decision.outcome)
        ? { kind: 'any' }
        : { kind: 'reply', status: decision ? 200 : status, error: undefined }
    case 'json':
      return { kind: 'reply', status, error: errorIn(response.value) }
    case 'redirect':
    case 'text':
      return { kind: 'reply', status, error: undefined }
  }
}

/** Whether the outcome has no callback, for example because the user closes the window. */
const isSilent = (outcome = '') =>
  (['use', 'create'] as const).some(
    (flow) => findOutcome(flow, outcome)?.ending?.kind === 'no_answer',
  )

function fromCallback({ mode, redirectUri, params }: Callback): ExpectedAnswer {
  if (mode === 'form_post') return expectedCallback('form', params)
  const own =
    mode === 'query' && URL.canParse(redirectUri) ? [...new URL(redirectUri).searchParams] : []
  return expectedCallback(mode, params, own)
}

function expectedCallback(
  place: ExpectedCallback['place'],
  params: Callback['params'],
  own: Callback['params'] = [],
): ExpectedCallback {
  const { error, id_token: token } = Object.fromEntries(params)
  const thresholds = token === undefined ? undefined : thresholdsIn(token)
  const names = [...own, ...params].map(([name]) => name)
  return { kind: 'callback', status: place === 'form' ? 200 : 302, place, names, error, thresholds }
}

/**
 * Reads `age_thresholds` from an id_token without validating it; `undefined` if unreadable.
 */
function thresholdsIn(token: string): Record<string, boolean> | undefined {
  const payload = parseJson(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'))
  const answers =
    payload.ok && isJsonObject(payload.value) ? payload.value['age_thresholds'] : undefined
  if (!isJsonObject(answers)) return undefined
  const entries = Object.entries(answers).filter(
    (entry): entry is [string, boolean] => typeof entry[1] === 'boolean',
  )
  return entries.length === Object.keys(answers).length ? Object.fromEntries(entries) : undefined
}

const errorIn = (value: unknown): string | undefined =>
  isJsonObject(value) && typeof value['error'] === 'string' ? value['error'] : undefined
