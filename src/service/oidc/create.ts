import * as z from 'zod'
import { checkedSignalSchema } from '../age/signal.ts'
import { excerpt } from '../text/message-parts.ts'
import {
  type Callback,
  changedBy,
  createCallback,
  createErrorCallback,
  redirectedError,
  refuseOnPage,
  type Seams,
} from './callback.ts'
import { expiredText, isExpired } from './collection.ts'
import type { Policy } from './policy.ts'
import type { Client } from './ports.ts'
import type { Provider } from './provider.ts'
import {
  checkCreateScope,
  findPushedRequest,
  type PushedRequest,
  pushedRequests,
} from './pushed-request.ts'
import { Refusal } from './refusal.ts'
import { checkValue, type Pairs, type Parameters, readParameters } from './request/parameters.ts'
import { presentationSchema, readPresentation } from './request/presentation.ts'
import { differenceFrom, readClient, readRedirectTarget } from './request/redirect-target.ts'
import { refuseRequestObject, unknownReference } from './request/request-object.ts'
import { Findings } from './rules/findings.ts'
import type { Beginning, UnusableRequestUri } from './use.ts'

export const createTransactionSchema = z.object({
  flow: z.literal('create'),
  clientId: z.string(),
  redirectUri: z.string(),
  mode: z.literal('query'),
  /** The `state` of the pushed authorization request. */
  state: z.string(),
  /** The identifier in the `request_uri`. The decision spends it. */
  pushedRequestId: z.string(),
  signals: z.array(checkedSignalSchema),
  presentation: presentationSchema,
})

/**
 * A valid Create authorization request that waits for a decision. It is plain JSON, so that a store
 * can keep it.
 */
export type CreateTransaction = Readonly<z.infer<typeof createTransactionSchema>>

/**
 * The result of a Create flow. `holder` names the persona that receives the age key; `undefined`
 * creates a new user.
 */
export type CreateDecision =
  | { kind: 'created'; holder: string | undefined }
  | { kind: 'error'; error: string; description: string }

/**
 * E3: checks a Create authorization request.
 * @param query the pairs of the query string
 * @throws Refusal 400 for an unknown client, an unregistered redirect_uri, or a redirect_uri that
 * differs from the pushed one
 */
export async function beginCreate(
  query: Pairs,
  provider: Provider,
): Promise<Beginning<CreateTransaction>> {
  const findings = new Findings(provider.profile)
  const parameters = readParameters(query, CREATE_PARAMETERS, findings)
  refuseRequestObject(parameters, { request: 'CRE-14' }, findings)
  const client = readClient(provider.clients, parameters.client_id, { rule: 'CRE-01', findings })
  const pushed = client && (await findPushedBy(client, parameters.request_uri, provider))
  const request = pushed ? completeFrom(pushed.record, parameters, findings) : parameters
  const target = readRedirectTarget(client, request.redirect_uri, { rule: 'CRE-02', findings })
  checkCreateScope(request.scope, { provider, rule: 'CRE-04', upgradeRule: 'CRE-05' }, findings)
  checkValue('response_type', request.response_type, { right: 'none', rule: 'CRE-06', findings })
  if (client) checkRequestUri(request.request_uri, pushed, { provider, findings })
  const hasPushedTarget = checkPushedTarget(target?.redirectUri, pushed?.record, findings)
  const presentation = readPresentation(parameters, findings)
  if (!target || !hasPushedTarget) throw findings.toRefusal({ status: 400 })
  if (findings.refusal) return beginRefused(target, pushed?.record, { provider, findings })
  if (!pushed) throw new Error('a request without an error must have been pushed')
  const transaction: CreateTransaction = {
    mode: 'query',
    redirectUri: target.redirectUri,
    flow: 'create',
    clientId: target.client.clientId,
    state: pushed.record.state,
    pushedRequestId: pushed.id,
    signals: pushed.record.signals,
    presentation,
  }
  return { kind: 'proceed', transaction, findings: findings.all }
}

