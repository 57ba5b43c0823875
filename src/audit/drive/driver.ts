import { setTimeout as wait } from 'node:timers/promises'
import { startDeadline } from '../../server/client/deadline.ts'
import type { SandboxApi } from '../../server/client/sandbox-api.ts'
import { SandboxError } from '../../server/client/sandbox-error.ts'
import type {
  Agent,
  AuthorizationRequest,
  Browser,
  BrowserVisit,
  ForcedDecision,
  PageRequest,
  StartPage,
  VisitOptions,
} from '../agent/browser.ts'
import type { AuditReport } from '../report/audit-report.ts'
import { type Observation, observe } from './observation.ts'

export interface FlowPlan {
  readonly use: ForcedDecision
  /** For a Create flow that the app begins afterwards. */
  readonly create?: ForcedDecision
  /** Queued for a later call of the app's server. */
  readonly later?: { readonly flow: 'par' | 'token' | 'upgrade'; readonly outcome: string }
  /** A fresh browser when absent. */
  readonly browser?: Browser
  /**
   * A page to open after the Use flow in the same browser, on which the app begins Create or
   * Upgrade.
   */
  readonly page?: StartPage | undefined
  /** Milliseconds that calls of the app's server may come after its page. */
  readonly waitMs?: number | undefined
  /** The endpoint whose answer is held back from the app; the run has it as `answer`. */
  readonly holds?: VisitOptions['holds']
}

export interface FlowRun {
  readonly browser: Browser
  readonly visit: BrowserVisit
  readonly observation: Observation
  readonly request?: AuthorizationRequest | undefined
  /** Ids of flows in the journal. */
  readonly useFlow?: string | undefined
  readonly createFlow?: string | undefined
  readonly reachesCreate: boolean
  /**
   * Whether the queued decision met a call of the app's server; `undefined` when none was queued.
   */
  readonly isLaterMet?: boolean | undefined
  /** Whether the browser brought an answer of this flow to the app. */
  readonly brought: Readonly<Record<'E1' | 'E3', boolean>>
  /** The request that brings the last answer to the app. */
  readonly answer?: PageRequest | undefined
}

export type DriveLimits = { readonly timeoutSeconds: number; readonly signal: AbortSignal }

export interface PageSettings extends Pick<VisitOptions, 'fragment' | 'begin'> {
  /** The page on which a user begins to prove an age. */
  readonly page: string
  readonly agent: Agent
  /** Requests of a fresh browser before it begins. In each browser `{n}` is another number. */
  readonly before?: readonly PageRequest[]
  /** Makes the app forget its users; sent before each browser begins. */
  readonly reset?: PageRequest | undefined
  /** Begins Use instead of `page`. */
  readonly start?: PageRequest | undefined
}

export type Driver = ReturnType<typeof createDriver>

/**
 * Counts the browsers of this process. Copies of an app share the count, because they may share a
 * database.
 */
let browsers = 0

