import { ENDPOINTS, type Endpoint } from '../../oidc/endpoints.ts'
import { DEMO_CLIENT_ID } from '../../sandbox/clients/demo-client.ts'
import type { Called } from '../../sandbox/coverage/counters.ts'
import type { RecordedIn } from '../../sandbox/journal/journal.ts'
import { findOutcome } from '../../sandbox/outcomes/catalogue.ts'
import type { Tenant } from '../../sandbox/tenants/tenant.ts'
import type { Answer } from '../handler.ts'
import type { Incoming } from '../incoming.ts'
import { clientIn } from './call-summary.ts'

interface Call {
  readonly incoming: Incoming
  readonly tenant: Tenant
  readonly answer: Answer
  readonly audit?: RecordedIn['audit']
}

/** Counts what is about to be sent to a client: a waiting page, an iframe, a HEAD request, an audit bring it nothing. */
export function countCall(endpoint: Endpoint, { incoming, tenant, answer, audit }: Call): void {
  if (incoming.method === 'HEAD' || clientOf(answer, incoming) === DEMO_CLIENT_ID) return
  const { coverage } = tenant
  if (audit) {
    // Only the browser said so: the pushed request was counted before.
    if (audit === 'late' && endpoint === ENDPOINTS.create) coverage.takeBack('par')
    return
  }
  const called = CALLED_AT.get(endpoint)
  if (called) {
    coverage.replied({ called, reply: answer.reply, outcome: answer.forcedOutcome })
    return
  }
  const { asked: transaction, callback, evaluation, decision, endedAs } = answer
  const { flow } = endpoint
  if (flow !== 'use' && flow !== 'create') return
  // The choice on a page ends a request that was counted before.
  if (transaction && endpoint.correlation !== 'transaction') coverage.asked({ transaction })
  if (!callback) return
  const outcome = decision?.outcome ?? (endedAs === undefined ? undefined : findOutcome(flow, endedAs))
  coverage.ended({ flow, callback, transaction, evaluation, outcome })
}

const CALLED_AT: ReadonlyMap<Endpoint, Called> = new Map<Endpoint, Called>([
  [ENDPOINTS.par, 'par'],
  [ENDPOINTS.token, 'token'],
  [ENDPOINTS.upgrade, 'upgrade'],
  [ENDPOINTS.useDiscovery, 'discovery'],
  [ENDPOINTS.createDiscovery, 'discovery'],
  [ENDPOINTS.jwks, 'jwks'],
])

const clientOf = ({ asked, clientId }: Answer, incoming: Incoming) => asked?.clientId ?? clientId ?? clientIn(incoming)
