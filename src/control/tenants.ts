import * as z from 'zod'
import { json, noContent } from '../http/reply.ts'
import { Refusal } from '../oidc/refusal.ts'
import { clientSchema, clientSettingsOf } from '../sandbox/clients/client-schema.ts'
import { requireOutcomeName, requirePersona } from '../sandbox/decision/names.ts'
import { requireTenant } from '../sandbox/tenants/require-tenant.ts'
import type { Tenant } from '../sandbox/tenants/tenant.ts'
import type { TenantSettings } from '../sandbox/tenants/world.ts'
import { controlRoute } from './control-route.ts'
import { lifetimesShape, tenantShape } from './shapes.ts'

/** What a tenant may have of its own. What is left out stays as it is; null takes a default away. */
const tenantChange = z.strictObject({
  persona: z.string().nullable().optional(),
  outcome: z.string().nullable().optional(),
  clients: z.array(clientSchema).optional().describe('In place of the declared clients, beside the built-in one'),
  lifetimes: lifetimesShape.partial().optional().describe('In seconds'),
})

export const tenantRoutes = [
  controlRoute({
    method: 'get',
    path: '/tenants',
    operationId: 'listTenants',
    summary: 'Every tenant, the one at the base URL first',
    responses: { 200: z.object({ tenants: z.array(tenantShape) }) },
    handle: async ({ tenants }) => json(200, { tenants: (await tenants.list()).map(describeTenant) }),
  }),
  controlRoute({
    method: 'get',
    path: '/tenants/:name',
    operationId: 'getTenant',
    summary: 'One tenant',
    responses: { 200: tenantShape },
    async handle(call) {
      return json(200, describeTenant(await requireTenant(call.params['name'] ?? '', call.tenants)))
    },
  }),
  controlRoute({
    method: 'put',
    path: '/tenants/:name',
    operationId: 'putTenant',
    summary: 'Makes a tenant, or changes what is given of one',
    body: tenantChange,
    responses: { 200: tenantShape, 201: tenantShape },
    async handle(call) {
      const { tenants, params, body } = call
      const name = params['name'] ?? ''
      const found = await tenants.find(name)
      const change = await readChange(body, found ?? tenants.at(name))
      const tenant = found ?? (await tenants.touch(name))
      await tenant.configure(change)
      return json(found ? 200 : 201, describeTenant(tenant))
    },
  }),
  controlRoute({
    method: 'delete',
    path: '/tenants/:name',
    operationId: 'deleteTenant',
    summary: 'Removes a tenant with everything in it',
    responses: { 204: undefined },
    async handle(call) {
      const { name } = await requireTenant(call.params['name'] ?? '', call.tenants)
      await call.tenants.remove(name)
      return noContent()
    },
  }),
]

/** Everything is checked before anything is changed. */
async function readChange(change: z.output<typeof tenantChange>, tenant: Tenant): Promise<Partial<TenantSettings>> {
  const { persona, outcome, clients, lifetimes } = change
  const { settings } = tenant
  if (typeof persona === 'string') await requirePersona(persona, { personas: tenant.personas })
  const ids = clients?.map(({ client_id: id }) => id) ?? []
  const twice = ids.find((id, index) => ids.indexOf(id) !== index)
  if (twice !== undefined) throw Refusal.invalidRequest(`clients: ${JSON.stringify(twice)} is declared twice`)
  for (const client of clients ?? [])
    if (client.persona !== undefined) await requirePersona(client.persona, { personas: tenant.personas })
  if (typeof outcome === 'string') requireOutcomeName(outcome)
  const pick = (wanted: string | null | undefined, current: string | undefined) =>
    wanted === undefined ? current : (wanted ?? undefined)
  const { requestUri, code, idToken, accessToken } = settings.lifetimes
  return {
    defaults: { persona: pick(persona, settings.defaults.persona), outcome: pick(outcome, settings.defaults.outcome) },
    ...(clients ? { clients: clients.map(clientSettingsOf) } : {}),
    lifetimes: {
      requestUri: lifetimes?.request_uri ?? requestUri,
      code: lifetimes?.code ?? code,
      idToken: lifetimes?.id_token ?? idToken,
      accessToken: lifetimes?.access_token ?? accessToken,
    },
  }
}

/** A tenant as the control API shows it; client secrets stay out. */
function describeTenant({ name, provider, settings, clock }: Tenant) {
  const { requestUri, code, idToken, accessToken } = settings.lifetimes
  return {
    name,
    base_url: provider.baseUrl,
    ...settings.defaults,
    clients: settings.clients.map(({ clientId, name: clientName = clientId, redirectUris }) => ({
      client_id: clientId,
      name: clientName,
      redirect_uris: redirectUris,
    })),
    lifetimes: { request_uri: requestUri, code, id_token: idToken, access_token: accessToken },
    clock: clock.state(),
  }
}
