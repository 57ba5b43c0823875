import type { AuditedRow } from '../../sandbox/outcomes/audit-report.ts'
import { findRow, isBroughtAnswer, rowId } from '../../sandbox/outcomes/catalogue.ts'
import type { AuditRow, Check } from '../../sandbox/outcomes/outcome.ts'
import type { AuditedApp, StartFresh } from '../drive/audited-app.ts'
import type { Driver } from '../drive/driver.ts'
import type { BetweenThresholds, LearnedApp } from '../learn/learn-app.ts'
import type { SeenRun } from '../learn/learned-flow.ts'
import { readRun, seeRun } from '../learn/read-run.ts'
import type { AuditOptions } from '../options.ts'
import { reasonNotFor } from './applicability.ts'
import { type Counting, describeRow } from './describe-row.ts'
import { ownTrial } from './own-trials.ts'
import { rowTrial } from './row-trial.ts'
import { type RunSettings, runTrials } from './run-trials.ts'
import { isReadFlow, runStarts } from './start-trials.ts'
import type { Finding, Stage, Trial } from './trial.ts'

interface Settings extends Pick<RunSettings, 'stages' | 'visitsEach' | 'repeat' | 'signal'> {
  readonly learned: LearnedApp
  readonly counting: Counting
  /** Also rows that take long. */
  readonly slow: boolean
  /** The age that the page is for, when the app asks for several thresholds. */
  readonly age?: number | undefined
  /** A function of a test suite drives the app. */
  readonly isVisited: boolean
  /** The right answers that differ by the fault alone are known already. */
  readonly isAlone?: boolean
  readonly pages: Pick<AuditOptions, 'create' | 'upgrade'>
  readonly startFresh?: StartFresh | undefined
  drive(app: AuditedApp): Driver
  /** Hears of the rows before they are tried, and of each verdict as soon as it is found. */
  onPlan?(total: number): void
  onRow(progress: { done: number; total: number; row: AuditedRow }): void
}

/** Tries rows: what has to be accepted first, because a refusal counts only beside it, then the most severe. */
export async function tryRows(
  rows: readonly AuditRow[],
  settings: Settings,
): Promise<{ judged: readonly AuditedRow[]; notes: readonly string[] }> {
  const { learned, counting, startFresh, visitsEach, isVisited, isAlone = false, pages, onRow } = settings
  const reasonOf = (row: AuditRow) => reasonNotFor(row, { ...settings, canStart: startFresh !== undefined, isVisited })
  const isOpen = (row: AuditRow) => reasonOf(row) === undefined && findingOfRefused(row, learned) === undefined
  const open = rows.filter(isOpen)
  const starting = open.flatMap((row) => (isReadFlow(row.flow) ? (findRow(rowId(row)) ?? []) : []))
  const counterparts = isAlone ? [] : open.flatMap(({ twin }) => findRow(twin) ?? []).filter(isOpen)
  const running = [...new Set([...open, ...counterparts])].filter(({ flow }) => !isReadFlow(flow))
  const controls = running.filter(({ correctClient }) => correctClient === 'accept')
  const others = running.filter((row) => open.includes(row) && !controls.includes(row)).toSorted(bySeverity)
  const total = controls.length + others.length + starting.length
  settings.onPlan?.(total)
  const byName = new Map(rows.map((row) => [rowId(row), row]))
  let done = 0
  const onFinding = ({ name }: Trial, finding: Finding) => {
    const row = byName.get(name) ?? findRow(name)
    done += 1
    if (row) onRow({ done, total, row: describeRow(row, finding, counting) })
  }
  const trialOf = (row: AuditRow): Trial => {
    const outcome = isBroughtAnswer(row) ? undefined : findRow(rowId(row))
    return outcome ? rowTrial(outcome, { learned, pages }) : ownTrial(row, learned)
  }
  const trials = new Map([...controls, ...others].map((row) => [rowId(row), trialOf(row)]))
  const run = await runTrials([...trials.values()], {
    ...settings,
    // A run that waits for a job of the app costs nothing meanwhile.
    visitsEach: learned.use.waitMs > 0 ? WAITING * visitsEach : visitsEach,
    findLoss: (stage) => findLoss(stage, learned),
    onFinding,
  })
  const starts = startFresh && (await runStarts(starting.toSorted(bySeverity), { ...settings, startFresh, onFinding }))

  const findingOf = (row: AuditRow): Finding => {
    const trial = trials.get(rowId(row))
    const found = starts?.findings.get(rowId(row)) ?? findingOfRefused(row, learned) ?? (trial && run.findingOf(trial))
    return found ?? { verdict: 'undetermined', reason: 'timed_out', evidence: 'it was not tried', flows: [] }
  }
  const judged = rows.map((row) => {
    const reason = reasonOf(row) ?? (isReadFlow(row.flow) ? starts?.unread[row.flow] : undefined)
    return describeRow(row, reason === undefined ? withMask(row, findingOf) : { reason }, counting)
  })
  const notes = [...run.notes, ...(starts?.notes ?? [])]
  return { judged: withPlainFindings(judged, settings), notes }
}

