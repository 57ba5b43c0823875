import { setTimeout as wait } from 'node:timers/promises'
import { startDeadline } from '../../server/client/deadline.ts'
import type { SandboxApi } from '../../server/client/sandbox-api.ts'
import type {
  Agent,
  Browser,
  BrowserVisit,
  PageRequest,
  StartPage,
  VisitOptions,
} from '../agent/browser.ts'
import type { AuditReport } from '../report/audit-report.ts'
import type { FlowPlan, FlowRun } from './flow-run.ts'
import { runPlan } from './run-plan.ts'

export type DriveLimits = { readonly timeoutSeconds: number; readonly signal: AbortSignal }

export interface PageSettings extends Pick<VisitOptions, 'fragment' | 'begin'> {
  /** The page on which a user begins to prove an age. */
  readonly page: string
  readonly agent: Agent
  /** Requests that a fresh browser sends first. `{n}` stands for a number, new in each browser. */
  readonly before?: readonly PageRequest[]
  /** A request that makes the app forget its users. It precedes each fresh browser. */
  readonly reset?: PageRequest | undefined
  /** The request that begins Use, if it is not a GET of `page`. */
  readonly start?: PageRequest | undefined
}

/** Drives one copy of an app. */
export interface Driver {
  /** Runs a flow, in a fresh browser unless the plan names one. */
  run(plan: FlowPlan): Promise<FlowRun>
  /** Sends `reset`, then creates a browser and sends the requests of `before`. */
  newBrowser(): Promise<Browser>
  /** Sends the requests of `before`, with a new `{n}`. */
  prepare(browser: Browser): Promise<void>
  /** Opens a URL of the app. The visit ends before a request to the sandbox. */
  open(request: PageRequest, browser: Browser): Promise<BrowserVisit>
  /** Requests a page with the cookies of a browser. Runs no script and presses nothing. */
  peek(path: string, browser: Browser): Promise<BrowserVisit>
  /** Waits; resolves early if the audit ends. */
  wait(ms: number): Promise<void>
  /** Gives each new browser its own address, for an app that limits requests per client. */
  spreadOut(): void
}

/**
 * Counts the browsers of this process. Copies of an app share the count, because they may share a
 * database.
 */
let browsers = 0

export function createDriver(sandbox: SandboxApi, settings: PageSettings & DriveLimits): Driver {
  const { page: address, agent, before = [], reset, fragment, signal } = settings
  let ownAddress = false

  /** Opens a URL; without `flow.decide` no flow begins. */
  async function visit(
    browser: Browser,
    { begin, ...request }: StartPage,
    flow: Pick<VisitOptions, 'decide' | 'holds' | 'peeks'> = {},
  ): Promise<BrowserVisit> {
    const url = new URL(request.url, address).href
    const deadline = startDeadline(settings.timeoutSeconds, signal)
    const options = {
      sandboxUrl: sandbox.baseUrl,
      signal: deadline.signal,
      fragment,
      begin,
      ...flow,
    }
    return browser.open({ ...request, url }, options).finally(deadline.clear)
  }

  async function prepare(browser: Browser): Promise<void> {
    const number = String(++browsers)
    const requests: readonly PageRequest[] = JSON.parse(
      JSON.stringify(before).replaceAll(/\{n\}|%7Bn%7D/gi, number),
    )
    for (const request of requests) await visit(browser, request)
  }

  async function newBrowser(): Promise<Browser> {
    if (reset) await visit(agent.newBrowser({ ownAddress }), reset)
    const browser = agent.newBrowser({ ownAddress })
    await prepare(browser)
    return browser
  }

  const waitFor = (ms: number): Promise<void> => wait(ms, undefined, { signal }).catch(() => {})
  const { start = { url: address }, begin } = settings
  const app = { sandbox, start: { begin, ...start }, visit, wait: waitFor }
  return {
    run: async (plan) => runPlan(plan, plan.browser ?? (await newBrowser()), app),
    newBrowser,
    prepare,
    open: (request, browser) => visit(browser, request),
    peek: (path, browser) => visit(browser, { url: path }, { peeks: true }),
    wait: waitFor,
    spreadOut() {
      ownAddress = true
    },
  }
}

/** An app, or a copy of an app, and the sandbox that it uses. */
export interface AuditedApp extends Pick<PageSettings, 'page'> {
  readonly sandbox: SandboxApi
  readonly agent: AuditReport['agent']
  /**
   * Whether an answer in the fragment reaches the app. This needs a browser with scripts, or
   * `PageSettings.fragment`.
   */
  readonly readsFragments: boolean
  drive(limits: DriveLimits): Driver
  /** What the agent did not load or follow, one line each. */
  notes?(): readonly string[]
  /** The process of the app; absent if the audit did not start the app. */
  readonly program?: AppProgram | undefined
}

/** The process of an app that the audit started. */
export interface AppProgram {
  /**
   * Starts to record the log. The returned function stops the recording and returns the lines, with
   * secrets masked.
   */
  record(): () => Promise<readonly string[]>
  /** Starts the app again at the same URL. @throws Error with one line when it does not start */
  restart(): Promise<void>
}

/** Copies of one app, each with its own sandbox. */
export interface AppCopies {
  readonly copies: readonly [AuditedApp, ...AuditedApp[]]
  /**
   * Maximum number of concurrent visits of each copy. If it is 1, all calls of the app's server and
   * all lines of its log belong to the current visit.
   */
  readonly visitsEach: number
  /** Absent if the audit does not start the app on its own tenants. */
  readonly startFresh?: StartFresh | undefined
}

/** Starts another copy of the app on a new tenant, which `prepare` changes before the start. */
export type StartFresh = (options: {
  prepare(sandbox: SandboxApi): Promise<void>
  readonly signal: AbortSignal
}) => Promise<FreshCopy>

/** A copy that `StartFresh` started, or the reason why the copy did not start. */
export type FreshCopy = (
  | { readonly app: AuditedApp; readonly failure?: undefined }
  | {
      readonly app?: undefined
      readonly failure: { readonly problem: string; readonly isEnded: boolean }
    }
) & {
  readonly sandbox: SandboxApi
  /** The whole log of the copy, with secrets masked. */
  log(): Promise<readonly string[]>
  close(): Promise<void>
}

export const appAt = (sandbox: SandboxApi, settings: PageSettings): AuditedApp => ({
  sandbox,
  page: settings.page,
  agent: settings.agent.name,
  readsFragments: settings.agent.name === 'chromium' || settings.fragment !== undefined,
  notes: settings.agent.notes,
  drive: (limits) => createDriver(sandbox, { ...settings, ...limits }),
})
