import type { SandboxApi } from '../../client/sandbox-api.ts'
import type { NextDecision } from '../../client/shapes/decision.ts'
import type { CallRecord, Flow, FlowFilter } from '../../client/shapes/flow.ts'
import type { AuthorizationRequest, Browser } from '../agent/browser.ts'
import type { Observation } from '../learn/observation.ts'
import type { AuditedApp } from './audited-app.ts'
import {
  createVisitCaller,
  type VisitCaller,
  type VisitFunction,
  type VisitPlan,
  type VisitResult,
} from './call-visit.ts'
import type { Driver, FlowPlan, FlowRun } from './driver.ts'

/** The app that a function drives. */
export function visitedBy(sandbox: SandboxApi, visit: VisitFunction): AuditedApp {
  let redirectUri: string | undefined
  return {
    sandbox,
    /** Where the app begins is known to the function alone. */
    get page() {
      return redirectUri ?? 'visit'
    },
    agent: 'function',
    readsFragments: true,
    drive(limits) {
      const call = createVisitCaller(visit, { ...limits, sandboxUrl: sandbox.baseUrl })
      const run = async (plan: FlowPlan) => {
        const found = await runVisit(plan, { sandbox, call })
        redirectUri ??= found.request?.parameters['redirect_uri']
        return found
      }
      return {
        run,
        open: refuseToOpen,
        peek: () => refuseToOpen({ url: '' }, NO_BROWSER),
        newBrowser: async () => NO_BROWSER,
        wait: async () => {},
        spreadOut: () => {},
      }
    },
  }
}

/** A function has no browser that could be looked into. */
const refuseToOpen: Driver['open'] = async () => {
  throw new Error('a function opens no page')
}
const refuse = async () => refuseToOpen({ url: '' }, NO_BROWSER)
const NO_BROWSER: Browser = { open: refuse, peek: refuse, forget: () => {} }

/** Flows of one visit. */
const MAX_FLOWS = 100

/** Queues the decisions of a plan, calls the function, and reads in the journal what it did. */
async function runVisit(
  plan: FlowPlan,
  { sandbox, call }: { sandbox: SandboxApi; call: VisitCaller },
): Promise<FlowRun> {
  const [newest] = await sandbox.flows.list({ audit: 'also', limit: 1 })
  const queue = createQueue(sandbox)
  let result: VisitResult
  let later: string | undefined
  try {
    await queue.add({ flow: 'use', ...plan.use })
    await queue.add({ flow: 'create', ...(plan.create ?? DENIED) })
    if (plan.later) later = await queue.add(plan.later)
    // An app that begins again is denied: a right answer would hide what it did with the wrong one, a choice page would not end.
    await queue.addOther({ flow: 'use', ...DENIED })
    result = await call(detailsOf(plan))
  } finally {
    await queue.takeBack()
  }
  const newer: FlowFilter & { limit: number } = { audit: 'also', ...(newest && { after: newest.id }), limit: MAX_FLOWS }
  const flows = (await sandbox.flows.list(newer)).toReversed()
  const strange = flows.find((flow) => queue.isStrange(flow))
  if (strange) {
    const by = `${strange.id} was decided by ${strange.decided_by}`
    result = {
      failure: `something else uses the sandbox at the same time: ${by}; give each worker a sandbox of its own`,
    }
  }
  const use = flows.find((flow) => flow.flow === 'use' && queue.hasDecided(flow))
  const create = flows.find((flow) => flow.flow === 'create' && hasCall(flow, 'E3'))
  const first = use ?? flows.find((flow) => flow.flow === 'use')
  return {
    browser: NO_BROWSER,
    visit: { end: 'page', hops: [] },
    observation: observeResult(result),
    request: first && requestOf(first, sandbox.baseUrl),
    useFlow: first?.id,
    createFlow: create?.id,
    reachesCreate: create !== undefined,
    isLaterMet: later === undefined ? undefined : queue.isMet(later),
    brought: {
      E1: use !== undefined && isAs(plan.use.persona, use) && hasAnswer(use, 'E1'),
      E3: create !== undefined && queue.hasDecided(create) && hasAnswer(create, 'E3'),
    },
  }
}

const DENIED = { outcome: 'access_denied' } as const

/** The decisions that are queued for one visit. */
function createQueue(sandbox: SandboxApi) {
  const added: string[] = []
  const all: string[] = []
  let left: ReadonlySet<string> = new Set()
  async function addOther(decision: NextDecision): Promise<string> {
    const { id } = await sandbox.next({ ...decision, audit: true })
    all.push(id)
    return id
  }
  return {
    addOther,
    async add(decision: NextDecision): Promise<string> {
      const id = await addOther(decision)
      added.push(id)
      return id
    },
    /** Removes what has decided nothing, because it would decide the next flow. */
    async takeBack(): Promise<void> {
      const queued = await sandbox.expectations.list()
      left = new Set(queued.map(({ id }) => id).filter((id) => all.includes(id)))
      for (const id of left) await sandbox.expectations.remove(id)
    },
    /** Whether a flow has a queued decision that is not of this visit: then this one may have gone to another app or worker. */
    isStrange: ({ decided_by: by = '' }: Flow) =>
      by.includes('expectation ') && !all.some((id) => by.includes(`expectation ${id} `)),
    isMet: (id: string) => !left.has(id),
    /** Whether a flow, or a later call of it, has one of the decisions of the plan. */
    hasDecided: ({ decided_by: by = '' }: Flow) => added.some((id) => by.includes(`expectation ${id} `)),
  }
}

function detailsOf({ use, create, later }: FlowPlan): VisitPlan {
  const { persona } = use
  if (later) {
    const flow = later.flow === 'par' ? 'create' : 'upgrade'
    return { flow, row: `${later.flow}/${later.outcome}`, persona, outcome: later.outcome }
  }
  const { outcome = 'verified' } = use
  if (outcome === 'create_requested' && create?.outcome !== undefined) {
    return { flow: 'create', row: `create/${create.outcome}`, persona, outcome: create.outcome }
  }
  return { flow: outcome === 'code_issued' ? 'upgrade' : 'use', row: `use/${outcome}`, persona, outcome }
}

const hasCall = ({ calls }: Flow, endpoint: string) => calls.some((call) => call.endpoint === endpoint)

/** Whether the sandbox has answered the user: with a redirect, or with the form of form_post. */
const hasAnswer = ({ calls, ended_at: endedAt }: Flow, endpoint: string) =>
  endedAt !== undefined && calls.some((call) => call.endpoint === endpoint && call.status >= 200 && call.status < 400)

/** A request that names a persona itself goes before the queue. */
const isAs = (persona: string | undefined, flow: Flow) =>
  persona === undefined || flow.persona === undefined || flow.persona === persona

/** The Use request, as the journal has it. */
function requestOf({ calls }: Flow, baseUrl: string): AuthorizationRequest | undefined {
  const asked = calls.find(({ endpoint }) => endpoint === 'E1')
  return asked && { endpoint: 'E1', url: baseUrl + asked.path, parameters: textsOf(asked) }
}

const textsOf = ({ parameters }: CallRecord): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  )

function observeResult(result: VisitResult): Observation {
  if (typeof result === 'object') {
    return { end: 'visit failed', status: 0, features: new Set(), summary: result.failure, said: result.failure }
  }
  const said = `visit returned ${result}`
  return { end: 'page', status: 0, features: new Set([result ? 'let in' : 'kept out']), summary: said, said }
}
