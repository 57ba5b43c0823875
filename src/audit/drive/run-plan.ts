import type { SandboxApi } from '../../server/client/sandbox-api.ts'
import type {
  AuthorizationRequest,
  Browser,
  BrowserVisit,
  ForcedDecision,
  Hop,
  StartPage,
  VisitOptions,
} from '../agent/browser.ts'
import type { FlowPlan, FlowRun } from './flow-run.ts'
import { observe } from './observation.ts'
import { takeBackDecision } from './take-back-decision.ts'

/** The app, and how to visit it. */
interface AppToRun {
  readonly sandbox: SandboxApi
  readonly start: StartPage
  visit(
    browser: Browser,
    page: StartPage,
    flow: Pick<VisitOptions, 'decide' | 'holds'>,
  ): Promise<BrowserVisit>
  wait(ms: number): Promise<void>
}

/** The first request of the app to each endpoint. */
type Asked = Map<AuthorizationRequest['endpoint'], AuthorizationRequest>

/** Runs a flow of the app in a browser. */
export async function runPlan(
  plan: FlowPlan,
  browser: Browser,
  { sandbox, start, visit, wait }: AppToRun,
): Promise<FlowRun> {
  const { page, holds, waitMs = 0 } = plan
  const asked: Asked = new Map()
  const later = createLaterDecision(plan.later, sandbox)
  const decide = (request: AuthorizationRequest) => decideFor(request, { plan, asked, later })
  // A decision for a pushed request cannot be matched by `state`, so no other run may be active.
  if (plan.later?.flow === 'par') await later.queue()
  const first = await visit(browser, start, { decide, holds })
  const continues = page && first.end === 'page' && !asked.has('E3')
  const next = continues ? await visit(browser, page, { decide, holds }) : undefined
  const last = next ?? first
  if (waitMs > 0) await wait(waitMs)
  const isLaterMet = await later.end()

  const hops = [...first.hops, ...(next?.hops ?? [])]
  const used = hopsSince('E1', hops)
  const created = hopsSince('E3', hops)
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
}

/** The decision for the first request to each endpoint; a second request stops the visit. */
async function decideFor(
  request: AuthorizationRequest,
  { plan, asked, later }: { plan: FlowPlan; asked: Asked; later: LaterDecision },
): Promise<ForcedDecision | 'stop'> {
  const { endpoint, parameters } = request
  if (asked.has(endpoint)) return 'stop'
  asked.set(endpoint, request)
  if (endpoint === 'E3') return plan.create ?? {}
  if (plan.later?.flow !== 'par') await later.queue({ state: parameters['state'] })
  return plan.use
}

/** The queued decision for a later call of the app's server. */
interface LaterDecision {
  queue(match?: { readonly state: string | undefined }): Promise<void>
  /**
   * Removes the decision, so that it does not decide a call of a later run.
   * @returns whether the decision decided a call; `undefined` without a queued decision
   */
  end(): Promise<boolean | undefined>
}

function createLaterDecision(decision: FlowPlan['later'], sandbox: SandboxApi): LaterDecision {
  let id: string | undefined
  return {
    async queue(match) {
      if (decision) id = (await sandbox.next({ ...decision, audit: true, match })).id
    },
    end: async () => (id === undefined ? undefined : !(await takeBackDecision(id, sandbox))),
  }
}

/** The hops from the request to an endpoint onwards; empty without such a request. */
function hopsSince(endpoint: 'E1' | 'E3', hops: readonly Hop[]): readonly Hop[] {
  const index = hops.findIndex((hop) => hop.endpoint === endpoint)
  return index < 0 ? [] : hops.slice(index)
}
