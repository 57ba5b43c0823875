import { messageOf } from '../../files/caught.ts'
import { startStopwatch } from '../../sandbox/clock/clock.ts'
import type { VerdictName } from '../../sandbox/outcomes/audit-report.ts'
import { type Finding, isFinding, type Stage, type Trial } from './trial.ts'

export interface RunSettings {
  readonly stages: readonly Stage[]
  /** Runs at the same time on each stage; with one, calls of its server and lines of its log belong to that run. */
  readonly visitsEach: number
  /** How often a finding is looked at. */
  readonly repeat: number
  /** Ends it early: the budget is used up, or the user has interrupted it. */
  readonly signal: AbortSignal
  /** Why a stage shows nothing any more: it does not let an adult in. `undefined` while it does. */
  findLoss(stage: Stage): Promise<string | undefined>
  /** Hears of each finding as soon as it is known. */
  onFinding(trial: Trial, finding: Finding): void
}

export interface TrialRun {
  /** Finding of a trial, by what is known of the app now. */
  findingOf(trial: Trial): Finding
  /** What was met on the way, in one line each. */
  readonly notes: readonly string[]
}

const TRIALS_PER_CONTROL = 25
/** After a loss each batch is smaller, so that what the app breaks down at is found. */
const SMALLER = 5
const MAX_ATTEMPTS = 2
const WAITS_MS = [0, 1000, 3000, 6000]
/** Jobs of an app may let a user in after the answer. */
const LATER_MS = 2000
const LOOKS_AT_ONCE = 8

/** Findings that say that the app refused. */
const OF_REFUSAL: readonly VerdictName[] = ['refused', 'broke', 'ignored', 'too strict']

interface Seen {
  readonly at: number
  readonly stage: Stage
  value: unknown
  readonly log?: readonly string[]
}

const NOT_TRIED: Finding = {
  verdict: 'undetermined',
  reason: 'control_lost',
  evidence: 'it was not tried: before it, your app refused a plain good flow',
  flows: [],
}

/**
 * Runs trials in their order on all stages: those that can run side by side, then the others, then a plain good flow, after each
 * `TRIALS_PER_CONTROL`. When that is refused, the refusals since the last one are void: the app is started again, or given time, and
 * they are tried once more.
 */
