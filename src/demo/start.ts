import * as z from 'zod'
import { readForm } from '../http/form.ts'
import type { Incoming } from '../http/incoming.ts'
import type { Handler } from '../http/route.ts'
import { refuseCrossSite } from '../http/same-origin.ts'
import type { Tenant } from '../sandbox/tenants/tenant.ts'
import { createParameters, createUrl, randomValue, useParameters, useUrl } from './authorization-requests.ts'
import { type Demo, demoFrame, demoPath, demoReply, sendTo } from './demo.ts'
import { push } from './server-calls.ts'
import { renderDemoStart } from './start-page.ts'

/** What the shop asks unless the visitor writes something else. */
const USUAL_CLAIMS = '{"age_thresholds":[13,16,18,21]}'

/** The first page: two forms. */
export const showStart =
  (demo: Demo): Handler =>
  (request, tenant) => {
    const rightAddress = addressOfBase(request, tenant)
    const view = { ...demoFrame(tenant, demo), claims: USUAL_CLAIMS, ...(rightAddress ? { rightAddress } : {}) }
    return { reply: demoReply(renderDemoStart(view), tenant) }
  }

/** E1: remembers state, nonce and claims in a session and sends the browser to the service. */
export const startUse =
  ({ host, sessions }: Demo): Handler =>
  (request, tenant) => {
    refuseCrossSite(request, host.guard.origins)
    const { claims = '', response_mode: responseMode = 'fragment', can_create, upgrade } = readForm(request)
    const wish = { claims, responseMode, canCreate: can_create === 'true', upgrade: upgrade === 'true' }
    const sent = useParameters(wish, tenant)
    const cookie = sessions.begin({ flow: 'use', request: sent, startedAt: tenant.clock.now(), exchanges: [] }, tenant)
    return { reply: sendTo(useUrl(sent, tenant), cookie) }
  }

const pushed = z.object({ request_uri: z.string() })

/** E2 and E3: pushes the request and sends the browser to the service; a refused request is shown. */
export const startCreate =
  ({ host, sessions }: Demo): Handler =>
  async (request, tenant) => {
    refuseCrossSite(request, host.guard.origins)
    const { date_of_birth: dateOfBirth = '' } = readForm(request)
    const state = randomValue()
    const { view, body } = await push({ dateOfBirth, state }, { tenant, host })
    const { data } = pushed.safeParse(body)
    const journey = { flow: 'create', state, exchanges: [view] } as const
    if (!data) return { reply: sendTo(`${demoPath(tenant)}/result`, sessions.begin(journey, tenant)) }
    const sent = createParameters(data.request_uri, tenant)
    return { reply: sendTo(createUrl(sent, tenant), sessions.begin({ ...journey, request: sent }, tenant)) }
  }

/** The demo under the base URL, for who came by another name: cookies do not follow there. */
function addressOfBase(request: Incoming, tenant: Tenant): string | undefined {
  const { host, origin } = new URL(tenant.provider.baseUrl)
  const called = request.header('host')
  return called === undefined || called === host ? undefined : `${origin}${demoPath(tenant)}`
}
