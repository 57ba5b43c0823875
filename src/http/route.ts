import type { Request, RequestHandler, Response } from 'express'
import { isOutOfDescriptors, onDemand } from '../files/on-demand.ts'
import { DamagedRecord } from '../oidc/collection.ts'
import type { Endpoint } from '../oidc/endpoints.ts'
import { isUnavailable, Refusal } from '../oidc/refusal.ts'
import { startStopwatch } from '../sandbox/clock/clock.ts'
import { takeTurn } from '../sandbox/take-turn.ts'
import type { Tenant } from '../sandbox/tenants/tenant.ts'
import { refuseForeignSite } from './guard/foreign-site.ts'
import { reasonBeyondMachine } from './guard/guard.ts'
import type { Answer, HttpHost, RouteRow } from './handler.ts'
import { Incoming } from './incoming.ts'
import { recordCall } from './record-call.ts'
import { json, page, sendReply, sentStatus, withFlow } from './reply.ts'

type Route = Pick<RouteRow, 'handler' | 'endpoint' | 'errors' | 'openTo' | 'isUrgent'>

/**
 * Makes an Express handler of a route: read the request, call the handler, record the call, send the reply. Nothing is done
 * for a caller that went away before its turn.
 */
export function createRoute(host: HttpHost, route: Route): RequestHandler {
  return async (request: Request, response: Response) => {
    const elapsed = startStopwatch()
    const incoming = new Incoming(request, response)
    const answered = await answerOf(route, incoming, host)
    if (!answered) return
    const { tenant, answer, endpoint } = answered
    // Answered even when it cannot be recorded: the client cannot get its code or token a second time.
    const flow =
      endpoint && (await recordCall(endpoint, { request: incoming, answer, tenant }).catch(reportDefect(host)))
    await sendReply(response, flow === undefined ? answer.reply : withFlow(answer.reply, flow))
    host.onCall({
      method: incoming.method,
      path: tenant.clients.mask(`${tenant.basePath}${incoming.path}`),
      status: sentStatus(answer.reply),
      durationMs: elapsed(),
      ...(endpoint === undefined ? {} : { endpoint: endpoint.number }),
      ...(answer.error === undefined ? {} : { error: answer.error.code }),
      findings: (answer.findings ?? []).map((finding) => finding.rule),
    })
  }
}

/**
 * `undefined` when the caller has gone. `endpoint` is absent when the call is not recorded: a page of another site makes no
 * tenant and no flow of the journal.
 */
async function answerOf(
  { handler, endpoint, errors, openTo = 'every-page', isUrgent }: Route,
  incoming: Incoming,
  host: HttpHost,
): Promise<{ tenant: Tenant; answer: Answer; endpoint?: Endpoint | undefined } | undefined> {
  const refusedBy = (error: unknown, tenant: Tenant) => refusalAnswer(error, { host, incoming, tenant, errors })
  let tenant = host.tenants.root
  try {
    refuseForeignSite(incoming, { openTo, isPage: errors !== undefined, ownOrigins: host.guard.origins })
  } catch (error) {
    return { tenant, answer: await refusedBy(error, tenant) }
  }
  try {
    tenant = await tenantOf(incoming, host)
    if (!isUrgent) await takeTurn()
    if (incoming.isGone) return undefined
    return await tenant.inOneStep(async (view) => ({ tenant: view, endpoint, answer: await handler(incoming, view) }))
  } catch (error) {
    return { tenant, endpoint, answer: await refusedBy(error, tenant) }
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

/** A store that cannot be asked is no defect: it reports by itself that it is away. */
const reportDefect =
  ({ onError }: Pick<HttpHost, 'onError'>) =>
  (error: unknown): undefined => {
    if (!isUnavailable(error)) onError(error)
  }

interface Context {
  readonly host: HttpHost
  readonly incoming: Incoming
  readonly tenant: Tenant
  readonly errors: RouteRow['errors']
}

/** The answer to a request that failed: a page for a browser, else JSON `{error, error_description, findings}`. */
async function refusalAnswer(error: unknown, context: Context): Promise<Answer> {
  const refusal = asRefusal(error, context.host)
  const { findings, code, message } = refusal
  const reply = isForBrowser(context) ? await errorPage(refusal, context) : errorJson(refusal)
  const headers = { ...reply.headers, ...refusal.headers }
  return { reply: { ...reply, headers }, findings, error: { code, description: message } }
}

/** Any error that is not a refusal is a defect, which is reported to the host; but for a lack of file descriptors. */
function asRefusal(error: unknown, host: Pick<HttpHost, 'onError'>): Refusal {
  if (error instanceof Refusal) return error
  if (isOutOfDescriptors(error)) return Refusal.unavailable(TOO_MANY_OPEN_FILES, error)
  host.onError(error)
  if (error instanceof DamagedRecord)
    return Refusal.byRules('server_error', error.message, { title: 'A record in the store is damaged' })
  return Refusal.byRules(
    'server_error',
    'The sandbox failed: this is a defect of the sandbox, not of your request. Its log has the details.',
    { title: 'The sandbox failed' },
  )
}

const TOO_MANY_OPEN_FILES =
  'the sandbox has too many open files and connections, so that it cannot read a file that it needs: close connections, or start it with a higher limit (ulimit -n); then call again'

/** A browser opens a page or sends its form; a program calls the same path with another body, or asks for JSON. */
function isForBrowser({ incoming, errors }: Context): boolean {
  const { method, contentType, wantsJson } = incoming
  const isForm = contentType?.toLowerCase().startsWith('application/x-www-form-urlencoded') === true
  return errors !== undefined && !wantsJson && (method === 'GET' || method === 'HEAD' || isForm)
}

const loadErrorPage = onDemand(() => Promise.all([import('./html/error-page.ts'), import('./html/layout.ts')]))

async function errorPage(refusal: Refusal, { host, tenant, errors }: Context) {
  const [{ renderError }, { shellOf }] = await loadErrorPage()
  const rendered = renderError(refusal, shellOf(tenant, host.version))
  return page(refusal.status, rendered, { embeddable: errors === 'embeddable-page' })
}

function errorJson({ status, code, message, findings, suggestions }: Refusal) {
  return json(status, {
    error: code,
    error_description: message,
    findings,
    ...(suggestions.length > 0 ? { suggestions } : {}),
  })
}
