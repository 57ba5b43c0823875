import { aborted, inspect } from 'node:util'
import { messageOf } from '../../sandbox/files/caught.ts'
import { startDeadline } from '../../server/client/deadline.ts'
import type { SandboxApi } from '../../server/client/sandbox-api.ts'
import type { Flow, NextDecision } from '../../server/client/shapes.ts'
import type { AuthorizationRequest, Browser, PageRequest, ShownPage } from '../agent/browser.ts'
import { createHttpAgent } from '../agent/http-agent.ts'
import { AuditProblem } from '../audit-problem.ts'
import {
  type AuditedApp,
  type DriveLimits,
  type FlowPlan,
  type FlowRun,
  takeBackDecision,
} from './driver.ts'
import { addressOf, type Observation } from './observation.ts'

/** Details of a visit. A function that drives only Use needs none of them. */
export interface VisitDetails {
  /** The row that the sandbox answers with: `use/id_token.expired`. */
  readonly row: string
  /** The persona of the user; absent where it makes no difference. */
  readonly persona?: string | undefined
  /** The name of the row without its flow. */
  readonly outcome: string
  /**
   * The flow whose result is asked for: `create` after `create_requested`, `upgrade` after a code.
   */
  readonly flow: 'use' | 'create' | 'upgrade'
  /** Another number for each visit, for apps that need a new user each time. */
  readonly n: number
  /** Aborted when the visit takes too long, or the audit ends. */
  readonly signal: AbortSignal
  /**
   * A small browser for apps that show a page: `(await
   * open('http://localhost:3000/verify')).status`.
   */
  readonly open: OpenPage
}

/**
 * Drives one flow of an app from its beginning to its end, in a fresh session.
 * @returns true when the app let the user in, or when the flow of `details.flow` ended well; false
 * when the app refused
 */
export type VisitFunction = (details: VisitDetails) => boolean | Promise<boolean>

/** A page that an app showed. */
export type OpenedPage = Pick<ShownPage, 'url' | 'status' | 'text'>

/** A request to an app. */
export type OpenRequest = Pick<PageRequest, 'method' | 'form' | 'json'>

/**
 * Opens a URL of the app in a browser without scripts. It follows redirects, forms that submit
 * themselves, and cookies, to the sandbox and back. The pages of one visit share their cookies.
 * @throws Error with one line when no page of the app comes
 */
export type OpenPage = (url: string, request?: OpenRequest) => Promise<OpenedPage>

