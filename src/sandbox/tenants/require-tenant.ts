import { Refusal } from '../../oidc/refusal.ts'
import type { Tenant } from './tenant.ts'
import type { Tenants } from './tenants.ts'

/** Finds a tenant by name, and counts it as used. @throws Refusal 404 with the nearest names */
export async function requireTenant(name: string, tenants: Tenants): Promise<Tenant> {
  const tenant = await tenants.find(name)
  if (tenant) return tenant
  const known = await tenants.names()
  throw Refusal.unknownName({
    source: 'tenant',
    kind: 'tenant',
    name,
    known,
    listedBy: 'GET /_sandbox/tenants',
    status: 404,
  })
}
