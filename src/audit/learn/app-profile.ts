import type { BrowserVisit } from '../agent/browser.ts'
import { AuditProblem } from '../audit-problem.ts'
import type { FlowRun } from '../drive/flow-run.ts'
import { addressOf, withoutAuditTenant } from '../drive/observation.ts'

/** What the Use request of an app asks for. The service's defaults fill in omitted parameters. */
export interface AppProfile {
  readonly responseMode: 'query' | 'form_post' | 'fragment'
  readonly canCreate: boolean
  /** Whether `scope` contains the upgrade scope. */
  readonly upgradeScope: boolean
  /** The parameter `claims`: JSON text. */
  readonly claims: string
  /** Whether the app sends the same `state` in each request. */
  readonly repeatsState: boolean
}

interface ProfileOptions {
  /** The URL of the first page of the run. */
  readonly page: string
  /** The base URL of the sandbox. */
  readonly baseUrl: string
  readonly readsFragments: boolean
}

/**
 * Reads the Use request of the first run.
 * @throws AuditProblem with one line when the app does not send the browser to this sandbox, when
 * the sandbox refuses the request, or when no agent can read an answer in the fragment
 */
export function profileOf(
  { visit, request, useFlow }: FlowRun,
  options: ProfileOptions,
): Omit<AppProfile, 'repeatsState'> {
  const { baseUrl, readsFragments } = options
  if (!request) throw new AuditProblem(whyNoUse(visit, options))
  if (visit.end === 'sandbox_page') {
    throw new AuditProblem(
      `the sandbox refuses the request of your app: ${visit.problem || 'it shows an error page'}`,
    )
  }
  if (!useFlow) {
    throw new AuditProblem(
      `${baseUrl} does not say which flow it answers in; it is an older agekey-sandbox, or a proxy takes its header X-AgeKey-Sandbox-Flow away`,
    )
  }
  const { response_mode: mode, can_create: canCreate, scope, claims = '' } = request.parameters
  const responseMode = mode === 'query' || mode === 'form_post' ? mode : 'fragment'
  if (responseMode === 'fragment' && !readsFragments)
    throw new AuditProblem(takesABrowser('npm i -D playwright-core'))
  const upgradeScope = scope?.split(' ').some((one) => /[._-]upgrade$/.test(one)) ?? false
  return { responseMode, canCreate: canCreate === 'true', upgradeScope, claims }
}

/** Why a run has no Use request, with the remedy. */
function whyNoUse(visit: BrowserVisit, options: ProfileOptions): string {
  const { end, url, problem = '' } = visit
  const { page: address, baseUrl } = options
  const start = `GET ${new URL(address).pathname}`
  switch (end) {
    case 'unreachable':
      return `${address}: ${whyUnreachable(problem)}`
    case 'elsewhere': {
      const inStart = withoutAuditTenant(baseUrl) === baseUrl ? '' : '; in start that is {base_url}'
      return `${start} goes to ${addressOf(url)}, not to this sandbox; set your app's base URL to ${baseUrl}${inStart}`
    }
    case 'timed_out':
      return `${start} is not answered in time; raise --timeout when your app is that slow`
    case 'dropped':
      return `${start}: your app closes the connection without an answer; look into its log`
    case 'too_many_redirects':
      return `${start} is redirected more than 20 times, the last time to ${addressOf(url)}`
    case 'framed':
    case 'restless':
      return `${start}: ${problem}`
    default:
      return `${start} ${whyNoWay(visit, options)}`
  }
}

const whyUnreachable = (problem: string): string =>
  problem === '' || problem.endsWith('nothing answers there')
    ? 'nothing answers; start your app first, or name its command by --start'
    : `${problem}; look at the address of your app`

function whyNoWay(
  { page, problem = '' }: BrowserVisit,
  { readsFragments }: ProfileOptions,
): string {
  const answers = `answers ${page?.status ?? 'nothing'} and leads to no Use request of this sandbox; give the page where a user begins to prove an age`
  const tried = problem === '' ? '' : ` (${problem})`
  const needsScripts = !readsFragments && page && /<script\b/i.test(page.text)
  const scripts = needsScripts
    ? '; when a script of it begins, that takes a browser: npm i -D playwright-core'
    : ''
  return answers + tried + scripts
}

/**
 * The problem of an app that answers by fragment without a browser, with both remedies.
 * @param remedy the command that installs a browser
 */
export const takesABrowser = (remedy: string): string =>
  `your app answers by fragment, which takes a browser: ${remedy}, or say how the page passes the answer on (use.fragment)`
