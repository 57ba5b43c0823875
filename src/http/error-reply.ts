import { OAuthError, printableDescription } from '../oidc/rules/errors.ts'
import type { Finding } from '../oidc/rules/findings.ts'
import { StoreUnavailableError } from '../oidc/store-unavailable.ts'
import { DecisionError } from '../sandbox/decision/decide.ts'
import { ExpectationLimitError } from '../sandbox/decision/expectations.ts'
import { PersonaLimitError } from '../sandbox/personas/personas.ts'
import type { Tenant } from '../sandbox/tenants/tenant.ts'
import { TenantNameError } from '../sandbox/tenants/tenants.ts'
import type { ErrorView } from './html/error-page.ts'
import { HttpError } from './http-error.ts'
import type { Incoming } from './incoming.ts'
import { ControlError } from './parse.ts'
import { json, page } from './reply.ts'
import type { Answer, HttpHost } from './route.ts'
import { shellOf } from './shell.ts'

/** Paths that browsers visit: their errors are pages unless the caller asks for JSON. */
const BROWSER_PATHS =
  /^\/(?:v1\/oidc\/(?:use|create)(?:\/(?:choice|language|clock))?|_sandbox\/(?:console|demo|act-as|embedding)\b.*)?$/

/** The one call of the control API that has a page: a program that makes it is answered like by the other calls. */
const ACT_AS = /^\/_sandbox\/act-as\b/

type Caller = Pick<Incoming, 'method' | 'path' | 'contentType' | 'wantsJson' | 'wantsPage'>

interface Failure {
  readonly status: number
  readonly title: string
  readonly error: string
  readonly description: string
  readonly headers: Readonly<Record<string, string>>
  readonly findings: readonly Finding[]
  readonly suggestions: readonly string[]
  readonly restartHint: string | undefined
}

/** The answer to a request that failed: a page for browsers, JSON `{error, error_description, findings}` for everybody else. */
export async function errorAnswer(
  error: unknown,
  context: { host: HttpHost; incoming: Caller; tenant: Tenant },
): Promise<Answer> {
  const failure = describe(error, context.host)
  const { findings, error: code, description: errorDescription } = failure
  const reply = isForBrowser(context.incoming, failure) ? await errorPage(failure, context) : errorJson(failure)
  const headers = { ...reply.headers, ...failure.headers }
  return { reply: { ...reply, headers }, findings, error: code, errorDescription }
}

function isForBrowser({ method, path, contentType, wantsJson, wantsPage }: Caller, { status }: Failure): boolean {
  const isForm = contentType?.toLowerCase().startsWith('application/x-www-form-urlencoded') === true
  if (ACT_AS.test(path) && method !== 'GET' && !isForm) return false
  // An address that somebody mistyped. Of the control API programs ask, whatever they accept.
  if (status === 404 && wantsPage && !wantsJson && !path.startsWith('/_sandbox/')) return true
  return BROWSER_PATHS.test(path) && !wantsJson
}

function describe(error: unknown, host: HttpHost): Failure {
  const base = { headers: {}, findings: [], suggestions: [], restartHint: undefined }
  if (error instanceof OAuthError) {
    const { code, status, message, findings, headers } = error
    return {
      ...base,
      status,
      title: 'This request cannot be answered',
      error: code,
      description: printableDescription(message),
      findings,
      headers,
    }
  }
  if (error instanceof DecisionError) {
    const { message, suggestions } = error
    return {
      ...base,
      status: 400,
      title: 'This test decision is not possible',
      error: 'invalid_request',
      description: message,
      suggestions,
    }
  }
  if (error instanceof ControlError) {
    const { status, error: code, message, suggestions, findings, headers } = error
    return { ...base, status, title: 'Refused', error: code, description: message, suggestions, findings, headers }
  }
  if (
    error instanceof TenantNameError ||
    error instanceof PersonaLimitError ||
    error instanceof ExpectationLimitError
  ) {
    const status = error instanceof TenantNameError ? 400 : 409
    return { ...base, status, title: 'Refused', error: 'invalid_request', description: error.message }
  }
  if (error instanceof StoreUnavailableError) {
    const [title, headers] = ['The sandbox cannot answer now', { 'Retry-After': '1' }]
    return { ...base, status: 503, title, error: 'temporarily_unavailable', description: error.message, headers }
  }
  if (error instanceof HttpError) {
    const { status, title, message, headers, restartHint } = error
    return { ...base, status, title, error: 'invalid_request', description: message, headers, restartHint }
  }
  host.onError(error)
  const description =
    'The sandbox failed: this is a defect of the sandbox, not of your request. Its log has the details.'
  return { ...base, status: 500, title: 'The sandbox failed', error: 'server_error', description }
}

async function errorPage(
  { error, headers: _headers, restartHint, ...failure }: Failure,
  { host, tenant }: { host: HttpHost; tenant: Tenant },
) {
  const view: ErrorView = {
    ...failure,
    error,
    shell: shellOf(tenant, host.version),
    ...(restartHint === undefined ? {} : { restartHint }),
  }
  const { renderError } = await import('./html/error-page.ts')
  return page(failure.status, renderError(view))
}

function errorJson({ status, error, description, findings, suggestions }: Failure) {
  return json(status, {
    error,
    error_description: description,
    findings,
    ...(suggestions.length > 0 ? { suggestions } : {}),
  })
}
