import { type Observation, sentenceOf } from '../drive/observation.ts'
import { describeErrors } from '../learn/check-learned.ts'
import type { LearnedApp } from '../learn/learn-app.ts'
import { type RunResult, readRun } from '../learn/read-run.ts'
import type { Reason, VerdictName } from '../report/audit-report.ts'
import { readSeen } from '../trials/rows/row-finding.ts'
import type { TrialFinding } from '../trials/trial.ts'
import type { ShownFlow } from './tried-flow.ts'

/** Minimum share of the usual page's features, for a page that says neither yes nor no. */
const ALIKE = 0.9

interface Difference {
  readonly verdict: VerdictName
  readonly text: string
  readonly reason?: Reason
}

/**
 * Compares a run under some variants with the usual run. A yes, a no and a successful call must
 * stay the same. A crash or a missing page is a failure, unless the usual run has it too.
 */
export function compareFlows(
  usual: ShownFlow,
  shown: ShownFlow,
  learned: LearnedApp,
): TrialFinding {
  const { verdict, text, reason } = compare(usual, shown, learned)
  return {
    verdict,
    reason,
    evidence: `in ${shown.flow.name} ${text}`,
    flows: shown.flows.map(({ id }) => id).toReversed(),
    isLimited: reason === 'control_lost',
  }
}

function compare(usual: ShownFlow, shown: ShownFlow, learned: LearnedApp): Difference {
  const { observation } = shown.seen.run
  if (observation.status === 429)
    return {
      verdict: 'undetermined',
      text: 'your app answers 429; raise its limit for tests',
      reason: 'control_lost',
    }
  const failure = failureOf(usual, shown, learned)
  if (failure !== undefined) return { verdict: 'too strict', text: failure }
  // The user stays at an error page of the service, so the app gets no answer.
  const isEnded = observation.end === 'sandbox_page'
  const says = read(shown, learned)
  const isSame = says === read(usual, learned) && says !== 'unknown'
  if (isEnded || isSame || isAlike(usual.seen.run.observation, observation))
    return { verdict: 'accepted', text: 'it ended as usual' }
  return {
    verdict: 'undetermined',
    text: `${sentenceOf(observation)}, which is neither the yes nor the no that was learned`,
    reason: 'page_unknown',
  }
}

/** What the app fails to do as usual; `undefined` if it fails nothing. */
function failureOf(usual: ShownFlow, shown: ShownFlow, learned: LearnedApp): string | undefined {
  const { observation: before } = usual.seen.run
  const { observation } = shown.seen.run
  const saysUsually = read(usual, learned)
  const says = read(shown, learned)
  const sentence = sentenceOf(observation)
  const hasNoPage = ['restless', 'too_many_redirects', 'visit failed'].includes(observation.end)
  const isCrash = saysUsually !== 'broke' && (says === 'broke' || hasNoPage)
  if (isCrash || (saysUsually === 'in' && says !== 'in')) {
    const usually = sentenceOf(before).replace(/^your app showed /, 'it shows ')
    return `${sentence}; usually ${usually}`
  }
  if (saysUsually === 'out' && says === 'in') return `${sentence}, as after a yes`
  if (observation.end === 'sandbox_page') return undefined
  const missing = missingCall(usual, shown)
  return missing === undefined ? undefined : `${missing}; ${sentence}`
}

function read({ flow, seen }: ShownFlow, learned: LearnedApp): RunResult['says'] {
  const { says } = readSeen(flow.row, seen, learned)
  return says === 'unknown' ? readRun(seen, learned.use).says : says
}

function isAlike(before: Observation, { status, features }: Observation): boolean {
  const common = [...before.features].filter((one) => features.has(one)).length
  return before.status === status && common > 0 && common >= ALIKE * before.features.size
}

/** Says which call usually succeeds and is missing or refused; `undefined` without such a call. */
function missingCall(usual: ShownFlow, shown: ShownFlow): string | undefined {
  const callsOf = ({ flows }: ShownFlow) => flows.flatMap(({ calls }) => calls)
  const answered = (flow: ShownFlow) =>
    callsOf(flow).filter(({ status }) => status > 0 && status < 400)
  const endpoints = answered(shown).map((call) => call.endpoint)
  const missing = answered(usual).find(({ endpoint }) => !endpoints.includes(endpoint))
  if (!missing) return undefined
  const refused = callsOf(shown).find(
    ({ endpoint, status }) => endpoint === missing.endpoint && status >= 400,
  )
  if (!refused) return `your app made no call of ${missing.endpoint}, which it usually makes`
  return `the service refused ${missing.endpoint} of your app with ${refused.status} (${describeErrors([refused])})`
}
