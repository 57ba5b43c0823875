import type { Callback, IdTokenClaims } from '../../oidc/callback.ts'
import { CALLS, type Call } from '../../oidc/endpoints.ts'
import type { Awaitable } from '../../oidc/ports.ts'
import type { TamperTools } from './tamper-tools.ts'

/** What an outcome ends: an authorization request of a flow, or a server-to-server call. */
export const OUTCOME_FLOWS = CALLS
export type OutcomeFlow = Call

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
  /** No code is due: the upgrade scope was not asked for, or the persona meets a threshold. */
  'no_code',
  /** The persona has an age key: what is changed stands only in the answer of a verified flow. */
  'age_key',
  /** The client has an earlier Use flow whose good answer can be sent again. */
  'earlier_flow',
  /** And that flow had another `state`. */
  'earlier_state',
] as const
export type Need = (typeof NEEDS)[number]

/** What a request, or its persona, must have for an outcome, in a few words. `scope` is the upgrade scope of the profile. */
export const needInWords = (need: Need, scope = 'the upgrade scope'): string =>
  ({
    can_create: 'can_create=true',
    no_can_create: 'a request without can_create',
    upgrade_scope: `scope ${scope}`,
    age_key: 'a persona with an age key',
    no_code: `a request without scope ${scope}, or a persona that meets a threshold`,
    earlier_flow: 'an earlier Use flow of the client that ended well',
    earlier_state: 'another state than in the earlier flow',
  })[need]

/**
 * How binding what a row demands is. `must`: a sentence of the specification asks it of the client or says what alone is a success, or a MUST of an RFC. `should`: an
 * RFC or OpenID Connect recommends it, or the specification says that no such answer comes. `may`: nothing asks for it (hardening).
 */
export const REQUIREMENT_LEVELS = ['must', 'should', 'may'] as const
export type RequirementLevel = (typeof REQUIREMENT_LEVELS)[number]

/** The persona for whom the careless reading of an answer is a yes. */
export const BAITS = ['adult', 'minor', 'both'] as const
export type Bait = (typeof BAITS)[number]

/** Where a mistake is caught: `oidc` by every client library of OpenID Connect, `service` only by the app. */
export const LAYERS = ['oidc', 'service'] as const
export type Layer = (typeof LAYERS)[number]

// biome-ignore format: a line for each check
/**
 * What a relying party checks of a callback, of an id_token and of a reply to one of its calls: the name of the check, its title in a
 * list, the family of the rows that are about it, and what a correct client checks.
 */
