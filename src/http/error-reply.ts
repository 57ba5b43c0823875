import { Refusal } from '../oidc/refusal.ts'
import type { Tenant } from '../sandbox/tenants/tenant.ts'
import type { Incoming } from './incoming.ts'
import { json, page } from './reply.ts'
import type { Answer, HttpHost } from './route.ts'
import { shellOf } from './shell.ts'

/** Paths that browsers visit: their errors are pages unless the caller asks for JSON. */
const BROWSER_PATHS =
  /^\/(?:v1\/oidc\/(?:use|create)(?:\/(?:choice|language|clock))?|_sandbox\/(?:console|demo|act-as|embedding)\b.*)?$/

/** The one call of the control API that has a page: a program that makes it is answered like by the other calls. */
const ACT_AS = /^\/_sandbox\/act-as\b/

type Caller = Pick<Incoming, 'method' | 'path' | 'contentType' | 'wantsJson' | 'wantsPage'>

/** The answer to a request that failed: a page for browsers, JSON `{error, error_description, findings}` for everybody else. */
export async function errorAnswer(
  error: unknown,
  context: { host: HttpHost; incoming: Caller; tenant: Tenant },
): Promise<Answer> {
  const refusal = asRefusal(error, context.host)
  const { findings, code, message } = refusal
  const reply = isForBrowser(context.incoming, refusal) ? await errorPage(refusal, context) : errorJson(refusal)
  const headers = { ...reply.headers, ...refusal.headers }
  return { reply: { ...reply, headers }, findings, error: code, errorDescription: message }
}

function isForBrowser({ method, path, contentType, wantsJson, wantsPage }: Caller, { status }: Refusal): boolean {
  const isForm = contentType?.toLowerCase().startsWith('application/x-www-form-urlencoded') === true
  if (ACT_AS.test(path) && method !== 'GET' && !isForm) return false
  // An address that somebody mistyped. Of the control API programs ask, whatever they accept.
  if (status === 404 && wantsPage && !wantsJson && !path.startsWith('/_sandbox/')) return true
  return BROWSER_PATHS.test(path) && !wantsJson
}

/** What any other error is to the caller: a defect, told to the host. */
function asRefusal(error: unknown, host: HttpHost): Refusal {
  if (error instanceof Refusal) return error
  host.onError(error)
  return Refusal.byRules(
    'server_error',
    'The sandbox failed: this is a defect of the sandbox, not of your request. Its log has the details.',
    { title: 'The sandbox failed' },
  )
}

async function errorPage(refusal: Refusal, { host, tenant }: { host: HttpHost; tenant: Tenant }) {
  const { renderError } = await import('./html/error-page.ts')
  return page(refusal.status, renderError(refusal, shellOf(tenant, host.version)))
}

function errorJson({ status, code, message, findings, suggestions }: Refusal) {
  return json(status, {
    error: code,
    error_description: message,
    findings,
    ...(suggestions.length > 0 ? { suggestions } : {}),
  })
}
