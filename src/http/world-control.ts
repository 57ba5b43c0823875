import type { WorldSettings } from '../sandbox/tenants/world.ts'

/** What the control API needs of the process beside its tenants. */
export interface WorldControl {
  readonly version: string
  readonly settings: WorldSettings
  uptimeSeconds(): number
}
