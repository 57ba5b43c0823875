import { isOutOfDescriptors, onDemand } from '../../../sandbox/files/on-demand.ts'
import { endingWith, type FlowLink } from '../../../sandbox/journal/flow-link.ts'
import type { ServerReply } from '../../../sandbox/outcomes/outcome.ts'
import { inErrorForm } from '../../../sandbox/readings/error-form.ts'
import type { Tenant } from '../../../sandbox/tenants/tenant.ts'
import { DamagedRecord } from '../../../service/oidc/collection.ts'
import { Refusal } from '../../../service/oidc/refusal.ts'
import type { Answer, HttpHost, RouteRow } from '../handler.ts'
import type { Incoming } from '../incoming.ts'
import { json, page } from '../reply.ts'

interface Context {
  readonly host: HttpHost
  readonly incoming: Incoming
  readonly tenant: Tenant
  readonly errors: RouteRow['errors']
}

/**
 * Turns an error into an answer: a page for a browser, otherwise JSON.
 * @param flow the flow that the answer names
 */
export async function refusalAnswer(
  error: unknown,
  context: Context,
  flow: FlowLink | undefined,
): Promise<Answer> {
  const refusal = asRefusal(error, context.host)
  const { findings, code, message, form } = refusal
  const plain = isForBrowser(context)
    ? await errorPage(refusal, context, flow)
    : errorJson(refusal, flow)
  const reply = { ...plain, headers: { ...plain.headers, ...refusal.headers } }
  const answer = { reply, findings, error: { code, description: message } }
  if (!form) return answer
  // Readings change only JSON: only developers see the page.
  const { body } = reply
  const inForm =
    body.kind === 'json' ? inErrorForm(form.call, { ...reply, body }, form.policy) : reply
  return { ...answer, reply: inForm, readings: form.readings }
}

/**
 * Turns any error into a refusal. An error that is not a refusal is a bug and goes to
 * `host.onError`, except a lack of file descriptors.
 */
function asRefusal(error: unknown, host: Pick<HttpHost, 'onError'>): Refusal {
  if (error instanceof Refusal) return error
  if (isOutOfDescriptors(error)) return Refusal.unavailable(TOO_MANY_OPEN_FILES, error)
  host.onError(error)
  if (error instanceof DamagedRecord)
    return Refusal.byRules('server_error', error.message, {
      title: 'A record in the store is damaged',
    })
  return Refusal.byRules(
    'server_error',
    'The sandbox failed: this is a defect of the sandbox, not of your request. Its log has the details.',
    { title: 'The sandbox failed' },
  )
}

const TOO_MANY_OPEN_FILES =
  'the sandbox has too many open files and connections, so that it cannot read a file that it needs: close connections, or start it with a higher limit (ulimit -n); then call again'

/**
 * Whether a browser opened the page or sent its form. A program calls the same path with another
 * media type, or asks for JSON.
 */
function isForBrowser({ incoming, errors }: Context): boolean {
  const { method, contentType, wantsJson } = incoming
  const isForm = contentType?.toLowerCase().startsWith('application/x-www-form-urlencoded') === true
  return errors !== undefined && !wantsJson && (method === 'GET' || method === 'HEAD' || isForm)
}

const loadErrorPage = onDemand(() => import('../html/error-page.ts'))

async function errorPage(
  refusal: Refusal,
  { host, tenant, errors, incoming }: Context,
  flow: FlowLink | undefined,
) {
  const { renderError, errorShell } = await loadErrorPage()
  const isHosted = errors === 'embeddable-page'
  const shell = errorShell(incoming, { tenant, version: host.version, isHosted })
  const menu = incoming.path.startsWith('/_sandbox/') ? await consoleMenu(tenant, host) : undefined
  return page(refusal.status, renderError(refusal, { shell, flow, menu }), { embeddable: isHosted })
}

const loadConsolePage = onDemand(() => import('../console-page.ts'))

async function consoleMenu(tenant: Tenant, host: HttpHost) {
  const { consolePlace, renderMenu } = await loadConsolePage()
  return renderMenu(consolePlace(tenant, host))
}

/**
 * The refusal as JSON (RFC 6749 section 5.2). The description repeats the URL of `error_uri`,
 * because most apps show only the description.
 */
export function errorJson(
  { status, code, message, findings, suggestions, headers }: Refusal,
  flow: FlowLink | undefined,
): ServerReply {
  const value = {
    error: code,
    error_description: flow ? message + endingWith(flow) : message,
    ...(flow ? { error_uri: flow.url } : {}),
    findings,
    ...(suggestions.length > 0 ? { suggestions } : {}),
  }
  return json(status, value, headers)
}
