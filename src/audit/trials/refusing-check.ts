import type { Check, Outcome } from '../../sandbox/outcomes/outcome.ts'
import type { Finding } from './trial.ts'

/** A message of a client library, and the check that it belongs to. */
interface LibraryMessage {
  readonly library: 'jose' | 'oauth4webapi and openid-client 6' | 'PyJWT' | 'Authlib' | 'go-oidc'
  readonly pattern: RegExp
  readonly check: Check
}

const jose = rowsOf('jose', [
  [/"exp" claim timestamp check failed|missing required "exp" claim|"exp" claim must be a number/, 'exp'],
  [/"nbf" claim (?:timestamp check failed|must be a number)/, 'nbf'],
  [/"iat" claim (?:timestamp check failed|must be a number)|missing required "iat" claim/, 'iat'],
  [/(?:unexpected|missing required) "iss" claim/, 'iss'],
  [/(?:unexpected|missing required) "aud" claim/, 'aud'],
  [/missing required "nonce" claim/, 'nonce'],
  [/missing required "sub" claim/, 'sub'],
  [/unexpected "typ" JWT header value/, 'typ'],
  [
    /^(?:Uncaught )?JWSSignatureVerificationFailed|JWSSignatureVerificationFailed: signature verification failed/,
    'signature',
  ],
  [/"alg" \(Algorithm\) Header Parameter (?:value not allowed|missing or invalid)/, 'alg'],
  [/Extension Header Parameter "[^"]*" is not recognized|"crit" \(Critical\) Header Parameter/, 'crit'],
  [/no applicable key found in the JSON Web Key Set/, 'kid'],
  [/multiple matching keys found in the JSON Web Key Set/, 'kid'],
  [/JSON Web Key Set malformed/, 'keys'],
  [
    /Invalid Compact JWS|JWTInvalid: |JWSInvalid: (?:Failed to base64url|JWS Protected Header is invalid)/,
    'serialisation',
  ],
])

const oauth4webapi = rowsOf('oauth4webapi and openid-client 6', [
  [/JWT signature verification failed/, 'signature'],
  [/unexpected JWT "alg" header parameter|missing client or server configuration to verify used JWT "alg"/, 'alg'],
  [/unexpected JWT "exp" \(expiration time\) claim|JWT "exp" \(expiration time\) claim missing/, 'exp'],
  [/unexpected JWT "iat" \(issued at\) claim|JWT "iat" \(issued at\) claim missing/, 'iat'],
  [/unexpected JWT "nbf" \(not before\) claim/, 'nbf'],
  [/unexpected JWT "iss" \(issuer\) claim|JWT "iss" \(issuer\) claim missing/, 'iss'],
  [/unexpected JWT "aud" \(audience\) claim|JWT "aud" \(audience\) claim missing/, 'aud'],
  [/unexpected ID Token "azp"|includes additional untrusted audiences/, 'azp'],
  [/unexpected ID Token "nonce" claim value/, 'nonce'],
  [/invalid ID Token "c_hash"/, 'c_hash'],
  [/unexpected "state" response parameter|response parameter "state" missing/, 'state'],
  [/response parameter "iss" \(issuer\) missing|unexpected "iss" \(issuer\) response parameter value/, 'callback_iss'],
  [/error when selecting a JWT verification key/, 'kid'],
  [/"response" body "keys" property/, 'keys'],
  [/"response" body "issuer" property|discovered metadata issuer does not match/, 'issuer'],
  [/is not a conform (?:Authorization Server Metadata|JSON Web Key Set) response/, 'status'],
  [/failed to parse "response" body as JSON/, 'body'],
  [/failed to parse JWT (?:Header|Payload)|OperationProcessingError: Invalid JWT/, 'serialisation'],
])

