import * as z from 'zod'
import { type Claims, claimsSchema } from '../age/claims.ts'
import { type AgeThresholds, evaluateAnswers } from '../age/evaluate.ts'
import type { AgeSignal } from '../age/signal.ts'
import { foundInstead } from '../text/found.ts'
import {
  type Callback,
  createCallback,
  createErrorCallback,
  isResponseMode,
  RESPONSE_MODES,
  redirectedError,
} from './callback.ts'
import { createIdTokenClaims, signingAlgOf } from './id-token.ts'
import type { AgeKey, Client } from './ports.ts'
import type { Provider } from './provider.ts'
import type { Pairs } from './request/parameters.ts'
import { presentationSchema, readPresentation } from './request/presentation.ts'
import { readClient, readRedirectTarget } from './request/redirect-target.ts'
import { refuseRequestObject } from './request/request-object.ts'
import type { Finding } from './rules/finding.ts'
import { Findings } from './rules/findings.ts'
import type { Seams } from './seams.ts'
import { issueCode } from './token.ts'
import {
  checkUseResponseType,
  checkUseScope,
  errorResponseMode,
  readClaims,
  readUseParameters,
  type UseParameters,
} from './use-request.ts'

export const useTransactionSchema = z.object({
  flow: z.literal('use'),
  clientId: z.string(),
  redirectUri: z.string(),
  mode: z.enum(RESPONSE_MODES),
  state: z.string(),
  nonce: z.string(),
  claims: claimsSchema,
  /** `claims` as it was sent: what `req_claims_hash` is over. */
  claimsText: z.string(),
  /** The upgrade scope was asked for. */
  upgrade: z.boolean(),
  canCreate: z.boolean(),
  presentation: presentationSchema,
})

/** A valid Use authorization request on its way to a decision. Plain JSON: a store can keep it. */
export type UseTransaction = Readonly<z.infer<typeof useTransactionSchema>>

/** What became of an authorization request: it may proceed, or goes back to the relying party at once. */
export type Beginning<Transaction> =
  | { kind: 'proceed'; transaction: Transaction; findings: readonly Finding[] }
  | { kind: 'refused'; callback: Callback; findings: readonly Finding[]; unusable?: UnusableRequestUri }

/** A request that is valid but for its `request_uri`, which has expired or was used. */
export interface UnusableRequestUri {
  readonly clientId: string
  /** The pushed one. */
  readonly state: string
  readonly reason: 'expired' | 'used'
}

/** How a Use flow ends. */
export type UseDecision =
  | { kind: 'verified'; ageKey: AgeKey }
  | { kind: 'create_requested' }
  | { kind: 'error'; error: string; description: string }

/** The answers of a verified flow, and what they were evaluated from: enough to explain them later. */
export interface UseEvaluation {
  readonly ageThresholds: AgeThresholds
  readonly claims: Claims
  readonly signals: readonly AgeSignal[]
  /** Milliseconds since the UNIX epoch. */
  readonly now: number
}

/** How a Use flow ends. */
export interface UseResult {
  readonly callback: Callback
  /** Only of a verified flow. */
  readonly evaluation?: UseEvaluation
}

/**
 * E1: checks a Use authorization request.
 * @param query the pairs of the query string.
 * @throws Refusal with status 400 for an unknown client or an unregistered redirect_uri: never redirect then.
 */
export function beginUse(query: Pairs, provider: Provider): Beginning<UseTransaction> {
  const findings = new Findings(provider.profile)
  const parameters = readUseParameters(query, findings)
  if ((parameters.request ?? parameters.request_uri) !== undefined)
    refuseRequestObject(parameters, { rule: 'USE-18' }, findings)
  const client = readClient(provider.clients, parameters.client_id, { rule: 'USE-01', findings })
  const target = readRedirectTarget(client, parameters.redirect_uri, { rule: 'USE-02', findings })
  const transaction = readTransaction(parameters, target, { provider, findings })
  if (!target) throw findings.toRefusal({ status: 400 })
  const { refusal } = findings
  if (refusal) {
    const { redirectUri } = target
    const callback = createErrorCallback(
      { mode: errorResponseMode(parameters, findings), redirectUri, state: parameters.state },
      redirectedError(refusal, provider.decisions),
      provider.decisions,
    )
    return { kind: 'refused', callback, findings: findings.all }
  }
  if (!transaction) throw new Error('a request without an error must make a transaction')
  return { kind: 'proceed', transaction, findings: findings.all }
}

/**
 * E1: ends a Use flow. All thresholds false and the upgrade scope asked for: a code comes with the id_token.
 * @param seams change what is about to be sent; the real service has none.
 */
export async function finishUse(
  transaction: UseTransaction,
  decision: UseDecision,
  { provider, seams = {} }: { provider: Provider; seams?: Seams | undefined },
): Promise<UseResult> {
  const { state } = transaction
  if (decision.kind === 'create_requested') {
    const callback = createCallback(transaction, { create_requested: 'true', state })
    return { callback: (await seams.callback?.(callback)) ?? callback }
  }
  if (decision.kind === 'error') {
    const callback = createErrorCallback(transaction, decision, provider.decisions)
    return { callback: (await seams.callback?.(callback)) ?? callback }
  }

  const now = provider.clock.now()
  const { signals } = decision.ageKey
  const ageThresholds = evaluateAnswers(signals, transaction.claims, now)
  const allFalse = Object.values(ageThresholds).every((satisfied) => !satisfied)
  const code =
    transaction.upgrade && allFalse
      ? await issueCode({ clientId: transaction.clientId, ageKeyId: decision.ageKey.id, state }, provider)
      : undefined
  const claims = createIdTokenClaims({ transaction, ageThresholds, code }, provider)
  const signer = provider.signer.withAlg(signingAlgOf(transaction.clientId, provider))
  const signed = await signer.sign((await seams.claims?.(claims)) ?? claims)
  const idToken = (await seams.token?.(signed)) ?? signed
  const callback = createCallback(transaction, { id_token: idToken, code, state })
  return {
    callback: (await seams.callback?.(callback)) ?? callback,
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
  const claims = readClaims(claimsText, provider.vocabulary, findings)
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
