import { foundInstead } from '../../text/found.ts'
import type { Provider } from '../provider.ts'
import type { Findings } from '../rules/findings.ts'
import type { RuleId } from '../rules/rules.ts'
import { otherBrand, readScope } from './scope.ts'

/** Checks the `scope` of E2 and E3: `openid`. Asking for upgrades breaks a rule of its own, which a profile may tolerate. */
export function checkCreateScope(
  scope: string | undefined,
  { provider, rule, upgradeRule }: { provider: Provider; rule: RuleId; upgradeRule: RuleId },
  findings: Findings,
): void {
  if (scope === undefined) {
    findings.missing(rule, 'scope')
    return
  }
  const { isKnown, upgrade } = readScope(scope, provider.brand)
  if (isKnown && !upgrade) return
  const message = `scope must be openid${foundInstead(scope)}${otherBrand(scope, provider)}`
  findings.add(isKnown ? upgradeRule : rule, { path: 'scope', message })
}

/** Checks the `response_type` of E2 and E3: `none`. */
export function checkCreateResponseType(responseType: string | undefined, rule: RuleId, findings: Findings): void {
  if (responseType === undefined) findings.missing(rule, 'response_type')
  else if (responseType !== 'none') {
    findings.add(rule, { path: 'response_type', message: `response_type must be none${foundInstead(responseType)}` })
  }
}
