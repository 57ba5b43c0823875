import { excerpt } from '../../text/message-parts.ts'
import { IDENTIFIER_BYTES } from '../policy.ts'
import type { Provider } from '../provider.ts'
import type { Findings } from '../rules/findings.ts'
import { BRANDS, describeBrand, requestUriPrefix } from '../rules/profile.ts'
import type { RuleId } from '../rules/rules.ts'
import { receivedInstead } from './client-mistakes.ts'
import type { Parameters } from './parameters.ts'

/**
 * Refuses a request object and a reference to one (RFC 9101), each with its own rule. Ignoring them
 * would answer another request than the app meant.
 */
export function refuseRequestObject(
  sent: Parameters<'request' | 'request_uri'>,
  rules: { request: RuleId; request_uri?: RuleId },
  findings: Findings,
): void {
  for (const name of ['request', 'request_uri'] as const) {
    const [rule, value] = [rules[name], sent[name]]
    if (rule === undefined || value === undefined) continue
    const message = `${name} ${shownReference(value)} is not supported here: it was not read`
    findings.add(rule, { path: name, message })
  }
}

/**
 * A `request_uri` for a message. The identifier of a pushed request is masked, because whoever
 * knows it can use the request.
 */
export const shownReference = (reference: string): string =>
  excerpt(reference.replace(/(urn:\w{1,40}:request:).*/s, '$1***'))

/**
 * Why a `request_uri` is unknown. The message shows only the first characters of the identifier,
 * because whoever knows it can use the request.
 */
export function unknownReference(requestUri: string, { profile, brand, policy }: Provider): string {
  const prefix = requestUriPrefix(brand)
  if (requestUri.startsWith(prefix)) {
    const kind = {
      what: 'a request_uri',
      bytes: IDENTIFIER_BYTES,
      prefix,
      form: policy.requestUriForm,
    }
    return `${shownReference(requestUri)} was not issued to this client: ${receivedInstead(requestUri, kind)}`
  }
  const received = /^urn:\w{1,40}:request:/.exec(requestUri)?.[0]
  const other = BRANDS.find((one) => requestUriPrefix(one) === received)
  const begins = received === undefined ? ' and does not' : `, begins with ${received}`
  const hint =
    other === undefined ? '' : `, which is that of ${describeBrand(other, { profile, brand })}`
  return `must begin with ${prefix} (${describeBrand(brand, { profile, brand })})${begins}${hint}`
}
