import type { SandboxApi } from '../../server/client/sandbox-api.ts'
import type { Flow, NextDecision } from '../../server/client/shapes.ts'
import type { AuthorizationRequest, Browser } from '../agent/browser.ts'
import type { FlowPlan, FlowRun } from './flow-run.ts'
import { failedVisit, type Observation } from './observation.ts'
import { takeBackDecision } from './take-back-decision.ts'

export const refuse = async (): Promise<never> => {
  throw new Error('a function opens no page')
}
/** The browser of a visit function. It opens no page. */
export const NO_BROWSER: Browser = { open: refuse, forget: () => {} }

const DENIED = { outcome: 'access_denied' } as const

/**
 * Queues the decisions of a plan, calls the visit function with `act`, and reads from the journal
 * what the app did.
 */
export async function runByFunction(
  plan: FlowPlan,
  sandbox: SandboxApi,
  act: () => Promise<Observation>,
): Promise<FlowRun> {
  const [newest] = await sandbox.flows.list({ audit: 'also', limit: 1 })
  const { observation, own, all, unused } = await actWithDecisions(plan, sandbox, act)
  const after = newest && { after: newest.id }
  const newer = await sandbox.flows.list({ audit: 'also', ...after, limit: 100 })
  const flows = newer.toReversed()
  const otherUse = otherUseOf(flows, all)

  const answered = flows.find((flow) => flow.flow === 'use' && isDecidedBy(own, flow))
  const first = answered ?? flows.find(({ flow }) => flow === 'use')
  const created = flows.find(
    (flow) => flow.flow === 'create' && flow.calls.some(({ endpoint }) => endpoint === 'E3'),
  )
  return {
    browser: NO_BROWSER,
    visit: { end: 'page', hops: [] },
    observation: otherUse === undefined ? observation : failedVisit(otherUse),
    request: first && requestOf(first, sandbox.baseUrl),
    useFlow: first?.id,
    createFlow: created?.id,
    reachesCreate: created !== undefined,
    isLaterMet: plan.later && !unused.includes(own.at(-1) ?? ''),
    brought: {
      E1: answered !== undefined && isAsPlanned(answered, plan) && hasAnswer(answered, 'E1'),
      E3: created !== undefined && isDecidedBy(own, created) && hasAnswer(created, 'E3'),
    },
  }
}

/** The decisions of a plan. A decision for a later call comes last. */
const decisionsOf = ({ use, create = DENIED, later }: FlowPlan): readonly NextDecision[] => [
  { flow: 'use', ...use },
  { flow: 'create', ...create },
  ...(later ? [later] : []),
]

interface ActedVisit {
  readonly observation: Observation
  /** Ids of the decisions of the plan. */
  readonly own: readonly string[]
  /** Ids of all queued decisions: `own`, and the decision for a second flow. */
  readonly all: readonly string[]
  /** Ids of the decisions that decided no call. */
  readonly unused: readonly string[]
}

/** Calls `act` with the decisions of a plan in the queue. */
async function actWithDecisions(
  plan: FlowPlan,
  sandbox: SandboxApi,
  act: () => Promise<Observation>,
): Promise<ActedVisit> {
  const planned = decisionsOf(plan)
  // If the app begins a second flow, this flow is denied: a right answer would hide the reaction to
  // the wrong answer, and a choice page would wait for a user.
  const second: NextDecision = { flow: 'use', ...DENIED }
  const all: string[] = []
  const unused: string[] = []
  let observation: Observation
  try {
    for (const decision of [...planned, second])
      all.push((await sandbox.next({ ...decision, audit: true })).id)
    observation = await act()
  } finally {
    // An unused decision would decide the next flow.
    for (const id of all) if (await takeBackDecision(id, sandbox)) unused.push(id)
  }
  return { observation, own: all.slice(0, planned.length), all, unused }
}

/**
 * The problem if another decision decided a flow: something else uses the sandbox at the same time.
 */
function otherUseOf(flows: readonly Flow[], ids: readonly string[]): string | undefined {
  const other = flows.find(
    (flow) => flow.decided_by?.includes('expectation ') && !isDecidedBy(ids, flow),
  )
  return (
    other &&
    `something else uses the sandbox at the same time: ${other.id} was decided by ${other.decided_by}; give each worker a sandbox of its own`
  )
}

const isDecidedBy = (ids: readonly string[], { decided_by: by = '' }: Flow): boolean =>
  ids.some((id) => by.includes(`expectation ${id} `))

/** Whether the flow has the persona of the plan. A persona in the request overrides the queue. */
const isAsPlanned = ({ persona }: Flow, { use }: FlowPlan): boolean =>
  use.persona === undefined || persona === undefined || persona === use.persona

/** Whether the sandbox has answered the user by a redirect or by the form of form_post. */
const hasAnswer = ({ calls, ended_at: endedAt }: Flow, endpoint: string): boolean =>
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
