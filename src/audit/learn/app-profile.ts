import type { AuthorizationRequest, Visit } from '../agent/browser.ts'
import { AuditProblem } from '../audit-problem.ts'
import { isAuditTenant } from '../drive/audit-tenant.ts'
import type { FlowRun } from '../drive/driver.ts'

/** What the Use request of an app asks for. */
export interface AppProfile {
  readonly responseMode: 'query' | 'form_post' | 'fragment'
  readonly canCreate: boolean
  readonly upgradeScope: boolean
  /** The app sends the same state with every request. */
  readonly repeatsState: boolean
  /** JSON text. */
  readonly claims: string
}

/**
 * Reads the Use request of the first visit.
 * @param options.page where the visit began
 * @throws AuditProblem when the app does not send the browser to this sandbox, or by what this sandbox refuses
 */
export function profileOf(
  { visit, request, useFlow }: FlowRun,
  { page: address, baseUrl, readsFragments }: { page: string; baseUrl: string; readsFragments: boolean },
): Omit<AppProfile, 'repeatsState'> {
  const page = `GET ${new URL(address).pathname}`
  if (!request) {
    switch (visit.end) {
      case 'unreachable':
        if (visit.problem?.endsWith('nothing answers there') === false) {
          throw new AuditProblem(`${address}: ${visit.problem}; look at the address of your app`)
        }
        throw new AuditProblem(`${address}: nothing answers; start your app first, or name its command by --start`)
      case 'elsewhere':
        throw new AuditProblem(
          `${page} goes to ${addressOf(visit.url)}, not to this sandbox; set your app's base URL to ${baseUrl}${isAuditTenant(baseUrl) ? '; in start that is {base_url}' : ''}`,
        )
      case 'timed_out':
        throw new AuditProblem(`${page} is not answered in time; raise --timeout when your app is that slow`)
      case 'dropped':
        throw new AuditProblem(`${page}: your app closes the connection without an answer; look into its log`)
      case 'too_many_redirects':
        throw new AuditProblem(`${page} is redirected more than 20 times, the last time to ${addressOf(visit.url)}`)
      case 'astray':
      case 'restless':
        throw new AuditProblem(`${page}: ${visit.problem}`)
      default:
        throw new AuditProblem(
          `${page} answers ${visit.page?.status ?? 'nothing'} and leads to no Use request of this sandbox; give the page where a user begins to prove an age${aboutPage(visit)}`,
        )
    }
  }
  if (!useFlow && visit.end !== 'sandbox_page') {
    throw new AuditProblem(
      `${baseUrl} does not say which flow it answers in; it is an older agekey-sandbox, or a proxy takes its header X-AgeKey-Sandbox-Flow away`,
    )
  }
  if (visit.end === 'sandbox_page') {
    throw new AuditProblem(`the sandbox refuses the request of your app: ${visit.problem ?? 'it shows an error page'}`)
  }
  const wishes = wishesOf(request)
  if (wishes.responseMode === 'fragment' && !readsFragments) {
    throw new AuditProblem(takesABrowser('npm i -D playwright-core'))
  }
  return { ...wishes, claims: request.parameters['claims'] ?? '' }
}

/** What a Use request asks for besides its claims, with the defaults of the service. */
export function wishesOf({ parameters }: AuthorizationRequest): Omit<AppProfile, 'repeatsState' | 'claims'> {
  const { response_mode: mode, can_create: canCreate, scope } = parameters
  return {
    responseMode: mode === 'query' || mode === 'form_post' ? mode : 'fragment',
    canCreate: canCreate === 'true',
    upgradeScope: scope?.split(' ').some((one) => /[._-]upgrade$/.test(one)) ?? false,
  }
}

/** What was tried on a page, or what could not be. */
function aboutPage({ problem, page }: Visit): string {
  if (problem !== undefined) return ` (${problem})`
  if (!page || !/<script\b/i.test(page.text)) return ''
  return '; when a script of it begins, that takes a browser: npm i -D playwright-core'
}

/** With both remedies. @param remedy what brings a browser, as a command */
export const takesABrowser = (remedy: string): string =>
  `your app answers by fragment, which takes a browser: ${remedy}, or say how the page passes the answer on (use.fragment)`

/** Without its parameters, which are long and may be secret. */
function addressOf(url = ''): string {
  return URL.canParse(url) ? `${new URL(url).origin}${new URL(url).pathname}` : url
}
