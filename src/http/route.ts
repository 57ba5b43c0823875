import type { Request, RequestHandler, Response } from 'express'
import type { Endpoint } from '../oidc/endpoints.ts'
import type { Awaitable } from '../oidc/ports.ts'
import { isUnavailable, Refusal } from '../oidc/refusal.ts'
import { startStopwatch } from '../sandbox/clock/clock.ts'
import { type FlowLink, flowLink } from '../sandbox/journal/flow-link.ts'
import { takeTurn } from '../sandbox/take-turn.ts'
import type { Tenant } from '../sandbox/tenants/tenant.ts'
import { summarizeCall } from './calls/call-summary.ts'
import { countCall } from './calls/count-call.ts'
import { assignFlow, recordCall } from './calls/record-call.ts'
import { refuseForeignSite } from './guard/foreign-site.ts'
import { reasonBeyondMachine } from './guard/guard.ts'
import type { Answer, HttpHost, RouteRow, Served } from './handler.ts'
import { Incoming } from './incoming.ts'
import { refusalAnswer } from './refusals/refusal-answer.ts'
import { sendReply, withFlow } from './reply.ts'

type Route = Pick<RouteRow, 'handler' | 'endpoint' | 'errors' | 'openTo' | 'isUrgent'>

/**
 * Makes an Express handler of a route: read the request, call the handler, record the call, send the reply. Nothing is done
 * for a caller that went away before its turn.
 */
export function createRoute(host: HttpHost, route: Route): RequestHandler {
  return async (request: Request, response: Response) => {
    const elapsed = startStopwatch()
    const incoming = new Incoming(request, response)
    const call = await serve(route, incoming, host)
    if (!call) return
    const { tenant, endpoint } = call
    const leadsTo = await flowOfRefused(call, incoming, host)
    const answer = await answerIn(leadsTo, call, { host, incoming, route })
    // Answered even when it cannot be recorded: the client cannot get its code or token a second time.
    const recording = { request: incoming, tenant, answer, assigned: leadsTo?.id }
    const recorded = endpoint && (await answered(() => recordCall(endpoint, recording), host))
    const flow = recorded?.id
    if (endpoint) countCall(endpoint, { incoming, tenant, answer, audit: recorded?.audit })
    await sendReply(response, flow === undefined ? answer.reply : withFlow(answer.reply, flow))
    host.onCall?.(summarizeCall({ incoming, tenant, answer, endpoint, flow, durationMs: elapsed() }))
  }
}

/** A call that was served, before it is answered. */
interface ServedCall {
  readonly tenant: Tenant
  readonly served: Served
  /** Absent when the call is not recorded: a page of another site makes no tenant and no flow of the journal. */
  readonly endpoint?: Endpoint | undefined
}

/** `undefined` when the caller has gone. */
async function serve(
  { handler, endpoint, errors, openTo = 'every-page', isUrgent }: Route,
  incoming: Incoming,
  host: HttpHost,
): Promise<ServedCall | undefined> {
  const refusedBy = (error: unknown, tenant: Tenant) => refusalAnswer(error, { host, incoming, tenant, errors })
  let tenant = host.tenants.root
  try {
    refuseForeignSite(incoming, { openTo, isPage: errors !== undefined, ownOrigins: host.guard.origins })
  } catch (error) {
    return { tenant, served: refusedBy(error, tenant) }
  }
  try {
    tenant = await tenantOf(incoming, host)
    // A page or a control call may take long: these come one after the other.
    if (endpoint === undefined && !isUrgent) await takeTurn()
    if (incoming.isGone) return undefined
    return { tenant, endpoint, served: await handler(incoming, tenant) }
  } catch (error) {
    return { tenant, endpoint, served: refusedBy(error, tenant) }
  }
}

/** The flow that the answer to a refused call leads to: its id is given before the answer is made. */
async function flowOfRefused(
  { tenant, served, endpoint }: ServedCall,
  request: Incoming,
  host: HttpHost,
): Promise<FlowLink | undefined> {
  if (typeof served !== 'function' || endpoint === undefined) return undefined
  const id = await answered(() => assignFlow(endpoint, { request, tenant }), host)
  return id === undefined ? undefined : flowLink(id, tenant.provider.baseUrl)
}

async function answerIn(
  flow: FlowLink | undefined,
  { tenant, served }: ServedCall,
  { host, incoming, route: { errors } }: { host: HttpHost; incoming: Incoming; route: Route },
): Promise<Answer> {
  if (typeof served !== 'function') return served
  try {
    return await served(flow)
  } catch (error) {
    return refusalAnswer(error, { host, incoming, tenant, errors })(flow)
  }
}

/**
 * The tenant whose address was called. A call on this machine makes it exist; beyond it strangers could fill the directory,
 * so that tenants in use would go. @throws Refusal 404
 */
async function tenantOf(incoming: Incoming, { tenants, guard }: HttpHost): Promise<Tenant> {
  const { tenant: name } = incoming.params
  const beyond = name === undefined ? undefined : reasonBeyondMachine(incoming, guard)
  if (name === undefined || beyond === undefined || (await tenants.has(name))) return tenants.touch(name)
  const { baseUrl } = tenants.root.provider
  const token =
    guard.token === undefined ? 'a control token, which this sandbox does not have yet' : 'the control token'
  throw Refusal.notFound(
    `tenant: there is no ${JSON.stringify(name)}, and this call does not make it, because ${beyond}; make it with ${token}: PUT ${baseUrl}/_sandbox/tenants/${name}`,
    { title: 'No such tenant' },
  )
}

/** What the journal says, or nothing when it fails: the call is answered. An unreachable store is not a bug; the store reports its own outage. */
async function answered<Result>(
  ask: () => Awaitable<Result>,
  { onError }: Pick<HttpHost, 'onError'>,
): Promise<Result | undefined> {
  try {
    return await ask()
  } catch (error) {
    if (!isUnavailable(error)) onError(error)
    return undefined
  }
}
