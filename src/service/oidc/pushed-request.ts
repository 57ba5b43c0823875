import * as z from 'zod'
import { type AgeSignal, checkedSignalSchema } from '../age/signal.ts'
import { foundInstead } from '../text/message-parts.ts'
import { spendables } from './collection.ts'
import { IDENTIFIER_BYTES } from './policy.ts'
import type { Client, Clients } from './ports.ts'
import { inIssuedForm, inSeconds, type Provider } from './provider.ts'
import { readAgeSignals } from './request/age-signals.ts'
import { assertionAlone, assertionBeside } from './request/client-assertion.ts'
import { authenticateByForm } from './request/client-auth.ts'
import { credentialsProblem } from './request/client-mistakes.ts'
import { parseJson, repeatedMembers } from './request/json.ts'
import { checkValue, type Parameters, readParameters } from './request/parameters.ts'
import { readRedirectTarget } from './request/redirect-target.ts'
import { refuseRequestObject } from './request/request-object.ts'
import { otherBrand, readScope } from './request/scope.ts'
import { readBody, type ServerRequest } from './request/server-request.ts'
import { Findings } from './rules/findings.ts'
import { requestUriPrefix } from './rules/profile.ts'
import type { RuleId } from './rules/rules.ts'

const pushedRequestSchema = z.object({
  clientId: z.string(),
  redirectUri: z.string(),
  state: z.string(),
  signals: z.array(checkedSignalSchema),
  /** Milliseconds since the UNIX epoch, by the sandbox clock. */
  expiresAt: z.number(),
})

/** A pushed authorization request that waits for its user. */
export type PushedRequest = Readonly<z.infer<typeof pushedRequestSchema>>

/** The pushed requests, by the identifier in the `request_uri`. */
export const pushedRequests = spendables({
  name: 'pushed_request',
  schema: pushedRequestSchema,
  isUnfinished: true,
})

/**
 * E2: pushes a Create authorization request. The `request_uri` is valid for 90 seconds and one
 * decision, and is bound to the client.
 * @returns the response (RFC 9126 section 2.2; `expires_in` in seconds) and the findings
 * @throws Refusal invalid_client (401), invalid_request (400, 415), invalid_scope,
 * unsupported_response_type, invalid_authorization_details (400)
 */
export async function pushRequest(request: ServerRequest, provider: Provider) {
  readBody(request, { ...FORM, profile: provider.profile })
  const findings = new Findings(provider.profile)
  const parameters = readParameters(request.formPairs, PUSHED_PARAMETERS, findings)
  refuseRequestObject(parameters, { request: 'PAR-14', request_uri: 'PAR-16' }, findings)
  const { state } = parameters
  const client = authenticate(request, parameters, { provider, findings })
  checkCreateScope(parameters.scope, { provider, rule: 'PAR-03', upgradeRule: 'PAR-04' }, findings)
  checkValue('response_type', parameters.response_type, { right: 'none', rule: 'PAR-05', findings })
  const right = 'age_verification'
  checkValue('type', parameters.type, {
    right,
    rule: 'PAR-06',
    missing: 'PAR-07',
    similar: [right],
    findings,
  })
  const target = readRedirectTarget(client, parameters.redirect_uri, { rule: 'PAR-08', findings })
  if (state === undefined) findings.missing('PAR-09', 'state')
  const signals = readAuthorizationDetails(parameters.authorization_details, provider, findings)
  findings.throwIfRefused()
  if (!target || state === undefined || !signals) {
    throw new Error('a pushed request without an error must be complete')
  }
  const id = await inIssuedForm(
    provider.ids.random(IDENTIFIER_BYTES),
    provider.policy.requestUriForm,
    provider,
  )
  const { requestUri: lifetime } = provider.lifetimes
  const record: PushedRequest = {
    clientId: target.client.clientId,
    redirectUri: target.redirectUri,
    state,
    signals,
    expiresAt: inSeconds(provider, lifetime),
  }
  await pushedRequests(provider).put(id, record)
  return {
    response: { request_uri: requestUriPrefix(provider.brand) + id, expires_in: lifetime },
    findings: findings.all,
  }
}