/** So many more runs at the same time, when each of them waits. */
const WAITING = 4

const bySeverity = (one: AuditRow, other: AuditRow) => other.severity - one.severity

/** An app that answers 429 is given so much time, again and again. */
const LIMIT_WAITS_MS = [0, 2000, 5000, 10_000]

/** What a copy shows that does not let an adult in any more; `undefined` when it does. What it shows else is learned. */
export async function findLoss(stage: Stage, { use }: LearnedApp): Promise<string | undefined> {
  const beAdult = () =>
    stage.cast.as('adult', async (persona) => {
      const run = await stage.driver.run({ use: { persona, outcome: 'verified' } })
      return seeRun(run, use, stage.driver)
    })
  let first = await beAdult()
  for (const ms of LIMIT_WAITS_MS) {
    if (first.run.observation.status !== 429) break
    stage.driver.spreadOut()
    await stage.driver.wait(ms)
    first = await beAdult()
  }
  if (readRun(first, use).says === 'in') return undefined
  // A crash by one of the rows before may have ended it, or its pages differ from time to time.
  const again = await beAdult()
  if (readRun(again, use).says !== 'in') return again.run.observation.summary
  const { end, status } = first.run.observation
  if (end === 'page' && status < 400) use.addIn(first)
  return undefined
}

/** The finding of a row in a flow that the app does not get through with right answers: nothing else can be shown there. */
export function findingOfRefused(row: AuditRow, { create, upgrade }: LearnedApp): Finding | undefined {
  const own = row.flow === 'create' || row.flow === 'par' ? create : upgrade
  for (const flow of [create, upgrade]) {
    if (flow.kind !== 'refused') continue
    const { rows, evidence } = flow
    if (rows.includes(rowId(row))) return { verdict: 'too strict', evidence, flows: [] }
    if (row.flow !== 'use' && flow === own) return { verdict: 'undetermined', reason: 'masked', evidence, flows: [] }
  }
  return undefined
}

/** A refusal shows nothing when the app also refuses what differs by the fault alone. */
function withMask(row: AuditRow, findingOf: (row: AuditRow) => Finding): Finding {
  const found = findingOf(row)
  const counterpart = found.verdict === 'refused' ? findRow(row.twin) : undefined
  if (!counterpart || findingOf(counterpart).verdict !== 'too strict') return found
  const evidence = `your app also refuses ${row.twin}, which differs by the fault alone`
  return { ...found, verdict: 'undetermined', reason: 'masked', evidence }
}

/** What an app does with right answers, told in the place of the row whose answer it was. */
function withPlainFindings(
  judged: readonly AuditedRow[],
  { learned: { letsIn, between, create }, counting, age }: Settings,
): readonly AuditedRow[] {
  const [early] = between.filter(({ misses, isLetIn }) => isLetIn && (age === undefined || age >= misses))
  const wish = create.kind === 'absent' ? create.letsIn : undefined
  const found: readonly PlainFinding[] = [
    ...(letsIn.includes('minor') ? [MINOR] : early ? [earlyFinding(early, age)] : []),
    ...(wish ? [{ ...WISH, seen: wish }] : []),
  ]
  return found.reduce((rows, { id, seen, check, evidence, harm, rule }) => {
    const row = findRow(id)
    if (!row) return rows
    const flows = seen?.run.useFlow === undefined ? [] : [seen.run.useFlow]
    const told = { ...row, breaks: [check], severity: SEVERITY, harm, rule }
    const finding = describeRow(told, { verdict: 'let in', evidence, flows }, counting)
    return [finding, ...rows.filter((one) => one.row !== id)]
  }, judged)
}

const SEVERITY = 9.1

interface PlainFinding {
  readonly id: string
  readonly seen?: SeenRun
  readonly check: Check
  readonly evidence: string
  readonly harm: string
  readonly rule: string
}

const OF_THRESHOLDS = {
  id: 'use/verified',
  check: 'age_thresholds',
  rule: 'Let a user in only when the threshold of this page is exactly true: age_thresholds["18"] === true.',
} as const

const MINOR: PlainFinding = {
  ...OF_THRESHOLDS,
  evidence: 'a right token whose thresholds are all false is taken for a yes',
  harm: 'A child gets in with an honest answer: the app does not read the thresholds.',
}

const earlyFinding = ({ persona, misses, seen }: BetweenThresholds, age: number | undefined): PlainFinding => ({
  ...OF_THRESHOLDS,
  seen,
  evidence: `as ${persona}: an honest user who does not reach ${misses} gets all that an adult gets${age === undefined ? '; when the page is for a lower age, say so: --age' : ''}`,
  harm: `A user below ${misses} gets in with an honest answer: the app does not read the threshold of ${misses}.`,
})

const WISH: PlainFinding = {
  id: 'use/create_requested',
  check: 'create_requested',
  evidence: 'a user who only wishes to create an age key is let in, and no Create flow begins',
  harm: 'A child presses the button for a new age key, and is let in without one.',
  rule: 'create_requested=true proves nothing: begin Create, and let in nobody.',
}