const pyjwt = rowsOf('PyJWT', [
  [/ExpiredSignatureError|MissingRequiredClaimError: .*"exp"/, 'exp'],
  [/ImmatureSignatureError: The token is not yet valid \(iat\)/, 'iat'],
  [/ImmatureSignatureError: The token is not yet valid \(nbf\)/, 'nbf'],
  [/InvalidIssuerError|MissingRequiredClaimError: .*"iss"/, 'iss'],
  [/InvalidAudienceError|MissingRequiredClaimError: .*"aud"/, 'aud'],
  [/MissingRequiredClaimError: .*"nonce"/, 'nonce'],
  [/MissingRequiredClaimError: .*"sub"|InvalidSubjectError/, 'sub'],
  [/InvalidSignatureError/, 'signature'],
  [/InvalidAlgorithmError/, 'alg'],
  [/PyJWKClientError: Unable to find a signing key/, 'kid'],
  [/jwt\.exceptions\.DecodeError/, 'serialisation'],
])

const authlib = rowsOf('Authlib', [
  [/BadSignatureError|bad_signature/, 'signature'],
  [/ExpiredTokenError|expired_token/, 'exp'],
  [/InvalidClaimError: .*["']iss["']|MissingClaimError: .*["']iss["']/, 'iss'],
  [/InvalidClaimError: .*["']aud["']|MissingClaimError: .*["']aud["']/, 'aud'],
  [/InvalidClaimError: .*["']azp["']|MissingClaimError: .*["']azp["']/, 'azp'],
  [/InvalidClaimError: .*["']nonce["']|MissingClaimError: .*["']nonce["']/, 'nonce'],
  [/InvalidClaimError: .*["']c_hash["']|MissingClaimError: .*["']c_hash["']/, 'c_hash'],
  [/MissingClaimError: .*["']exp["']/, 'exp'],
  [/MismatchingStateError|mismatching_state/, 'state'],
])

const goOidc = rowsOf('go-oidc', [
  [/oidc: token is expired/, 'exp'],
  [/oidc: current time .* before the nbf/, 'nbf'],
  [/oidc: id token issued by a different provider/, 'iss'],
  [/oidc: expected audience/, 'aud'],
  [/failed to verify (?:id token )?signature/, 'signature'],
  [/oidc: id token signed with unsupported algorithm|unexpected signature algorithm/, 'alg'],
  [/oidc: issuer did not match the issuer returned by provider/, 'issuer'],
  [/oidc: malformed jwt/, 'serialisation'],
])

/** Messages by which well-known client libraries say which check refused, most telling first. */
export const LIBRARY_MESSAGES: readonly LibraryMessage[] = [...jose, ...oauth4webapi, ...pyjwt, ...authlib, ...goOidc]

function rowsOf(
  library: LibraryMessage['library'],
  rows: readonly (readonly [pattern: RegExp, check: Check])[],
): readonly LibraryMessage[] {
  return rows.map(([pattern, check]) => ({ library, pattern, check }))
}

/** What the log of an app says of a row. */
export interface ReadLog {
  /** The lines that matter, at most `MAX_LINES`. */
  readonly log: readonly string[]
  /** The check that a library named as the one that refused. */
  readonly refusedBy?: Check | undefined
}

const MAX_LINES = 5
const STACK = /^\s+at |^\s+File "|^\s*$/

/** Reads what an app wrote while it was given a row: the lines from the first that a library wrote, else the last ones. */
export function readLog(lines: readonly string[]): ReadLog {
  const written = lines.filter((line) => !STACK.test(line))
  const checks = written.map((line) => LIBRARY_MESSAGES.find(({ pattern }) => pattern.test(line))?.check)
  const telling = checks.findIndex((check) => check !== undefined)
  if (telling < 0) return { log: written.slice(-MAX_LINES) }
  return { log: written.slice(telling, telling + MAX_LINES), refusedBy: checks[telling] }
}

/** The verdict with what the log says. A check that the row does not break is said, and changes no verdict. */
export function withLog({ breaks }: Outcome, verdict: Finding, lines: readonly string[]): Finding {
  const { log, refusedBy } = readLog(lines)
  const isOther = refusedBy !== undefined && breaks.length > 0 && !breaks.includes(refusedBy)
  const evidence = isOther
    ? `${verdict.evidence}; your app's log names ${refusedBy}, while this row breaks ${breaks.join(', ')}`
    : verdict.evidence
  return { ...verdict, evidence, log, refusedBy }
}
