import { serverCallFacts } from '../http/call-facts.ts'
import type { Incoming } from '../http/incoming.ts'
import { json, type Reply } from '../http/reply.ts'
import type { Answer, Handler } from '../http/route.ts'
import { defaultWish } from '../http/wishes.ts'
import { Refusal } from '../oidc/refusal.ts'
import { bearerToken } from '../oidc/request/client-auth.ts'
import { accessTokens } from '../oidc/token.ts'
import { decideServerCall } from '../sandbox/decision/decide.ts'
import type { CallFacts } from '../sandbox/decision/expectations.ts'
import { findQueuedWish } from '../sandbox/decision/queued-wish.ts'
import type { OutcomeFlow } from '../sandbox/outcomes/outcome.ts'
import { createTamperTools } from '../sandbox/outcomes/tamper-tools.ts'
import type { Tenant } from '../sandbox/tenants/tenant.ts'

type ServerFlow = Exclude<OutcomeFlow, 'use' | 'create'>

/**
 * A server-to-server call that can be told to misbehave: by the header `X-Sandbox-Outcome`, by a queued decision, or by
 * the default. A row that stands in place of the service leaves everything as it was; every other one spoils a good
 * reply, and a call that the service refuses is refused as always and spends nothing. Scenarios hear of every call.
 */
export const spoilable =
  (flow: ServerFlow, serve: Handler): Handler =>
  async (request, tenant) => {
    const facts = await factsOf(flow, request, tenant)
    try {
      const answer = await serveOrSpoil(facts, { request, tenant, serve })
      await tenant.scenarios.saw(facts, answer.reply.status)
      return answer
    } catch (error) {
      await tenant.scenarios.saw(facts, error instanceof Refusal ? error.status : 500)
      throw error
    }
  }

async function serveOrSpoil(
  facts: CallFacts,
  { request, tenant, serve }: { request: Incoming; tenant: Tenant; serve: Handler },
): Promise<Answer> {
  const spoiler = await findSpoiler(facts, request, tenant)
  if (!spoiler) return serve(request, tenant)
  const { outcome } = spoiler
  const answer: Answer = outcome.instead ? { reply: json(200, {}) } : await serve(request, tenant)
  if (!(await spoiler.spend())) return outcome.instead ? serve(request, tenant) : answer
  return { ...answer, reply: await spoil(answer.reply, spoiler, tenant), spoiledBy: outcome }
}

/** An upgrade does not say whose it is, but its token does. */
async function factsOf(flow: ServerFlow, request: Incoming, tenant: Tenant): Promise<CallFacts> {
  const facts = serverCallFacts(flow, request)
  const token = flow === 'upgrade' ? bearerToken(request.authorization) : undefined
  const record = token === undefined ? undefined : await accessTokens(tenant.provider).get(token)
  return record ? { ...facts, client_id: record.clientId } : facts
}

type Spoiler = NonNullable<Awaited<ReturnType<typeof findSpoiler>>>

async function findSpoiler(facts: CallFacts, request: Incoming, tenant: Tenant) {
  const header = { outcome: request.header('x-sandbox-outcome'), source: 'request header X-Sandbox-Outcome' }
  const queued = await findQueuedWish(facts, tenant)
  const wishes = [header, ...(queued ? [queued] : []), defaultWish(facts.flow, tenant.settings.defaults)]
  const decided = decideServerCall(facts.flow, wishes)
  if (!decided) return undefined
  const { outcome, by } = decided
  return { outcome, spend: queued && by === queued ? () => queued.spend() : async () => true }
}

async function spoil(reply: Reply, { outcome }: Spoiler, tenant: Tenant): Promise<Reply> {
  if (outcome.seam !== 'reply' || !outcome.apply) return reply
  return outcome.apply(
    reply,
    createTamperTools({ provider: tenant.provider, keys: tenant.keys, transaction: undefined }),
  )
}
