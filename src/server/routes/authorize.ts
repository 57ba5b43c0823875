import { conclude } from '../../sandbox/decision/conclude.ts'
import {
  type Decision,
  decide,
  decideByChoice,
  decideEnded,
  runClockSteps,
} from '../../sandbox/decision/decide.ts'
import { keepPending, type Pending, takePending } from '../../sandbox/decision/pending.ts'
import { requireRequestedNames } from '../../sandbox/decision/sources.ts'
import { onDemand } from '../../sandbox/files/on-demand.ts'
import { endingWith } from '../../sandbox/journal/flow-link.ts'
import { applyChanges } from '../../sandbox/outcomes/apply-changes.ts'
import { findOutcome } from '../../sandbox/outcomes/catalogue.ts'
import { createTamperTools } from '../../sandbox/outcomes/tamper-tools.ts'
import type { ReceivedCall } from '../../sandbox/queue/queued.ts'
import { type Tenant, tenantAt } from '../../sandbox/tenants/tenant.ts'
import { type Callback, callbackUrl, withDescriptionEnd } from '../../service/oidc/callback.ts'
import { beginCreate, type CreateTransaction } from '../../service/oidc/create.ts'
import { Refusal } from '../../service/oidc/refusal.ts'
import type { Pairs } from '../../service/oidc/request/parameters.ts'
import type { Presentation } from '../../service/oidc/request/presentation.ts'
import type { Finding } from '../../service/oidc/rules/finding.ts'
import { type Beginning, beginUse, type UseTransaction } from '../../service/oidc/use.ts'
import { identifier } from '../http/calls/record-call.ts'
import type { Answer, AnswerInFlow, Handler, HttpHost } from '../http/handler.ts'
import { type Reply, redirect } from '../http/reply.ts'
import { isOfAudit, readRequestedDecision } from '../http/requested-decision.ts'
import { queueLater, requireDriver } from '../pages/driving.ts'
import { embeddingAdvice, endsInFrame } from '../pages/embedding.ts'
import { endingsPath, notPending, readHostedForm, requirePending } from '../pages/form.ts'
import { lastPersonaCookie } from '../pages/last-persona.ts'
import type { Visit } from '../pages/shell.ts'

type Transaction = UseTransaction | CreateTransaction

/** E1 and E3 begin a flow. A decision ends it at once; without one the user decides on a page. */
export function createAuthorizeRoutes({
  version,
  guard,
}: Pick<HttpHost, 'version' | 'guard'>): Readonly<Record<'use' | 'create' | 'choice', Handler>> {
  return {
    use: (request, tenant) => authorize('use', { request, tenant, version, guard }, beginUse),
    create: (request, tenant) =>
      authorize('create', { request, tenant, version, guard }, beginCreate),
    choice: (request, tenant) => choose({ request, tenant, version, guard }),
  }
}

/** Checks the parameters of E1 or E3. */
type Begin<T extends Transaction> = (
  query: Pairs,
  provider: Tenant['provider'],
) => Beginning<T> | Promise<Beginning<T>>

async function authorize<T extends Transaction>(
  flow: T['flow'],
  visit: Visit,
  begin: Begin<T>,
): Promise<Answer | AnswerInFlow> {
  const { request, tenant } = visit
  const { query, requested } = readRequestedDecision(request)
  const known = await requireRequestedNames(flow, requested, tenant)
  const outcome = requested.query?.outcome ?? requested.headers?.outcome
  const isLater = outcome !== undefined && findOutcome(flow, outcome) === undefined
  if (isLater) requireDriver(visit)
  const beginning = await begin(query, tenant.provider)
  if (beginning.kind === 'refused') return refuse(beginning, flow, visit)

  const { transaction } = beginning
  const findings = [...beginning.findings, ...(await advise(transaction.presentation, tenant))]
  const call = authorizationCall(transaction, visit)
  const decision = await decide(transaction, call, { requested, known, tenant })
  // The page itself says where it is shown, so the advice is only recorded.
  const withEmbedding = [...findings, ...embeddingAdvice(flow, visit)]
  if (decision) return finish(transaction, decision, { visit, findings: withEmbedding })
  const pending: Pending = { transaction, findings, baseUrl: tenant.provider.baseUrl }
  const id = await keepPending(pending, tenant.provider)
  const { hostedPage } = await loadPage()
  return {
    reply: await hostedPage(id, pending, visit),
    findings: withEmbedding,
    transaction: id,
    asked: transaction,
  }
}

/** Advice on requested features that the hosted pages show in another way. */
const advise = async (
  { appearance }: Presentation,
  { provider }: Tenant,
): Promise<readonly Finding[]> =>
  appearance.text_color === undefined
    ? []
    : (await loadAppearance()).colourAdvice(appearance, provider)

const adviseOnFont = async (
  { appearance }: Presentation,
  { provider }: Tenant,
): Promise<readonly Finding[]> => (await loadAppearance()).fontAdvice(appearance, provider)

/** An authorization request for expectations and scenarios. */
const authorizationCall = (
  {
    flow,
    clientId,
    state,
    nonce,
  }: Pick<Transaction, 'flow' | 'clientId' | 'state'> & { nonce?: string | undefined },
  { request, tenant }: Visit,
): ReceivedCall => ({
  flow,
  client_id: clientId,
  state,
  nonce,
  sentParameters: () => request.sentParameters(),
  mask: tenant.clients.mask,
})

