import { aborted, inspect } from 'node:util'
import { messageOf } from '../../sandbox/files/caught.ts'
import { startDeadline } from '../../server/client/deadline.ts'
import type { SandboxApi } from '../../server/client/sandbox-api.ts'
import type { Browser, PageRequest, ShownPage } from '../agent/browser.ts'
import { createHttpAgent } from '../agent/http-agent.ts'
import { AuditProblem } from '../audit-problem.ts'
import type { AuditedApp, DriveLimits } from './driver.ts'
import type { FlowPlan } from './flow-run.ts'
import { addressOf, failedVisit, type Observation } from './observation.ts'
import { NO_BROWSER, refuse, runByFunction } from './run-by-function.ts'

/** Details of a visit. A function that drives only Use can ignore all but `open`. */
export interface VisitDetails {
  /** The row with which the sandbox answers: `use/id_token.expired`. */
  readonly row: string
  /** The persona of the user; absent if the persona makes no difference. */
  readonly persona?: string | undefined
  /** The name of the row without its flow. */
  readonly outcome: string
  /**
   * The flow whose result to return: `create` after `create_requested`, `upgrade` after a code.
   */
  readonly flow: 'use' | 'create' | 'upgrade'
  /** The number of the visit, for apps that need a new user each time. */
  readonly n: number
  /** Aborts when the visit takes too long or the audit ends. */
  readonly signal: AbortSignal
  /**
   * A small browser for apps that show a page: `(await
   * open('http://localhost:3000/verify')).status`.
   */
  readonly open: OpenPage
}

/**
 * Drives one flow of an app from start to end, in a fresh session.
 * @returns true if the app let the user in, or if the flow `details.flow` ended well; false if the
 * app refused
 */
export type VisitFunction = (details: VisitDetails) => boolean | Promise<boolean>

/** A page that an app showed. */
export type OpenedPage = Pick<ShownPage, 'url' | 'status' | 'text'>

/** A request to an app. */
export type OpenRequest = Pick<PageRequest, 'method' | 'form' | 'json'>

/**
 * Opens a URL of the app in a browser without scripts, and follows redirects and self-submitting
 * forms to the sandbox and back. The pages of one visit share their cookies.
 * @throws Error with one line when the visit does not end at a page of the app
 */
export type OpenPage = (url: string, request?: OpenRequest) => Promise<OpenedPage>

/** Makes an app that a visit function drives. */
export function visitedBy(sandbox: SandboxApi, visit: VisitFunction): AuditedApp {
  let redirectUri: string | undefined
  return {
    sandbox,
    /** Only the function knows the start page, so the report names the redirect_uri. */
    get page() {
      return redirectUri ?? 'visit'
    },
    agent: 'function',
    readsFragments: true,
    drive(limits) {
      const call = createVisitCaller(visit, sandbox.baseUrl, limits)
      return {
        async run(plan) {
          const found = await runByFunction(plan, sandbox, () => call(detailsOf(plan)))
          redirectUri ??= found.request?.parameters['redirect_uri']
          return found
        },
        open: refuse,
        peek: refuse,
        newBrowser: async () => NO_BROWSER,
        prepare: async () => {},
        wait: async () => {},
        spreadOut: () => {},
      }
    },
  }
}

/**
 * Makes a function that calls `visit`. A late visit could use the decisions of the next visit, so
 * the next visit waits until the late visit ends, or fails.
 */
function createVisitCaller(
  visit: VisitFunction,
  sandboxUrl: string,
  { timeoutSeconds, signal }: DriveLimits,
) {
  let visits = 0
  let last = { row: '', ended: Promise.resolve<unknown>(undefined) }

  async function inTime(act: (signal: AbortSignal) => Promise<unknown>): Promise<unknown> {
    const { signal: ending, clear } = startDeadline(timeoutSeconds, signal)
    return Promise.race([act(ending), aborted(ending, ending).then(() => LATE)]).finally(clear)
  }

  return async (plan: Omit<VisitDetails, 'n' | 'signal' | 'open'>): Promise<Observation> => {
    if ((await inTime(() => last.ended)) === LATE)
      return failedVisit(`visit was not called: that for ${last.row} goes on`)
    let value: unknown
    try {
      value = await inTime(async (ending) => {
        const details = {
          ...plan,
          n: ++visits,
          signal: ending,
          open: createOpenPage(sandboxUrl, ending),
        }
        const called = (async () => visit(details))()
        last = { row: plan.row, ended: called.catch(() => {}) }
        return called
      })
    } catch (error) {
      return failedVisit(`visit failed: ${messageOf(error).trim().split('\n')[0]}`)
    }
    if (value === LATE)
      return failedVisit(
        signal.aborted ? 'visit was interrupted' : `visit did not end within ${timeoutSeconds} s`,
      )
    const said = `visit returned ${inspect(value, { depth: -1, maxStringLength: 80 })}`
    if (typeof value === 'boolean')
      return {
        end: 'page',
        status: 0,
        features: new Set([value ? 'let in' : 'kept out']),
        summary: said,
        said,
      }
    throw new AuditProblem(
      `${said} for ${plan.row}; return true when the app let the user in, and false when it refused`,
    )
  }
}

const LATE = Symbol('late')

function createOpenPage(sandboxUrl: string, signal: AbortSignal): OpenPage {
  let browser: Browser | undefined
  return async (asked, request = {}) => {
    browser ??= createHttpAgent().newBrowser()
    const options = { sandboxUrl, signal, decide: async () => ({}) }
    const { end, page, problem, url } = await browser.open({ url: asked, ...request }, options)
    if (end === 'page' && page) return page
    const address = url === undefined ? '' : ` at ${addressOf(url)}`
    throw new Error(
      `open(${JSON.stringify(asked)}) ended without a page of the app${address}: ${problem ?? end}`,
    )
  }
}

/** The details that the function gets for a plan. */
function detailsOf({ use: { persona, outcome: used = 'verified' }, create, later }: FlowPlan) {
  const created = used === 'create_requested' ? create?.outcome : undefined
  const { flow, outcome } = later ?? {
    flow: created ? ('create' as const) : ('use' as const),
    outcome: created ?? used,
  }
  return { flow: resultFlowOf(flow, used), row: `${flow}/${outcome}`, persona, outcome }
}

/** @param used the outcome of Use */
function resultFlowOf(flow: CallFlow, used: string): VisitDetails['flow'] {
  switch (flow) {
    case 'use':
      return used === 'code_issued' ? 'upgrade' : 'use'
    case 'token':
    case 'upgrade':
      return 'upgrade'
    default:
      return 'create'
  }
}

/** The flow of a row. */
type CallFlow = 'use' | 'create' | NonNullable<FlowPlan['later']>['flow']
