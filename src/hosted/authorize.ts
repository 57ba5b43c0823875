import { authorizationFacts } from '../http/call-facts.ts'
import { identifier } from '../http/call-record.ts'
import type { Incoming } from '../http/incoming.ts'
import { PERSONA_COOKIE, readPersonaCookie } from '../http/persona-cookie.ts'
import type { Answer, Handler, HttpHost } from '../http/route.ts'
import { defaultWish, splitSandboxParameters, wishesOf } from '../http/wishes.ts'
import type { Callback } from '../oidc/callback.ts'
import { beginCreate, type CreateTransaction } from '../oidc/create.ts'
import { Refusal } from '../oidc/refusal.ts'
import type { Pairs } from '../oidc/request/parameters.ts'
import { type Beginning, beginUse, type Lapsed, type UseTransaction } from '../oidc/use.ts'
import { conclude } from '../sandbox/decision/conclude.ts'
import { checkNames, type Decision, decide, type Wish } from '../sandbox/decision/decide.ts'
import { keepPending, type Pending, takePending } from '../sandbox/decision/pending.ts'
import { findQueuedWish } from '../sandbox/decision/queued-wish.ts'
import { findOutcome } from '../sandbox/outcomes/catalogue.ts'
import type { Outcome } from '../sandbox/outcomes/outcome.ts'
import type { Tenant } from '../sandbox/tenants/tenant.ts'
import { callbackReply } from './callback.ts'
import { readChoice } from './choice.ts'
import { endsInFrame } from './embedding.ts'
import { over, readHostedForm, requirePending } from './form.ts'
import type { Visit } from './shell.ts'

type Transaction = UseTransaction | CreateTransaction

/** E1 and E3: begin a flow; what decides it is a wish of the request, a setting, or the page. */
export function createAuthorizeRoutes(host: HttpHost): Readonly<Record<'use' | 'create' | 'choice', Handler>> {
  return {
    use: (request, tenant) => authorize('use', request, { tenant, host, begin: beginUse }),
    create: (request, tenant) => authorize('create', request, { tenant, host, begin: beginCreate }),
    choice: (request, tenant) => choose(request, { tenant, host }),
  }
}

async function authorize<T extends Transaction>(
  flow: T['flow'],
  request: Incoming,
  {
    tenant,
    host,
    begin,
  }: {
    tenant: Tenant
    host: HttpHost
    begin: (query: Pairs, provider: Tenant['provider']) => Beginning<T> | Promise<Beginning<T>>
  },
): Promise<Answer> {
  const { query, wishes } = splitSandboxParameters(request.queryPairs)
  const spoken = wishesOf(request, wishes)
  await checkNames(flow, spoken, tenant.personas)
  const beginning = await begin(query, tenant.provider)
  const { findings } = beginning
  const visit: Visit = { request, tenant, version: host.version }
  if (beginning.kind === 'refused') {
    const { callback, lapsed } = beginning
    const decision = lapsed && (await foreseen(lapsed, request, tenant))
    return {
      reply: await callbackReply(callback, { visit }),
      callback: sentBack(callback, visit),
      findings,
      ends: true,
      ...(decision ? { decision } : {}),
    }
  }
  const { transaction } = beginning
  const decision = await settle(transaction, { request, spoken, tenant })
  if (decision) return finish(transaction, decision, { visit, findings })
  const pending: Pending = { transaction, findings }
  const id = await keepPending(pending, tenant.provider)
  const handsOut = [identifier('transaction', id)]
  const { hostedPage } = await import('./page.ts')
  return { reply: await hostedPage(id, pending, visit), findings, handsOut }
}

/** Who decides, the strongest first: the request itself, what was queued, the cookie, the client, the sandbox; else the page. */
async function settle(
  transaction: Transaction,
  { request, spoken, tenant }: { request: Incoming; spoken: readonly Wish[]; tenant: Tenant },
): Promise<Decision | undefined> {
  const facts = authorizationFacts(transaction, request)
  const settled = [
    { persona: readPersonaCookie(request), source: `cookie ${PERSONA_COOKIE}` },
    { persona: tenant.clients.find(transaction.clientId)?.persona, source: `client ${transaction.clientId}` },
    defaultWish(transaction.flow, tenant.settings.defaults),
  ]
  for (;;) {
    const queued = await findQueuedWish(facts, tenant)
    const wishes = [...spoken, ...(queued ? [queued] : []), ...settled]
    const decision = await decide(transaction, wishes, tenant.personas)
    const isQueued = decision && queued && decision.by.includes(queued)
    // Spent only when it decides; when another request was faster, the next one in the queue is asked.
    if (!isQueued || (await queued.spend())) return decision
  }
}

/** What became of a request whose reference had lapsed may be just what somebody queued for it: then that is spent. */
async function foreseen(lapsed: Lapsed, request: Incoming, tenant: Tenant): Promise<Decision | undefined> {
  const outcome = findOutcome('create', `request_uri.${lapsed.reason}`)
  const facts = { ...authorizationFacts({ flow: 'create', ...lapsed }, request), ending: outcome?.name }
  for (;;) {
    const queued = await findQueuedWish(facts, tenant)
    if (!outcome || !queued) return undefined
    if (!(await queued.spend())) continue
    await tenant.scenarios.moveOn()
    return { persona: undefined, outcome, later: undefined, by: [queued] }
  }
}

/** The form of a page: the choice for a transaction that waits. A wrong choice leaves it waiting. */
async function choose(request: Incoming, { tenant, host }: { tenant: Tenant; host: HttpHost }): Promise<Answer> {
  const form = readHostedForm(request, tenant)
  const pending = await requirePending(form, tenant)
  const decision = await decide(pending.transaction, [readChoice(form)], tenant.personas)
  if (!decision) {
    throw Refusal.invalidRequest('choice: send persona or outcome.', { title: 'Nothing was chosen' })
  }
  // Of two clicks that come this far, one takes the transaction.
  if (!(await takePending(form.transaction, tenant.provider))) throw await over(form.transaction, tenant)
  const { chosenLanguage, framed } = form
  const visit: Visit = { request, tenant, version: host.version, chosenLanguage, framed }
  return finish(pending.transaction, decision, { visit, findings: pending.findings })
}

async function finish(
  transaction: Transaction,
  decision: Decision,
  { visit, findings }: { visit: Visit; findings: Beginning<Transaction>['findings'] },
): Promise<Answer> {
  const { tenant } = visit
  const { callback, evaluation, outcome } = await conclude(transaction, decision, tenant)
  await tenant.scenarios.moveOn()
  if (decision.later) await queueLater(decision.later, transaction, tenant)
  const reply = await callbackReply(callback, { visit, presentation: transaction.presentation })
  const code = callback?.params.find(([name]) => name === 'code')?.[1]
  const handsOut = code === undefined ? [] : [identifier('code', code)]
  return {
    reply,
    callback: sentBack(callback, visit),
    findings,
    decision: { ...decision, outcome },
    handsOut,
    ends: true,
    ...(evaluation ? { evaluation } : {}),
  }
}

const sentBack = (callback: Callback | undefined, visit: Visit) => (endsInFrame(visit) ? undefined : callback)

/** An outcome of a server-to-server call waits for the client's next such call. */
async function queueLater({ flow, name }: Outcome, { clientId }: Transaction, tenant: Tenant): Promise<void> {
  const isAnonymous = flow === 'discovery' || flow === 'jwks'
  await tenant.expectations.add({ flow, outcome: name, ...(isAnonymous ? {} : { match: { client_id: clientId } }) })
}
