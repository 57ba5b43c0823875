import type { Tenant } from '../sandbox/tenants/tenant.ts'
import type { Shell } from './html/layout.ts'

/** What surrounds the content of a page of this tenant. */
export const shellOf = (tenant: Tenant, version: string): Shell => ({
  assetsPath: `${tenant.basePath}/_sandbox/assets`,
  homePath: `${tenant.basePath}/`,
  version,
  theme: 'system',
})
