/**
 * The policy: constants for the points that the specification leaves open.
 * `docs/maintainers/decisions.md` gives the reasons.
 */
import { MAX_SIGNALS, MAX_SUBMITTED } from '../age/signal.ts'
import type { Lifetimes, SigningAlgorithm } from './ports.ts'
import type { Brand } from './rules/profile.ts'

/** Lifetimes in seconds. All come from the specification except `code`. */
export const DEFAULT_LIFETIMES: Lifetimes = {
  requestUri: 90,
  code: 600,
  idToken: 600,
  accessToken: 10_800,
}

/**
 * `short`: a prefix, if any, and random base64url. `jwt`: a signed JWT of about 1,000 characters.
 * `base64`: contains `/`, `+` and `=`.
 */
export type IssuedForm = 'short' | 'jwt' | 'base64'

/** The constants that a reading can change. */
export interface Policy {
  /** Overrides the brand word of the profile. */
  readonly brand?: Brand
  /** Overrides the algorithm of the signer and of the client. */
  readonly signingAlg?: SigningAlgorithm
  /** Overrides the configured lifetime; in seconds. */
  readonly codeSeconds?: number
  readonly codeUse: 'single' | 'repeated'
  readonly requestUriUse: 'single' | 'repeated'
  readonly accessTokenUse: 'single' | 'repeated'
  /** The form of codes, access tokens, and the identifiers in `request_uri`. */
  readonly codeForm: IssuedForm
  readonly accessTokenForm: IssuedForm
  readonly requestUriForm: IssuedForm
  /** Maximum number of age signals in `authorization_details`. */
  readonly maxSignals: number
  /** Whether a date in `verified_after` means the start or the end of that day. */
  readonly verifiedAfterDate: 'start' | 'end'
  /** Whether an upgrade adds age signals to the age key or replaces its signals. */
  readonly upgradeEffect: 'adds' | 'replaces'
  /** The JSON body of a refused server-to-server call. */
  readonly errorBody: 'findings' | 'plain'
  /** The body of a refused upgrade. */
  readonly upgradeErrorBody: 'json' | 'empty' | 'text'
  /** Whether callbacks and replies carry `error_description`. */
  readonly errorDescription: 'present' | 'absent'
  /** The status for wrong credentials at E2. */
  readonly clientErrorStatus: 401 | 400
  /** The status for a refused access token at E5. */
  readonly refusedTokenStatus: 401 | 403
  /** The status for refused age signals at E5. */
  readonly refusedSignalStatus: 400 | 422
  /**
   * The error codes of refused authorization requests: `specific` keeps them, `general` always
   * sends `invalid_request`.
   */
  readonly errorCodes: 'specific' | 'general'
  /** How E3 answers an expired or used `request_uri`. */
  readonly unusableRequestUri: 'redirect' | 'without_state' | 'page'
  /** How E1 and E3 answer an invalid request of a known client. */
  readonly refusedRequest: 'redirect' | 'page'
  /** The status of a redirect that answers a GET request. */
  readonly redirectStatus: 302 | 303
}

/** The policy when no reading is set. */
export const DEFAULT_POLICY: Policy = {
  codeUse: 'single',
  requestUriUse: 'single',
  accessTokenUse: 'repeated',
  codeForm: 'short',
  accessTokenForm: 'short',
  requestUriForm: 'short',
  maxSignals: MAX_SUBMITTED,
  verifiedAfterDate: 'start',
  upgradeEffect: 'adds',
  errorBody: 'findings',
  upgradeErrorBody: 'json',
  errorDescription: 'present',
  clientErrorStatus: 401,
  refusedTokenStatus: 401,
  refusedSignalStatus: 400,
  errorCodes: 'specific',
  unusableRequestUri: 'redirect',
  refusedRequest: 'redirect',
  redirectStatus: 302,
}

/** Provenance paths that a submitted age signal may use; the config file can replace them. */
export const DEFAULT_PROVENANCE_ALLOWLIST: readonly string[] = [
  '/connect_id',
  '/stripe',
  '/inicis',
  '/singpass',
  '/privy',
  '/spruce_id',
  '/verify_my',
  '/privately',
  '/yoti',
  '/meta',
  '/veratad/internal',
  '/veratad/trinsic',
  '/veratad/cra',
  '/veratad/roc',
  '/sandbox',
  '/sandbox/partner',
]

/** Values of the attribute `platform`. These placeholders can be replaced in the config file. */
export const DEFAULT_PLATFORMS: readonly string[] = [
  'apple_wallet',
  'google_wallet',
  'samsung_wallet',
  'connect_id',
  'sandbox',
]

