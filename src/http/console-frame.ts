import type { Tenant } from '../sandbox/tenants/tenant.ts'
import { ROOT_TENANT } from '../sandbox/tenants/tenants.ts'
import type { ConsoleFrame } from './html/console-page.ts'
import type { HttpHost } from './route.ts'
import { shellOf } from './shell.ts'

/** Where the console of a tenant begins. */
export const consolePathOf = ({ basePath }: Pick<Tenant, 'basePath'>) => `${basePath}/_sandbox/console`

/** What every page of the console of this tenant knows. */
export const consoleFrame = (tenant: Tenant, host: Pick<HttpHost, 'version'>): ConsoleFrame => ({
  shell: shellOf(tenant, host.version),
  consolePath: consolePathOf(tenant),
  demoPath: `${tenant.basePath}/_sandbox/demo`,
  eventsPath: `${tenant.basePath}/_sandbox/events`,
  ...(tenant.name === ROOT_TENANT ? {} : { tenant: tenant.name }),
})
