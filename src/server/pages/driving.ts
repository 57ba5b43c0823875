import type { Outcome } from '../../sandbox/outcomes/outcome.ts'
import { Refusal } from '../../service/oidc/refusal.ts'
import { guardControl } from '../http/guard/guard.ts'
import { endsInFrame } from './embedding.ts'
import type { HostedRequest } from './shell.ts'

/**
 * Refuses a visitor of a hosted page who may not drive the sandbox. An outcome of a later call
 * affects every flow of the tenant, so forcing it needs the same permission as the control API.
 * Decision: a framed page cannot drive the sandbox, because any site may frame a hosted page and
 * trick the user into a click.
 * @throws Refusal 401 or 403
 */
export function requireDriver(visitor: Pick<HostedRequest, 'request' | 'guard' | 'framed'>): void {
  if (endsInFrame(visitor)) {
    throw Refusal.forbidden(
      'In an iframe no hosted page forces the outcome of a later call; open it in a window of its own, or use the control API',
    )
  }
  guardControl(visitor.request, visitor.guard)
}

/**
 * Queues an outcome of a server-to-server call: for the token or upgrade call of this flow, for the
 * client's next pushed request, or for the next discovery or key set request. A POST makes the
 * tenant declared (`tenant.expectations`); a link does not (`tenant.queue`).
 */
export async function queueLater(
  { flow, name }: Outcome,
  { clientId, state }: { readonly clientId: string; readonly state: string },
  { request, tenant }: HostedRequest,
): Promise<void> {
  const { expectations } = request.method === 'POST' ? tenant : tenant.queue
  const isOfThisFlow = flow === 'token' || flow === 'upgrade'
  const isOfClient = flow !== 'discovery' && flow !== 'jwks'
  const match = { client_id: clientId, ...(isOfThisFlow && { state }) }
  await expectations.add({ flow, outcome: name, ...(isOfClient && { match }) })
}