/** Bytes of randomness in a `request_uri`, a code, a transaction and a `sub`: 128 bits. */
export const IDENTIFIER_BYTES = 16

/** Bytes of randomness in an access token: 256 bits. */
export const ACCESS_TOKEN_BYTES = 32

/**
 * The prefix of access tokens. Like `ak_test_` and `sk_test_` of credentials, it lets scanners
 * recognise a leaked token.
 */
export const ACCESS_TOKEN_PREFIX = 'at_test_'

/**
 * How long an expired or spent pushed request, code or token is kept, in seconds, so that an error
 * can say what happened to it.
 */
export const REMEMBERED_SECONDS = 7 * 86_400

/** How long the choice page may stay open, in seconds. */
export const TRANSACTION_SECONDS = 3_600

/** The decisions where the specification says "not shown", one sentence for each point. */
const SENTENCES: Readonly<Record<string, string>> = {
  'brand word':
    'svc in profile spec, agekey in profile agekey: in the upgrade scope, the upgrade path and the request_uri.',
  'PAR success': '201 with request_uri and expires_in (RFC 9126), Cache-Control: no-store.',
  'failed E2':
    '401 invalid_client; 400 invalid_request, invalid_scope, unsupported_response_type, request_not_supported, invalid_authorization_details; 415 for another content type.',
  'failed E4':
    '401 invalid_client with WWW-Authenticate: Basic; 400 invalid_request, invalid_grant, unsupported_grant_type.',
  'failed E5':
    '401 invalid_token with WWW-Authenticate: Bearer; 400 invalid_request or invalid_authorization_details; 403 insufficient_scope only as a forced outcome.',
  'body of a failed server-to-server call':
    'JSON {error, error_description, error_uri, findings: [{rule, level, path, message, hint}]}, no-store.',
  'failed E1 and E3':
    'Unknown client or unregistered redirect_uri: an error page with status 400, never a redirect. Otherwise a redirect with error, error_description and state. Without response_mode an error for exactly response_type=code goes into the query.',
  'E3 with client_id and request_uri alone':
    'Profile agekey takes the rest from the pushed request, with advice; profile spec redirects invalid_request to the pushed redirect_uri.',
  'more than one client authentication at E2 or E4': 'invalid_request (RFC 6749 section 2.3).',
  'request objects':
    'request_not_supported at E1 to E3; request_uri_not_supported at E1, invalid_request at E2.',
  'dates of an age signal':
    'Not in the future, with 60 seconds of tolerance for verified_at; a date, or a time without a zone, only when it is in the future everywhere on Earth.',
  request_uri:
    'Bound to its client; single use, spent when the decision of the user is taken; remembered after expiry to return state with the error.',
  code: 'Single use, 600 seconds, bound to its client; a second use ends the access token that came of the first.',
  'access token':
    'Opaque, 256 random bits, usable again until it expires; bound to client and age key.',
  authorization_details: '1 to 10 items.',
  'age format per method':
    'email_age_estimation, facial_age_estimation and payment_card_network take at_least_years alone, the last one only 18. The others take all three; another one than date_of_birth is advice.',
  'numbers in age':
    'years and at_least_years are integers from 0 to 150; date_of_birth is a day that exists, not in the future, at most 150 years ago.',
  'provenance allowlist':
    'Fourteen provider paths, /sandbox and /sandbox/partner, unless the config replaces them.',
  'platform values': 'Five placeholders, unless the config replaces them.',
  discovery: 'The documents list what is served and nothing else.',
  redirect_uri:
    'Exact match. Registered are https, http on a loopback host, or any http URL that the config writes out. The built-in client takes any path and port on localhost, *.localhost, 127.0.0.0/8 and [::1], and what --redirect-uri adds.',
  signing:
    'RS256 by default, ES256 by --signing-alg or config, also for one client; both public keys are in the key set.',
  req_claims_hash:
    'SHA-256 of the decoded claims string exactly as sent, base64url without padding.',
  'ISO 27566-1 level of a submitted signal':
    'From certifications in the config, by provenance and method; otherwise uncertified.',
  Create:
    "The persona's age key is replaced by one with the submitted signals; as a new key a new persona holds them.",
  Upgrade: `Adds the signals to the age key that the token names; at most ${MAX_SIGNALS} signals a key, the oldest goes.`,
  'a persona without an age key in Use':
    'Scripted: create_requested when can_create=true, else access_denied.',
  'a threshold named twice': 'True when each entry holds; the trace shows every entry.',
}

/** The decisions as rows of the catalogue. */
export const POLICY_POINTS = Object.entries(SENTENCES).map(([point, decision]) => ({
  point,
  decision,
}))
