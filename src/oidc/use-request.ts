import { type Claims, parseClaims } from '../age/claims.ts'
import type { Vocabulary } from '../age/vocabulary.ts'
import { foundInstead } from '../text/found.ts'
import { quote } from '../text/quote.ts'
import { isResponseMode, type ResponseMode } from './callback.ts'
import { upgradeScope } from './profile.ts'
import type { Provider } from './provider.ts'
import { parseJson } from './request/json.ts'
import { type Pairs, type Parameters, readParameters } from './request/parameters.ts'
import { PRESENTATION_PARAMETERS } from './request/presentation.ts'
import { otherBrand, readScope } from './request/scope.ts'
import type { Findings } from './rules/findings.ts'

const USE_PARAMETERS = [
  'scope',
  'response_type',
  'response_mode',
  'client_id',
  'redirect_uri',
  'state',
  'nonce',
  'claims',
  'can_create',
  'request',
  'request_uri',
  ...PRESENTATION_PARAMETERS,
] as const
export type UseParameters = Parameters<(typeof USE_PARAMETERS)[number]>

/** Reads the query of E1; repeated, malformed and unknown parameters are findings. */
export const readUseParameters = (query: Pairs, findings: Findings): UseParameters =>
  readParameters(query, { known: USE_PARAMETERS, repeated: 'USE-10', tooLong: 'USE-23', unknown: 'USE-11' }, findings)

/** Checks the `scope` of E1 and returns whether it asks for upgrades. An older spelling breaks a rule that a profile may tolerate. */
export function checkUseScope(scope: string | undefined, provider: Provider, findings: Findings): boolean {
  if (scope === undefined) {
    findings.missing('USE-03', 'scope')
    return false
  }
  const path = 'scope'
  const { isKnown, upgrade, olderWords } = readScope(scope, provider.brand)
  const name = upgradeScope(provider.brand)
  if (!isKnown) {
    const ofOther = otherBrand(scope, provider)
    const candidates = ofOther === '' ? ['openid', `openid ${name}`] : []
    const message = `scope must be "openid" or "openid ${name}"${foundInstead(scope, candidates)}${ofOther}`
    findings.add('USE-03', { path, message })
  } else if (olderWords.length > 0) {
    const message = `scope ${quote(scope)} has ${olderWords.join(' and ')}: an older spelling of the upgrade scope, which is ${name}`
    findings.add('USE-17', { path, message })
  }
  return upgrade
}

/** Checks `response_type` (E1): `id_token`, or with a code where the profile tolerates it beside the upgrade scope. */
export function checkUseResponseType(
  responseType: string | undefined,
  { upgrade }: { upgrade: boolean },
  findings: Findings,
): void {
  if (responseType === undefined) findings.missing('USE-04', 'response_type')
  else if (responseType !== 'id_token') {
    const withCode = responseType.split(' ').sort().join(' ') === 'code id_token'
    const message = `response_type must be id_token${foundInstead(responseType)}`
    findings.add(withCode && upgrade ? 'USE-05' : 'USE-04', { path: 'response_type', message })
  }
}

/**
 * How a refused request is answered. An unknown mode cannot be honoured: its error comes back in the default one, `fragment`.
 * Decision: without a mode, an error for exactly `response_type=code` goes into the query, the default of that type (OAuth 2.0
 * Multiple Response Types section 2.1): a client of the code flow never sees a fragment on its server.
 */
export function errorResponseMode(
  { response_type: responseType, response_mode: mode }: UseParameters,
  findings: Findings,
): ResponseMode {
  if (mode !== undefined) return isResponseMode(mode) ? mode : 'fragment'
  return responseType === 'code' && !findings.mentions('response_mode') ? 'query' : 'fragment'
}

/** Checks `claims` (E1) and reads the claims object from it. */
export function readClaims(text: string | undefined, vocabulary: Vocabulary, findings: Findings): Claims | undefined {
  if (text === undefined) {
    findings.missing('USE-09', 'claims')
    return undefined
  }
  const json = parseJson(text)
  if (!json.ok) {
    findings.add('USE-09', { path: 'claims', message: `claims must be JSON${foundInstead(text)}: ${json.reason}` })
    return undefined
  }
  const { claims, issues } = parseClaims(json.value, vocabulary)
  findings.addIssues('claims', issues)
  return claims
}
