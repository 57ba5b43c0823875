import { randomBytes } from 'node:crypto'
import * as z from 'zod'
import type { Fields } from '../http/form.ts'
import type { Handler, HttpHost } from '../http/handler.ts'
import { type Reply, redirect } from '../http/reply.ts'
import { createIssuer, useIssuer } from '../oidc/provider.ts'
import { upgradeScope } from '../oidc/rules/profile.ts'
import { DEMO_CLIENT_ID, demoCallback } from '../sandbox/clients/demo-client.ts'
import type { Tenant } from '../sandbox/tenants/tenant.ts'
import { toResult } from './demo.ts'
import { readDemoForm } from './read-demo-form.ts'
import { push } from './server-calls.ts'
import { beginSession } from './sessions.ts'

/** E1: keeps state, nonce and claims in a session and sends the browser to the service. */
export const startUse: Handler = async (request, tenant) => {
  const state = randomValue()
  const sent = useParameters(readDemoForm(request), state, tenant)
  const session = { flow: 'use', state, request: sent, startedAt: tenant.clock.now(), exchanges: [] } as const
  const cookie = await beginSession(session, tenant)
  return { reply: { ...toAuthorization(useIssuer(tenant.provider), sent), cookies: [cookie] } }
}

const pushed = z.object({ request_uri: z.string() })

/** E2 and E3: pushes the request and sends the browser to the service; a refused push is shown on the result page. */
export const startCreate =
  (host: HttpHost): Handler =>
  async (request, tenant) => {
    const { date_of_birth: dateOfBirth = '' } = readDemoForm(request)
    const state = randomValue()
    const { exchange, body } = await push({ dateOfBirth, state }, { tenant, host })
    const session = { flow: 'create', state, exchanges: [exchange] } as const
    const { data } = pushed.safeParse(body)
    if (!data) return { reply: { ...toResult(tenant), cookies: [await beginSession(session, tenant)] } }
    const sent = createParameters(data.request_uri, tenant)
    const cookie = await beginSession({ ...session, request: sent }, tenant)
    return { reply: { ...toAuthorization(createIssuer(tenant.provider), sent), cookies: [cookie] } }
  }

function useParameters(fields: Fields, state: string, { provider }: Tenant) {
  const { claims = '', response_mode: responseMode = 'fragment', can_create: canCreate, upgrade } = fields
  return {
    scope: upgrade === 'true' ? `openid ${upgradeScope(provider.brand)}` : 'openid',
    response_type: 'id_token',
    response_mode: responseMode,
    client_id: DEMO_CLIENT_ID,
    redirect_uri: demoCallback(provider.baseUrl),
    state,
    nonce: randomValue(),
    claims,
    ...(canCreate === 'true' ? { can_create: 'true' } : {}),
  }
}

const createParameters = (requestUri: string, { provider }: Tenant) => ({
  scope: 'openid',
  response_type: 'none',
  client_id: DEMO_CLIENT_ID,
  redirect_uri: demoCallback(provider.baseUrl),
  request_uri: requestUri,
})

/** A fresh `state` or `nonce` of 128 random bits. */
const randomValue = () => randomBytes(16).toString('base64url')

const toAuthorization = (endpoint: string, parameters: Readonly<Record<string, string>>): Reply =>
  redirect(303, `${endpoint}?${new URLSearchParams(parameters).toString()}`)
