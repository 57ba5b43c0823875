import { messageOf } from '../../sandbox/files/caught.ts'
import { inTurn } from '../drive/in-turn.ts'
import { DEFAULTS } from '../options.ts'
import { isFinding } from '../report/points.ts'
import type { AuditRun, Worker } from './audit-run.ts'
import type { Trial, TrialFinding } from './trial.ts'
import {
  findingOf,
  isRefusal,
  MAX_LOSSES,
  startRecord,
  type TrialRecord,
  type TrialRun,
} from './trial-record.ts'

/**
 * What the scheduler needs of an audit. If `visitsEach` is 1, all calls of the app's server and all
 * lines of its log belong to the current visit.
 */
export interface RunSettings
  extends Pick<AuditRun, 'workers' | 'visitsEach' | 'options' | 'signal' | 'notes'> {
  /** Runs after each batch: a working app lets the adult in. */
  readonly control: Trial
  onFinding(trial: Trial, finding: TrialFinding): void
}

/** What the workers share while they run trials. */
interface Schedule extends RunSettings {
  /** The trials that no worker has taken, in order. */
  readonly queue: TrialRecord[]
  /** Maximum number of trials in the first batch of each worker. */
  readonly batchSize: number
  /** Whether the app has answered 429. Every later batch then runs one trial at a time. */
  isLimited: boolean
}

/** A trial on a worker; `isAlone` when the worker runs nothing else meanwhile. */
interface Turn {
  readonly worker: Worker
  readonly schedule: Schedule
  readonly isAlone: boolean
}

const TRIALS_PER_CONTROL = 50
/** Each loss divides the batch size by this number, to isolate the trial that breaks the app. */
const SMALLER = 10
const WAITS_MS = [0, 1000, 3000, 6000]
/** Milliseconds that a background job of the app gets to let a user in after the answer. */
const LATER_MS = 2000

/**
 * Runs trials in order on all workers. A worker takes a batch and runs the trials that may run side
 * by side, then the other trials, then the control. If the app refuses the control, the batch is
 * lost: its refusals do not count. The worker then restarts the app, or waits, and runs the batch
 * again.
 * @returns a function that returns the finding of a trial
 */
export async function runTrials(
  trials: readonly Trial[],
  settings: RunSettings,
): Promise<(trial: Trial) => TrialFinding> {
  const { workers, signal } = settings
  const records = trials.map(startRecord)
  // The workers share the trials; the fastest worker takes most.
  const share =
    workers.length > 1 ? Math.ceil(trials.length / workers.length / 2) : TRIALS_PER_CONTROL
  const schedule: Schedule = {
    ...settings,
    queue: [...records],
    batchSize: Math.min(TRIALS_PER_CONTROL, share),
    isLimited: false,
  }
  await Promise.all(workers.map((worker) => runWorker(worker, schedule)))
  await lookLater(records, settings)
  const findings = new Map(records.map((record) => [record.trial, findingOf(record, signal)]))
  return (trial) => findings.get(trial) ?? findingOf(startRecord(trial), signal)
}

/** Runs batches until the queue is empty, the audit ends, or the app stays lost. */
async function runWorker(worker: Worker, schedule: Schedule): Promise<void> {
  const { queue, signal, notes } = schedule
  let size = schedule.batchSize
  while (queue.length > 0 && !signal.aborted) {
    const batch = queue.splice(0, size)
    await runBatch(batch, worker, schedule)
    const shown = await findLoss(worker, schedule)
    if (shown === undefined) continue
    const { isBack, remedy } = await recover(worker, schedule)
    notes.push(
      `after ${batch.at(-1)?.trial.name} ${worker.name} no longer lets an adult in: ${shown}; what it refused since the last good flow does not count${remedy}`,
    )
    countLoss(batch, isBack, queue)
    if (!isBack) return
    size = Math.max(1, Math.floor(size / SMALLER))
  }
}

/** Runs the trials that may run side by side, then the others alone. */
async function runBatch(
  batch: readonly TrialRecord[],
  worker: Worker,
  schedule: Schedule,
): Promise<void> {
  const { visitsEach, isLimited } = schedule
  const isSerial = visitsEach === 1 || isLimited
  const recordsOf = (runs: Trial['runs']) =>
    batch.filter(({ trial }) => (isSerial ? 'alone' : trial.runs) === runs)
  const alone = recordsOf('alone')
  const tryBeside = async (record: TrialRecord) => {
    const isDone = await tryOne(record, { worker, schedule, isAlone: false })
    if (!isDone) alone.push(record)
  }
  await Promise.all([
    inTurn(recordsOf('beside'), tryBeside, visitsEach),
    inTurn(recordsOf('in turn'), tryBeside),
  ])
  for (const record of alone) await tryOne(record, { worker, schedule, isAlone: true })
}

/**
 * Runs a trial, and repeats the run if it is a finding.
 * @returns false if the trial must run again alone, because other trials may have disturbed it
 */