/**
 * Finds a pushed request by its `request_uri`, even if it is expired or spent; `undefined` when the
 * `request_uri` was never issued.
 */
export async function findPushedRequest(
  requestUri: string,
  provider: Provider,
): Promise<{ id: string; record: PushedRequest; isSpent: boolean } | undefined> {
  const prefix = requestUriPrefix(provider.brand)
  if (!requestUri.startsWith(prefix)) return undefined
  const id = requestUri.slice(prefix.length)
  const found = await pushedRequests(provider).find(id)
  return found && { id, ...found }
}

const FORM = {
  mediaType: 'application/x-www-form-urlencoded',
  wrongType: 'PAR-01',
  notUtf8: 'PAR-11',
} as const
const PUSHED_PARAMETERS = {
  known: [
    'client_id',
    'client_secret',
    'client_assertion',
    'scope',
    'response_type',
    'type',
    'redirect_uri',
    'state',
    'authorization_details',
    'request',
    'request_uri',
  ],
  repeated: 'PAR-11',
  tooLong: 'PAR-15',
  unknown: 'PAR-12',
} as const
type PushedParameters = Parameters<(typeof PUSHED_PARAMETERS.known)[number]>

/** Authenticates the client by the form. A request uses one method (RFC 6749 section 2.3). */
function authenticate(
  request: ServerRequest,
  parameters: PushedParameters,
  { provider, findings }: { provider: Provider; findings: Findings },
): Client | undefined {
  const { authorization } = request
  const {
    client_id: clientId,
    client_secret: clientSecret,
    client_assertion: assertion,
  } = parameters
  const beside = assertionBeside({ authorization, clientSecret, assertion })
  if (beside !== undefined) {
    findings.add('PAR-13', { path: 'client_assertion', message: beside })
    return undefined
  }
  if (authorization && clientSecret !== undefined) {
    const message =
      'an Authorization header is sent beside client_secret: a request authenticates by one of them'
    findings.add('PAR-13', { path: 'Authorization', message })
    return undefined
  }
  const client = authenticateByForm(provider.clients, { clientId, clientSecret })
  if (!client && !findings.mentions('client_id', 'client_secret')) {
    findings.add(
      'PAR-02',
      unauthenticated(request, parameters, { clients: provider.clients, findings }),
    )
  }
  return client
}

function unauthenticated(
  request: ServerRequest,
  { client_id: clientId, client_secret: clientSecret }: PushedParameters,
  { clients, findings }: { clients: Clients; findings: Findings },
) {
  if (clientId !== undefined && clientSecret !== undefined)
    return credentialsProblem({ clientId, clientSecret }, clients)
  const byAssertion =
    clientSecret === undefined &&
    assertionAlone(request, 'E2 takes client_id and client_secret in the form')
  if (byAssertion) return byAssertion
  const missing = clientId === undefined ? 'client_id' : 'client_secret'
  const inHeader = request.authorization ? '; the Authorization header does not count here' : ''
  return { path: missing, message: `${findings.absenceOf(missing)}${inHeader}` }
}

function readAuthorizationDetails(
  text: string | undefined,
  provider: Provider,
  findings: Findings,
): AgeSignal[] | undefined {
  if (text === undefined) {
    findings.missing('PAR-10', 'authorization_details')
    return undefined
  }
  const json = parseJson(text)
  if (json.ok) {
    const signals = readAgeSignals(json.value, provider, findings)
    findings.addRepeated('SIG-22', repeatedMembers(text, 'authorization_details'))
    return signals
  }
  findings.add('PAR-10', {
    path: 'authorization_details',
    message: `authorization_details must be JSON${foundInstead(text)}: ${json.reason}`,
  })
  return undefined
}

/**
 * Checks the `scope` of E2 and E3, which is `openid`. The upgrade scope breaks a separate rule,
 * which a profile may tolerate.
 */
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
