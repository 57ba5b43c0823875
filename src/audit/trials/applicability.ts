import { isBroughtAnswer } from '../../sandbox/outcomes/catalogue.ts'
import { type AuditRow, bringsNothing, unmetNeedOf } from '../../sandbox/outcomes/outcome.ts'
import type { LearnedApp } from '../learn/learn-app.ts'

export const RESTART =
  'an app reads keys and discovery when it starts: let the audit start yours, by start with {base_url} and by {port} in app, in agekey-audit.yaml'

/** Why a row is not for this app; `undefined` when it is. */
export function reasonNotFor(
  row: AuditRow,
  {
    learned: { profile, create, upgrade },
    slow,
    canStart = false,
    isVisited = false,
  }: {
    learned: Pick<LearnedApp, 'profile' | 'create' | 'upgrade'>
    slow: boolean
    canStart?: boolean
    isVisited?: boolean
  },
): string | undefined {
  const { flow, name } = row
  if ((flow === 'jwks' || flow === 'discovery') && !canStart) return RESTART
  if (isVisited && isBroughtAnswer(row)) return 'a function brings each answer by itself, so that no other browser can'
  if (bringsNothing(row)) return 'nothing comes back, so that there is no answer to let in'
  if (name.endsWith('.slow') && !slow) return 'it takes half a minute; --slow tries it'
  if ((flow === 'create' || flow === 'par') && create.kind === 'absent') return create.reason
  if ((flow === 'token' || flow === 'upgrade') && upgrade.kind === 'absent') return upgrade.reason
  const later = flow === 'create' ? create : flow === 'upgrade' ? upgrade : undefined
  if (later?.kind === 'learned' && later.silence !== undefined) return later.silence
  if (name === 'create_requested' && create.kind === 'absent') return create.reason
  if (name === 'code_issued' && upgrade.kind === 'absent') return upgrade.reason
  return unmetNeedOf(row, {
    can_create: profile.canCreate,
    no_can_create: !profile.canCreate,
    upgrade_scope: profile.upgradeScope,
    earlier_state: !profile.repeatsState,
  })
}
