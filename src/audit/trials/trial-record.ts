import type { VerdictName } from '../report/audit-report.ts'
import { isFinding } from '../report/points.ts'
import type { Worker } from './audit-run.ts'
import { withLog } from './library-messages.ts'
import { type Trial, type TrialFinding, undetermined } from './trial.ts'

/** A trial with the results of its latest runs. */
export interface TrialRecord {
  readonly trial: Trial
  /** The run that decides, then its repetitions; empty before the first run. */
  runs: readonly TrialRun[]
  /** How often the app refused the good flow after this trial. */
  losses: number
  /** How often the trial waited because of a rate limit. */
  pauses: number
}

export interface TrialRun {
  readonly worker: Worker
  readonly seen: unknown
  /** The log of the app during the run; absent when other trials ran at the same time. */
  readonly log: readonly string[] | undefined
}

export const startRecord = (trial: Trial): TrialRecord => ({
  trial,
  runs: [],
  losses: 0,
  pauses: 0,
})

/** A trial with this number of losses does not run again, and its refusals do not count. */
export const MAX_LOSSES = 2

const REFUSALS: readonly VerdictName[] = ['refused', 'broke', 'ignored', 'too strict']

export const isRefusal = ({ verdict }: TrialFinding): boolean => REFUSALS.includes(verdict)

/** The finding from all runs of a trial: `flaky` if a repetition has another verdict. */
export function findingOf({ trial, runs, losses }: TrialRecord, signal: AbortSignal): TrialFinding {
  const [first, ...repeated] = runs.map((run) => findingOfRun(trial, run))
  if (!first) return notTried(signal)
  if (losses >= MAX_LOSSES && isRefusal(first)) {
    const evidence = `${first.evidence}; then a plain good flow was refused too`
    return { ...first, verdict: 'undetermined', reason: 'control_lost', evidence }
  }
  const flows = [first, ...repeated].flatMap((one) => one.flows)
  const other = repeated.find(({ verdict }) => verdict !== first.verdict)
  return other && isFinding(first) ? flaky(first, other, flows) : { ...first, flows }
}

function findingOfRun(trial: Trial, { seen, log }: TrialRun): TrialFinding {
  const finding = trial.proof(seen)
  return log && log.length > 0 ? withLog(finding, log, trial.row?.breaks) : finding
}

const notTried = ({ aborted }: AbortSignal): TrialFinding =>
  aborted
    ? undetermined('it was not tried: the audit ended before; raise --budget', 'timed_out')
    : undetermined(
        'it was not tried: before it, your app refused a plain good flow',
        'control_lost',
      )

function flaky(
  first: TrialFinding,
  { verdict, evidence, log, isLimited }: TrialFinding,
  flows: readonly string[],
): TrialFinding {
  return {
    verdict: 'undetermined',
    reason: 'flaky',
    evidence: `${first.verdict} at first (${first.evidence}), then ${verdict} (${evidence})`,
    flows,
    log,
    isLimited,
  }
}