type FoundRequest = Awaited<ReturnType<typeof findPushedRequest>>

/**
 * Finds the request that the client pushed, even if it is expired or spent: the error response
 * needs its redirect URI and `state`.
 */
async function findPushedBy(
  { clientId }: Client,
  requestUri: string | undefined,
  provider: Provider,
): Promise<FoundRequest> {
  const found = requestUri ? await findPushedRequest(requestUri, provider) : undefined
  return found?.record.clientId === clientId ? found : undefined
}

/**
 * Whether the redirect URI equals the pushed redirect URI; also `true` when one of them is missing.
 */
function checkPushedTarget(
  redirectUri: string | undefined,
  pushed: PushedRequest | undefined,
  findings: Findings,
): boolean {
  if (redirectUri === undefined || !pushed || pushed.redirectUri === redirectUri) return true
  const difference = `${excerpt(pushed.redirectUri)}${differenceFrom(redirectUri, [pushed.redirectUri])}`
  const message = `redirect_uri ${excerpt(redirectUri)} is not the one that was pushed: ${difference}`
  findings.add('CRE-03', { path: 'redirect_uri', message })
  return false
}

/**
 * The answer to an invalid request.
 * @throws Refusal when the answer is an error page
 */
function beginRefused(
  { client, redirectUri }: { client: Client; redirectUri: string },
  pushed: PushedRequest | undefined,
  { provider: { policy }, findings }: { provider: Provider; findings: Findings },
): Beginning<CreateTransaction> {
  const { refusal } = findings
  const unusable = pushed && unusableFor(client.clientId, pushed, findings)
  const answer = unusable ? policy.unusableRequestUri : policy.refusedRequest
  if (answer === 'page' || !refusal) throw findings.toRefusal({ status: 400 })
  const state = answer === 'without_state' ? undefined : pushed?.state
  const error = redirectedError(refusal, policy)
  const callback = createErrorCallback({ mode: 'query', redirectUri, state }, error, policy)
  return { kind: 'refused', callback, findings: findings.all, ...(unusable ? { unusable } : {}) }
}

/**
 * E3: ends a Create flow and spends the pushed request. A second decision on the same request is
 * answered with `invalid_request_uri`.
 * @param options.seams changes to the answer; a real service has none
 * @param options.saves `false` if the browser cannot create a passkey (specification, "Embedding
 * rules"): no age key is saved
 * @returns the callback, and the holder of the saved age key
 * @throws Refusal when the answer is an error page
 */
export async function finishCreate(
  transaction: CreateTransaction,
  decision: CreateDecision,
  {
    provider,
    seams = {},
    saves = true,
  }: { provider: Provider; seams?: Seams | undefined; saves?: boolean },
): Promise<{ callback: Callback; holder?: string | undefined }> {
  const { policy } = provider
  const created = decision.kind === 'created' && saves ? decision : undefined
  const spent = await spendRequest(transaction, created, provider)
  if (!spent) {
    const used = { error: UNUSABLE, description: `CRE-10: ${ALREADY_USED}` }
    const refused = unusableCallback(transaction, used, policy)
    return { callback: (await seams.refusal?.(refused)) ?? refused }
  }
  return {
    ...spent,
    callback: await changedBy(seams, callbackFor(transaction, decision, policy)),
  }
}

function callbackFor(
  transaction: CreateTransaction,
  decision: CreateDecision,
  policy: Policy,
): Callback {
  if (decision.kind === 'created') return createCallback(transaction, { state: transaction.state })
  if (decision.error === UNUSABLE) return unusableCallback(transaction, decision, policy)
  refuseOnPage(decision, policy)
  return createErrorCallback(transaction, decision, policy)
}

/**
 * Spends the pushed request and saves the age key in one write; `undefined` when the request is
 * already spent.
 */
