import type { Callback } from '../oidc/callback.ts'
import type { CreateTransaction } from '../oidc/create.ts'
import type { Endpoint } from '../oidc/endpoints.ts'
import type { Finding } from '../oidc/rules/finding.ts'
import type { UseEvaluation, UseTransaction } from '../oidc/use.ts'
import type { Decision } from '../sandbox/decision/decide.ts'
import type { FlowLink } from '../sandbox/journal/flow-link.ts'
import type { Outcome } from '../sandbox/outcomes/outcome.ts'
import type { SandboxSettings } from '../sandbox/tenants/shared-parts.ts'
import type { Tenant } from '../sandbox/tenants/tenant.ts'
import type { Tenants } from '../sandbox/tenants/tenants.ts'
import type { ControlGuard, OpenTo } from './guard/guard.ts'
import type { Incoming } from './incoming.ts'
import type { Reply } from './reply.ts'

/** What a route returns: the reply, and what the journal records of the call. */
export interface Answer {
  readonly reply: Reply
  readonly findings?: readonly Finding[]
  readonly decision?: Decision
  readonly evaluation?: UseEvaluation
  /** The persona that holds the age key which the call has saved, also when another one was decided. */
  readonly holder?: string | undefined
  /** The outcome that changed the reply of a server-to-server call. */
  readonly forcedOutcome?: Outcome
  /** What named that outcome: `request header X-Sandbox-Outcome`. */
  readonly forcedBy?: string
  /** The queued decision that named it marks the flow as one of an audit. */
  readonly audit?: true | undefined
  /** How the service read the specification, where that is not what the tenant says: of a call that was refused. */
  readonly readings?: readonly string[] | undefined
  /** The callback that the browser carries to the relying party. */
  readonly callback?: Callback | undefined
  /** The valid authorization request that the call made, or that it ends. */
  readonly asked?: UseTransaction | CreateTransaction
  /** The name of the outcome that a refused authorization request really had: `request_uri.expired`. */
  readonly endedAs?: string
  /** The client whose access token the call brought. */
  readonly clientId?: string | undefined
  /** Why the call was refused, as the reply says it. */
  readonly error?: { readonly code: string; readonly description: string }
  /** The transaction that waits for its user on the page; later calls of the flow are recognised by it, too. */
  readonly transaction?: string
  /** Identifiers by which later calls are recognised as the same flow. */
  readonly issuedIds?: readonly string[]
  /** Whether the flow ended with this call; a refused call ends it too. */
  readonly ends?: boolean
}

/** The answer to a refused call, which leads to the flow that the call is recorded in; there is none when it cannot be recorded. */
export type AnswerInFlow = (flow: FlowLink | undefined) => Answer | Promise<Answer>

/** A route returns an answer or throws a `Refusal`. */
export type Handler = (request: Incoming, tenant: Tenant) => Served | Promise<Served>

export type Served = Answer | AnswerInFlow

type HttpMethod = 'get' | 'post' | 'put' | 'delete'

/** One route below the base URL, or below `/t/NAME` there. */
export interface RouteRow {
  readonly path: string
  readonly method: HttpMethod
  readonly handler: Handler
  /** The endpoint under which calls are recorded; absent for pages and control calls, which are not recorded. */
  readonly endpoint?: Endpoint
  /** How a refusal is shown to a browser that opened the path or sent its form: as a page, in any frame when the path is embedded. Programs get JSON. */
  readonly errors?: 'page' | 'embeddable-page' | undefined
  /** Which pages may make a browser call it; every page when absent, as for the calls of servers. */
  readonly openTo?: OpenTo
  /** Whether it is answered before the calls that wait for their turn, as health is. */
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
  /** The id of the flow that the call belongs to, and its page in the console. */
  readonly flow?: string
  readonly flowUrl?: string
  /** The `client_id` that was sent. */
  readonly client?: string
  readonly persona?: string
  readonly outcome?: string
  /** The error code of a refused call. */
  readonly error?: string
  /** The rule that explains best why the call was refused. */
  readonly rule?: string
  /** Why the call was refused, as one sentence. */
  readonly message?: string
  /** Rule ids, most important first. */
  readonly findings: readonly string[]
}

/** What the server gives to its routes: settings, tenants and callbacks. */
export interface HttpHost {
  readonly version: string
  readonly settings: SandboxSettings
  /** Where this process reaches its own server, whatever the base URL: `http://127.0.0.1:2435`. */
  readonly ownUrl: string
  /** The client whose credentials pages show. */
  readonly shownClient: { readonly clientId: string; readonly clientSecret: string }
  readonly guard: ControlGuard
  readonly tenants: Tenants
  /** Proxies whose `X-Forwarded-` headers are believed: addresses, CIDR ranges, or names of ranges that Express knows. */
  readonly trustedProxies: readonly string[]
  uptimeSeconds(): number
  /** The report of the last audit as JSON, when this sandbox knows one. */
  lastAudit(): Promise<string | undefined>
  /** @throws Refusal (503) while the store takes no records */
  checkStore(): Promise<void>
  /** Absent when nobody listens: then no summary is made. */
  readonly onCall?: ((call: CallSummary) => void) | undefined
  onError(error: unknown): void
}
