import { createClock } from '../../sandbox/clock/clock.ts'
import type { SandboxApi } from '../../server/client/sandbox-api.ts'
import type { CallRecord, Flow } from '../../server/client/shapes.ts'
import type { VisitEnd } from '../agent/browser.ts'
import { AuditProblem } from '../audit-problem.ts'
import type { AuditedApp, Driver, FlowRun } from '../drive/driver.ts'
import { addressOf, withoutAuditTenant } from '../drive/observation.ts'
import type { TestedPersonas } from '../drive/tested-personas.ts'
import type { AcceptedRule } from './accepted-rule.ts'
import {
  asksTheApp,
  type FlowParts,
  holds,
  learnFlow,
  observed,
  type SeenRun,
  showsIn,
} from './learned-flow.ts'
import { learnLikeness } from './likeness.ts'

/** Kinds of refusals that an app may take for a yes. */
const KINDS = ['access_denied', 'minor'] as const
type Kind = (typeof KINDS)[number]

export interface Controls extends Required<Pick<FlowParts, 'rules' | 'fresh' | 'paths'>> {
  readonly app: AuditedApp
  readonly driver: Driver
  readonly personas: TestedPersonas
}

/**
 * Seconds by which the clocks may differ, since a row may say that a token expired a minute ago.
 */
const MAX_DIFFERENCE_SECONDS = 10

/** @throws AuditProblem when an expired token of the sandbox is not expired for the app */
export async function checkRealTime({ baseUrl, clock }: SandboxApi): Promise<void> {
  const { now, frozen } = await clock.state()
  const seconds = Math.round((Date.parse(now) - createClock().now()) / 1000)
  if (Math.abs(seconds) <= MAX_DIFFERENCE_SECONDS && !frozen) return
  const how = frozen
    ? 'stands still'
    : `is ${Math.abs(seconds)} seconds ${seconds > 0 ? 'ahead' : 'behind'}`
  throw new AuditProblem(
    `${baseUrl}: the clock of the sandbox ${how}, so that what is expired for it is not for your app; set it back by sandbox.clock.reset(), in the console, or by POST ${baseUrl}/_sandbox/clock with {"reset": true}`,
  )
}

/**
 * @throws AuditProblem when a visit of a test suite returned nothing, or brought no answer of the
 * sandbox
 */
export async function checkVisit(run: FlowRun, sandbox: SandboxApi): Promise<void> {
  const { observation, request, brought } = run
  const flow = await requireValidRequest(run, sandbox)
  if (observation.end === 'visit failed') throw new AuditProblem(observation.summary)
  if (request && brought.E1) return
  const problem = request
    ? `the sandbox has answered its Use request otherwise than it was to (${flow?.summary}); visit has to leave the choice to the audit, without a persona or an outcome of its own`
    : `no Use request came to ${sandbox.baseUrl}; set your app's base URL to that address, and let visit follow redirects to it`
  throw new AuditProblem(`${observation.summary}, and ${problem}`)
}

/** @throws AuditProblem when the app refuses a right token, or does not always treat it alike */
export function checkAdults(
  adults: readonly SeenRun[],
  subject: Pick<Controls, 'app' | 'personas' | 'rules'>,
): void {
  const { app, personas, rules } = subject
  const token = `a right token of ${personas.adult}`
  const answers = `your app answers ${token}`
  const doctor = `run: agekey-sandbox doctor --issuer ${app.sandbox.baseUrl}/v1/oidc/use`
  const [first] = observed(adults)
  const problemOf = ({ run, accepted }: SeenRun): string | undefined => {
    const { end, status, features, summary } = run.observation
    const [hop, callback] = run.visit.hops.toReversed()
    if (app.agent === 'function' && !features.has('let in'))
      return `${summary} for ${token}, and has to return true each time: your app refuses it, or visit does not bring the answer of the sandbox to your app; ${doctor}`
    const isPassedOn = app.agent === 'http' && hop?.method === 'POST' && callback?.url.includes('#')
    if (isPassedOn && [404, 405, 415].includes(hop.status))
      return `use.fragment: POST ${new URL(hop.url).pathname} answers ${hop.status}; name the path that the page of the callback sends the answer to, and its kind of body by as: form or as: json`
    if (end === 'restless')
      return `${answers} with ${summary}; let its pages come to rest, or raise --timeout`
    // In production the form comes from another site.
    const isPosted = run.request?.parameters['response_mode'] === 'form_post'
    const cookies =
      '; a cookie with SameSite=Lax or Strict does not come along with form_post: SameSite=None; Secure does'
    // By convention, apps that redirect a refused user put the reason there.
    const isError =
      !rules.accepted && [...features].some((feature) => feature.startsWith('with error='))
    if (end !== 'page' || status >= 400 || isError)
      return `${answers} with ${summary}; ${doctor}${isPosted ? cookies : ''}`
    if (status !== first?.status)
      return `${answers} differently each time: ${first?.summary}, then ${summary}`
    if (rules.accepted && !accepted)
      return `--accepted ${JSON.stringify(rules.accepted.text)} does not hold after ${personas.adult}: your app shows ${summary}`
    return undefined
  }
  for (const adult of adults) {
    const problem = problemOf(adult)
    if (problem) throw new AuditProblem(problem)
  }
}

/**
 * The refusals that the app takes for a yes, and how the others are recognised.
 * @throws AuditProblem when that cannot be told
 */
