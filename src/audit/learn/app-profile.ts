import type { SandboxApi } from '../../client/sandbox-api.ts'
import type { CallRecord, Flow } from '../../client/shapes.ts'
import type { VisitEnd } from '../agent/browser.ts'
import { AuditProblem } from '../audit-problem.ts'
import { withoutAuditTenant } from '../drive/audit-tenant.ts'
import type { FlowRun } from '../drive/driver.ts'
import { addressOf } from '../drive/observation.ts'

/** What the Use request of an app asks for, with claims as JSON text, and whether the app sends the same state with every request. */
export type AppProfile = ReturnType<typeof profileOf> & { readonly repeatsState: boolean }

/**
 * Reads the Use request of the first visit, with the defaults of the service.
 * @param options.page where the visit began
 * @throws AuditProblem when the app does not send the browser to this sandbox, or by what this sandbox refuses
 */
export function profileOf(
  { visit, request, useFlow }: FlowRun,
  { page: address, baseUrl, readsFragments }: { page: string; baseUrl: string; readsFragments: boolean },
) {
  const { end, page, url, problem = '' } = visit
  const start = `GET ${new URL(address).pathname}`
  if (!request) {
    const isOtherFailure = problem !== '' && !problem.endsWith('nothing answers there')
    const needsScripts = !readsFragments && page && /<script\b/i.test(page.text)
    const inStart = withoutAuditTenant(baseUrl) === baseUrl ? '' : '; in start that is {base_url}'
    const ends: Readonly<Partial<Record<VisitEnd, string>>> = {
      unreachable: `${address}: ${isOtherFailure ? `${problem}; look at the address of your app` : 'nothing answers; start your app first, or name its command by --start'}`,
      elsewhere: `${start} goes to ${addressOf(url)}, not to this sandbox; set your app's base URL to ${baseUrl}${inStart}`,
      timed_out: `${start} is not answered in time; raise --timeout when your app is that slow`,
      dropped: `${start}: your app closes the connection without an answer; look into its log`,
      too_many_redirects: `${start} is redirected more than 20 times, the last time to ${addressOf(url)}`,
      astray: `${start}: ${problem}`,
      restless: `${start}: ${problem}`,
    }
    const tried = problem === '' ? '' : ` (${problem})`
    const scripts = needsScripts ? '; when a script of it begins, that takes a browser: npm i -D playwright-core' : ''
    const noUse = `${start} answers ${page?.status ?? 'nothing'} and leads to no Use request of this sandbox; give the page where a user begins to prove an age`
    throw new AuditProblem(ends[end] ?? noUse + tried + scripts)
  }
  if (end === 'sandbox_page') {
    throw new AuditProblem(`the sandbox refuses the request of your app: ${problem || 'it shows an error page'}`)
  }
  if (!useFlow) {
    throw new AuditProblem(
      `${baseUrl} does not say which flow it answers in; it is an older agekey-sandbox, or a proxy takes its header X-AgeKey-Sandbox-Flow away`,
    )
  }
  const { response_mode: mode, can_create: canCreate, scope, claims = '' } = request.parameters
  const responseMode = mode === 'query' || mode === 'form_post' ? mode : 'fragment'
  if (responseMode === 'fragment' && !readsFragments) throw new AuditProblem(takesABrowser('npm i -D playwright-core'))
  const upgradeScope = scope?.split(' ').some((one) => /[._-]upgrade$/.test(one)) ?? false
  return { responseMode, canCreate: canCreate === 'true', upgradeScope, claims }
}

/** With both remedies. @param remedy what brings a browser, as a command */
export const takesABrowser = (remedy: string): string =>
  `your app answers by fragment, which takes a browser: ${remedy}, or say how the page passes the answer on (use.fragment)`

/** The Use flow of a run, when it came to one. @throws AuditProblem with what the sandbox found wrong with the request of the app */
export async function requireValidRequest({ useFlow }: FlowRun, sandbox: SandboxApi): Promise<Flow | undefined> {
  if (useFlow === undefined) return undefined
  const flow = await sandbox.flows.get(useFlow)
  const errors = describeErrors(flow.calls)
  if (errors !== '') throw new AuditProblem(`the sandbox refuses the Use request of your app: ${errors}`)
  return flow
}

/** What the sandbox found wrong with calls of an app: rule, problem and remedy of each error. Empty without an error. */
export const describeErrors = (calls: readonly CallRecord[]): string =>
  calls
    .flatMap(({ findings }) => findings)
    .filter(({ level }) => level === 'error')
    .map(({ rule, message, hint }) => `${rule}: ${message}; ${hint}`)
    .join(' ')
