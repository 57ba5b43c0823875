import { isBroughtAnswer, rowId } from '../../sandbox/outcomes/catalogue.ts'
import { type AuditRow, bringsNothing, unmetNeedOf } from '../../sandbox/outcomes/outcome.ts'
import type { AuditRun, TrialFinding } from './trial.ts'

/** Documents that an app reads at its start or for its first token, so that only a fresh copy meets their rows. */
export const isReadAtStart = ({ flow }: AuditRow): boolean => flow === 'jwks' || flow === 'discovery'

export const RESTART =
  'an app reads keys and discovery when it starts: let the audit start yours, by start with {base_url} and by {port} in app, in agekey-audit.yaml'

type Subject = Pick<AuditRun, 'learned'> & Partial<AuditRun>

export function notForThisApp(reason: string): TrialFinding {
  return { verdict: 'not for this app', reason, evidence: '', flows: [] }
}

/** The verdict on a row that is known before a trial; `undefined` when the row must be tried. */
export function knownBefore(
  row: AuditRow,
  { learned, options, startFresh, isVisited }: Subject,
): TrialFinding | undefined {
  const { profile, create, upgrade } = learned
  const { flow, name } = row
  const isOfCreate = flow === 'create' || flow === 'par' || name === 'create_requested'
  const isOfUpgrade = flow === 'token' || flow === 'upgrade' || name === 'code_issued'
  const later = isOfCreate ? create : isOfUpgrade ? upgrade : undefined
  const { canCreate: can_create, upgradeScope: upgrade_scope, repeatsState } = profile
  const has = { can_create, no_can_create: !can_create, upgrade_scope, earlier_state: !repeatsState }
  const reason = [
    isReadAtStart(row) && !startFresh && RESTART,
    isVisited && isBroughtAnswer(row) && 'a function brings each answer by itself, so that no other browser can',
    bringsNothing(row) && 'nothing comes back, so that there is no answer to let in',
    name.endsWith('.slow') && !options?.slow && 'it takes half a minute; --slow tries it',
    later?.kind === 'absent' && later.reason,
    later?.kind === 'learned' && (flow === 'create' || flow === 'upgrade') && later.reason,
    unmetNeedOf(row, has),
  ].find((one) => typeof one === 'string')
  if (reason !== undefined) return notForThisApp(reason)
  // The app does not complete this flow with right answers: nothing else can be shown there.
  if (later?.kind !== 'refused') return undefined
  const { rows, reason: evidence } = later
  if (rows.includes(rowId(row))) return { verdict: 'too strict', evidence, flows: [] }
  return flow === 'use' ? undefined : { verdict: 'undetermined', reason: 'masked', evidence, flows: [] }
}
