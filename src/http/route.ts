import type { Request, RequestHandler, Response } from 'express'
import type { Endpoint } from '../oidc/endpoints.ts'
import type { Awaitable } from '../oidc/ports.ts'
import { isUnavailable, Refusal } from '../oidc/refusal.ts'
import { leadingFinding } from '../oidc/rules/finding.ts'
import { DEMO_CLIENT_ID } from '../sandbox/clients/demo-client.ts'
import { startStopwatch } from '../sandbox/clock/clock.ts'
import { flowLink } from '../sandbox/journal/flow-link.ts'
import { takeTurn } from '../sandbox/take-turn.ts'
import type { Tenant } from '../sandbox/tenants/tenant.ts'
import { assignFlow, clientIn, recordCall } from './calls/record-call.ts'
import { reasonToMakeNoTenant, refuseForeignSite } from './guard/guard.ts'
import type { Answer, CallSummary, HttpHost, RouteRow, Served } from './handler.ts'
import { Incoming, type Place } from './incoming.ts'
import { refusalAnswer } from './refusals/refusal-answer.ts'
import { sendReply, sentStatus } from './reply.ts'

type Route = Pick<RouteRow, 'handler' | 'errors' | 'openTo' | 'isUrgent'> & Pick<AnsweredCall, 'endpoint'>

/** Serves a request, whose place is known. */
export type Serve = (request: Request, response: Response, place: Place) => Promise<void>

/** Makes an Express handler of a route. */
export function createRoute(host: HttpHost, route: Route): RequestHandler {
  const serve = createServe(host, route)
  return (request, response) => serve(request, response, request)
}

/**
 * Serves a route: read the request, call the handler, record the call, send the reply. Nothing is done for a caller that went
 * away before its turn.
 */
export function createServe(host: HttpHost, route: Route): Serve {
  return async (request, response, place) => {
    const elapsed = host.onCall && startStopwatch()
    const incoming = new Incoming(request, response, place)
    // What the doctor tries is no flow of the app: it stands neither in the journal nor in the log.
    const isOfDoctor = incoming.header('x-sandbox-tool') === 'doctor'
    const call = await answerCall(isOfDoctor ? { ...route, endpoint: undefined } : route, incoming, host)
    if (!call) return
    const { tenant, answer, endpoint } = call
    // Answered even when it cannot be recorded: the client cannot get its code or token a second time.
    const recorded = endpoint && (await unlessItFails(() => recordCall(endpoint, { ...call, request: incoming }), host))
    const flow = recorded?.id
    if (endpoint && isOfApp(incoming, answer)) tenant.coverage.delivered({ endpoint, answer, audit: recorded?.audit })
    await sendReply(response, answer.reply, flow)
    if (elapsed && !isOfDoctor) host.onCall?.(summarizeCall(incoming, call, { flow, durationMs: elapsed() }))
  }
}

/** A call that has its answer, and is neither recorded nor sent yet. */
interface AnsweredCall {
  readonly tenant: Tenant
  readonly answer: Answer
  /** Absent when the call is not recorded: one of the doctor, or of a page of another site, which makes no tenant and no flow. */
  readonly endpoint?: Endpoint | undefined
  /** The flow that the answer to a refused call leads to: its id is given before the answer is made. */
  readonly assigned?: string | undefined
}

/** `undefined` when the caller has gone. */
async function answerCall(
  { handler, endpoint, errors, openTo = 'every-page', isUrgent }: Route,
  incoming: Incoming,
  host: HttpHost,
): Promise<AnsweredCall | undefined> {
  let tenant = host.tenants.root
  const refusedBy = (error: unknown) => refusalAnswer(error, { host, incoming, tenant, errors })
  let served: Served
  try {
    refuseForeignSite(incoming, { openTo, isPage: errors !== undefined, ownOrigins: host.guard.origins })
  } catch (error) {
    return { tenant, answer: await refusedBy(error)(undefined) }
  }
  try {
    tenant = await tenantOf(incoming, host)
    // A page or a control call may take long: these come one after the other.
    if (endpoint === undefined && !isUrgent) await takeTurn()
    if (incoming.isGone) return undefined
    served = await handler(incoming, tenant)
  } catch (error) {
    served = refusedBy(error)
  }
  if (typeof served !== 'function') return { tenant, endpoint, answer: served }
  const assigned = endpoint && (await unlessItFails(() => assignFlow(endpoint, { request: incoming, tenant }), host))
  const flow = assigned === undefined ? undefined : flowLink(assigned, tenant.provider.baseUrl)
  try {
    return { tenant, endpoint, assigned, answer: await served(flow) }
  } catch (error) {
    return { tenant, endpoint, assigned, answer: await refusedBy(error)(flow) }
  }
}

/** Whether an app made the call: the demo, and the tools of the sandbox, which say so by a header, are no apps. */
const isOfApp = (incoming: Incoming, { asked, clientId }: Answer): boolean =>
  incoming.method !== 'HEAD' &&
  incoming.header('x-sandbox-tool') === undefined &&
  (asked?.clientId ?? clientId ?? clientIn(incoming)) !== DEMO_CLIENT_ID

/**
 * The tenant whose address was called. A call on this machine makes the tenant; strangers could evict those in use.
 * @throws Refusal 404
 */
async function tenantOf(incoming: Incoming, { tenants, guard }: HttpHost): Promise<Tenant> {
  const { tenant: name } = incoming.params
  if (name === undefined) {
    await tenants.root.refresh?.()
    return tenants.root
  }
  const reason = reasonToMakeNoTenant(incoming, guard)
  if (reason === undefined || (await tenants.has(name))) return tenants.touch(name)
  const { baseUrl } = tenants.root.provider
  const token =
    guard.token === undefined ? 'a control token, which this sandbox does not have yet' : 'the control token'
  throw Refusal.notFound(
    `tenant: there is no ${JSON.stringify(name)}, and this call does not make it, because ${reason}; make it with ${token}: PUT ${baseUrl}/_sandbox/tenants/${name}`,
    { title: 'No such tenant' },
  )
}

/** What the journal says, or nothing when it fails. An unreachable store is not a bug; the store reports its own outage. */
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

/** Why a call was refused; nothing for one that was not, whatever the advice. */
function reasonOf({ error, findings = [], callback }: Answer): Pick<CallSummary, 'error' | 'rule' | 'message'> {
  const leading = leadingFinding(findings)
  if (leading?.level === 'error') {
    const code = error?.code ?? callback?.params.find(([name]) => name === 'error')?.[1]
    return { ...(code === undefined ? {} : { error: code }), rule: leading.rule, message: leading.message }
  }
  return error ? { error: error.code, message: error.description } : {}
}
