import { type Awaitable, whenThere } from '../../oidc/ports.ts'
import { requireOutcome } from '../outcomes/names.ts'
import type { Outcome } from '../outcomes/outcome.ts'
import type { QueuedDecision, QueueMatch } from '../queue/queue.ts'
import type { ReceivedCall } from '../queue/queued.ts'
import type { Tenant } from '../tenants/tenant.ts'
import { type RequestedDecision, sourcesOf } from './sources.ts'

/** The outcome that is forced on a server-to-server call. */
export interface ForcedOutcome {
  readonly outcome: Outcome
  /** What named the outcome: a query parameter, a header, an expectation. */
  readonly source: string
  readonly queued: QueuedDecision | undefined
  /** Records whether the outcome was applied, which uses up the queued decision; `false` when another call used the decision up first. */
  settle(isFollowed: boolean): Awaitable<boolean>
}

/** Decides a server-to-server call; `undefined` when nothing forces an outcome. @throws Refusal for an unknown name */
export const decideServerCall = (
  call: ReceivedCall,
  { requested, tenant }: { requested: RequestedDecision; tenant: Tenant },
): Awaitable<ForcedOutcome | undefined> =>
  whenThere(tenant.queue.match(call), (match) => forcedBy(match, call, { requested, tenant }))

function forcedBy(
  match: QueueMatch,
  call: ReceivedCall,
  { requested, tenant }: { requested: RequestedDecision; tenant: Tenant },
): Awaitable<ForcedOutcome | undefined> {
  const settle = (isFollowed: boolean) => tenant.queue.settle(match, { isFollowed, call })
  const source = sourcesOf(call, { requested, queued: match.decision, tenant }).find((one) => one.outcome !== undefined)
  const isQueued = source !== undefined && source === match.decision
  return whenThere(isQueued || settle(false), () => {
    if (source?.outcome === undefined) return undefined
    const outcome = requireOutcome(call.flow, source.outcome, source.source)
    return {
      outcome,
      source: source.source,
      queued: isQueued ? match.decision : undefined,
      settle: isQueued ? settle : () => true,
    }
  })
}
