import * as z from 'zod'
import { type Claims, claimsSchema, parseClaims, withDaysEnded } from '../age/claims.ts'
import { type AgeThresholds, evaluateAnswers } from '../age/evaluate.ts'
import type { AgeSignal } from '../age/signal.ts'
import { foundInstead, quote } from '../text/message-parts.ts'
import {
  type Callback,
  changedBy,
  createCallback,
  createErrorCallback,
  isResponseMode,
  RESPONSE_MODES,
  type ResponseMode,
  redirectedError,
  refuseOnPage,
  type Seams,
} from './callback.ts'
import { createIdTokenClaims, signingAlgOf } from './id-token.ts'
import type { Policy } from './policy.ts'
import type { AgeKey, Client } from './ports.ts'
import type { Provider } from './provider.ts'
import { parseJson, repeatedMembers } from './request/json.ts'
import { type Pairs, type Parameters, readParameters } from './request/parameters.ts'
import {
  PRESENTATION_PARAMETERS,
  presentationSchema,
  readPresentation,
} from './request/presentation.ts'
import { readClient, readRedirectTarget } from './request/redirect-target.ts'
import { refuseRequestObject } from './request/request-object.ts'
import { otherBrand, readScope } from './request/scope.ts'
import type { Finding } from './rules/finding.ts'
import { Findings } from './rules/findings.ts'
import { upgradeScope } from './rules/profile.ts'
import { issueCode } from './token.ts'

export const useTransactionSchema = z.object({
  flow: z.literal('use'),
  clientId: z.string(),
  redirectUri: z.string(),
  mode: z.enum(RESPONSE_MODES),
  state: z.string(),
  nonce: z.string(),
  claims: claimsSchema,
  /** The decoded `claims` parameter exactly as received; the input of `req_claims_hash`. */
  claimsText: z.string(),
  /** Whether the request asks for the upgrade scope. */
  upgrade: z.boolean(),
  canCreate: z.boolean(),
  presentation: presentationSchema,
})

/**
 * A valid Use authorization request that waits for a decision. It is plain JSON, so that a store
 * can keep it.
 */
export type UseTransaction = Readonly<z.infer<typeof useTransactionSchema>>

/**
 * The result of checking an authorization request: it may proceed, or it is answered at once by an
 * error callback.
 */
export type Beginning<Transaction> =
  | { kind: 'proceed'; transaction: Transaction; findings: readonly Finding[] }
  | {
      kind: 'refused'
      callback: Callback
      findings: readonly Finding[]
      unusable?: UnusableRequestUri
    }

/** A request that is valid except that its `request_uri` has expired or was used. */
export interface UnusableRequestUri {
  readonly clientId: string
  /** The pushed `state`. */
  readonly state: string
  readonly reason: 'expired' | 'used'
}

/** The result of a Use flow. */
export type UseDecision =
  | { kind: 'verified'; ageKey: AgeKey }
  | { kind: 'create_requested' }
  | { kind: 'error'; error: string; description: string }

/** The thresholds of a verified flow and the input of their evaluation, to explain them later. */
export interface UseEvaluation {
  readonly ageThresholds: AgeThresholds
  readonly claims: Claims
  readonly signals: readonly AgeSignal[]
  /** Milliseconds since the UNIX epoch. */
  readonly now: number
}

/**
 * E1: checks a Use authorization request.
 * @param query the pairs of the query string
 * @throws Refusal 400 for an unknown client or an unregistered redirect_uri: the service must not
 * redirect
 */
export function beginUse(query: Pairs, provider: Provider): Beginning<UseTransaction> {
  const findings = new Findings(provider.profile)
  const parameters = readUseParameters(query, findings)
  if ((parameters.request ?? parameters.request_uri) !== undefined)
    refuseRequestObject(parameters, { request: 'USE-18', request_uri: 'USE-24' }, findings)
  const client = readClient(provider.clients, parameters.client_id, { rule: 'USE-01', findings })
  const target = readRedirectTarget(client, parameters.redirect_uri, { rule: 'USE-02', findings })
  const transaction = readTransaction(parameters, target, { provider, findings })
  if (!target) throw findings.toRefusal({ status: 400 })
  const { refusal } = findings
  if (refusal) {
    if (provider.policy.refusedRequest === 'page') throw findings.toRefusal({ status: 400 })
    const { redirectUri } = target
    const callback = createErrorCallback(
      { mode: errorResponseMode(parameters, findings), redirectUri, state: parameters.state },
      redirectedError(refusal, provider.policy),
      provider.policy,
    )
    return { kind: 'refused', callback, findings: findings.all }
  }
  if (!transaction) throw new Error('a request without an error must make a transaction')
  return { kind: 'proceed', transaction, findings: findings.all }
}

/**
 * E1: ends a Use flow. The callback carries a code if every threshold is false and the request asks
 * for the upgrade scope.
 * @param options.seams changes to the answer; a real service has none
 * @returns the callback and, for a verified flow, the evaluation
 * @throws Refusal when the answer is an error page
 */
