import type { AuditedRow } from '../../sandbox/outcomes/audit-report.ts'
import { findRow, rowId } from '../../sandbox/outcomes/catalogue.ts'
import type { Outcome } from '../../sandbox/outcomes/outcome.ts'
import type { AuditedApp, StartFresh } from '../drive/audited-app.ts'
import type { Driver } from '../drive/driver.ts'
import type { LearnedApp } from '../learn/learn-app.ts'
import { reasonNotFor } from '../plan/applicability.ts'
import { type Counting, describeRow } from './conclude.ts'
import type { RowVerdict } from './judge-row.ts'
import { isReadFlow, judgeStarts } from './judge-starts.ts'
import { createTrial, type TrialSettings } from './trial.ts'

interface Settings extends TrialSettings {
  readonly learned: LearnedApp
  readonly counting: Counting
  /** Also rows that take long. */
  readonly slow: boolean
  /** How often a finding is looked at. */
  readonly repeat: number
  readonly startFresh: StartFresh | undefined
  drive(app: AuditedApp): Driver
  /** Hears of each verdict as soon as it is found. */
  onRow(progress: { done: number; total: number; row: AuditedRow }): void
}

/** Judges rows: what has to be accepted first, because a refusal counts only beside it, then the most severe first. */
export async function judgeRows(
  rows: readonly Outcome[],
  settings: Settings,
): Promise<{ judged: readonly AuditedRow[]; notes: readonly string[] }> {
  const { learned, counting, slow, onRow, startFresh } = settings
  const canStart = startFresh !== undefined
  const reasonOf = (row: Outcome) => reasonNotFor(row, { ...learned, profile: learned.use.profile, slow, canStart })
  const isOpen = (row: Outcome) => reasonOf(row) === undefined && verdictOfRefused(row, learned) === undefined
  const open = rows.filter(isOpen)
  const twins = open.flatMap(({ twin }) => findRow(twin) ?? []).filter(isOpen)
  const starting = open.filter(({ flow }) => isReadFlow(flow))
  const running = [...open, ...twins].filter(({ flow }) => !isReadFlow(flow))
  const controls = [...new Set(running.filter(({ correctClient }) => correctClient === 'accept'))]
  const others = running.filter((row) => open.includes(row) && !controls.includes(row)).toSorted(bySeverity)
  const total = controls.length + others.length + starting.length
  let done = 0
  const onVerdict = (row: Outcome, verdict: RowVerdict) => {
    done += 1
    onRow({ done, total, row: describeRow(row, verdict, counting) })
  }
  const trial = createTrial(settings, onVerdict)
  await trial.judge(controls)
  await trial.judge(others)
  const starts =
    startFresh &&
    (await judgeStarts(
      starting.toSorted(bySeverity),
      { ...settings, startFresh, jobs: settings.copies.length },
      onVerdict,
    ))
  const verdictOf = (row: Outcome): RowVerdict =>
    starts?.verdicts.get(row) ?? verdictOfRefused(row, learned) ?? trial.verdictOf(row)
  const judged = rows.map((row) => {
    const reason = reasonOf(row) ?? (isReadFlow(row.flow) ? starts?.unread[row.flow] : undefined)
    return describeRow(row, reason === undefined ? withMask(row, verdictOf) : { reason }, counting)
  })
  const notes = [...trial.notes, ...(starts?.notes ?? [])]
  return { judged: learned.use.letsIn.includes('minor') ? withMinor(judged, counting) : judged, notes }
}

const bySeverity = (one: Outcome, other: Outcome) => other.severity - one.severity

/** The verdict of a row in a flow that the app does not get through with right answers: nothing else can be shown there. */
export function verdictOfRefused(row: Outcome, { create, upgrade }: LearnedApp): RowVerdict | undefined {
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
function withMask(row: Outcome, verdictOf: (row: Outcome) => RowVerdict): RowVerdict {
  const found = verdictOf(row)
  const twin = found.verdict === 'refused' ? findRow(row.twin) : undefined
  if (!twin || verdictOf(twin).verdict !== 'too strict') return found
  const evidence = `your app also refuses ${row.twin}, which differs by the fault alone`
  return { ...found, verdict: 'undetermined', reason: 'masked', evidence }
}

/** The app reads the answers wrongly: a plain minor is let in. */
function withMinor(judged: readonly AuditedRow[], counting: Counting): readonly AuditedRow[] {
  const row = findRow('use/verified')
  if (!row) return judged
  const finding = describeRow(
    row,
    { verdict: 'let in', evidence: 'a right token whose thresholds are all false is taken for a yes', flows: [] },
    counting,
  )
  const harm = 'A child gets in with an honest answer: the app does not read the thresholds.'
  return [{ ...finding, harm }, ...judged.filter((one) => one.row !== finding.row)]
}
