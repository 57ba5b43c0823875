import type { Decision } from '../../sandbox/decision/decide.ts'
import type { FlowLink } from '../../sandbox/journal/flow-link.ts'
import type { Flow } from '../../sandbox/journal/journal.ts'
import type { Outcome } from '../../sandbox/outcomes/outcome.ts'
import type { SandboxSettings } from '../../sandbox/tenants/shared-parts.ts'
import type { Tenant } from '../../sandbox/tenants/tenant.ts'
import type { Tenants } from '../../sandbox/tenants/tenants.ts'
import type { Callback } from '../../service/oidc/callback.ts'
import type { CreateTransaction } from '../../service/oidc/create.ts'
import type { Endpoint } from '../../service/oidc/endpoints.ts'
import type { Awaitable } from '../../service/oidc/ports.ts'
import type { Finding } from '../../service/oidc/rules/finding.ts'
import type { UseEvaluation, UseTransaction } from '../../service/oidc/use.ts'
import type { RecordedFile, RecordingName } from '../control/contract/recording-formats.ts'
import type { ControlGuard, OpenTo } from './guard/guard.ts'
import type { Incoming } from './incoming.ts'
import type { Reply } from './reply.ts'

/** The result of a route: the reply, and what the journal records of the call. */
export interface Answer {
  readonly reply: Reply
  readonly findings?: readonly Finding[]
  readonly decision?: Decision | undefined
  readonly evaluation?: UseEvaluation | undefined
  /** The persona that holds the saved age key, even if another persona was decided. */
  readonly holder?: string | undefined
  /** The outcome that changed the reply of a server-to-server call. */
  readonly forcedOutcome?: Outcome
  /** What named the outcome: `request header X-Sandbox-Outcome`. */
  readonly forcedBy?: string
  /** The expectation that named the outcome marks the flow as part of an audit. */
  readonly audit?: true | undefined
  /** The readings for a refused call, where they differ from those of the tenant. */
  readonly readings?: readonly string[] | undefined
  /** The callback that the browser sends to the relying party. */
  readonly callback?: Callback | undefined
  /** The valid authorization request that the call made or ends. */
  readonly asked?: UseTransaction | CreateTransaction
  /** The outcome that a refused authorization request really had: `request_uri.expired`. */
  readonly endedAs?: string | undefined
  /** The client to which the access token of the call belongs. */
  readonly clientId?: string | undefined
  /** The error that the reply shows. */
  readonly error?: { readonly code: string; readonly description: string }
  /**
   * The transaction that waits for its user on the page. It also identifies later calls of the
   * flow.
   */
  readonly transaction?: string
  /** Identifiers that tie later calls to the flow. */
  readonly issuedIds?: readonly string[]
  /**
   * The call begins a flow if it belongs to none, although calls of its endpoint usually do not.
   */
  readonly begins?: true
  /** Whether the flow ended with this call. A refused call also ends its flow. */
  readonly ends?: boolean
}

/**
 * Reserves the flow in which the call will be recorded, for an answer that names its flow;
 * `undefined` when the call cannot be recorded.
 */
export type ReserveFlow = () => Promise<FlowLink | undefined>

/** A route returns an answer or throws a `Refusal`. */
export type Handler = (
  request: Incoming,
  tenant: Tenant,
  reserveFlow: ReserveFlow,
) => Awaitable<Answer>

type HttpMethod = 'get' | 'post' | 'put' | 'delete'

/** One route below the base URL, or below `/t/NAME` there. */
export interface RouteRow {
  readonly path: string
  readonly method: HttpMethod
  readonly handler: Handler
  /**
   * The endpoint under which calls are recorded; absent for pages and control calls, which are not
   * recorded.
   */
  readonly endpoint?: Endpoint
  /**
   * The form of a refusal for a browser that opened the path or sent its form: a page, or for an
   * embedded path a page in any frame. Programs get JSON.
   */
  readonly errors?: 'page' | 'embeddable-page' | undefined
  /** The pages whose requests the route accepts; all when absent, as for calls of servers. */
  readonly openTo?: OpenTo
  /**
   * Whether a tenant has the route; each does when absent. A call of a route that its tenant lacks
   * makes no tenant.
   */
  readonly isServed?: (tenant: Tenant) => boolean
  /** Whether the call skips the queue of turns, as health checks do. */
  readonly isUrgent?: boolean
}

/** One line of the request log. Secrets are masked. */
export interface CallSummary {
  readonly method: string
  readonly path: string
  /** 0 when the connection was closed without a response. */
  readonly status: number
  readonly durationMs: number
  readonly tenant: string
  /** `E1` to `E6`; absent for pages and control calls. */
  readonly endpoint?: string
  /** The flow of the call: its id, and its page in the console. */
  readonly flow?: string
  readonly flowUrl?: string
  /** The `client_id` in the request. */
  readonly client?: string
  readonly persona?: string
  readonly outcome?: string
  /** The error code of a refused call. */
  readonly error?: string
  /** The rule that explains the refusal best. */
  readonly rule?: string
  /** Why the call was refused, as one sentence. */
  readonly message?: string
  /** Rule ids, most important first. */
  readonly findings: readonly string[]
}

/** What the server provides for its routes: settings, tenants and callbacks. */
export interface HttpHost {
  readonly version: string
  readonly settings: SandboxSettings
  /** The URL by which this process reaches its own server: `http://127.0.0.1:2435`. */
  readonly ownUrl: string
  /** The client whose credentials pages show. */
  readonly shownClient: { readonly clientId: string; readonly clientSecret: string }
  readonly guard: ControlGuard
  readonly tenants: Tenants
  /**
   * Proxies whose `X-Forwarded-` headers are trusted: addresses, CIDR ranges, or names of ranges
   * that Express knows.
   */
  readonly trustedProxies: readonly string[]
  uptimeSeconds(): number
  /** The report of the last audit as JSON, if there is one. */
  lastAudit(): Promise<string | undefined>
  /**
   * Writes a flow of a tenant as a file.
   * @throws Refusal 409 when none of its calls can be made again in this format
   */
  exportFlow(flow: Flow, as: RecordingName, tenant: Tenant): Promise<RecordedFile>
  /** @throws Refusal (503) while the store does not accept records */
  checkStore(): Promise<void>
  /** Absent without a listener: then calls are not summarised. */
  readonly onCall?: ((call: CallSummary) => void) | undefined
  onError(error: unknown): void
}
