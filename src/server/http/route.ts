import type { Request, RequestHandler, Response } from 'express'
import { startStopwatch } from '../../sandbox/clock/clock.ts'
import { flowLink } from '../../sandbox/journal/flow-link.ts'
import { takeTurn } from '../../sandbox/take-turn.ts'
import type { Tenant } from '../../sandbox/tenants/tenant.ts'
import type { Endpoint } from '../../service/oidc/endpoints.ts'
import type { Awaitable } from '../../service/oidc/ports.ts'
import { isUnavailable } from '../../service/oidc/refusal.ts'
import { copyOf } from '../../service/oidc/request/parameters.ts'
import { calledTenant } from './calls/called-tenant.ts'
import { assignFlow, recordCall } from './calls/record-call.ts'
import { summarizeCall } from './calls/summarize-call.ts'
import { tenantForCaller } from './guard/called-address.ts'
import { mayBeginFlow, refuseForeignSite } from './guard/guard.ts'
import type { Answer, HttpHost, RouteRow } from './handler.ts'
import { Incoming, type Place } from './incoming.ts'
import { refusalAnswer } from './refusals/refusal-answer.ts'
import { sendReply } from './reply.ts'

type Route = Pick<RouteRow, 'handler' | 'errors' | 'openTo' | 'isServed' | 'isUrgent'> &
  Pick<AnsweredCall, 'endpoint'>

/** Serves a request once its tenant and path are known. */
export type Serve = (request: Request, response: Response, place: Place) => Promise<void>

/** Creates an Express handler for a route. */
export function createRoute(host: HttpHost, route: Route): RequestHandler {
  const serve = createServe(host, route)
  return (request, response) => {
    const { path, params } = request
    return serve(request, response, { path, params: copiesOf(params) })
  }
}

/**
 * Copies the path parameters. Express passes slices of the URL, and a slice that is kept would keep
 * the whole URL in memory.
 */
const copiesOf = (params: Request['params']): Place['params'] =>
  Object.fromEntries(
    Object.entries(params).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, copyOf(value)]] : [],
    ),
  )

/**
 * Creates the function that serves a route: it reads the request, calls the handler, records the
 * call and sends the reply. It does not serve a caller that disconnects before its turn.
 */
export function createServe(host: HttpHost, route: Route): Serve {
  return async (request, response, place) => {
    const elapsed = host.onCall && startStopwatch()
    const incoming = new Incoming(request, response, place)
    // Calls of `doctor` are not flows of the app, so neither the journal nor the log shows them.
    const isOfDoctor = incoming.header('x-sandbox-tool') === 'doctor'
    const call = await answerCall(
      isOfDoctor ? { ...route, endpoint: undefined } : route,
      incoming,
      host,
    )
    if (!call) return
    const { tenant, answer, endpoint, mayBegin, assigned } = call
    // A failing journal does not prevent the answer, because the client can request its code or
    // token only once.
    const recording = { request: incoming, answer, tenant, mayBegin, assigned }
    const recorded = endpoint && (await unlessItFails(() => recordCall(endpoint, recording), host))
    const flow = recorded?.id
    await sendReply(response, answer.reply, flow)
    if (elapsed && !isOfDoctor)
      host.onCall?.(summarizeCall(incoming, call, { flow, durationMs: elapsed() }))
  }
}

/** The answer to a call, before it is recorded and sent. */
interface AnsweredCall {
  readonly tenant: Tenant
  readonly answer: Answer
  /**
   * Absent for a call that is not recorded: a call of `doctor`, a call from a page of another site
   * (which creates neither tenant nor flow), or a call to a tenant that does not exist.
   */
  readonly endpoint?: Endpoint | undefined
  readonly mayBegin: boolean
  /**
   * The flow that the answer to a refused call names. Its id is assigned before the answer is
   * created.
   */
  readonly assigned?: string | undefined
}

/**
 * Finds the tenant and calls the handler. A failure becomes an answer too. Returns `undefined` when
 * the caller has disconnected.
 */
async function answerCall(
  { handler, endpoint: ownEndpoint, errors, openTo = 'every-page', isServed, isUrgent }: Route,
  incoming: Incoming,
  host: HttpHost,
): Promise<AnsweredCall | undefined> {
  let tenant = host.tenants.root
  let endpoint: Endpoint | undefined
  let mayBegin = false
  let assigned: string | undefined
  const reserveFlow = async () => {
    const recordedAs = endpoint
    if (recordedAs === undefined) return undefined
    const call = { request: incoming, tenant, mayBegin }
    assigned ??= await unlessItFails(() => assignFlow(recordedAs, call), host)
    return assigned === undefined ? undefined : flowLink(assigned, tenant.provider.baseUrl)
  }
  const { origins: ownOrigins } = host.guard
  try {
    refuseForeignSite(incoming, { openTo, isPage: errors !== undefined, ownOrigins })
    endpoint = ownEndpoint
    mayBegin = mayBeginFlow(incoming, { openTo, ownOrigins })
    const called = await calledTenant(incoming, { host, isServed })
    tenant = tenantForCaller(incoming, called.tenant)
    if (!called.exists) endpoint = undefined
    // Pages and control calls may take long, so they run one at a time.
    if (endpoint === undefined && !isUrgent) await takeTurn()
    if (incoming.isGone) return undefined
    const answer = await handler(incoming, tenant, reserveFlow)
    return { tenant, endpoint, mayBegin, assigned, answer }
  } catch (error) {
    const context = { host, incoming, tenant: tenantForCaller(incoming, tenant), errors }
    const answer = await refusalAnswer(error, context, await reserveFlow())
    return { tenant, endpoint, mayBegin, assigned, answer }
  }
}

/**
 * Calls the journal; `undefined` when the journal fails. An unreachable store is not a bug, so it
 * is not reported here: the store reports its own outage.
 */
async function unlessItFails<Result>(
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
