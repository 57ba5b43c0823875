import type { Shell } from '../pages/layout.ts'
import type { Tenant } from '../sandbox/tenant.ts'

/** What surrounds the content of a page of this tenant. */
export const shellOf = (tenant: Tenant, version: string): Shell => ({
  assetsPath: `${tenant.basePath}/_sandbox/assets`,
  homePath: `${tenant.basePath}/`,
  version,
  theme: 'system',
})