const CHECK_TABLE = [
  ['state', 'state', 'state', 'state equals the one that this browser was sent away with, and serves once.'],
  ['parameters', 'parameters', 'parameters', 'Each parameter comes once, and exactly one result is there.'],
  ['response_mode', 'response mode', 'response_mode', 'The answer comes in the response_mode that was asked for.'],
  ['error', 'error', 'error', 'A callback with an error is no result, whatever stands beside it.'],
  ['code', 'code', 'code', 'A code comes only with the upgrade scope, when no threshold is met.'],
  ['create_requested', 'create request', 'create_request', 'create_requested is true, and the request said can_create=true.'],
  ['callback_iss', 'iss parameter', 'mix_up', 'The parameter iss, when there is one, is the issuer (RFC 9207).'],
  ['size', 'size', 'limits', 'A token above a few kilobytes is refused before anything parses it.'],
  ['serialisation', 'serialisation', 'serialisation', 'The id_token is three parts of base64url without padding.'],
  ['alg', 'algorithm', 'algorithm', 'The token is verified with the agreed algorithm, not with the one it names.'],
  ['kid', 'key id', 'header', 'kid names a key of the published key set.'],
  ['key_source', 'key source', 'key_source', 'Keys come from the published key set, and none from the token.'],
  ['crit', 'critical extensions', 'header', 'A crit header with an unknown extension is refused.'],
  ['typ', 'token type', 'header', 'typ is JWT or absent.'],
  ['signature', 'signature', 'signature', 'The signature verifies with the published key that kid names.'],
  ['payload', 'payload', 'payload', 'The payload is a JSON object whose members come once.'],
  ['iss', 'issuer', 'issuer', 'iss equals {base_url}/v1/oidc/use, character by character.'],
  ['aud', 'audience', 'audience', 'aud contains the client_id of your app.'],
  ['azp', 'authorized party', 'authorized_party', 'With a further audience azp is the client_id of your app.'],
  ['exp', 'expiry', 'expiry', 'exp is in the future, give or take a little for the skew of clocks.'],
  ['lifetime', 'lifetime', 'lifetime', 'exp is at most ten minutes after iat.'],
  ['iat', 'issued at', 'issued_at', 'iat is a number of seconds, neither before the flow began nor in the future.'],
  ['nbf', 'not before', 'not_before', 'nbf, when there is one, is not in the future.'],
  ['nonce', 'nonce', 'nonce', 'nonce equals the one that this session sent, and serves once.'],
  ['sub', 'subject', 'subject', 'sub is a string of 1 to 255 characters, and is logged.'],
  ['req_claims_hash', 'request hash', 'claims_hash', 'req_claims_hash is the hash of the claims text that was sent.'],
  ['c_hash', 'code hash', 'code_hash', 'c_hash is there when a code is, and fits it.'],
  ['age_thresholds', 'age thresholds', 'thresholds', 'Each answer is compared with === true; nothing else is a yes.'],
  ['requested_thresholds', 'requested thresholds', 'requested_thresholds', 'Only requested thresholds are read.'],
  ['connection', 'connection', 'connection', 'A call without a reply, or with a late one, has failed.'],
  ['redirect', 'redirect', 'redirect', 'A call from server to server follows no redirect.'],
  ['status', 'HTTP status', 'failure', 'Only the status of a success counts as one.'],
  ['body', 'body', 'failure', 'The body is JSON, whole and of the expected form.'],
  ['request_uri', 'request_uri', 'pushed_request', 'request_uri is a URN.'],
  ['expires_in', 'expires_in', 'access_token', 'expires_in, when there is one, is a number of seconds.'],
  ['access_token', 'access token', 'access_token', 'access_token is a string that is not empty.'],
  ['token_type', 'type of the access token', 'access_token', 'token_type is Bearer, in whatever case.'],
  ['ok', 'OK of the upgrade', 'upgrade', 'The reply is the JSON string "OK".'],
  ['issuer', 'issuer of the discovery', 'discovery', 'The issuer in the document is the one that was asked.'],
  ['jwks_uri', 'jwks_uri', 'discovery', 'jwks_uri is an address on the host of the issuer.'],
  ['authorization_endpoint', 'authorization endpoint', 'discovery', 'The address is on the host of the issuer.'],
  ['keys', 'key set', 'key_set', 'The key set is JSON with at least one key; without it nothing is verified.'],
] as const

export const CHECK_ROWS = CHECK_TABLE.map(([name, title, family, rule]) => ({ name, title, family, rule }))
export const CHECKS = CHECK_ROWS.map(({ name }) => name)
export type ClientCheck = (typeof CHECKS)[number]

/** What the rows of a family share, unless a row says otherwise. */
export interface FamilyColumns {
  readonly level: RequirementLevel
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
  readonly breaks: readonly ClientCheck[]
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
export type Outcome = OutcomeFacts & OutcomeColumns & AnySeamChange

/** A row of an audit: of the catalogue, or one that no answer of the sandbox makes but the way in which a browser brings it. */
export type AuditRow = OutcomeFacts & OutcomeColumns

/** What is changed at each seam. */
interface Seamed {
  claims: IdTokenClaims
  token: string
  callback: Callback
  reply: ServerReply
}

export type Seam = keyof Seamed

export type ValueAt<S extends Seam> = Seamed[S]

export type Apply<S extends Seam> = (value: ValueAt<S>, tools: TamperTools) => Awaitable<ValueAt<S>>

/** A change of what is about to be sent at one seam. */
export interface SeamChange<S extends Seam> {
  readonly seam: S
  readonly apply?: Apply<S>
}

export type AnySeamChange = { [S in Seam]: SeamChange<S> }[Seam]

/** A change of the answers to one flow: a row of the catalogue is one, and the readings that are set hold on to some. */
export type AnswerChange = AnySeamChange & { readonly flow: OutcomeFlow }

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

/** The body of a reply as data: it becomes text only when it is sent. */
export type ReplyBody =
  | { readonly kind: 'empty' }
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'redirect'; readonly location: string }
  /** Only the first half of `body` is sent. */
  | { readonly kind: 'truncated'; readonly body: ReplyBody }

/** The reply to a server-to-server call, as data: the only function that sends it is in `http/reply.ts`. */
export interface ServerReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: ReplyBody
  /** Milliseconds to wait before it is sent. */
  readonly delayMs?: number
  /** Nothing is sent: the connection is closed. */
  readonly dropped?: true
}
