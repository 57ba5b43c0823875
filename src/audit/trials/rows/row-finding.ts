import type { AuditRow } from '../../../sandbox/outcomes/outcome.ts'
import type { Observation } from '../../drive/observation.ts'
import type { LearnedApp } from '../../learn/learn-app.ts'
import type { LearnedFlow } from '../../learn/learned-flow.ts'
import { type RunResult, readRun } from '../../learn/read-run.ts'
import type { SeenRun } from '../../learn/see-run.ts'
import type { Reason, VerdictName } from '../../report/audit-report.ts'
import type { TrialFinding } from '../trial.ts'
import { traceOf } from './flow-traces.ts'

/** How one run of a row ended, without the pages of the app. */
export interface RowRun {
  /** The persona. */
  readonly as: string
  readonly flows: readonly string[]
  /**
   * Why it is unknown whether the app received the row. `session_stays`: the audit cannot end the
   * earlier session.
   */
  readonly missing?: Reason | 'session_stays' | undefined
  /** Evidence in the journal that the app accepted the answer: the next call of the app. */
  readonly sign?: string | undefined
}

type Ended = RowRun & {
  readonly observation: Pick<Observation, 'end' | 'status' | 'summary'>
}

interface Judgement {
  readonly verdict: VerdictName
  readonly reason?: Reason
  readonly text: string
}

/** Judges a row by the end of one run. */
export function findingOfRow(row: AuditRow, run: Ended, result: RunResult): TrialFinding {
  const isLimited =
    run.observation.status === 429 || (result.isLimited === true && run.sign === undefined)
  const { verdict, reason, text } =
    (isLimited ? limited(run, result) : whyUnshown(row, run, result)) ?? judge(row, run, result)
  return { verdict, reason, evidence: `as ${run.as}: ${text}`, flows: run.flows, isLimited }
}

function open(reason: Reason, text: string): Judgement {
  return { verdict: 'undetermined', reason, text }
}

const limited = ({ observation }: Ended, { evidence, isLimited }: RunResult): Judgement =>
  open('control_lost', isLimited ? evidence : `your app answers ${observation.summary}`)

/** Why the run shows nothing about the row; `undefined` if the run decides. */
function whyUnshown(row: AuditRow, run: Ended, result: RunResult): Judgement | undefined {
  const { missing, observation } = run
  // Decision: while the session lasts, the app lets the user in whatever it thinks of the same
  // answer. So the row is only observed.
  if (missing === 'session_stays')
    return { verdict: 'observed', text: 'the audit found no way to end the session of your app' }
  if (missing) return open(missing, observation.summary)
  if (isAccepted(run, result)) return undefined
  if (observation.end === 'visit failed') return open('visit_failed', observation.summary)
  // The journal has no next call, so the flow ended at this page.
  const isOver = observation.end === 'page' && (row.flow === 'par' || row.flow === 'token')
  return result.says === 'unknown' && !isOver ? open('page_unknown', result.evidence) : undefined
}

const isAccepted = ({ sign }: RowRun, { says }: RunResult): boolean =>
  sign !== undefined || says === 'in'

function judge(row: AuditRow, run: RowRun, result: RunResult): Judgement {
  const text = run.sign ?? result.evidence
  return { verdict: verdictOn(row, isAccepted(run, result), result), text }
}

function verdictOn(row: AuditRow, accepted: boolean, { says, like }: RunResult): VerdictName {
  if (row.correctClient === 'depends') return 'observed'
  if (row.correctClient === 'accept') return accepted ? 'accepted' : 'too strict'
  if (accepted) return 'let in'
  if (says === 'broke') return 'broke'
  // The page is the page of an honest minor: the app read the wrong thresholds as a plain no.
  const isOfAnswers =
    row.breaks.includes('age_thresholds') || row.breaks.includes('requested_thresholds')
  return like === 'minor' && isOfAnswers && !row.plainNo ? 'ignored' : 'refused'
}

/** The learned flow whose last page shows how a row ended; `undefined` if it was not learned. */
export function learnedFlowOf(row: AuditRow, learned: LearnedApp): LearnedFlow | undefined {
  // After a code an app continues with Upgrade.
  const page = row.name === 'code_issued' ? 'upgrade' : traceOf(row.flow).page
  if (page === 'use') return learned.use
  const later = learned[page]
  return later.kind === 'learned' ? later.flow : undefined
}

/**
 * Reads the run of a row by the learned flow of the row. If an earlier call failed, the run may end
 * on a page of Use instead. A refusal or a crash on that page counts too.
 */
export function readSeen(row: AuditRow, seen: SeenRun, learned: LearnedApp): RunResult {
  const flow = learnedFlowOf(row, learned)
  const own = flow && readRun(seen, flow)
  if (own && (own.says !== 'unknown' || flow === learned.use)) return own
  const asUse = readRun(seen, learned.use)
  if (asUse.says === 'out' || asUse.says === 'broke') return asUse
  return own ?? { ...asUse, says: 'unknown' }
}
