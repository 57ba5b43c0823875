import { type Tenant, tenantBeside } from '../../../sandbox/tenants/tenant.ts'
import { ROOT_TENANT, requireTenant } from '../../../sandbox/tenants/tenants.ts'
import {
  type ConsoleFrame,
  consolePathOf,
  renderConsolePage,
} from '../../../server/http/console-page.ts'
import { contains } from '../../../server/http/form.ts'
import { counted, renderInstant, renderTable } from '../../../server/http/html/elements.ts'
import { renderTextField } from '../../../server/http/html/fields.ts'
import { html } from '../../../server/http/html/html.ts'
import type { RenderedPage } from '../../../server/http/html/layout.ts'
import { Refusal } from '../../../service/oidc/refusal.ts'
import type { ConsoleCall, ConsoleRoute } from '../console-route.ts'
import { pageOf, renderPaging } from '../list-page.ts'

/** `console/tenants`: the tenants of this process, and forms that add, reset and remove them. */
export const tenantsPage: ConsoleRoute = { name: 'tenants', render: renderList, act: change }

/** Maximum number of tenants on one page. */
const MAX_SHOWN = 50

async function renderList({
  tenant,
  host,
  frame,
  fields,
  problem,
}: ConsoleCall): Promise<RenderedPage> {
  const all = await host.tenants.names()
  const { q: search = '', add: name } = fields
  const found = all.filter((one) => contains(search, [one]))
  const { items, next } = pageOf(found, { fields, limit: MAX_SHOWN, idOf: (one) => one })
  const shown = await Promise.all(
    items.map(async (one) => tenantBeside(tenant, await host.tenants.read(one))),
  )
  return renderTenants(frame, shown, { total: all.length, next, search, name, problem })
}

async function change({ host, fields }: ConsoleCall): Promise<undefined> {
  const { tenants } = host
  const { add, reset, remove } = fields
  if (add !== undefined) await tenants.declare(add)
  else if (reset !== undefined) await (await requireTenant(reset, tenants)).reset()
  else if (remove !== undefined) await tenants.remove((await requireTenant(remove, tenants)).name)
  else throw Refusal.invalidRequest('New tenant: write a name')
}

type ListedTenant = Pick<Tenant, 'name' | 'basePath'> & {
  readonly provider: Pick<Tenant['provider'], 'baseUrl'>
  readonly clock: Pick<Tenant['clock'], 'state'>
}

interface TenantList {
  readonly total: number
  /** The last name on this page, if more follow. */
  readonly next: string | undefined
  readonly search: string
  /** The name that was refused. */
  readonly name?: string | undefined
  readonly problem?: string | undefined
}

/** Renders the tenants, each with a link to its console. */
export function renderTenants(
  frame: ConsoleFrame,
  tenants: readonly ListedTenant[],
  { total, next, search, name, problem }: TenantList,
): RenderedPage {
  const action = `${frame.consolePath}/tenants`
  return renderConsolePage(frame, {
    title: 'Tenants',
    current: 'tenants',
    lead: html`Each tenant is a sandbox of its own: address, clock, personas, expectations, journal. On this machine one exists from the first request below <code>/t/NAME</code>, beyond it from <code>PUT _sandbox/tenants/NAME</code>.`,
    problem,
    body: html`<section class="card" aria-labelledby="tenants-title">
<h2 id="tenants-title">${counted(total, 'tenant')}</h2>
<div class="row">
<form class="row" method="get">${renderTextField({ name: 'q', label: 'Find', value: search })}<button class="secondary">Show</button></form>
<form class="row" method="post" action="${action}">${renderTextField({ name: 'add', label: 'New tenant', value: name })}<button class="secondary" data-testid="add-tenant">Add</button></form>
</div>
${renderPaging({ shown: tenants.length, total, next }, { q: search })}
${renderTable('Tenants', COLUMNS, tenants.map(renderTenant(action)))}
</section>`,
  })
}

const COLUMNS = ['Name', 'Base URL', 'Clock', 'Change']

const renderTenant = (action: string) => (tenant: ListedTenant) => {
  const { name, provider, clock } = tenant
  const { now, frozen: isFrozen } = clock.state()
  return {
    id: `tenant-${name}`,
    cells: [
      html`<a class="target" href="${consolePathOf(tenant)}/flows">${name}</a>`,
      html`<code>${provider.baseUrl}</code>`,
      html`${renderInstant(now)}${isFrozen && html` <span class="tag">frozen</span>`}`,
      // The root tenant cannot be removed.
      html`<form class="row" method="post" action="${action}">
<button class="secondary" name="reset" value="${name}" aria-label="Reset ${name}">Reset</button>
${name !== ROOT_TENANT && html`<button class="secondary" name="remove" value="${name}" aria-label="Remove ${name}">Remove</button>`}
</form>`,
    ],
  }
}
