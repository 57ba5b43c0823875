import { redirectUriWarnings } from '../../sandbox/addresses/addresses.ts'
import { clientSettingsOf } from '../../sandbox/clients/client-schema.ts'
import { requireOutcomeName, requirePersona } from '../../sandbox/outcomes/names.ts'
import { requireReadings } from '../../sandbox/readings/readings.ts'
import { type TenantChanges, tenantValuesOf } from '../../sandbox/tenants/shared-parts.ts'
import { type Tenant, tenantBeside } from '../../sandbox/tenants/tenant.ts'
import { requireTenant } from '../../sandbox/tenants/tenants.ts'
import { Refusal } from '../../service/oidc/refusal.ts'
import { camelCased, snakeCased } from '../../service/text/camel-case.ts'
import { quote } from '../../service/text/message-parts.ts'
import { readPageAfter } from '../http/list-page.ts'
import type { tenantOperations } from './contract/tenants.ts'
import type { ControlCall, Handlers } from './handler.ts'

export const tenantHandlers: Pick<Handlers, keyof typeof tenantOperations> = {
  async reset({ tenant }) {
    await tenant.reset()
    return { status: 204 }
  },
  async listTenants({ tenant, host: { tenants }, query }) {
    const { items, next } = await readPageAfter(await tenants.names(), query, {
      idOf: (name) => name,
      show: async (name) => wireTenant(tenantBeside(tenant, await tenants.read(name))),
    })
    return { status: 200, body: { tenants: items, next } }
  },
  async getTenant({ tenant, host: { tenants }, params: { name } }) {
    const found = await requireTenant(name, tenants)
    return { status: 200, body: wireTenant(tenantBeside(tenant, found)) }
  },
  async putTenant({ tenant, host: { tenants }, params: { name }, body }) {
    const found = await tenants.find(name)
    const change = await readChange(body, found ?? tenants.at(name))
    const changed = found ?? (await tenants.declare(name))
    await changed.configure(change)
    return { status: found ? 200 : 201, body: wireTenant(tenantBeside(tenant, changed)) }
  },
  async deleteTenant({ host: { tenants }, params }) {
    const { name } = await requireTenant(params.name, tenants)
    await tenants.remove(name)
    return { status: 204 }
  },
}

/**
 * Converts the body to settings, and checks all of them before any setting changes.
 * @throws Refusal for an unknown persona, outcome or reading, and for a client declared twice
 */
async function readChange(
  change: ControlCall<'putTenant'>['body'],
  tenant: Tenant,
): Promise<TenantChanges> {
  const { persona, outcome, clients, lifetimes, readings, ...values } = change
  const { settings } = tenant
  if (typeof persona === 'string') await requirePersona(persona, { personas: tenant.personas })
  const ids = clients?.map(({ client_id: id }) => id) ?? []
  const seen = new Set<string>()
  const twice = ids.find((id) => seen.has(id) || !seen.add(id))
  if (twice !== undefined)
    throw Refusal.invalidRequest(`clients: ${quote(twice)} is declared twice`)
  for (const client of clients ?? [])
    if (client.persona !== undefined)
      await requirePersona(client.persona, { personas: tenant.personas })
  if (typeof outcome === 'string') requireOutcomeName(outcome)
  return {
    ...(persona === undefined && outcome === undefined
      ? {}
      : { defaults: camelCased({ persona, outcome }) }),
    ...(clients ? { clients: clients.map(clientSettingsOf) } : {}),
    ...(lifetimes ? { lifetimes: camelCased(lifetimes) } : {}),
    ...camelCased(values),
    ...(readings === undefined ? {} : { readings: requireReadings(settings.readings, readings) }),
  }
}

/** The tenant as the control API shows it. Client secrets are left out. */
function wireTenant({ name, provider, settings, clock, keys }: Tenant) {
  const { clients, defaults, lifetimes, readings } = settings
  const warnings = redirectUriWarnings(clients)
  return {
    name,
    base_url: provider.baseUrl,
    ...defaults,
    clients: clients.map(
      ({ clientId, name: clientName = clientId, redirectUris, signingAlg = keys.alg }) => ({
        client_id: clientId,
        name: clientName,
        redirect_uris: redirectUris,
        signing_alg: signingAlg,
      }),
    ),
    ...(warnings.length === 0 ? {} : { warnings }),
    lifetimes: snakeCased(lifetimes),
    ...snakeCased(tenantValuesOf(settings)),
    readings,
    clock: clock.state(),
  }
}
