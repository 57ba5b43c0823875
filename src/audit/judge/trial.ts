import { messageOf } from '../../files/caught.ts'
import type { VerdictName } from '../../sandbox/outcomes/audit-report.ts'
import type { Outcome } from '../../sandbox/outcomes/outcome.ts'
import type { LearnedApp } from '../learn/learn-app.ts'
import type { AuditOptions } from '../options.ts'
import { planRow, type RowPlan } from '../plan/plan-row.ts'
import { forEach } from './for-each.ts'
import { judgeRow, type RowVerdict } from './judge-row.ts'
import { findLoss, type JudgedCopy } from './judged-copy.ts'
import { withLog } from './refusing-check.ts'

export interface TrialSettings {
  readonly copies: readonly JudgedCopy[]
  /** Runs at the same time in each copy. */
  readonly visitsEach: number
  readonly learned: LearnedApp
  /** Ends it early: the budget is used up, or the user has interrupted it. */
  readonly signal: AbortSignal
  readonly pages: Pick<AuditOptions, 'create' | 'upgrade'>
}

export interface Trial {
  /** Judges rows in their order, with a plain good flow after every `ROWS_PER_CONTROL` rows of a copy. */
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
  { copies, visitsEach, learned, signal, pages }: TrialSettings,
  onVerdict: (row: Outcome, verdict: RowVerdict) => void,
): Trial {
  const { profile } = learned.use
  const verdicts = new Map<Outcome, RowVerdict>()
  const notes: string[] = []
  let isLimited = false

  /** @returns false when other runs may have broken this one: it is to be judged again, alone */
  async function judgeOne(row: Outcome, copy: JudgedCopy, { isAlone }: { isAlone: boolean }): Promise<boolean> {
    if (signal.aborted) return true
    const plan = planRow(row, { profile, pages })
    const verdict = isAlone ? await judgeWithLog(row, plan, copy) : await judgeRow(row, plan, copy.judge)
    // A run that was ended with the audit shows nothing.
    if (signal.aborted && verdict.verdict !== 'refused') return true
    if (!isAlone && (verdict.verdict === 'broke' || verdict.reason === 'flaky')) return false
    verdicts.set(row, verdict)
    if (verdict.isLimited && !isLimited) {
      isLimited = true
      notes.push(`your app answers 429 since row ${verdicts.size}; raise its limit for tests, or --jobs 1`)
    }
    onVerdict(row, verdict)
    return true
  }

  /** Several visits at the same time in one copy; what cannot run beside others comes behind them. */
  async function judgeSideBySide(rows: readonly Outcome[], copy: JudgedCopy): Promise<void> {
    for (let start = 0; start < rows.length && !copy.isLost; start += ROWS_PER_CONTROL) {
      const batch = rows.slice(start, start + ROWS_PER_CONTROL)
      copy.since.push(...batch)
      const alone = batch.filter((row) => planRow(row, { profile, pages }).runsAlone)
      const others = batch.filter((row) => !alone.includes(row))
      await forEach(others, visitsEach, async (row) => {
        if (!(await judgeOne(row, copy, { isAlone: false }))) alone.push(row)
      })
      for (const row of alone) await judgeOne(row, copy, { isAlone: true })
      await checkControl(copy)
    }
  }

  /** One visit at a time in each copy: all rows can run beside others, and what a copy breaks down at is seen at once. */
  async function judgeByCopies(rows: readonly Outcome[]): Promise<void> {
    const left = [...rows]
    const work = async (copy: JudgedCopy) => {
      while (!copy.isLost) {
        const row = left.shift()
        if (!row) break
        copy.since.push(row)
        await judgeOne(row, copy, { isAlone: true })
        const isDue = copy.since.length >= ROWS_PER_CONTROL || verdicts.get(row)?.verdict === 'broke'
        if (isDue) await checkControl(copy)
      }
      await checkControl(copy)
    }
    await Promise.all(copies.map(work))
  }

  /** Whether a copy still lets an adult in; when not, its refusals since it last did are void, and it is started again once. */
  async function checkControl(copy: JudgedCopy): Promise<void> {
    if (signal.aborted || copy.isLost || copy.since.length === 0) return
    const shown = await findLoss(copy)
    const since = copy.since
    copy.since = []
    if (shown === undefined || signal.aborted) return
    copy.isLost = true
    for (const row of since) voidRow(row)
    const again = await startAgain(copy)
    notes.push(
      `after row ${verdicts.size} ${copy.name} no longer lets ${copy.judge.cast.nameOf('adult')} in: ${shown}; what it refused since the last good flow does not count${again}`,
    )
  }

  function voidRow(row: Outcome): void {
    const verdict = verdicts.get(row)
    if (!verdict || !VOID.includes(verdict.verdict)) return
    const evidence = `${verdict.evidence}; then a plain good flow was refused too`
    verdicts.set(row, { ...verdict, verdict: 'undetermined', reason: 'control_lost', evidence })
  }

  /** @returns what came of it, as the end of a note */
  async function startAgain(copy: JudgedCopy): Promise<string> {
    if (!copy.program || copy.wasRestarted) return ''
    copy.wasRestarted = true
    try {
      await copy.program.restart()
    } catch (error) {
      return `; it did not start again: ${messageOf(error)}`
    }
    const shown = await findLoss(copy)
    copy.isLost = shown !== undefined
    return shown === undefined ? '; it was started again' : `; started again, it showed ${shown}`
  }

  const isOver = () => copies.every((copy) => copy.isLost)
  return {
    notes,
    verdictOf: (row) => verdicts.get(row) ?? (isOver() ? NOT_TRIED : endedBy(signal)),
    async judge(rows) {
      const [first, ...others] = copies
      if (visitsEach === 1 || !first || others.length > 0) await judgeByCopies(rows)
      else await judgeSideBySide(rows, first)
    },
  }
}

/** The verdict with what the app wrote meanwhile. */
async function judgeWithLog(row: Outcome, plan: RowPlan, { judge, program }: JudgedCopy): Promise<RowVerdict> {
  const recorded = program?.record()
  const verdict = await judgeRow(row, plan, judge)
  return recorded ? withLog(row, verdict, await recorded()) : verdict
}

const endedBy = ({ aborted }: AbortSignal): RowVerdict => ({
  verdict: 'undetermined',
  reason: 'timed_out',
  evidence: aborted ? 'it was not tried: the audit ended before; raise --budget' : 'it was not tried',
  flows: [],
})
