import { isBroughtAnswer, rowId } from '../../../sandbox/outcomes/catalogue.ts'
import { type AuditRow, bringsNothing, unmetNeedOf } from '../../../sandbox/outcomes/outcome.ts'
import type { LearnedApp } from '../../learn/learn-app.ts'
import type { LearnedLater } from '../../learn/learn-later.ts'
import type { AuditRun } from '../audit-run.ts'
import { type TrialFinding, undetermined } from '../trial.ts'

type Subject = Pick<AuditRun, 'learned'> & Partial<AuditRun>

/** The finding on a row that needs no trial; `undefined` if the row must be tried. */
export function knownBefore(row: AuditRow, subject: Subject): TrialFinding | undefined {
  const later = laterFlowOf(row, subject.learned)
  const reason = whyNotForThisApp(row, subject) ?? whyNoFlow(row, later) ?? whyUnmet(row, subject)
  if (reason !== undefined) return notForThisApp(reason)
  // The app fails this flow even with right answers, so no other row of the flow can be judged.
  if (later?.kind !== 'refused') return undefined
  if (later.rows.includes(rowId(row)))
    return { verdict: 'too strict', evidence: later.reason, flows: [] }
  return row.flow === 'use' ? undefined : undetermined(later.reason, 'masked')
}

export function notForThisApp(reason: string): TrialFinding {
  return { verdict: 'not for this app', reason, evidence: '', flows: [] }
}

/**
 * Whether the row changes discovery or the key set. An app reads these documents at its start or
 * for its first token, so each row needs a fresh copy of the app.
 */
export const isReadAtStart = ({ flow }: AuditRow): boolean =>
  flow === 'jwks' || flow === 'discovery'

export const RESTART =
  'an app reads keys and discovery when it starts: let the audit start yours, by start with {base_url} and by {port} in app, in agekey-audit.yaml'

/** What was learned of Create or Upgrade, if the row belongs to that flow. */
function laterFlowOf(
  { flow, name }: AuditRow,
  { create, upgrade }: LearnedApp,
): LearnedLater | undefined {
  if (flow === 'create' || flow === 'par' || name === 'create_requested') return create
  if (flow === 'token' || flow === 'upgrade' || name === 'code_issued') return upgrade
  return undefined
}

/** Why this audit cannot try the row, independent of the app's requests. */
function whyNotForThisApp(
  row: AuditRow,
  { startFresh, isVisited, options }: Subject,
): string | undefined {
  if (isReadAtStart(row) && !startFresh) return RESTART
  if (isVisited && isBroughtAnswer(row))
    return 'a function brings each answer by itself, so that no other browser can'
  if (bringsNothing(row)) return 'nothing comes back, so that there is no answer to let in'
  if (row.name.endsWith('.slow') && !options?.slow) return 'it takes half a minute; --slow tries it'
  return undefined
}

/** Why the flow of the row cannot be tried. */
function whyNoFlow({ flow }: AuditRow, later: LearnedLater | undefined): string | undefined {
  if (later?.kind === 'absent') return later.reason
  const hasCalls = flow === 'create' || flow === 'upgrade'
  return later?.kind === 'learned' && hasCalls ? later.reason : undefined
}

/** What the row needs and the app's requests do not have. */
function whyUnmet(row: AuditRow, { learned: { profile } }: Subject): string | undefined {
  return unmetNeedOf(row, {
    can_create: profile.canCreate,
    no_can_create: !profile.canCreate,
    upgrade_scope: profile.upgradeScope,
    earlier_state: !profile.repeatsState,
  })
}
