import type { Tenant } from '../../../sandbox/tenants/tenant.ts'
import { Refusal } from '../../../service/oidc/refusal.ts'
import { tenantForCaller } from '../guard/called-address.ts'
import { reasonToMakeNoTenant } from '../guard/guard.ts'
import type { HttpHost, RouteRow } from '../handler.ts'
import type { Incoming } from '../incoming.ts'

/**
 * Finds the tenant whose URL was called. A call from this machine creates a missing tenant; a call
 * from another machine does not, because it could evict tenants in use. For a path without a route
 * the tenant exists only for the answer, so that misspelt URLs evict no tenant.
 * @throws Refusal 404 when a caller who may not create the tenant names a missing one
 */
export async function calledTenant(
  incoming: Incoming,
  { host: { tenants, guard }, isServed }: { host: HttpHost; isServed: RouteRow['isServed'] },
): Promise<{ readonly tenant: Tenant; readonly exists: boolean }> {
  const { tenant: name } = incoming.params
  if (name === undefined) {
    await tenants.root.refresh?.()
    return { tenant: tenants.root, exists: true }
  }
  const reason = reasonToMakeNoTenant(incoming, guard)
  const makes = reason === undefined && (isServed === undefined || isServed(tenants.at(name)))
  if (makes || (await tenants.has(name))) return { tenant: await tenants.touch(name), exists: true }
  if (reason === undefined) return { tenant: tenants.at(name), exists: false }
  const { baseUrl } = tenantForCaller(incoming, tenants.root).provider
  const token =
    guard.token === undefined
      ? 'a control token, which this sandbox does not have yet'
      : 'the control token'
  throw Refusal.notFound(
    `tenant: there is no ${JSON.stringify(name)}, and this call does not make it, because ${reason}; make it with ${token}: PUT ${baseUrl}/_sandbox/tenants/${name}`,
    { title: 'No such tenant' },
  )
}
