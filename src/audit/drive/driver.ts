import { setTimeout as wait } from 'node:timers/promises'
import type { SandboxApi } from '../../client/sandbox-api.ts'
import type {
  Agent,
  AuthorizationRequest,
  Begin,
  Browser,
  ForcedDecision,
  FragmentPost,
  PageRequest,
  StartPage,
  Visit,
  VisitOptions,
} from '../agent/browser.ts'
import { type Observation, observe } from '../learn/observation.ts'
import { startDeadline } from './deadline.ts'

/** What the sandbox is made to do in one run of the app. */
export interface FlowPlan {
  readonly use: ForcedDecision
  /** In a Create flow that the app begins after it. */
  readonly create?: ForcedDecision
  /** Queued for a later call of the app's server. */
  readonly later?: { readonly flow: 'par' | 'token' | 'upgrade'; readonly outcome: string }
  /** Goes on in this browser; a new one when absent. */
  readonly browser?: Browser
  /** A page to open after the Use flow, in the same browser: the one on which the app begins Create or Upgrade. */
  readonly page?: StartPage | undefined
  /** The answer to Use is not brought to the app: the run has it as `answer`. */
  readonly holds?: true
}

/** One run of the app. */
export interface FlowRun {
  readonly browser: Browser
  /** The last visit. */
  readonly visit: Visit
  readonly observation: Observation
  /** The Use request of the app. */
  readonly request?: AuthorizationRequest | undefined
  /** Ids in the journal. */
  readonly useFlow?: string | undefined
  readonly createFlow?: string | undefined
  /** The app sent the browser to Create. */
  readonly reachesCreate: boolean
  /** The queued decision met a call of the app's server; `undefined` when none was queued. */
  readonly isLaterMet?: boolean | undefined
  /** The browser brought an answer of this flow to the app. */
  readonly brought: Readonly<Record<'E1' | 'E3', boolean>>
  /** The request that brings the last answer to the app. */
  readonly answer?: PageRequest | undefined
}

export interface Driver {
  run(plan: FlowPlan): Promise<FlowRun>
  /** Opens an address of the app; requests for the sandbox are not sent. */
  open(request: PageRequest, browser: Browser): Promise<Visit>
  /** Asks for a page of the app with the cookies of a browser; nothing of it is run or pressed. */
  peek(path: string, browser: Browser): Promise<Visit>
  /** A browser that has done what stands in `before`, and nothing else. */
  newBrowser(): Promise<Browser>
  /** Waits, unless the audit ends. */
  wait(ms: number): Promise<void>
  /** The app limits its clients: from now on each browser has an address of its own. */
  spreadOut(): void
}

export interface DriveLimits {
  /** Of one visit. */
  readonly timeoutSeconds: number
  /** Ends visits. */
  readonly signal: AbortSignal
}

/** How the pages of an app are visited. */
export interface PageSettings {
  /** The page where a user begins to prove an age. */
  readonly page: string
  readonly agent: Agent
  /** Requests of a fresh browser before it begins; `{n}` in them is another number for each browser. */
  readonly before?: readonly PageRequest[]
  /** Makes the app forget its users; sent before each browser begins. */
  readonly reset?: PageRequest | undefined
  /** How an answer in the fragment gets from the page of the callback to the app's server; for an agent without scripts. */
  readonly fragment?: FragmentPost | undefined
  /** Begins Use in place of `page`. */
  readonly start?: PageRequest | undefined
  /** What a user does there to begin, when the audit does not find it. */
  readonly begin?: Begin | undefined
  /** The number of the next browser. Copies of an app share it, because they may share a database. */
  nextNumber?(): number
}

const JUST_LOOK: Pick<VisitOptions, 'decide' | 'looksOnly'> = { decide: async () => 'stop', looksOnly: true }

/** Counts from 1. */
export function createCounter(): () => number {
  let count = 0
  return () => ++count
}

