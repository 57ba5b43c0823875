import type { ClockMove } from '../clock/clock-move.ts'
import type { CallRecord, RecordedDecision } from '../journal/call-record.ts'
import type { Flow, ListedFlow } from '../journal/journal.ts'
import { findOutcome } from '../outcomes/catalogue.ts'
import type { RecordedRequest, RecordedStep } from './recording.ts'
import { createRequestReader } from './request-reader.ts'

/** Seconds between two calls from which a pause is replayed as a move of the clock. */
const PAUSE_SECONDS = 30

/**
 * The steps to repeat, in order. A choice on a page becomes the decision of the request that showed the page.
 * @param options.shortestLifetime in seconds: a pause as long as that may have made something expire
 * @param options.replayed the flow whose answer was sent again, if the journal still keeps it
 */
export function readSteps(
  flow: Flow,
  { shortestLifetime, replayed }: { readonly shortestLifetime: number; readonly replayed?: ListedFlow | undefined },
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
      if (!call.decision) leftOut.push(`The choice at ${call.at} was answered with ${call.status}: it decided nothing.`)
      continue
    }
    add(last ? moveBetween(last, call, { pauseSeconds }) : moveBefore(call))
    last = call
    const choice = choiceFor(call, flow)
    const read = reader(call, choice ?? call)
    if (typeof read === 'string') {
      leftOut.push(read)
      continue
    }
    // While a user thinks, real time changes no answer.
    const thought = choice && moveBetween(call, choice, { pauseSeconds: Number.POSITIVE_INFINITY })
    if (choice) last = choice
    // Decision: ages are judged when the user answers, so the clock moves before a Use request. It must not expire a request_uri.
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

/** The good flow whose answer the outcome sends again. When it is unknown, a flow like this one takes its place. */
function earlierFlow(request: RecordedRequest, replayed: ListedFlow | undefined): RecordedRequest {
  const [call] = replayed?.calls ?? []
  const read = replayed && call && createRequestReader(replayed)(call, call)
  const others = { state: 'earlier-state', nonce: 'earlier-nonce' }
  const invented = Object.entries(others).map(([name, text]) => [name, { kind: 'text', text } as const] as const)
  const alike = [...request.fields.filter(([name]) => !Object.hasOwn(others, name)), ...invented]
  return {
    ...request,
    name: `earlier_${request.name}`,
    title: `An earlier good flow of this client, whose answer comes again: ${request.title}`,
    decision: { persona: replayed?.persona ?? request.decision?.persona } satisfies RecordedDecision,
    fields: typeof read === 'object' ? read.fields : alike,
    issues: undefined,
    expected: { kind: 'any' },
  }
}

type Moment = Pick<CallRecord, 'at' | 'clock'>

/** A clock in real time. */
const REAL: NonNullable<CallRecord['clock']> = {}

/**
 * How a clock in real time gets to the state at the begin of a flow; `undefined` when that was real time too. Decision: a clock that was
 * only advanced is advanced, so that the recording runs on every day. A clock that was set or frozen is set to the recorded instant,
 * because the personas of the flow counted from it.
 */
const moveBefore = ({ at, clock }: Moment): ClockMove | undefined => clock && movesTo({ at, clock })

/**
 * The move of the clock between two calls; `undefined` when the clock only ran on.
 * @param options.pauseSeconds a shorter pause in real time changes no answer and is no move
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

/** A move from any state to the recorded one. */
function movesTo({ at, clock = REAL }: Moment): ClockMove {
  const { base, advanced_seconds: advanced = 0, frozen } = clock
  // A clock that was set runs on, so the time since then counts too.
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
