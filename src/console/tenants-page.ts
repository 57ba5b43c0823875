import { counted, renderInstant } from '../http/html/badges.ts'
import { type ConsoleFrame, renderConsolePage } from '../http/html/console-page.ts'
import { renderTextField } from '../http/html/fields.ts'
import { type Html, html } from '../http/html/html.ts'
import type { RenderedPage } from '../http/html/layout.ts'
import { renderTable } from '../http/html/table.ts'

export interface TenantRow {
  readonly name: string
  readonly baseUrl: string
  /** Its own console. */
  readonly path: string
  /** ISO 8601. */
  readonly now: string
  readonly isFrozen: boolean
  /** The one at the base URL cannot be removed. */
  readonly isRoot: boolean
}

export interface TenantsView extends ConsoleFrame {
  readonly tenants: readonly TenantRow[]
  readonly total: number
  readonly search: string
  /** The path that takes the forms. */
  readonly action: string
  /** The name that was refused. */
  readonly name?: string | undefined
  readonly problem?: string | undefined
}

/** The isolated worlds of this process, each with a way into its console. */
export function renderTenants(view: TenantsView): RenderedPage {
  const { total, tenants, search, action } = view
  return renderConsolePage(view, {
    title: 'Tenants',
    current: 'tenants',
    lead: html`Each tenant is a sandbox of its own: address, clock, personas, expectations, journal. One exists from the first request below <code>/t/NAME</code>.`,
    problem: view.problem,
    body: html`<section class="card" aria-labelledby="tenants-title">
<h2 id="tenants-title">${counted(total, 'tenant')}</h2>
<div class="form-row">
<form class="form-row" method="get">${renderTextField({ name: 'q', label: 'Find', value: search })}<button class="secondary">Show</button></form>
<form class="form-row" method="post" action="${action}">${renderTextField({ name: 'add', label: 'New tenant', value: view.name })}<button class="secondary" data-testid="add-tenant">Add</button></form>
</div>
${tenants.length < total && html`<p class="hint">${tenants.length} of ${total} are shown.</p>`}
${renderTable(
  'Tenants',
  ['Name', 'Base URL', 'Clock', 'Change'],
  tenants.map((tenant) => renderTenant(tenant, action)),
)}
</section>`,
  })
}

function renderTenant({ name, baseUrl, path, now, isFrozen, isRoot }: TenantRow, action: string) {
  return {
    id: `tenant-${name}`,
    cells: [
      html`<a class="target" href="${path}">${name}</a>`,
      html`<code>${baseUrl}</code>`,
      html`${renderInstant(now)}${isFrozen && html` <span class="tag">frozen</span>`}`,
      renderChanges({ name, isRoot }, action),
    ],
  }
}

function renderChanges({ name, isRoot }: { name: string; isRoot: boolean }, action: string): Html {
  return html`<form class="button-row" method="post" action="${action}">
<button class="secondary compact" name="reset" value="${name}" aria-label="Reset ${name}">Reset</button>
${!isRoot && html`<button class="secondary compact" name="remove" value="${name}" aria-label="Remove ${name}">Remove</button>`}
</form>`
}
