import { findRow, rowId } from '../../../sandbox/outcomes/catalogue.ts'
import type { AuditRow } from '../../../sandbox/outcomes/outcome.ts'
import type { AuditedRow } from '../../report/audit-report.ts'
import type { AuditRun } from '../audit-run.ts'
import { goodFlow } from '../good-flow.ts'
import { runTrials } from '../run-trials.ts'
import type { Trial, TrialFinding } from '../trial.ts'
import { describeRow } from './describe-row.ts'
import { isReadAtStart, knownBefore, notForThisApp } from './known-before.ts'
import { withPlainFindings } from './plain-findings.ts'
import { rowTrial } from './row-trial.ts'
import { createStartTrials, unread } from './start-trial.ts'

/** Factor for concurrent visits if each visit waits for a background job of the app. */
const WAITING = 4

type Findings = ReadonlyMap<AuditRow, TrialFinding>

/**
 * Tries rows and judges them. Right answers come first, because a refusal of a wrong answer counts
 * only if the app accepts the right one. The most severe rows follow.
 */
export async function tryRows(
  rows: readonly AuditRow[],
  run: AuditRun,
): Promise<readonly AuditedRow[]> {
  const { learned, startFresh, options } = run
  const order = orderOf(rows, run)
  const total = order.length
  options.onProgress?.({ stage: 'planned', trials: total, secondsPerVisit: learned.visitSeconds })
  const onFinding = createProgress(total, run)

  const sent = order.filter((row) => !isReadAtStart(row))
  const ofSent = await runRows(sent, {
    trialOf: (row) => rowTrial(row, run),
    control: goodFlow(run),
    onFinding,
    run,
  })
  const right = findRow('use/verified')
  if (!startFresh || !right) return judgeRows(rows, ofSent, run)

  const startTrialOf = createStartTrials(startFresh, run)
  const ofStarts = await runRows(order.filter(isReadAtStart), {
    trialOf: startTrialOf,
    control: startTrialOf(right),
    onFinding,
    run,
  })
  return judgeRows(rows, new Map([...ofSent, ...ofStarts]), run)
}

/** The rows to try and their twins, in the order of `byRank`. */
function orderOf(rows: readonly AuditRow[], run: AuditRun): readonly AuditRow[] {
  const isOpen = (row: AuditRow) => !knownBefore(row, run)
  const open = rows.filter(isOpen)
  const twins = open.flatMap(({ twin }) => findRow(twin) ?? []).filter(isOpen)
  return [...new Set([...open, ...twins])].toSorted(byRank)
}

/**
 * Compares rows for sorting: rows that need a fresh copy come last, because a start takes long.
 * Among the others, right answers come first, then the most severe rows.
 */
export function byRank(one: AuditRow, other: AuditRow): number {
  const rank = (row: AuditRow) =>
    (isReadAtStart(row) ? 2 : 0) + (row.correctClient === 'accept' ? 0 : 1)
  return rank(one) - rank(other) || other.severity - one.severity
}

/** Reports each judged row. A row counts once, even if its trial runs again. */
function createProgress(total: number, run: AuditRun) {
  const judged = new Set<AuditRow>()
  return (row: AuditRow, finding: TrialFinding): void => {
    judged.add(row)
    run.options.onProgress?.({
      stage: 'row',
      done: judged.size,
      total,
      row: describeRow(row, finding, run),
    })
  }
}

/** Runs one trial for each row. */
async function runRows(
  rows: readonly AuditRow[],
  {
    trialOf,
    control,
    onFinding,
    run,
  }: {
    trialOf(row: AuditRow): Trial
    control: Trial
    onFinding(row: AuditRow, finding: TrialFinding): void
    run: AuditRun
  },
): Promise<Findings> {
  const { learned, visitsEach } = run
  const trials = new Map(rows.map((row) => [row, trialOf(row)]))
  const findingOf = await runTrials([...trials.values()], {
    ...run,
    control,
    visitsEach: learned.use.waitMs > 0 ? WAITING * visitsEach : visitsEach,
    onFinding({ row }, finding) {
      if (row) onFinding(row, finding)
    },
  })
  return new Map([...trials].map(([row, trial]) => [row, findingOf(trial)]))
}

function judgeRows(
  rows: readonly AuditRow[],
  findings: Findings,
  run: AuditRun,
): readonly AuditedRow[] {
  const judged = rows.map((row) => describeRow(row, judgeRow(row, findings, run), run))
  return withPlainFindings(judged, run)
}

function judgeRow(row: AuditRow, findings: Findings, run: AuditRun): TrialFinding {
  const found = findings.get(row)
  if (!found) return knownBefore(row, run) ?? notForThisApp('it was not tried')
  if (isUnread(row, findings)) return notForThisApp(unread(row.flow))
  // A refusal proves nothing if the app also refuses the same answer without the fault.
  const twin = row.twin === rowId(row) ? undefined : findRow(row.twin)
  if (found.verdict !== 'refused' || !twin) return found
  if (judgeRow(twin, findings, run).verdict !== 'too strict') return found
  const evidence = `your app also refuses ${row.twin}, which differs by the fault alone`
  return { ...found, verdict: 'undetermined', reason: 'masked', evidence }
}

/** Whether the app did not read the document of the row in any trial. */
function isUnread({ flow }: AuditRow, findings: Findings): boolean {
  const own = [...findings].filter(([row]) => isReadAtStart(row) && row.flow === flow)
  return own.length > 0 && own.every(([, { evidence }]) => evidence.startsWith(unread(flow)))
}