/** The app that a function drives. */
export function visitedBy(sandbox: SandboxApi, visit: VisitFunction): AuditedApp {
  let redirectUri: string | undefined
  return {
    sandbox,
    /** Only the function knows where the app begins. */
    get page() {
      return redirectUri ?? 'visit'
    },
    agent: 'function',
    readsFragments: true,
    drive(limits) {
      const call = createVisitCaller(visit, sandbox.baseUrl, limits)
      return {
        async run(plan) {
          const found = await runVisit(plan, sandbox, () => call(detailsOf(plan)))
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

/** A function has no browser to look into. */
const refuse = async (): Promise<never> => {
  throw new Error('a function opens no page')
}
const NO_BROWSER: Browser = { open: refuse, forget: () => {} }

/**
 * Calls the function. A late visit may still use decisions of the next one, which waits for it or
 * fails.
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

/** The observation of a visit that returned nothing. */
const failedVisit = (summary: string): Observation => ({
  end: 'visit failed',
  status: 0,
  features: new Set(),
  summary,
})

function createOpenPage(sandboxUrl: string, signal: AbortSignal): OpenPage {
  let browser: Browser | undefined
  return async (asked, request = {}) => {
    browser ??= createHttpAgent().newBrowser()
    const options = { sandboxUrl, signal, decide: async () => ({}) }
    const { end, page, problem, url } = await browser.open({ url: asked, ...request }, options)
    if (end === 'page' && page) return page
    const place = url === undefined ? '' : ` at ${addressOf(url)}`
    throw new Error(
      `open(${JSON.stringify(asked)}) ended without a page of the app${place}: ${problem ?? end}`,
    )
  }
}

const DENIED = { outcome: 'access_denied' } as const

/**
 * Queues the decisions of a plan, calls the function by `act`, and reads in the journal what it
 * did.
 */
async function runVisit(
  plan: FlowPlan,
  sandbox: SandboxApi,
  act: () => Promise<Observation>,
): Promise<FlowRun> {
  const { use, create = DENIED, later } = plan
  const [newest] = await sandbox.flows.list({ audit: 'also', limit: 1 })
  const planned: NextDecision[] = [
    { flow: 'use', ...use },
    { flow: 'create', ...create },
    ...(later ? [later] : []),
  ]
  const ids: string[] = []
  const left: string[] = []
  let observation: Observation
  try {
    // An app that begins again is denied: a right answer would hide its reaction to the wrong one,
    // and a choice page would not end.
    for (const decision of [...planned, { flow: 'use', ...DENIED } as const])
      ids.push((await sandbox.next({ ...decision, audit: true })).id)
    observation = await act()
  } finally {
    // An unused decision would decide the next flow.
    for (const id of ids) if (await takeBackDecision(id, sandbox)) left.push(id)
  }
  const newer = await sandbox.flows.list({
    audit: 'also',
    ...(newest && { after: newest.id }),
    limit: 100,
  })
  const flows = newer.toReversed()
  const isBy = ({ decided_by: by = '' }: Flow, some: readonly string[]) =>
    some.some((id) => by.includes(`expectation ${id} `))
  // Then this visit may have gone to another app or worker.
  const strange = flows.find(
    (flow) => flow.decided_by?.includes('expectation ') && !isBy(flow, ids),
  )
  const other = `something else uses the sandbox at the same time: ${strange?.id} was decided by ${strange?.decided_by}; give each worker a sandbox of its own`
  const own = ids.slice(0, planned.length)
  const answered = flows.find((flow) => flow.flow === 'use' && isBy(flow, own))
  const first = answered ?? flows.find(({ flow }) => flow === 'use')
  const created = flows.find(
    (flow) => flow.flow === 'create' && flow.calls.some(({ endpoint }) => endpoint === 'E3'),
  )
  // A request that names a persona goes before the queue.
  const isAs = [undefined, use.persona].includes(answered?.persona) || use.persona === undefined
  return {
    browser: NO_BROWSER,
    visit: { end: 'page', hops: [] },
    observation: strange ? failedVisit(other) : observation,
    request: first && requestOf(first, sandbox.baseUrl),
    useFlow: first?.id,
    createFlow: created?.id,
    reachesCreate: created !== undefined,
    isLaterMet: later && !left.includes(own.at(-1) ?? ''),
    brought: {
      E1: answered !== undefined && isAs && hasAnswer(answered, 'E1'),
      E3: created !== undefined && isBy(created, own) && hasAnswer(created, 'E3'),
    },
  }
}

function detailsOf({ use: { persona, outcome: used = 'verified' }, create, later }: FlowPlan) {
  const created = used === 'create_requested' ? create?.outcome : undefined
  const { flow: kind, outcome } = later ?? {
    flow: created ? 'create' : 'use',
    outcome: created ?? used,
  }
  const isUpgrade =
    kind === 'token' || kind === 'upgrade' || (kind === 'use' && used === 'code_issued')
  const flow: VisitDetails['flow'] = isUpgrade ? 'upgrade' : kind === 'use' ? 'use' : 'create'
  return { flow, row: `${kind}/${outcome}`, persona, outcome }
}

/** Whether the sandbox has answered the user: by a redirect, or by the form of form_post. */
const hasAnswer = ({ calls, ended_at: endedAt }: Flow, endpoint: string) =>
  endedAt !== undefined &&
  calls.some((call) => call.endpoint === endpoint && call.status >= 200 && call.status < 400)

/** The Use request in the journal. */
function requestOf({ calls }: Flow, baseUrl: string): AuthorizationRequest | undefined {
  const asked = calls.find(({ endpoint }) => endpoint === 'E1')
  if (!asked) return undefined
  const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
  const entries = Object.entries(asked.parameters).map(
    ([name, value]) => [name, textOf(value)] as const,
  )
  return { endpoint: 'E1', url: baseUrl + asked.path, parameters: Object.fromEntries(entries) }
}
