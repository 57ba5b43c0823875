import { bringsNothing, type Outcome, unmetNeedOf } from '../../sandbox/outcomes/outcome.ts'
import type { AppProfile } from '../learn/app-profile.ts'
import type { LearnedLater } from '../learn/learn-later.ts'

export const RESTART =
  'an app reads keys and discovery when it starts: let the audit start yours, by start with {base_url} and by {port} in app, in agekey-audit.yaml'

/** Why a row is not for this app; `undefined` when it is. */
export function reasonNotFor(
  row: Outcome,
  {
    profile,
    create,
    upgrade,
    slow,
    canStart = false,
  }: { profile: AppProfile; create: LearnedLater; upgrade: LearnedLater; slow: boolean; canStart?: boolean },
): string | undefined {
  const { flow, name } = row
  if ((flow === 'jwks' || flow === 'discovery') && !canStart) return RESTART
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