async function spendRequest(
  { pushedRequestId: id, signals }: CreateTransaction,
  created: { readonly holder: string | undefined } | undefined,
  provider: Provider,
): Promise<{ holder: string | undefined } | undefined> {
  const requests = pushedRequests(provider)
  for (;;) {
    const found = await requests.find(id)
    if (!found || found.isSpent) return undefined
    const spent =
      provider.policy.requestUriUse === 'repeated' ? [] : requests.spending(id, found.record)
    const saved = created && (await provider.ageKeys.saving(signals, created.holder))
    // A concurrent call has spent the request or changed the persona: read again.
    if (await provider.store.write([...spent, ...(saved?.changes ?? [])]))
      return { holder: saved?.holder }
  }
}

const CREATE_PARAMETERS = {
  known: [
    'scope',
    'response_type',
    'client_id',
    'redirect_uri',
    'request_uri',
    'request',
    'language',
    'theme',
  ],
  repeated: 'CRE-11',
  tooLong: 'CRE-15',
  unknown: 'CRE-12',
} as const
type CreateParameters = Parameters<(typeof CREATE_PARAMETERS.known)[number]>
const UNUSABLE = 'invalid_request_uri'
const ALREADY_USED = 'request_uri has already been used: it serves one decision'

/**
 * The answer to an expired or spent request_uri.
 * @throws Refusal when the answer is an error page
 */
function unusableCallback(
  transaction: CreateTransaction,
  error: { error: string; description: string },
  policy: Policy,
): Callback {
  const { unusableRequestUri: answer } = policy
  if (answer === 'page') throw Refusal.byRules(UNUSABLE, error.description)
  const target = answer === 'without_state' ? { ...transaction, state: undefined } : transaction
  return createErrorCallback(target, redirectedError(error, policy), policy)
}

/**
 * Completes a request that carries only `client_id` and `request_uri` (RFC 9126 section 4) from the
 * pushed request. A parameter that was received but rejected is not replaced.
 */
function completeFrom(
  { redirectUri }: PushedRequest,
  sent: CreateParameters,
  findings: Findings,
): CreateParameters {
  const pushed = { scope: 'openid', response_type: 'none', redirect_uri: redirectUri }
  const missing = (['scope', 'response_type', 'redirect_uri'] as const).filter(
    (name) => sent[name] === undefined && !findings.mentions(name),
  )
  const [first, ...others] = missing
  if (first === undefined) return sent
  const message = `${missing.join(', ')} ${others.length === 0 ? 'is' : 'are'} missing beside request_uri`
  findings.add('CRE-13', { path: first, message })
  return { ...sent, ...Object.fromEntries(missing.map((name) => [name, pushed[name]])) }
}

function checkRequestUri(
  requestUri: string | undefined,
  pushed: FoundRequest,
  { provider, findings }: { provider: Provider; findings: Findings },
): void {
  const path = 'request_uri'
  if (requestUri === undefined) findings.missing('CRE-07', path)
  else if (!pushed)
    findings.add('CRE-08', {
      path,
      message: `request_uri ${unknownReference(requestUri, provider)}`,
    })
  else if (pushed.isSpent) {
    findings.add('CRE-10', { path, message: ALREADY_USED })
  } else if (isExpired(pushed.record, provider)) {
    const message = `request_uri ${expiredText(pushed.record, provider.lifetimes.requestUri, provider)}`
    findings.add('CRE-09', { path, message })
  }
}

/** Whether the request_uri is expired or spent, if no other rule is broken. */
function unusableFor(
  clientId: string,
  { state }: PushedRequest,
  { all }: Findings,
): UnusableRequestUri | undefined {
  const broken = all.flatMap(({ level, rule }) => (level === 'error' ? rule : [])).join()
  if (broken === 'CRE-09') return { clientId, state, reason: 'expired' }
  return broken === 'CRE-10' ? { clientId, state, reason: 'used' } : undefined
}