export async function finishUse(
  transaction: UseTransaction,
  decision: UseDecision,
  { provider, seams = {} }: { provider: Provider; seams?: Seams | undefined },
): Promise<{ callback: Callback; evaluation?: UseEvaluation }> {
  const { state } = transaction
  if (decision.kind === 'create_requested') {
    return {
      callback: await changedBy(
        seams,
        createCallback(transaction, { create_requested: 'true', state }),
      ),
    }
  }
  if (decision.kind === 'error') {
    refuseOnPage(decision, provider.policy)
    return {
      callback: await changedBy(seams, createErrorCallback(transaction, decision, provider.policy)),
    }
  }

  const now = provider.clock.now()
  const { signals } = decision.ageKey
  const ageThresholds = evaluateAnswers(signals, transaction.claims, now)
  const allFalse = Object.values(ageThresholds).every((satisfied) => !satisfied)
  const code =
    transaction.upgrade && allFalse
      ? await issueCode(
          { clientId: transaction.clientId, ageKeyId: decision.ageKey.id, state },
          provider,
        )
      : undefined
  const claims = createIdTokenClaims(transaction, { ageThresholds, code }, provider)
  const signer = provider.signer.withAlg(signingAlgOf(transaction.clientId, provider))
  const signed = await signer.sign((await seams.claims?.(claims)) ?? claims)
  const idToken = (await seams.token?.(signed)) ?? signed
  return {
    callback: await changedBy(
      seams,
      createCallback(transaction, { id_token: idToken, code, state }),
    ),
    evaluation: { ageThresholds, claims: transaction.claims, signals, now },
  }
}

function readTransaction(
  parameters: UseParameters,
  target: { client: Client; redirectUri: string } | undefined,
  { provider, findings }: { provider: Provider; findings: Findings },
): UseTransaction | undefined {
  const upgrade = checkUseScope(parameters.scope, provider, findings)
  checkUseResponseType(parameters.response_type, { upgrade }, findings)
  const mode = parameters.response_mode ?? 'fragment'
  if (!isResponseMode(mode)) {
    const message = `response_mode must be fragment, query or form_post${foundInstead(mode, RESPONSE_MODES)}`
    findings.add('USE-06', { path: 'response_mode', message })
  }
  const { state, nonce, claims: claimsText, can_create: canCreate } = parameters
  if (state === undefined) findings.missing('USE-07', 'state')
  if (nonce === undefined) findings.missing('USE-08', 'nonce')
  const claims = readClaims(claimsText, provider, findings)
  if (canCreate !== undefined && canCreate !== 'true' && canCreate !== 'false') {
    findings.add('USE-12', {
      path: 'can_create',
      message: `can_create must be exactly true${foundInstead(canCreate)}; only the use choice is offered`,
    })
  }
  const presentation = readPresentation(parameters, findings)
  if (
    !target ||
    !isResponseMode(mode) ||
    state === undefined ||
    nonce === undefined ||
    claimsText === undefined ||
    !claims
  )
    return undefined
  return {
    flow: 'use',
    clientId: target.client.clientId,
    redirectUri: target.redirectUri,
    mode,
    state,
    nonce,
    claims,
    claimsText,
    upgrade,
    canCreate: canCreate === 'true',
    presentation,
  }
}

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

/** Reads the query of E1. Repeated, malformed and unknown parameters are reported. */
export const readUseParameters = (query: Pairs, findings: Findings): UseParameters =>
  readParameters(
    query,
    { known: USE_PARAMETERS, repeated: 'USE-10', tooLong: 'USE-23', unknown: 'USE-11' },
    findings,
  )

/**
 * Checks the `scope` of E1. An older spelling of the upgrade scope breaks a rule that a profile may
 * tolerate.
 * @returns whether `scope` asks for the upgrade scope
 */
export function checkUseScope(
  scope: string | undefined,
  provider: Provider,
  findings: Findings,
): boolean {
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

/**
 * Checks the `response_type` of E1, which is `id_token`. With the upgrade scope, a profile may
 * tolerate `id_token code`.
 */
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
 * The response mode of an error response. An unknown mode is replaced by the default, `fragment`.
 * Decision: without a mode, an error for exactly `response_type=code` is sent in the query, the
 * default of that type (OAuth 2.0 Multiple Response Types section 2.1), because the server of a
 * code-flow client never receives a fragment.
 */
export function errorResponseMode(
  { response_type: responseType, response_mode: mode }: UseParameters,
  findings: Findings,
): ResponseMode {
  if (mode !== undefined) return isResponseMode(mode) ? mode : 'fragment'
  return responseType === 'code' && !findings.mentions('response_mode') ? 'query' : 'fragment'
}

/** Parses and checks the `claims` parameter of E1. */
export function readClaims(
  text: string | undefined,
  { vocabulary, policy }: Pick<Provider, 'vocabulary' | 'policy'>,
  findings: Findings,
): Claims | undefined {
  if (text === undefined) {
    findings.missing('USE-09', 'claims')
    return undefined
  }
  const json = parseJson(text)
  if (!json.ok) {
    findings.add('USE-09', {
      path: 'claims',
      message: `claims must be JSON${foundInstead(text)}: ${json.reason}`,
    })
    return undefined
  }
  const { claims, issues } = parseClaims(json.value, vocabulary)
  findings.addIssues('claims', issues)
  findings.addRepeated('CLM-21', repeatedMembers(text, 'claims'))
  return claims && underPolicy(claims, policy)
}

/** Applies the policy to claims before they are evaluated. */
export const underPolicy = (claims: Claims, { verifiedAfterDate }: Policy): Claims =>
  verifiedAfterDate === 'end' ? withDaysEnded(claims) : claims
