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
  /** Set when the expectation that named the outcome belongs to an audit. */
  readonly audit?: true | undefined
  /** The readings that formed a refusal. They replace the readings of the tenant in the journal. */
  readonly readings?: readonly string[] | undefined
  /** The callback that the browser sends to the relying party. */
  readonly callback?: Callback | undefined
  /** The valid authorization request that this call makes or ends. */
  readonly asked?: UseTransaction | CreateTransaction
  /** The outcome that applies to a refused authorization request: `request_uri.expired`. */
  readonly endedAs?: string | undefined
  /** The client that the call names, or to which its code or access token belongs. */
  readonly clientId?: string | undefined
  /** The error that the reply shows. */
  readonly error?: { readonly code: string; readonly description: string }
  /** The id of the transaction that the page shows. It also identifies later calls of the flow. */
  readonly transaction?: string
  /** Identifiers that tie later calls to the flow. */
  readonly issuedIds?: readonly string[]
  /** Whether the call may begin a flow although calls of its endpoint usually do not. */
  readonly begins?: true
  /** Whether the flow ended with this call. A refused call also ends its flow. */
  readonly ends?: boolean
}

/**
 * Reserves the flow of the call before it is recorded, so that the answer can name the flow;
 * `undefined` when the call cannot be recorded.
 */
export type ReserveFlow = () => Promise<FlowLink | undefined>

/**
 * Serves the requests of a route.
 * @throws Refusal
 */
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
   * How browsers see a refusal: as a page, or as a page that any site may embed. Programs always
   * get JSON.
   */
  readonly errors?: 'page' | 'embeddable-page' | undefined
  /**
   * The pages whose requests the route accepts. When absent the route accepts requests from every
   * page, as calls of servers need.
   */
  readonly openTo?: OpenTo
  /**
   * Whether a tenant has the route; when absent every tenant has it. A call of a route that the
   * tenant lacks does not create the tenant.
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
  /** The id of the flow, and the URL of its page in the console. */
  readonly flow?: string
  readonly flowUrl?: string
  /** The `client_id` in the request. */
  readonly client?: string
  readonly persona?: string
  readonly outcome?: string
  /** The error code of a refused call. */
  readonly error?: string
  /** The most important rule that the request broke. */
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
  /** The URL under which this process reaches its own server: `http://127.0.0.1:2435`. */
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
  /** Receives a summary of each call. When absent no summary is created. */
  readonly onCall?: ((call: CallSummary) => void) | undefined
  onError(error: unknown): void
}
