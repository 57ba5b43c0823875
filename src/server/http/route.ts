import type { Request, RequestHandler, Response } from 'express'
import { DEMO_CLIENT_ID } from '../../sandbox/clients/clients.ts'
import { startStopwatch } from '../../sandbox/clock/clock.ts'
import { flowLink } from '../../sandbox/journal/flow-link.ts'
import { takeTurn } from '../../sandbox/take-turn.ts'
import type { Tenant } from '../../sandbox/tenants/tenant.ts'
import type { Endpoint } from '../../service/oidc/endpoints.ts'
import type { Awaitable } from '../../service/oidc/ports.ts'
import { isUnavailable, Refusal } from '../../service/oidc/refusal.ts'
import { copyOf } from '../../service/oidc/request/parameters.ts'
import { leadingFinding } from '../../service/oidc/rules/finding.ts'
import { assignFlow, clientIn, recordCall } from './calls/record-call.ts'
import { tenantForCaller } from './guard/called-address.ts'
import { mayBeginFlow, reasonToMakeNoTenant, refuseForeignSite } from './guard/guard.ts'
import type { Answer, CallSummary, HttpHost, RouteRow, Served } from './handler.ts'
import { Incoming, type Place } from './incoming.ts'
import { refusalAnswer } from './refusals/refusal-answer.ts'
import { sendReply, sentStatus } from './reply.ts'

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

/** A name may be kept, and Express gives a part of the address, which would keep all of it. */
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
    // The call is answered even if it cannot be recorded: the client cannot get its code or token
    // again.
    const recording = { request: incoming, answer, tenant, mayBegin, assigned }
    const recorded = endpoint && (await unlessItFails(() => recordCall(endpoint, recording), host))
    const flow = recorded?.id
    if (endpoint && isOfApp(incoming, answer))
      tenant.coverage.delivered({ endpoint, answer, audit: recorded?.audit })
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

/** `undefined` when the caller has gone away. */
async function answerCall(
  { handler, endpoint: ownEndpoint, errors, openTo = 'every-page', isServed, isUrgent }: Route,
  incoming: Incoming,
  host: HttpHost,
): Promise<AnsweredCall | undefined> {
  let tenant = host.tenants.root
  let endpoint = ownEndpoint
  const { origins: ownOrigins } = host.guard
  const refusedBy = (error: unknown) =>
    refusalAnswer(error, { host, incoming, tenant: tenantForCaller(incoming, tenant), errors })
  let served: Served
  try {
    refuseForeignSite(incoming, { openTo, isPage: errors !== undefined, ownOrigins })
  } catch (error) {
    return { tenant, mayBegin: false, answer: await refusedBy(error)(undefined) }
  }
  const mayBegin = mayBeginFlow(incoming, { openTo, ownOrigins })
  try {
    const called = await tenantOf(incoming, { host, isServed })
    tenant = tenantForCaller(incoming, called.tenant)
    if (!called.exists) endpoint = undefined
    // Pages and control calls may take long, so they run one after the other.
    if (endpoint === undefined && !isUrgent) await takeTurn()
    if (incoming.isGone) return undefined
    served = await handler(incoming, tenant)
  } catch (error) {
    served = refusedBy(error)
  }
  if (typeof served !== 'function') return { tenant, endpoint, mayBegin, answer: served }
  const assigned =
    endpoint &&
    (await unlessItFails(() => assignFlow(endpoint, { request: incoming, tenant, mayBegin }), host))
  const flow = assigned === undefined ? undefined : flowLink(assigned, tenant.provider.baseUrl)
  try {
    return { tenant, endpoint, mayBegin, assigned, answer: await served(flow) }
  } catch (error) {
    return { tenant, endpoint, mayBegin, assigned, answer: await refusedBy(error)(flow) }
  }
}

/**
 * Whether an app made the call. The demo is no app, nor are the tools of the sandbox, which send a
 * header.
 */
const isOfApp = (incoming: Incoming, { asked, clientId }: Answer): boolean =>
  incoming.method !== 'HEAD' &&
  incoming.header('x-sandbox-tool') === undefined &&
  (asked?.clientId ?? clientId ?? clientIn(incoming)) !== DEMO_CLIENT_ID

/**
 * The tenant whose URL was called. A call from this machine creates the tenant; remote callers
 * could evict tenants in use. A call that no route serves is answered for a tenant that is not
 * kept, so that misspelt addresses evict none either.
 * @throws Refusal 404
 */
async function tenantOf(
  incoming: Incoming,
  { host: { tenants, guard }, isServed }: { host: HttpHost; isServed: Route['isServed'] },
): Promise<{ readonly tenant: Tenant; readonly exists: boolean }> {
  const { tenant: name } = incoming.params
  if (name === undefined) {
    await tenants.root.refresh?.()
    return { tenant: tenants.root, exists: true }
  }
  const reason = reasonToMakeNoTenant(incoming, guard)
  const makes = reason === undefined && (isServed === undefined || isServed(tenants.at(name)))
  if (makes || (await tenants.has(name))) return { tenant: await tenants.touch(name), exists: true }
  if (reason === undefined) return { tenant: tenants.at(name), exists: false }
  const { baseUrl } = tenantForCaller(incoming, tenants.root).provider
  const token =
    guard.token === undefined
      ? 'a control token, which this sandbox does not have yet'
      : 'the control token'
  throw Refusal.notFound(
    `tenant: there is no ${JSON.stringify(name)}, and this call does not make it, because ${reason}; make it with ${token}: PUT ${baseUrl}/_sandbox/tenants/${name}`,
    { title: 'No such tenant' },
  )
}

/**
 * The result of the journal, or nothing when the journal fails. An unreachable store is not a bug;
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

/** Summarizes a call for the log. */
function summarizeCall(
  incoming: Incoming,
  { tenant, answer, endpoint }: AnsweredCall,
  { flow, durationMs }: { flow: string | undefined; durationMs: number },
): CallSummary {
  const { decision, holder, forcedOutcome, findings = [] } = answer
  const link = flow === undefined ? undefined : flowLink(flow, tenant.provider.baseUrl)
  const known = {
    endpoint: endpoint?.number,
    flow: link?.id,
    flowUrl: link?.url,
    client: endpoint && clientIn(incoming),
    persona: holder ?? decision?.persona?.name,
    outcome: decision?.laterOutcome?.name ?? decision?.outcome.name ?? forcedOutcome?.name,
    ...reasonOf(answer),
  }
  return tenant.clients.mask({
    method: incoming.method,
    path: tenant.basePath + incoming.path,
    status: sentStatus(answer.reply),
    durationMs,
    tenant: tenant.name,
    ...Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined)),
    findings: findings.map(({ rule }) => rule),
  })
}

/** Why a call was refused; nothing when it was not, whatever the advice. */
function reasonOf({
  error,
  findings = [],
  callback,
}: Answer): Pick<CallSummary, 'error' | 'rule' | 'message'> {
  const leading = leadingFinding(findings)
  if (leading?.level === 'error') {
    const code = error?.code ?? callback?.params.find(([name]) => name === 'error')?.[1]
    return {
      ...(code === undefined ? {} : { error: code }),
      rule: leading.rule,
      message: leading.message,
    }
  }
  return error ? { error: error.code, message: error.description } : {}
}
