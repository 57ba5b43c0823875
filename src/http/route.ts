import type { Request, RequestHandler, Response } from 'express'
import type { Callback } from '../oidc/callback.ts'
import { isUnavailable } from '../oidc/refusal.ts'
import type { Finding } from '../oidc/rules/finding.ts'
import type { UseEvaluation } from '../oidc/use.ts'
import { startStopwatch } from '../sandbox/clock/clock.ts'
import type { Decision } from '../sandbox/decision/decide.ts'
import type { Outcome } from '../sandbox/outcomes/outcome.ts'
import type { Tenant } from '../sandbox/tenants/tenant.ts'
import type { Tenants } from '../sandbox/tenants/tenants.ts'
import { announceCall, isFlowEndpoint, recordCall } from './call-record.ts'
import { errorAnswer } from './error-reply.ts'
import type { ControlGuard } from './guard.ts'
import { type Incoming, IncomingRequest } from './incoming.ts'
import { type Reply, sendReply } from './reply.ts'
import type { WorldControl } from './world-control.ts'

/** What a route returns: the reply, and what there is to tell about the call. */
export interface Answer {
  readonly reply: Reply
  readonly findings?: readonly Finding[]
  readonly decision?: Decision
  readonly evaluation?: UseEvaluation
  /** The outcome that changed the reply of a server-to-server call. */
  readonly forcedOutcome?: Outcome
  /** What the browser brings to the relying party, when the reply sends it there. */
  readonly callback?: Callback | undefined
  /** The error that the reply tells, as an OAuth code. */
  readonly error?: string
  /** What was wrong, as the reply says it. */
  readonly errorDescription?: string
  /** Identifiers by which later calls are recognised as the same flow. */
  readonly issuedIds?: readonly string[]
  /** Whether the flow ended with this call; a refused call ends it too. */
  readonly ends?: boolean
}

/** A route returns an answer or throws. */
export type Handler = (request: Incoming, tenant: Tenant) => Answer | Promise<Answer>

export type Method = 'get' | 'post' | 'put' | 'delete'

/** A path below the base URL (or below `/t/NAME`), its method, what serves it, and its number in the specification. */
export type RouteRow = readonly [path: string, method: Method, handler: Handler, endpoint?: string]

/** One line of the request log. */
export interface CallSummary {
  readonly method: string
  readonly path: string
  readonly status: number
  readonly durationMs: number
  /** `E1` to `E6`; absent for pages and control calls. */
  readonly endpoint?: string
  readonly error?: string
  /** Rule ids, most important first. */
  readonly findings: readonly string[]
}

/** What the HTTP layer is given from outside. */
export interface HttpHost extends WorldControl {
  /** Where this process reaches its own server, whatever the base URL: `http://127.0.0.1:2435`. */
  readonly ownUrl: string
  /** The client whose credentials pages show. */
  readonly shownClient: { readonly clientId: string; readonly clientSecret: string }
  readonly guard: ControlGuard
  readonly tenants: Tenants
  /** Proxies whose `X-Forwarded-` headers are believed: addresses, CIDR ranges, or names of ranges that Express knows. */
  readonly trustedProxies: readonly string[]
  onCall(call: CallSummary): void
  onError(error: unknown): void
}

/** Makes an Express handler of a route: read, call, answer once, tell. */
export function createRoute(host: HttpHost, endpoint: string | undefined, handler: Handler): RequestHandler {
  return async (request: Request, response: Response) => {
    const elapsed = startStopwatch()
    const incoming = new IncomingRequest(request, response)
    const { tenant, answer } = await answerOf(handler, incoming, host)
    await tell(endpoint, { request: incoming, answer, tenant })
    await sendReply(response, answer.reply)
    host.onCall({
      method: incoming.method,
      path: `${tenant.basePath}${incoming.path}`,
      status: answer.reply.status,
      durationMs: elapsed(),
      ...(endpoint === undefined ? {} : { endpoint }),
      ...(answer.error === undefined ? {} : { error: answer.error }),
      findings: (answer.findings ?? []).map((finding) => finding.rule),
    })
  }
}

/** Told before it is sent: whoever has the answer can already find it in the journal. */
async function tell(endpoint: string | undefined, call: Parameters<typeof recordCall>[1]): Promise<void> {
  try {
    if (isFlowEndpoint(endpoint)) await recordCall(endpoint, call)
    else if (endpoint !== undefined) announceCall(endpoint, call)
  } catch (error) {
    // What was done is answered all the same: a client that got a 503 in place of its token could not have another one.
    if (!isUnavailable(error)) throw error
  }
}

async function answerOf(
  handler: Handler,
  incoming: Incoming,
  host: HttpHost,
): Promise<{ tenant: Tenant; answer: Answer }> {
  let tenant = host.tenants.root
  try {
    tenant = await host.tenants.touch(incoming.params['tenant'])
    return { tenant, answer: await handler(incoming, tenant) }
  } catch (error) {
    return { tenant, answer: await errorAnswer(error, { host, incoming, tenant }) }
  }
}