export async function checkControls(
  seen: Readonly<Record<Kind | 'adult', readonly SeenRun[]>>,
  subject: Controls,
) {
  const { app, personas, rules, driver, fresh, paths } = subject
  const isVisited = app.agent === 'function'
  const names = { ...personas, access_denied: 'access_denied' }
  const learn = (labels: readonly Kind[]) =>
    learnFlow({
      rules,
      ins: seen.adult,
      outs: labels.map((label) => ({ label, seen: seen[label] })),
      fresh,
      paths,
    })
  const { probes } = learn([])
  /**
   * Whether the refusals of a kind look like a yes: the first came before any adult, the second
   * after.
   */
  const looksIn = (label: Kind): readonly boolean[] => {
    const runs = seen[label]
    if (rules.accepted) return runs.map(({ accepted }) => accepted === true)
    // A page that differs between a refused user and one who is in tells more than a page that is
    // the same for both.
    if (probes.length > 0)
      return runs.map((one) => probes.every((probe) => showsIn(probe, one.probes)))
    const learnFrom = (some: readonly SeenRun[], isProbe: boolean) =>
      learnLikeness(observed(seen.adult), [{ label, seen: observed(some) }], { isProbe })
    const page = learnFrom(runs.slice(0, 1), false)
    // Neither has features of its own.
    const isAlike = !learnFrom(runs, true)
    return observed(runs).map((one) => (page ? page.compare(one).as === 'in' : isAlike))
  }
  const letsIn: Kind[] = []
  for (const kind of KINDS) {
    const [before, after] = looksIn(kind)
    if (before && after) letsIn.push(kind)
    if (before || !after) continue
    const remedy = isVisited
      ? 'begin each visit in a fresh session, and as another user by n'
      : 'use {n} in before:, or give reset:'
    throw new AuditProblem(
      `${names[kind]} is let in after ${names.adult} was: your app remembers the user; ${remedy}`,
    )
  }
  const known = learn(KINDS.filter((kind) => !letsIn.includes(kind)))
  const { accepted } = rules
  // A rule that asks the app tells something if it does not hold in a browser that has proved
  // nothing.
  const isTold = async (rule: AcceptedRule) =>
    !letsIn.includes('access_denied') ||
    (asksTheApp(rule) && !(await holds(rule, { browser: await driver.newBrowser() }, driver)))
  if (accepted ? await isTold(accepted) : known.tells) return { letsIn, known }
  const like = KINDS.find((kind) => !learn([kind]).tells)
  const [first] = observed(seen.adult)
  const shown = accepted
    ? `--accepted ${JSON.stringify(accepted.text)} holds after ${names.adult} and after access_denied`
    : `after ${names.adult} your app shows nothing that it does not show after ${like ? names[like] : 'a refusal'}: ${first?.summary}`
  const advice = isVisited
    ? 'return false when the app refuses'
    : 'give --accepted "get=/a-page-for-members status=200"'
  throw new AuditProblem(`yes and no look alike: ${shown}; ${advice}`)
}

/**
 * The Use request of an app, with claims as JSON text, and whether the app sends the same state
 * each time.
 */
export type AppProfile = ReturnType<typeof profileOf> & { readonly repeatsState: boolean }

/**
 * Reads the Use request of the first visit, with the defaults of the service.
 * @param options.page where the visit began
 * @throws AuditProblem when the app does not send the browser to this sandbox, or this sandbox
 * refuses it
 */
export function profileOf(
  { visit, request, useFlow }: FlowRun,
  {
    page: address,
    baseUrl,
    readsFragments,
  }: { page: string; baseUrl: string; readsFragments: boolean },
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
    const scripts = needsScripts
      ? '; when a script of it begins, that takes a browser: npm i -D playwright-core'
      : ''
    const noUse = `${start} answers ${page?.status ?? 'nothing'} and leads to no Use request of this sandbox; give the page where a user begins to prove an age`
    throw new AuditProblem(ends[end] ?? noUse + tried + scripts)
  }
  if (end === 'sandbox_page') {
    throw new AuditProblem(
      `the sandbox refuses the request of your app: ${problem || 'it shows an error page'}`,
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

/** The problem with both remedies. @param remedy the command that installs a browser */
export const takesABrowser = (remedy: string): string =>
  `your app answers by fragment, which takes a browser: ${remedy}, or say how the page passes the answer on (use.fragment)`

/**
 * The Use flow of a run, if it came to one.
 * @throws AuditProblem with what the sandbox found wrong with the request
 */
export async function requireValidRequest(
  { useFlow }: FlowRun,
  sandbox: SandboxApi,
): Promise<Flow | undefined> {
  if (useFlow === undefined) return undefined
  const flow = await sandbox.flows.get(useFlow)
  const errors = describeErrors(flow.calls)
  if (errors !== '')
    throw new AuditProblem(`the sandbox refuses the Use request of your app: ${errors}`)
  return flow
}

/**
 * What the sandbox found wrong with calls of an app: rule, problem and remedy of each error; empty
 * without errors.
 */
export const describeErrors = (calls: readonly CallRecord[]): string =>
  calls
    .flatMap(({ findings }) => findings)
    .filter(({ level }) => level === 'error')
    .map(({ rule, message, hint }) => `${rule}: ${message}; ${hint}`)
    .join(' ')
