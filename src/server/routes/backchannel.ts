import { decideServerCall } from '../../sandbox/decision/decide.ts'
import { type RequestedDecision, requireRequestedNames } from '../../sandbox/decision/sources.ts'
import { applyChanges } from '../../sandbox/outcomes/apply-changes.ts'
import type { AnswerChange, ServerReply } from '../../sandbox/outcomes/outcome.ts'
import { createTamperTools } from '../../sandbox/outcomes/tamper-tools.ts'
import type { ReceivedCall } from '../../sandbox/queue/queued.ts'
import { inErrorForm } from '../../sandbox/readings/error-form.ts'
import type { Tenant } from '../../sandbox/tenants/tenant.ts'
import { createDiscovery, useDiscovery } from '../../service/oidc/discovery.ts'
import type { EndpointId, ServerCall } from '../../service/oidc/endpoints.ts'
import type { Awaitable } from '../../service/oidc/ports.ts'
import { pushRequest } from '../../service/oidc/pushed-request.ts'
import { Refusal, unlessUnavailable } from '../../service/oidc/refusal.ts'
import { bearerToken } from '../../service/oidc/request/client-auth.ts'
import { accessTokens, exchangeCode, findCode } from '../../service/oidc/token.ts'
import { upgradeAgeKey } from '../../service/oidc/upgrade.ts'
import { clientIn, identifier } from '../http/calls/record-call.ts'
import { addressForCaller } from '../http/guard/called-address.ts'
import type { Answer, Handler } from '../http/handler.ts'
import type { Incoming } from '../http/incoming.ts'
import { CORS, json } from '../http/reply.ts'
import { readRequestedDecision } from '../http/requested-decision.ts'
import { rememberTraps } from './trap.ts'

const NO_STORE = { 'Cache-Control': 'no-store', Pragma: 'no-cache' }
const PUBLIC = { ...CORS, 'Cache-Control': 'no-cache' }

const par = withForcedOutcome('par', {
  find: () => undefined,
  async serve(request, { provider }) {
    const { response, findings } = await pushRequest(request, provider)
    const issuedIds = [identifier('request_uri', response.request_uri)]
    return { reply: json(201, response, NO_STORE), findings, issuedIds }
  },
})

const token = withForcedOutcome('token', {
  find(request, { provider }) {
    const { code } = request.sentParameters()
    return typeof code === 'string' ? findCode(code, provider) : undefined
  },
  continues: (found) => ({ state: found?.record.state }),
  async serve(request, { provider }, found) {
    const { response, findings } = await exchangeCode(request, provider, found)
    const issuedIds = [identifier('access_token', response.access_token)]
    return { reply: json(200, response, NO_STORE), findings, issuedIds, ends: true }
  },
})

const upgrade = withForcedOutcome('upgrade', {
  find({ authorization }, { provider }) {
    const sent = bearerToken(authorization)
    return sent === undefined ? undefined : accessTokens(provider).get(sent)
  },
  continues: (grant) => grant,
  async serve(request, { provider }, grant) {
    const { response, findings } = await upgradeAgeKey(request, provider, grant)
    return { reply: json(200, response, NO_STORE), findings, ends: true }
  },
})

function published(
  flow: 'discovery' | 'jwks',
  document: (request: Incoming, tenant: Tenant) => unknown,
): Handler {
  return withForcedOutcome(flow, {
    find: () => undefined,
    serve: async (request, tenant) => ({
      reply: json(200, await document(request, tenant), PUBLIC),
    }),
  })
}

/** The endpoints to which no browser is sent. */
export const BACKCHANNEL = {
  par,
  token,
  upgrade,
  useDiscovery: published('discovery', (request, tenant) =>
    useDiscovery(tenant.provider, addressForCaller(request, tenant)),
  ),
  createDiscovery: published('discovery', (request, tenant) =>
    createDiscovery(tenant.provider, addressForCaller(request, tenant)),
  ),
  jwks: published('jwks', (_request, { provider }) => provider.signer.jwks()),
} satisfies Partial<Record<EndpointId, Handler>>

/** A server-to-server endpoint, whose reply an outcome can change. */
interface ServedAnswer extends Answer {
  readonly reply: ServerReply
}

/** The flow that a call continues, read from the record of its code or access token. */
interface Continued {
  readonly clientId?: string | undefined
  readonly state?: string | undefined
}

interface ServerEndpoint<Found> {
  /** Reads the record that the call names, once for all callers. */
  find(request: Incoming, tenant: Tenant): Awaitable<Found>
  continues?(found: Found): Continued | undefined
  serve(request: Incoming, tenant: Tenant, found: Found): ServedAnswer | Promise<ServedAnswer>
}

/**
 * A server-to-server call whose outcome can be forced. An outcome with `instead` replaces the work
 * of the service. Every other outcome changes a good reply: a refusal is sent unchanged, and a
 * queued decision stays queued. Scenarios observe every call.
 */
