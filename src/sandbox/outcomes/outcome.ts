import type { Callback } from '../../oidc/callback.ts'
import type { IdTokenClaims } from '../../oidc/seams.ts'
import type { ServerReply } from './server-reply.ts'
import type { TamperTools } from './tamper-tools.ts'

/** What an outcome ends: an authorization request of a flow, or a server-to-server call. */
export const OUTCOME_FLOWS = ['use', 'create', 'par', 'token', 'upgrade', 'discovery', 'jwks'] as const
export type OutcomeFlow = (typeof OUTCOME_FLOWS)[number]

/** How the user ends a flow, before any seam is applied. */
export type Ending =
  /** `allFalse`: no threshold is met, whatever the persona holds; with the upgrade scope a code comes. */
  | { kind: 'verified'; allFalse?: true }
  | { kind: 'create_requested' }
  | { kind: 'created' }
  /** Saved as a new age key, held by a new persona. */
  | { kind: 'created_new' }
  | { kind: 'error'; error: string; description: string }
  /** The user closes the window: no callback follows. */
  | { kind: 'no_answer' }

/** What an authorization request must have asked for, and its persona hold, before an outcome is possible. */
export type Need =
  | 'can_create'
  | 'no_can_create'
  | 'upgrade_scope'
  /** The persona has an age key: what is changed stands only in the answer of a verified flow. */
  | 'age_key'

/** How binding what a row demands is: `must` the specification's own demands, `should` other RFCs, `may` hardening. */
export const LEVELS = ['must', 'should', 'may'] as const
export type Level = (typeof LEVELS)[number]

/** The persona for whom the careless reading of an answer is a yes. */
export type Bait = 'adult' | 'minor' | 'both'

interface OutcomeFacts {
  /** Reads like a test title: `access_denied`, `id_token.expired`. Unique within its flow. */
  readonly name: string
  readonly flow: OutcomeFlow
  readonly summary: string
  /** What a correct relying party checks. */
  readonly rule: string
  /** `depends`: it can be judged only with more context than this flow. */
  readonly correctClient: 'accept' | 'refuse' | 'depends'
  /** How the flow ends; `verified` or `created` when absent. */
  readonly ending?: Ending
  readonly needs?: readonly Need[]
  /** Of a server-to-server call: the service does no work and spends nothing; only this reply is sent. */
  readonly instead?: true
}

/**
 * One row of the catalogue: a named ending of a flow. `seam` says where `apply` changes what is about to be sent; a row
 * without `apply` is an ending that the service itself knows.
 */
export type Outcome = OutcomeFacts &
  (
    | { readonly seam: 'claims'; apply(claims: IdTokenClaims, tools: TamperTools): IdTokenClaims }
    | { readonly seam: 'token'; apply(idToken: string, tools: TamperTools): string | Promise<string> }
    | { readonly seam: 'callback'; apply?(callback: Callback, tools: TamperTools): Callback }
    | { readonly seam: 'reply'; apply?(reply: ServerReply, tools: TamperTools): ServerReply | Promise<ServerReply> }
  )
