import { keepPending, type Pending } from '../../sandbox/decision/pending.ts'
import { type RequestedDecision, requireRequestedNames } from '../../sandbox/decision/sources.ts'
import { onDemand } from '../../sandbox/files/on-demand.ts'
import { findOutcome } from '../../sandbox/outcomes/catalogue.ts'
import type { Persona } from '../../sandbox/personas/persona-schema.ts'
import type { ReceivedCall } from '../../sandbox/queue/queued.ts'
import type { Tenant } from '../../sandbox/tenants/tenant.ts'
import type { Pairs } from '../../service/oidc/request/parameters.ts'
import type { Presentation } from '../../service/oidc/request/presentation.ts'
import type { Finding } from '../../service/oidc/rules/finding.ts'
import type { Answer } from '../http/handler.ts'
import { readRequestedDecision } from '../http/requested-decision.ts'
import { requireDriver } from '../pages/driving.ts'
import { embeddingAdvice } from '../pages/embedding.ts'
import type { HostedRequest } from '../pages/shell.ts'

type Transaction = Pending['transaction']

/** An authorization request before its parameters are checked. */
interface ReadAuthorization {
  /** The parameters of the service. */
  readonly query: Pairs
  /** The persona and outcome that the request names for the sandbox. */
  readonly requested: RequestedDecision
  /** The personas that the request names. */
  readonly known: readonly Persona[]
}

/**
 * Separates the parameters of an authorization request (E1, E3) from the decision that the request
 * names.
 * @throws Refusal for an unknown persona or outcome, and for an outcome of a later call when the
 * caller may not drive the sandbox
 */
export async function readAuthorization(
  flow: Transaction['flow'],
  hosted: HostedRequest,
): Promise<ReadAuthorization> {
  const { query, requested } = readRequestedDecision(hosted.request)
  const known = await requireRequestedNames(flow, requested, hosted.tenant)
  const outcome = requested.query?.outcome ?? requested.headers?.outcome
  const isLater = outcome !== undefined && findOutcome(flow, outcome) === undefined
  if (isLater) requireDriver(hosted)
  return { query, requested, known }
}

/** Describes an authorization request for matching with expectations and scenarios. */
export const authorizationCall = (
  {
    flow,
    clientId,
    state,
    nonce,
  }: Pick<Transaction, 'flow' | 'clientId' | 'state'> & { nonce?: string | undefined },
  { request, tenant }: HostedRequest,
): ReceivedCall => ({
  flow,
  client_id: clientId,
  state,
  nonce,
  sentParameters: () => request.sentParameters(),
  mask: tenant.clients.mask,
})

/** Keeps the request and answers with the page on which the user decides. */
export async function askUser(
  transaction: Transaction,
  { hosted, findings }: { hosted: HostedRequest; findings: readonly Finding[] },
): Promise<Answer> {
  const { provider } = hosted.tenant
  const pending: Pending = { transaction, findings, baseUrl: provider.baseUrl }
  const id = await keepPending(pending, provider)
  const { hostedPage } = await loadPage()
  return {
    reply: await hostedPage(id, pending, hosted),
    // Advice on embedding is only recorded, because the page itself tells the user about its frame.
    findings: [...findings, ...embeddingAdvice(transaction.flow, hosted)],
    transaction: id,
    asked: transaction,
  }
}

/** Advice on a `text_color` that the hosted pages show in another colour. */
export const advise = async (
  { appearance }: Presentation,
  { provider }: Tenant,
): Promise<readonly Finding[]> =>
  appearance.text_color === undefined
    ? []
    : (await loadAppearance()).colourAdvice(appearance, provider)

/** Advice on a requested font that the user's device lacks. */
export const adviseOnFont = async (
  { appearance }: Presentation,
  { provider }: Tenant,
): Promise<readonly Finding[]> => (await loadAppearance()).fontAdvice(appearance, provider)

// Loaded on demand: a flow without user interaction needs no page.
const loadPage = onDemand(() => import('../pages/page.ts'))
const loadAppearance = onDemand(() => import('../pages/appearance.ts'))
