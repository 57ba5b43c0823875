import { contains } from '../http/form.ts'
import { consolePathOf } from '../http/html/console-page.ts'
import type { RenderedPage } from '../http/html/layout.ts'
import { Refusal } from '../oidc/refusal.ts'
import type { Tenant } from '../sandbox/tenants/tenant.ts'
import type { Tenants } from '../sandbox/tenants/tenants.ts'
import type { ConsoleCall, ConsoleRoute } from './console-route.ts'
import { renderTenants, type TenantRow } from './tenants-page.ts'

/** Tenants on one page. */
const MOST_SHOWN = 50

/** `console/tenants`: the worlds of this process. */
export const tenantsPage: ConsoleRoute = { name: 'tenants', render: renderList, act: change }

async function renderList({ tenant, host, frame, fields, problem }: ConsoleCall): Promise<RenderedPage> {
  const all = await host.tenants.list()
  const { q: search = '', add: name } = fields
  const found = all.filter((one) => contains(search, [one.name]))
  return renderTenants({
    ...frame,
    tenants: found.slice(0, MOST_SHOWN).map((one) => rowOf(one, host.tenants)),
    total: all.length,
    search,
    action: `${consolePathOf(tenant)}/tenants`,
    name,
    problem,
  })
}

async function change({ host, fields }: ConsoleCall): Promise<undefined> {
  const { add, reset, remove } = fields
  if (add !== undefined) await host.tenants.touch(add)
  else if (reset !== undefined) await (await existing(reset, host.tenants)).reset()
  else if (remove !== undefined) await host.tenants.remove((await existing(remove, host.tenants)).name)
  else throw Refusal.invalidRequest('New tenant: write a name')
}

async function existing(name: string, tenants: Tenants): Promise<Tenant> {
  const tenant = await tenants.find(name)
  if (tenant) return tenant
  const known = (await tenants.list()).map((one) => one.name)
  throw Refusal.unknownName({ source: 'tenant', kind: 'tenant', name, known, status: 404 })
}

function rowOf(tenant: Tenant, { root }: Tenants): TenantRow {
  const { now, frozen } = tenant.clock.state()
  return {
    name: tenant.name,
    baseUrl: tenant.provider.baseUrl,
    path: `${consolePathOf(tenant)}/flows`,
    now,
    isFrozen: frozen,
    isRoot: tenant === root,
  }
}
