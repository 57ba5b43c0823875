import type { ConnectedSandbox } from '../../server/client/connect-sandbox.ts'
import type { AuditHost } from './audit-host.ts'
import type { AuditPlan } from './plan.ts'

/** The sandbox or tenant of an audit. `baseUrl` is the base URL for apps. */
export interface OpenSandbox extends ConnectedSandbox {
  /** The certificate of the sandbox, if clients must be told to trust it. */
  readonly certificate?: { readonly pem: string } | undefined
  /** Whether the audit started the sandbox. */
  readonly isOwn: boolean
}

export interface AuditSession {
  readonly host: AuditHost
  readonly sandbox: OpenSandbox
  readonly plan: AuditPlan
  /** The command that audits the same app again. */
  readonly command: string
  readonly signal: AbortSignal
}
