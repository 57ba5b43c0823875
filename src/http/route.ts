import type { Request, RequestHandler, Response } from 'express'
import { isUnavailable } from '../oidc/refusal.ts'
import { startStopwatch } from '../sandbox/clock/clock.ts'
import type { Tenant } from '../sandbox/tenants/tenant.ts'
import type { Answer, HttpHost, RouteRow } from './handler.ts'
import { IncomingRequest } from './incoming.ts'
import { recordCall } from './record-call.ts'
import { refusalAnswer } from './refusal-answer.ts'
import { sendReply } from './reply.ts'

type Route = Pick<RouteRow, 'handler' | 'endpoint' | 'errors'>

/** Makes an Express handler of a route: read the request, call the handler, record the call, send the reply. */
export function createRoute(host: HttpHost, route: Route): RequestHandler {
  const { endpoint } = route
  return async (request: Request, response: Response) => {
    const elapsed = startStopwatch()
    const incoming = new IncomingRequest(request, response)
    const { tenant, answer } = await answerOf(route, incoming, host)
    if (endpoint) await recordCall(endpoint, { request: incoming, answer, tenant }).catch(unlessUnavailable)
    await sendReply(response, answer.reply)
    host.onCall({
      method: incoming.method,
      path: `${tenant.basePath}${incoming.path}`,
      status: answer.reply.status,
      durationMs: elapsed(),
      ...(endpoint === undefined ? {} : { endpoint: endpoint.number }),
      ...(answer.error === undefined ? {} : { error: answer.error.code }),
      findings: (answer.findings ?? []).map((finding) => finding.rule),
    })
  }
}

async function answerOf(
  { handler, errors }: Route,
  incoming: IncomingRequest,
  host: HttpHost,
): Promise<{ tenant: Tenant; answer: Answer }> {
  let tenant = host.tenants.root
  try {
    tenant = await host.tenants.touch(incoming.params['tenant'])
    return { tenant, answer: await handler(incoming, tenant) }
  } catch (error) {
    return { tenant, answer: await refusalAnswer(error, { host, incoming, tenant, errors }) }
  }
}

/** A call that was carried out is answered even when it cannot be recorded: its code or token could not be had again. */
function unlessUnavailable(error: unknown): void {
  if (!isUnavailable(error)) throw error
}
