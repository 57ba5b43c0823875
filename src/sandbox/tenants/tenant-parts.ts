import type { CoverageKeeper } from '../coverage/coverage-keeper.ts'
import type { SharedParts } from './shared-parts.ts'

/** What tenants are made of. */
export interface TenantParts extends SharedParts {
  readonly coverage: CoverageKeeper
}
