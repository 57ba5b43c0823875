import type { SandboxApi } from '../../client/sandbox-api.ts'
import type { AuditReport } from '../../sandbox/outcomes/report/audit-report.ts'
import { createDriver, type DriveLimits, type Driver, type PageSettings } from './driver.ts'

/** A running app, and the sandbox or tenant that it uses. */
export interface AuditedApp extends Pick<PageSettings, 'page'> {
  readonly sandbox: SandboxApi
  readonly agent: AuditReport['agent']
  /** An answer in the fragment gets to the app, by a browser with scripts or by what is known of its page. */
  readonly readsFragments: boolean
  drive(limits: DriveLimits): Driver
  /** What the agent kept pages from, or did not follow, in one line each. */
  notes?(): readonly string[]
  /** Absent when the audit did not start the app. */
  readonly program?: AppProgram | undefined
}

/** The program of an app that the audit started. */
export interface AppProgram {
  /** Takes down what it writes from now on; the function that comes back ends that and gives the lines, without secrets. */
  record(): () => Promise<readonly string[]>
  /** Starts it again at the same address. @throws Error with one line when it does not come up */
  restart(): Promise<void>
}

/** Copies of one app, each with a sandbox of its own. */
export interface AppCopies {
  readonly copies: readonly [AuditedApp, ...AuditedApp[]]
  /** Visits at the same time in each of them; with one, calls of its server and lines of its log belong to that visit. */
  readonly visitsEach: number
  /** Absent when the audit does not start the app on tenants. */
  readonly startFresh?: StartFresh | undefined
}

/** Starts one more copy of the app, on a tenant that `prepare` has changed before. */
export type StartFresh = (options: {
  prepare(sandbox: SandboxApi): Promise<void>
  readonly signal: AbortSignal
}) => Promise<FreshCopy>

export type FreshCopy = (
  | { readonly app: AuditedApp; readonly failure?: undefined }
  | { readonly app?: undefined; readonly failure: { readonly problem: string; readonly isEnded: boolean } }
) & {
  readonly sandbox: SandboxApi
  /** All that it wrote, without secrets. */
  log(): Promise<readonly string[]>
  /** Ends it and removes its tenant. */
  close(): Promise<void>
}

export const appAt = (sandbox: SandboxApi, settings: PageSettings): AuditedApp => ({
  sandbox,
  page: settings.page,
  agent: settings.agent.name,
  readsFragments: settings.agent.name === 'chromium' || settings.fragment !== undefined,
  notes: settings.agent.notes,
  drive: (limits) => createDriver(sandbox, { ...settings, ...limits }),
})
