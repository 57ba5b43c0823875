import { type Awaitable, whenThere } from '../../oidc/ports.ts'
import { requireOutcome } from '../outcomes/names.ts'
import type { Outcome } from '../outcomes/outcome.ts'
import type { ReceivedCall } from '../queue/call.ts'
import type { QueuedDecision, QueueMatch } from '../queue/queue.ts'
import type { Tenant } from '../tenants/tenant.ts'
import { type RequestedDecision, sourcesOf } from './sources.ts'

/** The outcome that a server-to-server call is forced to have. */
export interface ForcedOutcome {
  readonly outcome: Outcome
  /** What named it. */
  readonly source: string
  readonly queued: QueuedDecision | undefined
  /** Records whether it was followed, which uses up what was queued; `false` when another call took it first. */
  settle(isFollowed: boolean): Awaitable<boolean>
}

/**
 * Decides a server-to-server call; `undefined` lets the service answer.
 * @throws Refusal for an unknown name
 */
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
