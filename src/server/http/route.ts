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

/** Makes an Express handler of a route. */
export function createRoute(host: HttpHost, route: Route): RequestHandler {
  const serve = createServe(host, route)
  return (request, response) => {
    const { path, params } = request
    return serve(request, response, { path, params: copiesOf(params) })
  }
}

/** Copies the names: Express passes slices, and a kept slice would keep the whole address alive. */
const copiesOf = (params: Request['params']): Place['params'] =>
  Object.fromEntries(
    Object.entries(params).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, copyOf(value)]] : [],
    ),
  )

/**
 * Serves a route: reads the request, calls the handler, records the call, sends the reply. A caller
 * that went away before its turn is not served.
 */
export function createServe(host: HttpHost, route: Route): Serve {
  return async (request, response, place) => {
    const elapsed = host.onCall && startStopwatch()
    const incoming = new Incoming(request, response, place)
    // Calls of the doctor are no flows of the app: they appear neither in the journal nor in the
    // log.
    const isOfDoctor = incoming.header('x-sandbox-tool') === 'doctor'
    const call = await answerCall(
      isOfDoctor ? { ...route, endpoint: undefined } : route,
      incoming,
      host,
    )
    if (!call) return
    const { tenant, answer, endpoint, mayBegin, assigned } = call
    // An error of the journal does not prevent the answer: the client can request its code or token
    // only once.
    const recording = { request: incoming, answer, tenant, mayBegin, assigned }
    const recorded = endpoint && (await unlessItFails(() => recordCall(endpoint, recording), host))
    const flow = recorded?.id
    await sendReply(response, answer.reply, flow)
    if (elapsed && !isOfDoctor)
      host.onCall?.(summarizeCall(incoming, call, { flow, durationMs: elapsed() }))
  }
}

/** An answered call that is neither recorded nor sent yet. */
interface AnsweredCall {
  readonly tenant: Tenant
  readonly answer: Answer
  /**
   * Absent when the call is not recorded: it comes from the doctor, or from a page of another site,
   * which creates no tenant and no flow, or its tenant does not exist.
   */
  readonly endpoint?: Endpoint | undefined
  readonly mayBegin: boolean
  /**
   * The flow that the answer to a refused call names. Its id is assigned before the answer is made.
   */
  readonly assigned?: string | undefined
}

/**
 * Finds the tenant and calls the handler; a failure becomes an answer too. `undefined` when the
 * caller has gone away.
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
    // Pages and control calls may take long, so they run one after the other.
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
 * The result of the journal; `undefined` when the journal fails. An unreachable store is not a bug:
 * the store reports its own outage.
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
