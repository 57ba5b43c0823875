import type { SandboxApi } from '../../client/sandbox-api.ts'
import type { AuditReport } from '../../sandbox/outcomes/audit-report.ts'
import { createDriver, type DriveLimits, type Driver, type PageSettings } from './driver.ts'

/** A running app, and the sandbox or tenant that it uses. */
export interface AuditedApp {
  readonly sandbox: SandboxApi
  /** The page where a user begins to prove an age. */
  readonly page: string
  readonly agent: AuditReport['agent']
  drive(limits: DriveLimits): Driver
}

/** The app whose page is at an address. */
export const appAt = (sandbox: SandboxApi, settings: PageSettings): AuditedApp => ({
  sandbox,
  page: settings.page,
  agent: settings.agent.name,
  drive: (limits) => createDriver(sandbox, { ...settings, ...limits }),
})
