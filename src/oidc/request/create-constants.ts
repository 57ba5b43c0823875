import { type Profile, upgradeScope } from '../profile.ts'
import type { Findings } from '../rules/findings.ts'
import type { RuleId } from '../rules/rules.ts'

/** Checks the `scope` of E2 and E3: `openid`. Asking for upgrades breaks a rule of its own, which a profile may tolerate. */
export function checkCreateScope(
  scope: string | undefined,
  { profile, rule, upgradeRule }: { profile: Profile; rule: RuleId; upgradeRule: RuleId },
  findings: Findings,
): void {
  if (scope === undefined) {
    findings.missing(rule, 'scope')
    return
  }
  const scopes = scope.split(' ').filter((word) => word !== '')
  if (scopes.join(' ') === 'openid') return
  const upgrade = upgradeScope(profile)
  const asksForUpgrade = scopes.includes('openid') && scopes.every((word) => word === 'openid' || word === upgrade)
  findings.add(asksForUpgrade ? upgradeRule : rule, { path: 'scope', message: 'scope must be openid' })
}

/** Checks the `response_type` of E2 and E3: `none`. */
export function checkCreateResponseType(responseType: string | undefined, rule: RuleId, findings: Findings): void {
  if (responseType === undefined) findings.missing(rule, 'response_type')
  else if (responseType !== 'none') findings.add(rule, { path: 'response_type', message: 'response_type must be none' })
}
