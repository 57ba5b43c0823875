import type { Callback, IdTokenClaims } from '../../service/oidc/callback.ts'
import type { CallName } from '../../service/oidc/endpoints.ts'
import type { Awaitable } from '../../service/oidc/ports.ts'
import type { TamperTools } from './tamper-tools.ts'

/** How a flow ends before any seam changes the answer. */
export type Ending =
  /**
   * `allFalse`: every threshold is false, whatever the age key holds; with the upgrade scope a code
   * is issued.
   */
  | { kind: 'verified'; allFalse?: true }
  | { kind: 'create_requested' }
  | { kind: 'created' }
  /** A new persona receives a new age key with the submitted signals. */
  | { kind: 'created_new' }
  | { kind: 'error'; error: string; description: string }
  /** The user closes the window, and no callback follows. */
  | { kind: 'no_answer' }

/** Requirements of an outcome on the authorization request and the persona. */
export const NEEDS = [
  'can_create',
  'no_can_create',
  'upgrade_scope',
  /**
   * No code is issued: the request does not ask for the upgrade scope, or the persona meets a
   * threshold.
   */
  'no_code',
  /**
   * The persona has an age key: without one the flow does not produce the answer that the row
   * changes.
   */
  'age_key',
  /** The client has an earlier Use flow with a verified answer, which can be replayed. */
  'earlier_flow',
  /** The earlier flow had a different `state`. */
  'earlier_state',
] as const
export type Need = (typeof NEEDS)[number]

/**
 * A need in a few words.
 * @param scope the upgrade scope
 */
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
 * How binding a check is. `must`: the specification or a MUST of an RFC requires it of the client,
 * or the specification defines success by it. `should`: an RFC or OpenID Connect recommends it, or
 * the specification says that such an answer does not occur. `may`: no document requires it
 * (hardening).
 */
export const REQUIREMENT_LEVELS = ['must', 'should', 'may'] as const
export type RequirementLevel = (typeof REQUIREMENT_LEVELS)[number]

/** The personas whose changed answer a client without the check accepts. */
export const BAITS = ['adult', 'minor', 'both'] as const
export type Bait = (typeof BAITS)[number]

/**
 * Who makes the check: `oidc` a general OpenID Connect client library, `service` only the app
 * itself.
 */
export const LAYERS = ['oidc', 'service'] as const
export type Layer = (typeof LAYERS)[number]

// biome-ignore format: a line for each check
/**
 * The checks of a relying party on a callback, an id_token and the reply to a call. Columns: name,
 * title, the family of the rows about the check, and what a correct client does.
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

export const CHECK_ROWS = CHECK_TABLE.map(([name, title, family, rule]) => ({
  name,
  title,
  family,
  rule,
}))
export const CHECKS = CHECK_ROWS.map(({ name }) => name)
export type ClientCheck = (typeof CHECKS)[number]

/** Columns that the rows of a family share, unless a row overrides them. */
export interface FamilyColumns {
  readonly level: RequirementLevel
  /** From 0 to 10, like a CVSS base score. */
  readonly severity: number
  /** Numbers of the Common Weakness Enumeration. */
  readonly cwe: readonly number[]
  /** The sections that require the check: `RFC 7519 section 4.1.4`. */
  readonly refs: readonly string[]
  /**
   * What an attacker or a child gains when the app accepts the answer; for a right answer, what a
   * user loses when the app refuses it.
   */
  readonly harm: string
  readonly bait: Bait
  readonly layer: Layer
  /**
   * The checks that catch the mistake, the most specific first. Each of them is enough. Example: a
   * token with an embedded key passes if `key_source` is missing; without any `signature` check it
   * passes too.
   */
  readonly breaks: readonly ClientCheck[]
}

/**
 * A row of an audit: an outcome of the catalogue, or a right answer that a browser brings in a
 * wrong way.
 */
export interface AuditRow extends FamilyColumns {
  /**
   * Reads like a test title: `access_denied`, `id_token.expired`. Names are unique within a flow.
   */
  readonly name: string
  readonly flow: CallName
  readonly summary: string
  /** What a correct relying party checks. */
  readonly rule: string
  /** The family of rows about the same mistake. */
  readonly family: string
  /** What a correct client does. `depends`: one flow is not enough to judge the client. */
  readonly correctClient: 'accept' | 'refuse' | 'depends'
  /** How the flow ends; by default `verified` or `created`. */
  readonly ending?: Ending
  readonly needs?: readonly Need[]
  /**
   * For a server-to-server call: the service does nothing except sending this reply. Nothing is
   * spent.
   */
  readonly instead?: true
  /** The right answer that differs only by the fault, such as `use/verified`. */
  readonly twin: string
  /** A flow that the browser must complete first: a verified flow of the same client. */
  readonly prelude?: 'earlier_flow'
  /**
   * A client may also read the answer as "no threshold is met": every requested answer is a
   * boolean.
   */
  readonly plainNo?: true
  /** The version of the catalogue that added the row. */
  readonly since: string
}

/**
 * A row of the catalogue: a named ending of a flow. `apply` changes the answer at the `seam`.
 * Without `apply` the row is an ending that a real service has too.
 */
export type Outcome = AuditRow & AnySeamChange

/** The type of the value at each seam. */
interface Seamed {
  claims: IdTokenClaims
  token: string
  callback: Callback
  reply: ServerReply
}

export type Seam = keyof Seamed

export type ValueAt<S extends Seam> = Seamed[S]

export type Apply<S extends Seam> = (value: ValueAt<S>, tools: TamperTools) => Awaitable<ValueAt<S>>

/** A change at one seam. */
export interface SeamChange<S extends Seam> {
  readonly seam: S
  readonly apply?: Apply<S>
}

export type AnySeamChange = { [S in Seam]: SeamChange<S> }[Seam]

/** A change to the answers of a flow: a forced outcome, or a variant of a reading. */
export type AnswerChange = AnySeamChange & { readonly flow: CallName }

const UNMET: Readonly<Partial<Record<Need, string>>> = {
  can_create: 'your app sends no can_create=true',
  no_can_create: 'your app sends can_create=true, which makes this answer a legal one',
  upgrade_scope: 'your app does not ask for the upgrade scope',
  earlier_state:
    'your app sends the same state with every request, so that there is no earlier one',
}

/** Why an app with these properties can never receive the row; `undefined` when it can. */
export function unmetNeedOf(
  { needs = [] }: Pick<Outcome, 'needs'>,
  has: Readonly<Partial<Record<Need, boolean>>>,
): string | undefined {
  const unmet = needs.find((need) => has[need] === false)
  return unmet && UNMET[unmet]
}

/** Whether the row sends no answer to the app, so that the app cannot accept one. */
export const bringsNothing = ({ ending }: Pick<Outcome, 'ending'>): boolean =>
  ending?.kind === 'no_answer'

/** The body of a reply as data. It is serialised when it is sent. */
export type ReplyBody =
  | { readonly kind: 'empty' }
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'redirect'; readonly location: string }
  /** Sends only the first half of `body`. */
  | { readonly kind: 'truncated'; readonly body: ReplyBody }

/** The reply to a server-to-server call as data. Only `server/http/reply.ts` sends it. */
export interface ServerReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: ReplyBody
  /** Milliseconds to wait before the reply is sent. */
  readonly delayMs?: number
  /** Closes the connection without sending anything. */
  readonly dropped?: true
}
