import { type ControlGuard, guardControl } from '../../http/guard/guard.ts'
import type { Incoming } from '../../http/incoming.ts'
import { Refusal } from '../../oidc/refusal.ts'
import type { Outcome, OutcomeFlow } from '../../sandbox/outcomes/outcome.ts'
import type { NewExpectation } from '../../sandbox/queue/expectation.ts'
import type { Tenant } from '../../sandbox/tenants/tenant.ts'
import { endsInFrame } from '../embedding/embedding.ts'

/** The request of a visitor; `framed` when a script on the page found itself in an iframe. */
export interface Visitor {
  readonly request: Incoming
  readonly guard: ControlGuard
  readonly framed?: boolean | undefined
}

/**
 * Refuses a visitor of a hosted page who may not drive the sandbox. An outcome of a later call concerns every flow of the tenant, so it
 * needs the same permission as the control API. Decision: nothing is driven from a frame, since any site may frame a hosted page and
 * trick the user into a click.
 * @throws Refusal 401, 403 or 429
 */
export function requireDriver(visitor: Visitor): void {
  if (endsInFrame(visitor)) {
    throw Refusal.forbidden(
      'In an iframe no hosted page forces the outcome of a later call; open it in a window of its own, or use the control API',
    )
  }
  guardControl(visitor.request, visitor.guard)
}

/**
 * Queues an outcome of a server-to-server call: for the token or upgrade call of this flow, for the client's next pushed request, for the
 * next read of discovery or keys. A form declares the tenant, a link does not.
 */
export async function queueLater(
  { flow, name }: Outcome,
  transaction: { readonly clientId: string; readonly state: string },
  { request, tenant }: { request: Incoming; tenant: Tenant },
): Promise<void> {
  const queue = request.method === 'POST' ? tenant.expectations.add : tenant.expectations.addLater
  const match = matchOf(flow, transaction)
  await queue({ flow, outcome: name, ...(match ? { match } : {}) })
}

function matchOf(
  flow: OutcomeFlow,
  { clientId, state }: { readonly clientId: string; readonly state: string },
): NewExpectation['match'] {
  switch (flow) {
    case 'token':
    case 'upgrade':
      return { client_id: clientId, state }
    case 'discovery':
    case 'jwks':
      return undefined
    default:
      return { client_id: clientId }
  }
}