/** Drives the app through flows, each by a fresh browser unless the plan names one. */
export function createDriver(sandbox: SandboxApi, settings: PageSettings & DriveLimits): Driver {
  const {
    page: address,
    start = { url: address },
    agent,
    before = [],
    reset,
    fragment,
    begin,
    nextNumber = createCounter(),
    timeoutSeconds,
    signal,
  } = settings
  let ownAddress = false
  const ofApp = (request: PageRequest): PageRequest => ({ ...request, url: new URL(request.url, address).href })

  async function visit(
    browser: Browser,
    request: StartPage,
    flow: Pick<VisitOptions, 'decide' | 'holds'> = JUST_LOOK,
  ): Promise<Visit> {
    const deadline = startDeadline(timeoutSeconds, signal)
    const limits = { sandboxUrl: sandbox.baseUrl, signal: deadline.signal }
    return browser.open(ofApp(request), { ...limits, fragment, begin: request.begin, ...flow }).finally(deadline.clear)
  }

  async function newBrowser(): Promise<Browser> {
    const number = nextNumber()
    if (reset) await visit(agent.newBrowser({ ownAddress }), reset)
    const browser = agent.newBrowser({ ownAddress })
    for (const request of before) await visit(browser, numbered(request, number))
    return browser
  }

  return {
    newBrowser,
    open: (request, browser) => visit(browser, request),
    async peek(path, browser) {
      const deadline = startDeadline(timeoutSeconds, signal)
      const limits = { sandboxUrl: sandbox.baseUrl, signal: deadline.signal }
      return browser.peek(new URL(path, address).href, limits).finally(deadline.clear)
    },
    wait: (ms) => wait(ms, undefined, { signal }).catch(() => {}),
    spreadOut() {
      ownAddress = true
    },
    async run({ use, create = {}, later, page, holds, ...plan }) {
      const browser = plan.browser ?? (await newBrowser())
      const seen: { request?: AuthorizationRequest; reachesCreate: boolean; queued?: string } = { reachesCreate: false }
      const decide = async (request: AuthorizationRequest): Promise<ForcedDecision | 'stop'> => {
        if (request.endpoint === 'E3') {
          if (seen.reachesCreate) return 'stop'
          seen.reachesCreate = true
          return create
        }
        if (seen.request) return 'stop'
        seen.request = request
        if (later && later.flow !== 'par') {
          seen.queued = (
            await sandbox.next({ ...later, audit: true, match: { state: request.parameters['state'] } })
          ).id
        }
        return use
      }
      // The state of a pushed request is not known before it is pushed: such a run has no other beside it.
      if (later?.flow === 'par') seen.queued = (await sandbox.next({ ...later, audit: true })).id
      const first = await visit(browser, { begin, ...start }, { decide, ...(holds && { holds: 'E1' }) })
      const goesOn = page && first.end === 'page' && !seen.reachesCreate
      const last = goesOn ? await visit(browser, page, { decide }) : undefined
      const { queued, ...facts } = seen
      const isLaterMet = queued === undefined ? undefined : await isMet(queued, sandbox)
      return { ...describeRun([first, ...(last ? [last] : [])], { browser, ...facts }), isLaterMet }
    },
  }
}

/** Whether an expectation has decided a call. One that has not would decide the next call of its kind: it is taken away. */
async function isMet(id: string, sandbox: SandboxApi): Promise<boolean> {
  const left = await sandbox.expectations.list()
  if (!left.some((expectation) => expectation.id === id)) return true
  await sandbox.expectations.remove(id)
  return false
}

function describeRun(
  visits: readonly Visit[],
  { browser, request, reachesCreate }: { browser: Browser; request?: AuthorizationRequest; reachesCreate: boolean },
): FlowRun {
  const hops = visits.flatMap((visit) => visit.hops)
  const [visit] = visits.slice(-1)
  if (!visit) throw new Error('a run has a visit')
  const flowOf = (endpoint: 'E1' | 'E3') => hops.find((hop) => hop.endpoint === endpoint)?.flow
  // An answer of the sandbox follows the request that it answers.
  const bringsAfter = (endpoint: 'E1' | 'E3') => {
    const asked = hops.findIndex((hop) => hop.endpoint === endpoint)
    return asked >= 0 && hops.slice(asked + 1).some(({ isCallback }) => isCallback)
  }
  return {
    browser,
    visit,
    observation: observe({ ...visit, hops }),
    request,
    useFlow: flowOf('E1'),
    createFlow: flowOf('E3'),
    reachesCreate,
    brought: { E1: bringsAfter('E1'), E3: bringsAfter('E3') },
    answer: visits.findLast(({ answer }) => answer !== undefined)?.answer,
  }
}

/** The request with `{n}` replaced by the number of the browser, so that each one is another user. */
function numbered({ url, form, json, ...request }: PageRequest, n: number): PageRequest {
  const fill = (text: string) => text.replaceAll(/\{n\}|%7Bn%7D/gi, String(n))
  return {
    ...request,
    url: fill(url),
    ...(form && { form: Object.fromEntries(Object.entries(form).map(([name, value]) => [name, fill(value)])) }),
    ...(json !== undefined && { json: JSON.parse(fill(JSON.stringify(json))) }),
  }
}
