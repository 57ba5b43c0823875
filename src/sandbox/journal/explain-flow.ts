import { CALLS, ENDPOINTS } from '../../service/oidc/endpoints.ts'
import { leadingFinding } from '../../service/oidc/rules/finding.ts'
import { findOutcome } from '../outcomes/catalogue.ts'
import type { Outcome } from '../outcomes/outcome.ts'
import { type CallRecord, callbackOf, isRefused, refusalOf } from './call-record.ts'
import type { Flow, ListedFlow } from './journal.ts'
import { reasoningLines } from './reasoning-lines.ts'

/**
 * `waiting`: the user has not decided yet. `declined`: the user declined (`access_denied`) or
 * closed the window. `error`: a call of the flow was refused or got no response, or the callback
 * has another `error`. `ok`: any other flow.
 */
export const FLOW_STATUSES = ['waiting', 'ok', 'declined', 'error'] as const
export type FlowStatus = (typeof FLOW_STATUSES)[number]

/** How a flow ended. */
export interface FlowSummary {
  readonly status: FlowStatus
  /** One sentence: the first broken rule, or else the refusal, or else the answer. */
  readonly summary: string
}

/** Summarizes a flow. This happens on reading, not when calls are recorded. */
export function summarizeFlow(flow: ListedFlow): FlowSummary {
  const calls = flow.calls.filter((call) => !isSecondChoice(call))
  const fault = brokenRule(calls) ?? forcedAnswer(flow) ?? refusal(calls)
  const declined = fault === undefined ? declinedBy(flow) : undefined
  if (declined !== undefined) return { status: 'declined', summary: declined }
  const callback = callbackOf(flow)
  if (calls.some(isRefused)) {
    const { error = 'refused', error_description: description } = callback ?? {}
    return { status: 'error', summary: fault ?? error + after(': ', description) }
  }
  const isWaiting = flow.ended_at === undefined && callback === undefined
  if (isWaiting) return { status: 'waiting', summary: fault ?? waiting(flow) }
  return { status: 'ok', summary: fault ?? ending(flow) }
}

/** How the user declined; `undefined` when the user did not decline. */
function declinedBy(flow: ListedFlow): string | undefined {
  const { error, error_description: description } = callbackOf(flow) ?? {}
  if (error === 'access_denied') return description ?? 'the user declined'
  if (outcomeOf(flow)?.ending?.kind === 'no_answer')
    return 'the user closed the window: no callback followed'
  return undefined
}

/**
 * The summary, with `reasons`: one line about the source of the decision, and one line for each
 * threshold and signal.
 */
export function explainFlow(flow: Flow) {
  const { trace = [], decided_by: decidedBy, readings } = flow
  const { status, summary } = summarizeFlow(flow)
  const [unmet] = reasoningLines(trace.filter(({ satisfied }) => !satisfied))
  const isAnswer = status === 'ok' && summary.startsWith(answers(flow))
  return {
    status,
    summary:
      isAnswer && unmet !== undefined
        ? `${summary}. ${unmet.replace(/: no\. (\S+): /, ': $1 ')}`
        : summary,
    reasons: [
      ...(decidedBy === undefined ? [] : [`Decided by ${decidedBy}.`]),
      ...(readings === undefined ? [] : [`Readings of the specification: ${readings.join(', ')}.`]),
      ...reasoningLines(trace),
    ],
  }
}

/**
 * A form that was sent twice, by a double click or the back button. It changes nothing: the first
 * answer counts.
 */
const isSecondChoice = ({ endpoint, status }: CallRecord) => endpoint === 'choice' && status === 410

function brokenRule(calls: readonly CallRecord[]): string | undefined {
  const errors = calls.flatMap(({ findings }) => findings.filter(({ level }) => level === 'error'))
  const first = leadingFinding(errors)
  if (errors.length < 2) return first && `${first.rule}: ${first.message}`
  return (
    first && `${first.rule}: ${first.message.replace(/\.$/, '')} (and ${errors.length - 1} more)`
  )
}

/**
 * Families of outcomes that a real service has too. The callback itself shows how such a flow
 * ended.
 */