async function tryOne(record: TrialRecord, turn: Turn): Promise<boolean> {
  const { schedule, isAlone } = turn
  const { signal, control, onFinding } = schedule
  const { trial } = record
  const runs = await driveTrial(trial, turn)
  // The end of the audit interrupted the visits, so they show nothing about the app.
  if (signal.aborted) return true
  record.runs = runs
  const finding = findingOf(record, signal)
  if (finding.isLimited) {
    const hasWaited = await slowDown(record, turn)
    if (hasWaited) return tryOne(record, turn)
  }
  const isOpen = finding.verdict === 'undetermined' && finding.reason !== 'timed_out'
  if (!isAlone && (finding.verdict === 'broke' || isOpen)) return false
  if (trial !== control) onFinding(trial, finding)
  return true
}

/** Runs a trial once or, if the first run is a finding, `repeat` times. */
async function driveTrial(
  trial: Trial,
  { worker, schedule, isAlone }: Turn,
): Promise<readonly TrialRun[]> {
  const { signal, options } = schedule
  const { repeat = DEFAULTS.repeat } = options
  const runs: TrialRun[] = []
  do {
    if (signal.aborted) return runs
    const stopRecording = isAlone ? worker.program?.record() : undefined
    const seen = await trial.drive(worker)
    runs.push({ worker, seen, log: await stopRecording?.() })
  } while (runs.length < repeat && isFinding(trial.proof(runs[0]?.seen)))
  return runs
}

/**
 * Reacts to a rate limit of the app: each browser gets its own address, and the worker waits.
 * @returns false if the trial has used all its waits
 */
async function slowDown(record: TrialRecord, { worker, schedule }: Turn): Promise<boolean> {
  if (!schedule.isLimited)
    schedule.notes.push(
      `your app answers 429 since ${record.trial.name}; the audit goes on more slowly, by other client addresses. Raise its limit for tests, or give reset:`,
    )
  schedule.isLimited = true
  worker.driver.spreadOut()
  const ms = WAITS_MS[record.pauses]
  record.pauses += 1
  if (ms === undefined) return false
  await worker.driver.wait(ms)
  return true
}

/** Runs the control. Returns what the app showed the adult; `undefined` if the adult gets in. */
async function findLoss(worker: Worker, schedule: Schedule): Promise<string | undefined> {
  const record = startRecord(schedule.control)
  await tryOne(record, { worker, schedule, isAlone: false })
  const { verdict, reason, evidence } = findingOf(record, schedule.signal)
  const isRight = verdict === 'accepted' || reason === 'flaky' || schedule.signal.aborted
  return isRight ? undefined : evidence.replace(/^as [^:]+: /, '')
}

/**
 * Restarts a lost app, or waits if the audit did not start the app.
 * @returns whether the app lets an adult in again, and the end of the note about the loss
 */
async function recover(
  worker: Worker,
  schedule: Schedule,
): Promise<{ isBack: boolean; remedy: string }> {
  const { program, driver } = worker
  const problem = await program?.restart().catch(messageOf)
  if (problem) return { isBack: false, remedy: `, and your app did not start again: ${problem}` }
  if (!program) driver.spreadOut()
  let shown: string | undefined
  for (const ms of program ? [0] : [1000, 3000]) {
    await driver.wait(ms)
    shown = await findLoss(worker, schedule)
    const how = program ? 'was started again' : 'did so again some seconds later'
    if (shown === undefined) return { isBack: true, remedy: `; it ${how}` }
  }
  return { isBack: false, remedy: program ? `, and started again it showed ${shown}` : '' }
}

/** Puts the trials of a lost batch back to the front, unless they were lost too often. */
function countLoss(batch: readonly TrialRecord[], isBack: boolean, queue: TrialRecord[]): void {
  for (const record of batch) record.losses += isBack ? 1 : MAX_LOSSES
  const again = batch.filter(({ losses }) => losses < MAX_LOSSES)
  for (const record of again) record.runs = []
  queue.unshift(...again)
}

/** Looks again at refused users, because a background job may have let them in later. */
async function lookLater(
  records: readonly TrialRecord[],
  { signal, visitsEach, workers }: RunSettings,
): Promise<void> {
  const refused = records.filter(
    (record) => record.trial.lookAgain && isRefusal(findingOf(record, signal)),
  )
  await refused[0]?.runs[0]?.worker.driver.wait(LATER_MS)
  const lookAgain = async (record: TrialRecord) => {
    const { trial, runs } = record
    const [first, ...repeated] = runs
    if (!first || signal.aborted) return
    const seen = await trial.lookAgain?.(first.seen, first.worker)
    if (trial.proof(seen).verdict === 'undetermined') return
    record.runs = [{ ...first, seen }, ...repeated]
  }
  await inTurn(refused, lookAgain, visitsEach * workers.length)
}