function withForcedOutcome<Found>(
  flow: ServerCall,
  { find, continues, serve }: ServerEndpoint<Found>,
): Handler {
  return async (request, tenant) => {
    const found = await find(request, tenant)
    const call = describeCall(flow, { request, tenant, continued: continues?.(found) })
    const observe = async (status: number, decidedBy?: string) => {
      try {
        await tenant.queue.observe(call, status, decidedBy)
      } catch (error) {
        // The call was carried out, so it is answered even if the store fails before scenarios see
        // it: the client gets the answer once.
        unlessUnavailable(error)
      }
    }
    try {
      const serveCall = async () =>
        inFormOfService(flow, tenant, async () => serve(request, tenant, found))
      const { answer, decidedBy } = await answerCall(call, { request, tenant, serve: serveCall })
      await observe(answer.reply.status, decidedBy)
      return { ...answer, clientId: call.client_id }
    } catch (error) {
      await observe(error instanceof Refusal ? error.status : 500)
      throw error
    }
  }
}

/**
 * A refusal of the service has the form that the readings want. A refusal of the sandbox itself,
 * such as an unknown name in `X-Sandbox-Outcome`, stays readable whatever the readings are: it is
 * for the developer of the test.
 */
async function inFormOfService<Served>(
  flow: ServerCall,
  { readings }: Tenant,
  serve: () => Promise<Served>,
) {
  try {
    return await serve()
  } catch (error) {
    const { policy, ids } = readings
    throw error instanceof Refusal && ids
      ? error.with({ form: { call: flow, policy, readings: ids } })
      : error
  }
}

/** The reply of the service, after the readings and a forced outcome. */
async function answerCall(
  call: ReceivedCall,
  { request, tenant, serve }: { request: Incoming; tenant: Tenant; serve(): Promise<ServedAnswer> },
): Promise<{ answer: ServedAnswer; decidedBy?: string | undefined }> {
  const requested = await readServerDecision(call, request, tenant)
  const forced = await decideServerCall(call, { requested, tenant })
  const { changes: readings } = tenant.readings
  if (!forced) {
    const answer = await serve()
    return readings.length === 0 ? { answer } : changed(answer, { call, tenant, changes: readings })
  }
  const { outcome, source: forcedBy, queued } = forced
  const good = outcome.instead
    ? undefined
    : await serve().catch(async (error: unknown) => {
        // A refused call does not use up the forced outcome.
        await forced.settle(false)
        throw error
      })
  if (!(await forced.settle(true)))
    return changed(good ?? (await serve()), { call, tenant, changes: readings })
  const honest: ServedAnswer = good ?? { reply: json(200, {}) }
  const changes = outcome.instead ? [outcome] : [...readings, outcome]
  const { answer, traps } = await changed(honest, { call, tenant, changes })
  // A forced refusal is one of the service. The service never refuses a discovery document or a key
  // set.
  const isPublished = call.flow === 'discovery' || call.flow === 'jwks'
  if (isPublished) await rememberTraps(traps, tenant.provider)
  const isRefusal = outcome.instead && !isPublished
  const reply = isRefusal
    ? inErrorForm(call.flow, answer.reply, tenant.provider.policy)
    : answer.reply
  const issuedIds = [...(answer.issuedIds ?? []), ...traps.map((id) => identifier('trap', id))]
  return {
    answer: { ...answer, reply, issuedIds, forcedOutcome: outcome, forcedBy, audit: queued?.audit },
    decidedBy: queued?.scenario,
  }
}

async function changed(
  answer: ServedAnswer,
  {
    call: { flow },
    tenant,
    changes,
  }: { call: ReceivedCall; tenant: Tenant; changes: readonly AnswerChange[] },
): Promise<{ answer: ServedAnswer; traps: readonly string[] }> {
  const tools = createTamperTools(tenant)
  const reply = await applyChanges('reply', answer.reply, { flow, changes, tools })
  return { answer: { ...answer, reply }, traps: tools.traps }
}

/**
 * The outcome that the call names in its query or headers.
 * @throws Refusal for anything that would be ignored otherwise
 */
async function readServerDecision(
  { flow, sentParameters }: ReceivedCall,
  request: Incoming,
  tenant: Tenant,
): Promise<RequestedDecision> {
  const { requested } = readRequestedDecision(request)
  await requireRequestedNames(flow, requested, tenant)
  if (requested.query?.persona !== undefined) {
    throw Refusal.invalidRequest(
      `query parameter sandbox_persona: a ${flow} call has no persona; send it with the authorization request (E1, E3), and here sandbox_outcome`,
    )
  }
  const misplaced =
    request.method === 'POST'
      ? Object.keys(sentParameters()).find((name) => name.startsWith('sandbox_'))
      : undefined
  if (misplaced !== undefined) {
    throw Refusal.invalidRequest(
      `${misplaced}: it stands in the body, where it decides nothing; send the header X-Sandbox-Outcome, or sandbox_outcome in the query`,
    )
  }
  return requested
}

/**
 * A server-to-server call with the client and state that it claims or that its record has. The
 * service has not checked them yet.
 */
function describeCall(
  flow: ServerCall,
  {
    request,
    tenant,
    continued,
  }: { request: Incoming; tenant: Tenant; continued: Continued | undefined },
): ReceivedCall {
  const parameters = request.sentParameters()
  const { state } = parameters
  const isContinuing = flow === 'token' || flow === 'upgrade'
  return {
    flow,
    client_id: continued?.clientId ?? clientIn(request),
    state: isContinuing ? continued?.state : typeof state === 'string' ? state : undefined,
    nonce: undefined,
    sentParameters: () => parameters,
    mask: tenant.clients.mask,
  }
}