const USUAL_FAMILIES: readonly string[] = ['ending', 'error', 'no_answer']

const VERDICTS = {
  accept: 'accepts it',
  refuse: 'refuses it',
  depends: 'can tell only with more context',
} as const

function forcedAnswer(flow: ListedFlow): string | undefined {
  const outcome = outcomeOf(flow)
  if (!outcome || !isForced(outcome)) return undefined
  return `forced: ${outcome.name}, a correct client ${VERDICTS[outcome.correctClient]}`
}

/** Whether only a sandbox has this outcome, because it changes an answer. */
export const isForced = ({ family }: Outcome): boolean => !USUAL_FAMILIES.includes(family)

/** The outcome of the flow itself or, if one was forced, of one of its server-to-server calls. */
export const outcomeOf = ({
  flow,
  outcome,
}: Pick<ListedFlow, 'flow' | 'outcome'>): Outcome | undefined =>
  outcome === undefined
    ? undefined
    : [flow, ...CALLS].map((one) => findOutcome(one, outcome)).find((row) => row !== undefined)

function refusal(calls: readonly CallRecord[]): string | undefined {
  for (const call of calls) {
    if (call.endpoint === 'trap')
      return `the client fetched ${call.path}, an address that it must not follow`
    const refused = refusalOf(call)
    if (refused?.status === 0) return `${call.endpoint} got no response: the connection was closed`
    if (refused)
      return `${call.endpoint} refused with ${refused.status}${after(': ', refused.description)}`
  }
  return undefined
}

function waiting({ calls, started_at: startedAt }: ListedFlow): string {
  const { endpoint, at } = calls.at(-1) ?? { endpoint: '', at: startedAt }
  const since = `since ${at.replace('T', ' ').replace(/(?:\.\d+)?Z$/, 'Z')}`
  return endpoint === ENDPOINTS.par.number
    ? `pushed: waits for the browser at ${ENDPOINTS.create.number} ${since}`
    : `waits for the user ${since}`
}

function ending(flow: ListedFlow): string {
  const { persona = 'no persona', calls } = flow
  const kind = outcomeOf(flow)?.ending?.kind
  if (kind === 'create_requested')
    return `${persona}: create_requested, an age key is to be created`
  const upgrade = calls.findLast(({ endpoint }) => endpoint === ENDPOINTS.upgrade.number)
  if (upgrade) return `${answers(flow)}; upgraded${after(': ', methodsIn(upgrade))}`
  if (calls.some(({ endpoint }) => endpoint === ENDPOINTS.token.number)) {
    return `${answers(flow)}; the code was exchanged, no upgrade yet`
  }
  if (flow.flow === 'create') {
    const saved = `saved for ${persona}${kind === 'created_new' ? ', a new persona' : ''}`
    return (flow.audit ? 'an audit saves no age key' : saved) + after(': ', methodsIn(calls[0]))
  }
  return callbackOf(flow)?.['code'] === undefined
    ? answers(flow)
    : `${answers(flow)}, and a code to upgrade`
}

/** Maximum number of thresholds in a sentence. */
const MAX_ANSWERS = 8

/** The answers in words: `teen-16: 13 yes, 18 no`. */
function answers({ persona, outcome, age_thresholds: given = {} }: ListedFlow): string {
  const said = Object.entries(given).map(([age, isMet]) => `${age} ${isMet ? 'yes' : 'no'}`)
  const shown = said.length > MAX_ANSWERS ? [...said.slice(0, MAX_ANSWERS), '…'] : said
  return [persona, shown.join(', ') || outcome].filter(Boolean).join(': ') || 'answered'
}

/** The methods of the age signals in a call. */
function methodsIn(call: CallRecord | undefined): string {
  const details = call?.parameters['authorization_details'] ?? ''
  const text = typeof details === 'string' ? details : JSON.stringify(details)
  return [...text.matchAll(/"method"\s*:\s*"(\w+)"/g)].map(([, method]) => method).join(', ')
}

const after = (separator: string, text: string | undefined) => (text ? separator + text : '')
