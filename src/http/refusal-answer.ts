import { Refusal } from '../oidc/refusal.ts'
import type { Tenant } from '../sandbox/tenants/tenant.ts'
import type { Answer, HttpHost, RouteRow } from './handler.ts'
import type { Incoming } from './incoming.ts'
import { json, page } from './reply.ts'

interface Context {
  readonly host: HttpHost
  readonly incoming: Incoming
  readonly tenant: Tenant
  readonly errors: RouteRow['errors']
}

/** The answer to a request that failed: a page for a browser, else JSON `{error, error_description, findings}`. */
export async function refusalAnswer(error: unknown, context: Context): Promise<Answer> {
  const refusal = asRefusal(error, context.host)
  const { findings, code, message } = refusal
  const reply = isForBrowser(context) ? await errorPage(refusal, context) : errorJson(refusal)
  const headers = { ...reply.headers, ...refusal.headers }
  return { reply: { ...reply, headers }, findings, error: { code, description: message } }
}

/** What any other error is to the caller: a defect, reported to the host. */
export function asRefusal(error: unknown, host: Pick<HttpHost, 'onError'>): Refusal {
  if (error instanceof Refusal) return error
  host.onError(error)
  return Refusal.byRules(
    'server_error',
    'The sandbox failed: this is a defect of the sandbox, not of your request. Its log has the details.',
    { title: 'The sandbox failed' },
  )
}

/** A browser opens a page or sends its form; a program calls the same path with another body, or asks for JSON. */
function isForBrowser({ incoming, errors }: Context): boolean {
  const { method, contentType, wantsJson } = incoming
  const isForm = contentType?.toLowerCase().startsWith('application/x-www-form-urlencoded') === true
  return errors === 'page' && !wantsJson && (method === 'GET' || method === 'HEAD' || isForm)
}

async function errorPage(refusal: Refusal, { host, tenant }: Context) {
  const { renderError } = await import('./html/error-page.ts')
  const { shellOf } = await import('./html/layout.ts')
  return page(refusal.status, renderError(refusal, shellOf(tenant, host.version)))
}

export function errorJson({ status, code, message, findings, suggestions }: Refusal) {
  return json(status, {
    error: code,
    error_description: message,
    findings,
    ...(suggestions.length > 0 ? { suggestions } : {}),
  })
}