/** Drives the app through flows, each by a fresh browser unless the plan names one. */
export function createDriver(sandbox: SandboxApi, settings: PageSettings & DriveLimits) {
  const {
    page: address,
    start = { url: address },
    agent,
    before = [],
    reset,
    fragment,
    begin,
    signal,
  } = settings
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

  /** Sends the requests of `before`, as another user each time. */
  async function prepare(browser: Browser): Promise<void> {
    const number = String(++browsers)
    const requests: readonly PageRequest[] = JSON.parse(
      JSON.stringify(before).replaceAll(/\{n\}|%7Bn%7D/gi, number),
    )
    for (const request of requests) await visit(browser, request)
  }

  /** A browser that has sent only the requests of `before`. */
  async function newBrowser(): Promise<Browser> {
    if (reset) await visit(agent.newBrowser({ ownAddress }), reset)
    const browser = agent.newBrowser({ ownAddress })
    await prepare(browser)
    return browser
  }

  return {
    newBrowser,
    prepare,
    /** Opens a URL of the app; requests for the sandbox are not sent. */
    open: (request: PageRequest, browser: Browser) => visit(browser, request),
    /**
     * Requests a page of the app with the cookies of a browser, without running or pressing
     * anything.
     */
    peek: (path: string, browser: Browser) => visit(browser, { url: path }, { peeks: true }),
    wait: (ms: number): Promise<void> => wait(ms, undefined, { signal }).catch(() => {}),
    /** Called when the app limits its clients: from now on each browser has its own address. */
    spreadOut(): void {
      ownAddress = true
    },
    async run({
      use,
      create = {},
      later,
      page,
      holds,
      waitMs = 0,
      ...plan
    }: FlowPlan): Promise<FlowRun> {
      const browser = plan.browser ?? (await newBrowser())
      const asked = new Map<AuthorizationRequest['endpoint'], AuthorizationRequest>()
      let queued: string | undefined
      const queue = async (match?: { state: string | undefined }) => {
        if (later) queued = (await sandbox.next({ ...later, audit: true, match })).id
      }
      const decide = async (request: AuthorizationRequest): Promise<ForcedDecision | 'stop'> => {
        const { endpoint, parameters } = request
        if (asked.has(endpoint)) return 'stop'
        asked.set(endpoint, request)
        if (endpoint === 'E3') return create
        if (later?.flow !== 'par') await queue({ state: parameters['state'] })
        return use
      }
      // The state of a pushed request is unknown before the push, so such a run has no other beside
      // it.
      if (later?.flow === 'par') await queue()
      const first = await visit(browser, { begin, ...start }, { decide, holds })
      const next =
        page && first.end === 'page' && !asked.has('E3')
          ? await visit(browser, page, { decide, holds })
          : undefined
      const last = next ?? first
      const hops = [...first.hops, ...(next?.hops ?? [])]
      /** The hops from the request of an endpoint on; the answer of the sandbox follows. */
      const since = (endpoint: 'E1' | 'E3') => {
        const at = hops.findIndex((hop) => hop.endpoint === endpoint)
        return at < 0 ? [] : hops.slice(at)
      }
      const [used, created] = [since('E1'), since('E3')]
      if (waitMs > 0) await wait(waitMs, undefined, { signal }).catch(() => {})
      // A decision that was not used would decide the next call of its kind.
      const isLaterMet =
        queued === undefined ? undefined : !(await takeBackDecision(queued, sandbox))
      return {
        browser,
        visit: last,
        observation: observe({ ...last, hops }),
        request: asked.get('E1'),
        useFlow: used[0]?.flow,
        createFlow: created[0]?.flow,
        reachesCreate: asked.has('E3'),
        brought: {
          E1: used.some((hop) => hop.isCallback),
          E3: created.some((hop) => hop.isCallback),
        },
        answer: last.answer ?? first.answer,
        isLaterMet,
      }
    },
  }
}

/** Removes a queued decision. @returns false when it has decided a call meanwhile */
export async function takeBackDecision(id: string, { expectations }: SandboxApi): Promise<boolean> {
  try {
    await expectations.remove(id)
    return true
  } catch (error) {
    if (error instanceof SandboxError && error.status === 404) return false
    throw error
  }
}

export interface AuditedApp extends Pick<PageSettings, 'page'> {
  readonly sandbox: SandboxApi
  readonly agent: AuditReport['agent']
  /**
   * Whether an answer in the fragment reaches the app: by a browser with scripts, or by what is
   * known of its page.
   */
  readonly readsFragments: boolean
  drive(limits: DriveLimits): Driver
  /** What the agent kept from pages, or did not follow, in one line each. */
  notes?(): readonly string[]
  /** The log of the app; absent when the audit did not start the app. */
  readonly program?: AppProgram | undefined
}

export interface AppProgram {
  /**
   * Collects the coming lines of the log; the returned function ends that and returns them, with
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
   * Concurrent visits in each copy. With one visit, calls of its server and lines of its log belong
   * to that visit.
   */
  readonly visitsEach: number
  /** Absent when the audit does not start the app on tenants. */
  readonly startFresh?: StartFresh | undefined
}

/** Starts another copy of the app, on a tenant that `prepare` has changed before. */
export type StartFresh = (options: {
  prepare(sandbox: SandboxApi): Promise<void>
  readonly signal: AbortSignal
}) => Promise<FreshCopy>

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
