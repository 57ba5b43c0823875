import { findRow, rowId } from '../../sandbox/outcomes/catalogue.ts'
import type { AuditRow } from '../../sandbox/outcomes/outcome.ts'
import type { LearnedApp } from '../learn/learn-app.ts'
import { learnFlow } from '../learn/learned-flow.ts'
import { readRun, seeRun } from '../learn/read-run.ts'
import { describeRow } from './describe-row.ts'
import { isReadAtStart, knownBefore, notForThisApp } from './known-before.ts'
import { withPlainFindings } from './plain-findings.ts'
import { rowTrial, visitAsAdult } from './row-trial.ts'
import { runTrials } from './run-trials.ts'
import { createStarts, unread } from './start-trials.ts'
import type { AuditRun, Finding, Stage, Trial } from './trial.ts'

/** So many more runs at the same time, when each of them waits for a job of the app. */
const WAITING = 4

/** Tries rows: what has to be accepted first, because a refusal counts only beside it, then the most severe. */
export async function tryRows(rows: readonly AuditRow[], run: AuditRun) {
  const { learned, startFresh, visitsEach, options } = run
  const startOf = startFresh && createStarts(startFresh, run)
  const open = rows.filter((row) => !knownBefore(row, run))
  const twins = open.flatMap(({ twin }) => findRow(twin) ?? []).filter((row) => !knownBefore(row, run))
  const order = [...new Set([...open, ...twins])].toSorted(byRank)
  const trialOf = (row: AuditRow): Trial => (startOf && isReadAtStart(row) ? startOf(row) : rowTrial(row, run))
  const trials = new Map(order.map((row) => [row, trialOf(row)]))
  // It comes last: a copy that starts without a fault shows that the refusals of the others count.
  const right = findRow('use/verified')
  const plain = right && order.some(isReadAtStart) ? startOf?.(right) : undefined
  const total = order.length
  options.onProgress?.({ stage: 'planned', trials: total, secondsPerVisit: learned.visitSeconds })
  // A batch may be tried again.
  const heard = new Set<AuditRow>()
  const { findingOf, notes } = await runTrials([...trials.values(), ...(plain ? [plain] : [])], {
    ...run,
    visitsEach: learned.use.waitMs > 0 ? WAITING * visitsEach : visitsEach,
    findLoss: (stage) => findLoss(stage, learned),
    onFinding(trial, finding) {
      const { row } = trial
      if (!row || trial === plain) return
      options.onProgress?.({ stage: 'row', done: heard.add(row).size, total, row: describeRow(row, finding, run) })
    },
  })

  const control = plain && findingOf(plain)
  const isLost = control !== undefined && control.verdict !== 'accepted' && control.reason !== 'timed_out'
  function told(row: AuditRow): Finding {
    const trial = trials.get(row)
    if (!trial) return knownBefore(row, run) ?? notForThisApp('it was not tried')
    const found = findingOf(trial)
    const { flow } = row
    if (isReadAtStart(row)) {
      const own = [...trials].flatMap(([one, its]) => (one.flow === flow ? [findingOf(its)] : []))
      if (own.every((one) => one.evidence.startsWith(unread(flow)))) return notForThisApp(unread(flow))
      const isVoid = isLost && found.verdict !== 'let in' && found.verdict !== 'undetermined'
      const evidence = `${found.evidence}; then a plain start did not let an adult in either`
      if (isVoid) return { ...found, verdict: 'undetermined', reason: 'control_lost', evidence }
    }
    // A refusal shows nothing when the app also refuses what differs by the fault alone.
    const twin = found.verdict === 'refused' && row.twin !== rowId(row) ? findRow(row.twin) : undefined
    if (!twin || told(twin).verdict !== 'too strict') return found
    const evidence = `your app also refuses ${row.twin}, which differs by the fault alone`
    return { ...found, verdict: 'undetermined', reason: 'masked', evidence }
  }
  const judged = rows.map((row) => describeRow(row, told(row), run))
  const lost = `a copy of your app that was started without any fault: ${control?.evidence}; rows of jwks and discovery do not count`
  return { judged: withPlainFindings(judged, run), notes: [...notes, ...(isLost ? [lost] : [])] }
}

/** Fresh copies come last, because they take long; then what has to be accepted comes first, then the most severe. */
export function byRank(one: AuditRow, other: AuditRow): number {
  const rank = (row: AuditRow) => (isReadAtStart(row) ? 2 : 0) + (row.correctClient === 'accept' ? 0 : 1)
  return rank(one) - rank(other) || other.severity - one.severity
}

/** An app that answers 429 is given so much time, again and again. */
const LIMIT_WAITS_MS = [0, 2000, 5000, 10_000]

/** What a stage shows that does not let an adult in any more; `undefined` when it does. Pages that were not seen before are learned. */
export async function findLoss(stage: Stage, { use }: LearnedApp): Promise<string | undefined> {
  const { driver } = stage
  const beAdult = async () => seeRun(await visitAsAdult(stage), use, driver)
  let first = await beAdult()
  for (const ms of LIMIT_WAITS_MS) {
    if (first.run.observation.status !== 429) break
    driver.spreadOut()
    await driver.wait(ms)
    first = await beAdult()
  }
  if (readRun(first, use).says === 'in') return undefined
  // A crash by one of the rows before may have ended it, or its pages differ from time to time.
  const again = await beAdult()
  if (readRun(again, use).says !== 'in') return again.run.observation.summary
  const { end, status } = first.run.observation
  if (end === 'page' && status < 400) Object.assign(use, learnFlow({ ...use, ins: [...use.ins, first] }))
  return undefined
}
