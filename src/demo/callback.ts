import type { Incoming } from '../http/incoming.ts'
import type { Reply } from '../http/reply.ts'
import type { Handler } from '../http/route.ts'
import { refuseCrossSite } from '../http/same-origin.ts'
import { useIssuer } from '../oidc/provider.ts'
import { Refusal } from '../oidc/refusal.ts'
import type { Tenant } from '../sandbox/tenants/tenant.ts'
import { checkState, checkUseCallback } from './check-callback.ts'
import { type Demo, demoFrame, demoReply, toResult } from './demo.ts'
import { renderFragment } from './fragment-page.ts'
import type { Journey, Returned } from './journey.ts'
import { type Received, readReceived } from './received.ts'
import { fetchKeySet } from './server-calls.ts'

/** The callback by GET: response mode query, or a page that reads the fragment when nothing stands in the query. */
export const takeQuery =
  (demo: Demo): Handler =>
  async (request, tenant) => {
    if (request.query === '') return { reply: demoReply(renderFragment(demoFrame(tenant, demo)), tenant) }
    return { reply: await take(request.query, { request, tenant, demo }) }
  }

/** The callback by POST: response mode form_post, or the fragment that the page has read. */
export const takePost =
  (demo: Demo): Handler =>
  async (request, tenant) => {
    refuseCrossSite(request, demo.host.guard.origins)
    return { reply: await take(Buffer.from(request.body).toString('utf8'), { request, tenant, demo }) }
  }

interface Arrival {
  readonly request: Incoming
  readonly tenant: Tenant
  readonly demo: Demo
}

/** Checks a callback against the session of the browser. The first one counts: a state is used once. */
async function take(encoded: string, arrival: Arrival): Promise<Reply> {
  const { request, tenant, demo } = arrival
  const journey = demo.sessions.find(request, tenant)
  if (!journey) throw noSession()
  if (!journey.returned) {
    const returned = await check(readReceived(encoded), journey, arrival)
    demo.sessions.update(request, tenant, { ...journey, returned })
  }
  return toResult(tenant)
}

async function check(received: Received, journey: Journey, { tenant, demo }: Arrival): Promise<Returned> {
  const { params } = received
  if (journey.flow === 'create') return { params, checks: [checkState(params, journey.state)] }
  return checkUseCallback(received, {
    request: journey.request,
    startedAt: journey.startedAt,
    issuer: useIssuer(tenant.provider),
    now: tenant.clock.now(),
    keySet: () => fetchKeySet({ tenant, host: demo.host }),
  })
}

/** A browser without a session: another one, or one that came by another name. */
export const noSession = () =>
  Refusal.invalidRequest(
    'cookie: the shop does not know this browser, so it cannot tell whether the callback answers its own request.',
    {
      title: 'This browser has no session',
      restartHint: 'Start again in the demo app, at the base URL of the sandbox.',
    },
  )
