import type { VerdictName } from '../../sandbox/outcomes/audit-report.ts'
import type { Outcome } from '../../sandbox/outcomes/outcome.ts'
import type { Driver, FlowRun } from '../drive/driver.ts'
import { readRun } from '../learn/flow-reader.ts'
import type { LearnedApp } from '../learn/learn-app.ts'
import type { AuditOptions } from '../options.ts'
import { planRow } from '../plan/plan-row.ts'
import { type Judge, judgeRow, type RowVerdict } from './judge-row.ts'

export interface TrialSettings {
  readonly driver: Driver
  readonly learned: LearnedApp
  /** Ends it early: the budget is used up, or the user has interrupted it. */
  readonly signal: AbortSignal
  /** How often a finding is looked at. */
  readonly repeat: number
  /** Runs at the same time. */
  readonly jobs: number
  readonly pages: Pick<AuditOptions, 'create' | 'upgrade'>
}

/** Rows that are judged, of how many. */
export interface Progress {
  readonly done: number
  readonly total: number
}

export interface Trial {
  /** Judges rows in their order, with a plain good flow after every `ROWS_PER_CONTROL` of them. */
  judge(rows: readonly Outcome[]): Promise<void>
  verdictOf(row: Outcome): RowVerdict
  /** What was met on the way, in one line each. */
  readonly notes: readonly string[]
}

const ROWS_PER_CONTROL = 25

/** Verdicts that say that the app refused. */
const VOID: readonly VerdictName[] = ['refused', 'broke', 'too strict']

const NOT_TRIED: RowVerdict = {
  verdict: 'undetermined',
  reason: 'control_lost',
  evidence: 'it was not tried: before it, your app refused a plain good flow',
  flows: [],
}

/** Starts to judge rows of an app. @param onVerdict hears of each verdict as soon as it is found */
export function createTrial(
  all: readonly Outcome[],
  { driver, learned, signal, repeat, jobs, pages }: TrialSettings,
  onVerdict: (row: Outcome, verdict: RowVerdict, progress: Progress) => void,
): Trial {
  const { readers, use } = learned
  const { cast, profile } = use
  const judge: Judge = { readers, driver, cast, repeat }
  const verdicts = new Map<Outcome, RowVerdict>()
  const notes: string[] = []
  let isLost = false

  /** @returns false when other runs may have broken this one: it is to be judged again, alone */
  async function judgeOne(row: Outcome, { isAlone }: { isAlone: boolean }): Promise<boolean> {
    if (signal.aborted) return true
    const plan = planRow(row, { profile, pages })
    const verdict = await judgeRow(row, plan, judge)
    // A run that was ended with the audit shows nothing.
    if (signal.aborted && verdict.verdict !== 'refused') return true
    if (!isAlone && (verdict.verdict === 'broke' || verdict.reason === 'flaky')) return false
    verdicts.set(row, verdict)
    if (verdict.isLimited && notes.length === 0) {
      notes.push(`your app answers 429 since row ${verdicts.size}; raise its limit for tests, or --jobs 1`)
    }
    onVerdict(row, verdict, { done: verdicts.size, total: all.length })
    return true
  }

  async function judgeBatch(batch: readonly Outcome[]): Promise<void> {
    const alone = batch.filter((row) => planRow(row, { profile, pages }).runsAlone)
    const others = batch.filter((row) => !alone.includes(row))
    await forEach(others, jobs, async (row) => {
      if (!(await judgeOne(row, { isAlone: jobs === 1 }))) alone.push(row)
    })
    for (const row of alone) await judgeOne(row, { isAlone: true })
  }

  const beAdult = () => cast.as('adult', (persona) => driver.run({ use: { persona, outcome: 'verified' } }))

  /** Whether the app still lets an adult in; when not, its refusals since it last did are void. */
  async function checkControl(since: readonly Outcome[]): Promise<void> {
    if (signal.aborted) return
    const first = await beAdult()
    // A crash by one of the rows before may have ended it.
    const run = (await readUse(first, learned)) === 'broke' ? await beAdult() : first
    if ((await readUse(run, learned)) === 'yes') return
    isLost = true
    const shown = run.observation.summary
    notes.push(
      `after row ${verdicts.size} your app no longer lets ${cast.nameOf('adult')} in: ${shown}; what it refused since the last good flow does not count`,
    )
    for (const row of since) {
      const verdict = verdicts.get(row)
      if (!verdict || !VOID.includes(verdict.verdict)) continue
      const evidence = `${verdict.evidence}; then a plain good flow was refused too`
      verdicts.set(row, { ...verdict, verdict: 'undetermined', reason: 'control_lost', evidence })
    }
  }

  return {
    notes,
    verdictOf: (row) => verdicts.get(row) ?? (isLost ? NOT_TRIED : endedBy(signal)),
    async judge(rows) {
      for (let start = 0; start < rows.length && !isLost; start += ROWS_PER_CONTROL) {
        const batch = rows.slice(start, start + ROWS_PER_CONTROL)
        await judgeBatch(batch)
        await checkControl(batch)
      }
    },
  }
}

const readUse = (run: FlowRun, { readers: { signatures, rules, driver } }: LearnedApp) =>
  signatures.use ? readRun(run, { signature: signatures.use, rules: rules.use, driver }) : 'unknown'

const endedBy = ({ aborted }: AbortSignal): RowVerdict => ({
  verdict: 'undetermined',
  reason: 'timed_out',
  evidence: aborted ? 'it was not tried: the audit ended before; raise --budget' : 'it was not tried',
  flows: [],
})

/** Calls `act` for each item, for at most `limit` of them at the same time. */
async function forEach<Item>(items: readonly Item[], limit: number, act: (item: Item) => Promise<void>): Promise<void> {
  const left = items.values()
  const work = async () => {
    for (const item of left) await act(item)
  }
  await Promise.all(Array.from({ length: limit }, work))
}