/** Sends a refused request back to the relying party. */
async function refuse(
  { callback, findings, unusable }: Extract<Beginning<Transaction>, { kind: 'refused' }>,
  flow: Transaction['flow'],
  visit: Visit,
): Promise<AnswerInFlow> {
  const { tenant } = visit
  const endedAs = unusable && `request_uri.${unusable.reason}`
  const call = unusable && { ...authorizationCall({ flow: 'create', ...unusable }, visit), endedAs }
  const decision = call && (await decideEnded(call, tenant))
  if (decision) await runClockSteps(decision, tenant)
  const { changes } = tenant.readings
  const read =
    changes.length === 0
      ? callback
      : await applyChanges('callback', callback, {
          flow,
          changes,
          tools: createTamperTools(tenant),
        })
  return async (link) => {
    const leading = link ? withDescriptionEnd(read, endingWith(link)) : read
    return {
      reply: await callbackReply(leading, { visit }),
      callback: callbackToRecord(leading, visit),
      findings,
      ends: true,
      decision,
      endedAs,
    }
  }
}

/** The user's choice on a page. A refused choice leaves the request pending. */
async function choose(visit: Visit): Promise<Answer> {
  const { request, tenant, guard } = visit
  const form = readHostedForm(request, guard)
  const pending = await requirePending(form, tenant)
  const persona = form.field('persona') ?? form.field('with_persona')
  const backPath = endingsPath(`${tenant.basePath}/v1/oidc/${pending.transaction.flow}`, form)
  const choice = { persona, outcome: form.field('outcome') }
  const decision = await decideByChoice(pending.transaction, choice, tenant).catch(
    (error: unknown) => {
      throw error instanceof Refusal ? error.with({ backPath }) : error
    },
  )
  if (decision?.laterOutcome) requireDriver({ request, guard, framed: form.framed })
  if (!decision)
    throw Refusal.invalidRequest('choice: send persona or outcome.', {
      title: 'Nothing was chosen',
    })
  // When two forms arrive at once, only one of them receives the transaction.
  if (!(await takePending(form.transaction, tenant.provider)))
    throw await notPending(form.transaction, tenant)
  const { chosenLanguage, framed, lacksPermission } = form
  const asked = tenantAt(tenant, pending.baseUrl)
  const shown: Visit = { ...visit, tenant: asked, chosenLanguage, framed, lacksPermission }
  const { transaction } = pending
  const font = form.lacksFont ? await adviseOnFont(transaction.presentation, tenant) : []
  const findings = [...pending.findings, ...font, ...embeddingAdvice(transaction.flow, shown)]
  return finish(transaction, decision, { visit: shown, findings })
}

async function finish(
  transaction: Transaction,
  decision: Decision,
  { visit, findings }: { visit: Visit; findings: Beginning<Transaction>['findings'] },
): Promise<Answer> {
  const { tenant } = visit
  // Without the permission no passkey can be made, whatever the user chose.
  const canSave = transaction.flow === 'use' || !visit.lacksPermission
  // An audit changes no persona.
  const saves = canSave && !isOfAudit(visit.request) && decision.queued?.audit !== true
  const conclusion = await conclude(transaction, decision, { tenant, saves })
  const { callback, evaluation, outcome, holder, isUnsaved, traps } = conclusion
  await runClockSteps(decision, tenant)
  if (decision.laterOutcome) await queueLater(decision.laterOutcome, transaction, visit)
  const reply = await callbackReply(callback, {
    visit,
    presentation: transaction.presentation,
    isUnsaved,
  })
  const cookie =
    transaction.flow === 'use'
      ? lastPersonaCookie(decision.persona?.name, visit.request, tenant)
      : undefined
  const codes = (callback?.params ?? []).filter(([name]) => name === 'code')
  return {
    reply: cookie ? { ...reply, cookies: [cookie] } : reply,
    callback: callbackToRecord(callback, visit),
    findings,
    asked: transaction,
    decision: { ...decision, outcome },
    holder,
    // An outcome may send a second code.
    issuedIds: [
      ...codes.map(([, code]) => identifier('code', code)),
      ...traps.map((id) => identifier('trap', id)),
    ],
    ends: true,
    evaluation,
  }
}

/**
 * The reply that brings the callback to the relying party: a redirect, or a page with a form. In an
 * iframe, or without a callback, a page explains how the flow ended.
 * @param options.presentation how the request wants its pages to look, if it was valid
 * @param options.isUnsaved whether an age key could not be saved
 */
async function callbackReply(
  callback: Callback | undefined,
  {
    visit,
    ...options
  }: { visit: Visit; presentation?: Presentation | undefined; isUnsaved?: boolean | undefined },
): Promise<Reply> {
  if (callback && callback.mode !== 'form_post' && !endsInFrame(visit)) {
    const { redirectStatus } = visit.tenant.provider.policy
    return redirect(visit.request.method === 'GET' ? redirectStatus : 303, callbackUrl(callback))
  }
  const { endingPage } = await loadEnding()
  return endingPage(callback, { visit, ...options })
}

/** Inside an iframe no callback leaves the sandbox, so the journal records none. */
const callbackToRecord = (callback: Callback | undefined, visit: Visit) =>
  endsInFrame(visit) ? undefined : callback

// A flow that a script decides needs no page.
const loadPage = onDemand(() => import('../pages/page.ts'))
const loadAppearance = onDemand(() => import('../pages/appearance.ts'))
const loadEnding = onDemand(() => import('../pages/ending.ts'))
