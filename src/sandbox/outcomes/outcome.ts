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
export const NEEDS = [
  'can_create',
  'no_can_create',
  'upgrade_scope',
  /** The persona has an age key: what is changed stands only in the answer of a verified flow. */
  'age_key',
  /** The client has an earlier Use flow whose good answer can be sent again. */
  'earlier_flow',
  /** And that flow had another `state`. */
  'earlier_state',
] as const
export type Need = (typeof NEEDS)[number]

/** How binding what a row demands is: `must` the specification's own demands, `should` other RFCs, `may` hardening. */
export const LEVELS = ['must', 'should', 'may'] as const
export type Level = (typeof LEVELS)[number]

/** The persona for whom the careless reading of an answer is a yes. */
export const BAITS = ['adult', 'minor', 'both'] as const
export type Bait = (typeof BAITS)[number]

/** Where a mistake is caught: `oidc` by every client library of OpenID Connect, `service` only by the app. */
export const LAYERS = ['oidc', 'service'] as const
export type Layer = (typeof LAYERS)[number]

// biome-ignore format: one name a line would take a page of them
/** What a relying party checks of a callback, of an id_token and of a reply to one of its calls. */
export const CHECKS = [
  'state', 'parameters', 'response_mode', 'error', 'code', 'create_requested', 'callback_iss',
  'size', 'serialisation', 'alg', 'kid', 'key_source', 'crit', 'typ', 'signature', 'payload',
  'iss', 'aud', 'azp', 'exp', 'lifetime', 'iat', 'nbf', 'nonce', 'sub',
  'req_claims_hash', 'c_hash', 'age_thresholds', 'requested_thresholds',
  'connection', 'redirect', 'status', 'body', 'request_uri', 'expires_in', 'access_token', 'token_type',
  'ok', 'issuer', 'jwks_uri', 'authorization_endpoint', 'keys',
] as const
export type Check = (typeof CHECKS)[number]

/** What the rows of a family share, unless a row says otherwise. */
export interface FamilyColumns {
  readonly level: Level
  /** Like a CVSS base score: 0 to 10. */
  readonly severity: number
  /** Numbers of the Common Weakness Enumeration. */
  readonly cwe: readonly number[]
  /** The sections that demand the check: `RFC 7519 section 4.1.4`. */
  readonly refs: readonly string[]
  /** What an attacker or a child gains when it gets through; of a row to accept, what a user loses when it is refused. */
  readonly harm: string
  readonly bait: Bait
  readonly layer: Layer
  /**
   * The checks that fail for it, each of which would refuse it alone, the most special first: a token that is signed by a key of its
   * own passes without `key_source`, or without any check of the `signature`.
   */
  readonly breaks: readonly Check[]
}

/** What each row of the catalogue says beside what happens. */
export interface OutcomeColumns extends FamilyColumns {
  /** Rows of a family are about one mistake. */
  readonly family: string
  /** The row to be accepted that differs by the fault alone: `use/verified`. */
  readonly twin: string
  /** What the browser must have been through before: a good flow of the same client. */
  readonly prelude?: 'earlier_flow'
  /** Read as a plain no it is read rightly: the requested answers are there, as booleans. */
  readonly plainNo?: true
  /** The version of the catalogue that brought it. */
  readonly since: string
}

export interface OutcomeFacts {
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
export type Outcome = OutcomeFacts & OutcomeColumns & OutcomeSeam

/** A row of an audit: of the catalogue, or one that no answer of the sandbox makes but the way in which a browser brings it. */
export type AuditRow = OutcomeFacts & OutcomeColumns

export type OutcomeSeam =
  | { readonly seam: 'claims'; apply(claims: IdTokenClaims, tools: TamperTools): IdTokenClaims }
  | { readonly seam: 'token'; apply(idToken: string, tools: TamperTools): string | Promise<string> }
  | { readonly seam: 'callback'; apply?(callback: Callback, tools: TamperTools): Callback | Promise<Callback> }
  | { readonly seam: 'reply'; apply?(reply: ServerReply, tools: TamperTools): ServerReply | Promise<ServerReply> }

const UNMET: Readonly<Partial<Record<Need, string>>> = {
  can_create: 'your app sends no can_create=true',
  no_can_create: 'your app sends can_create=true, which makes this answer a legal one',
  upgrade_scope: 'your app does not ask for the upgrade scope',
  earlier_state: 'your app sends the same state with every request, so that there is no earlier one',
}

/** Why an app that asks as `has` says can never get the row; `undefined` when it can. */
export function unmetNeedOf(
  { needs = [] }: Pick<Outcome, 'needs'>,
  has: Readonly<Partial<Record<Need, boolean>>>,
): string | undefined {
  const unmet = needs.find((need) => has[need] === false)
  return unmet && UNMET[unmet]
}

/** The row brings no answer to the app, so that nothing can be let in. */
export const bringsNothing = ({ ending }: Pick<Outcome, 'ending'>): boolean => ending?.kind === 'no_answer'