export async function runTrials(trials: readonly Trial[], settings: RunSettings): Promise<TrialRun> {
  const { stages, visitsEach, repeat, signal, findLoss, onFinding } = settings
  const passed = startStopwatch()
  const seen = new Map<Trial, Seen[]>()
  const lost = new Map<Trial, string>()
  const attempts = new Map<Trial, number>()
  /** How often a trial met a limit: that is no attempt. */
  const limits = new Map<Trial, number>()
  const queue = [...trials]
  const notes: string[] = []
  let isLimited = false

  const proofOf = (trial: Trial, { value, log }: Seen): Finding => {
    const finding = trial.proof(value)
    return log && trial.withLog ? trial.withLog(finding, log) : finding
  }

  function findingOf(trial: Trial): Finding {
    const [first, ...again] = (seen.get(trial) ?? []).map((one) => proofOf(trial, one))
    if (!first) return stages.length > 0 && !signal.aborted && queue.includes(trial) ? NOT_TRIED : endedBy(signal)
    const evidence = lost.get(trial)
    if (evidence !== undefined && OF_REFUSAL.includes(first.verdict))
      return { ...first, verdict: 'undetermined', reason: 'control_lost', evidence: `${first.evidence}; ${evidence}` }
    const other = isFinding(first) ? again.find(({ verdict }) => verdict !== first.verdict) : undefined
    const flows = [first, ...again].flatMap((one) => one.flows)
    if (!other) return { ...first, flows }
    const both = `${first.verdict} at first (${first.evidence}), then ${other.verdict} (${other.evidence})`
    return { verdict: 'undetermined', reason: 'flaky', evidence: both, flows, log: other.log }
  }

  async function driveOnce(trial: Trial, stage: Stage, isAlone: boolean): Promise<Seen> {
    const recorded = isAlone ? stage.program?.record() : undefined
    const value = await trial.drive(stage)
    return { at: passed(), stage, value, ...(recorded && { log: await recorded() }) }
  }

  /** @returns false when other runs may have broken this one: it is to be run again, alone */
  async function tryOne(trial: Trial, stage: Stage, { isAlone }: { isAlone: boolean }): Promise<boolean> {
    if (signal.aborted) return true
    const all = [await driveOnce(trial, stage, isAlone)]
    const [first] = all.map((one) => proofOf(trial, one))
    for (let time = 1; first && isFinding(first) && time < repeat; time += 1) {
      all.push(await driveOnce(trial, stage, isAlone))
    }
    // What was ended with the audit shows nothing.
    if (signal.aborted) return true
    seen.set(trial, all)
    const finding = findingOf(trial)
    if (finding.isLimited && (await calmDown(trial, stage))) return tryOne(trial, stage, { isAlone })
    if (!isAlone && (finding.verdict === 'broke' || finding.reason === 'flaky')) return false
    onFinding(trial, finding)
    return true
  }

  /** The app limits its clients: each browser gets an address of its own, and the app some time. */
  async function calmDown(trial: Trial, { driver }: Stage): Promise<boolean> {
    if (!isLimited) {
      isLimited = true
      notes.push(
        `your app answers 429 since ${trial.name}; the audit goes on more slowly, by other client addresses. Raise its limit for tests, or give reset:`,
      )
    }
    driver.spreadOut()
    const pauses = (limits.get(trial) ?? 0) + 1
    limits.set(trial, pauses)
    const ms = WAITS_MS[pauses - 1]
    if (ms === undefined || signal.aborted) return false
    await driver.wait(ms)
    return true
  }

  async function runStage(stage: Stage): Promise<void> {
    let size = stages.length > 1 ? Math.ceil(trials.length / stages.length / 2) : TRIALS_PER_CONTROL
    size = Math.max(1, Math.min(TRIALS_PER_CONTROL, size))
    while (queue.length > 0 && !signal.aborted) {
      const batch = queue.splice(0, size)
      const alone = visitsEach === 1 ? batch : batch.filter(({ runsAlone }) => runsAlone)
      await forEach(
        batch.filter((trial) => !alone.includes(trial)),
        isLimited ? 1 : visitsEach,
        async (trial) => {
          if (!(await tryOne(trial, stage, { isAlone: false }))) alone.push(trial)
        },
      )
      for (const trial of alone) await tryOne(trial, stage, { isAlone: true })
      const shown = signal.aborted ? undefined : await findLoss(stage)
      if (shown === undefined || signal.aborted) continue
      const remedy = await recover(stage)
      const isBack = remedy.startsWith('; it')
      notes.push(
        `after ${batch.at(-1)?.name} ${stage.name} no longer lets ${stage.cast.nameOf('adult')} in: ${shown}; what it refused since the last good flow does not count${remedy}`,
      )
      for (const trial of batch.toReversed()) {
        const attempt = (attempts.get(trial) ?? 0) + 1
        attempts.set(trial, attempt)
        if (isBack && attempt < MAX_ATTEMPTS) {
          seen.delete(trial)
          queue.unshift(trial)
        } else lost.set(trial, 'then a plain good flow was refused too')
      }
      size = Math.max(1, Math.floor(size / SMALLER))
      if (!isBack) return
    }
  }

  /** @returns what came of it, as the end of a note */
  async function recover(stage: Stage): Promise<string> {
    if (stage.program) {
      try {
        await stage.program.restart()
      } catch (error) {
        return `, and your app did not start again: ${messageOf(error)}`
      }
      const shown = await findLoss(stage)
      return shown === undefined ? '; it was started again' : `, and started again it showed ${shown}`
    }
    stage.driver.spreadOut()
    for (const ms of WAITS_MS.slice(1, 3)) {
      if (signal.aborted) break
      await stage.driver.wait(ms)
      if ((await findLoss(stage)) === undefined) return '; it did so again some seconds later'
    }
    return ''
  }

  /** Looks once more at users who were refused: an app may let them in by a job. */
  async function lookLater(): Promise<void> {
    const refused = trials.flatMap((trial) => {
      const first = seen.get(trial)?.[0]
      return first && trial.lookAgain && OF_REFUSAL.includes(findingOf(trial).verdict) ? [{ trial, first }] : []
    })
    const newest = Math.max(0, ...refused.map(({ first }) => first.at))
    if (refused.length > 0) await stages[0]?.driver.wait(Math.max(0, newest + LATER_MS - passed()))
    await forEach(refused, LOOKS_AT_ONCE, async ({ trial, first }) => {
      if (!signal.aborted) first.value = (await trial.lookAgain?.(first.value, first.stage)) ?? first.value
    })
  }

  await Promise.all(stages.map(runStage))
  await lookLater()
  return { findingOf, notes }
}

const endedBy = ({ aborted }: AbortSignal): Finding => ({
  verdict: 'undetermined',
  reason: 'timed_out',
  evidence: aborted ? 'it was not tried: the audit ended before; raise --budget' : 'it was not tried',
  flows: [],
})

/** Calls `act` for each item, for at most `limit` of them at the same time. */
export async function forEach<Item>(
  items: readonly Item[],
  limit: number,
  act: (item: Item) => Promise<void>,
): Promise<void> {
  const left = items.values()
  const work = async () => {
    for (const item of left) await act(item)
  }
  await Promise.all(Array.from({ length: limit }, work))
}
