import { conclude } from '../../sandbox/decision/conclude.ts'
import { type Decision, runClockSteps } from '../../sandbox/decision/decide.ts'
import type { Pending } from '../../sandbox/decision/pending.ts'
import { onDemand } from '../../sandbox/files/on-demand.ts'
import { endingWith } from '../../sandbox/journal/flow-link.ts'
import { applyChanges } from '../../sandbox/outcomes/apply-changes.ts'
import { createTamperTools } from '../../sandbox/outcomes/tamper-tools.ts'
import type { Tenant } from '../../sandbox/tenants/tenant.ts'
import { type Callback, callbackUrl, withDescriptionEnd } from '../../service/oidc/callback.ts'
import type { Presentation } from '../../service/oidc/request/presentation.ts'
import type { Finding } from '../../service/oidc/rules/finding.ts'
import { identifier } from '../http/calls/record-call.ts'
import type { Answer, ReserveFlow } from '../http/handler.ts'
import { type Reply, redirect } from '../http/reply.ts'
import { isOfAudit } from '../http/requested-decision.ts'
import { queueLater } from '../pages/driving.ts'
import { embeddingAdvice, endsInFrame } from '../pages/embedding.ts'
import { lastPersonaCookie } from '../pages/last-persona.ts'
import type { HostedRequest } from '../pages/shell.ts'

type Transaction = Pending['transaction']

/** Carries out the decision on an authorization request and answers with its callback. */
export async function concludeRequest(
  transaction: Transaction,
  decision: Decision,
  { hosted, findings }: { hosted: HostedRequest; findings: readonly Finding[] },
): Promise<Answer> {
  const { request, tenant } = hosted
  const { flow, presentation } = transaction
  // Without the iframe permission no passkey can be created, whatever the user chose.
  const canSave = flow === 'use' || !hosted.lacksPermission
  // Audits do not change personas.
  const saves = canSave && !isOfAudit(request) && decision.queued?.audit !== true
  const conclusion = await conclude(transaction, decision, { tenant, saves })
  const { callback, evaluation, outcome, holder, isUnsaved, traps } = conclusion

  await runClockSteps(decision, tenant)
  if (decision.laterOutcome) await queueLater(decision.laterOutcome, transaction, hosted)

  const reply = await callbackReply(callback, { hosted, presentation, isUnsaved })
  const cookie =
    flow === 'use' ? lastPersonaCookie(decision.persona?.name, request, tenant) : undefined
  return {
    reply: cookie ? { ...reply, cookies: [cookie] } : reply,
    callback: callbackToRecord(callback, hosted),
    findings: [...findings, ...embeddingAdvice(flow, hosted)],
    asked: transaction,
    decision: { ...decision, outcome },
    holder,
    issuedIds: issuedIdsOf(callback, traps),
    ends: true,
    evaluation,
  }
}

/**
 * Identifiers of the codes and traps in the callback. The callback may hold a second code, which an
 * outcome adds.
 */
function issuedIdsOf(callback: Callback | undefined, traps: readonly string[]): string[] {
  const ids: string[] = []
  for (const [name, value] of callback?.params ?? [])
    if (name === 'code') ids.push(identifier('code', value))
  for (const trap of traps) ids.push(identifier('trap', trap))
  return ids
}

interface RefusedIn {
  readonly flow: Transaction['flow']
  readonly hosted: HostedRequest
  readonly reserveFlow: ReserveFlow
  /** The outcome that applies to the refused request: `request_uri.expired`. */
  readonly endedAs?: string | undefined
  /** The queued decision that expected this outcome. */
  readonly decision?: Decision | undefined
}

/** Answers a refused request with an error callback, whose description names the flow. */
export async function refuseRequest(
  { callback, findings }: { callback: Callback; findings: readonly Finding[] },
  { flow, hosted, reserveFlow, endedAs, decision }: RefusedIn,
): Promise<Answer> {
  const changed = await changedByReadings(callback, flow, hosted.tenant)
  const link = await reserveFlow()
  const named = link ? withDescriptionEnd(changed, endingWith(link)) : changed
  return {
    reply: await callbackReply(named, { hosted }),
    callback: callbackToRecord(named, hosted),
    findings,
    ends: true,
    decision,
    endedAs,
  }
}

async function changedByReadings(
  callback: Callback,
  flow: Transaction['flow'],
  tenant: Tenant,
): Promise<Callback> {
  const { changes } = tenant.readings
  if (changes.length === 0) return callback
  return applyChanges('callback', callback, { flow, changes, tools: createTamperTools(tenant) })
}

/**
 * The reply that delivers the callback to the relying party: a redirect, or a page with a form. In
 * an iframe, or without a callback, a page explains how the flow ended.
 * @param options.presentation the requested appearance; absent for a refused request
 * @param options.isUnsaved whether the age key could not be saved
 */
async function callbackReply(
  callback: Callback | undefined,
  {
    hosted,
    ...options
  }: {
    hosted: HostedRequest
    presentation?: Presentation | undefined
    isUnsaved?: boolean | undefined
  },
): Promise<Reply> {
  if (callback && callback.mode !== 'form_post' && !endsInFrame(hosted)) {
    const { redirectStatus } = hosted.tenant.provider.policy
    return redirect(hosted.request.method === 'GET' ? redirectStatus : 303, callbackUrl(callback))
  }
  const { endingPage } = await loadEnding()
  return endingPage(callback, { hosted, ...options })
}

/** The callback for the journal; none inside an iframe, where the sandbox sends no callback. */
const callbackToRecord = (callback: Callback | undefined, hosted: HostedRequest) =>
  endsInFrame(hosted) ? undefined : callback

// A redirect needs no page.
const loadEnding = onDemand(() => import('../pages/ending.ts'))
