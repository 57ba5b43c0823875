import { CHECKS, type ClientCheck } from '../../sandbox/outcomes/outcome.ts'
import type { TrialFinding } from './trial.ts'

/**
 * Messages of jose, oauth4webapi, PyJWT, Authlib and go-oidc that name the failed check. The most
 * specific message comes first.
 */
export const LIBRARY_MESSAGES: readonly (readonly [check: ClientCheck, message: RegExp])[] = [
  ['exp', /ExpiredSignatureError|ExpiredTokenError|expired_token|oidc: token is expired/],
  ['nbf', /ImmatureSignatureError: .*\(nbf\)|oidc: current time .* before the nbf/],
  ['iat', /ImmatureSignatureError: .*\(iat\)/],
  ['iss', /InvalidIssuerError|oidc: id token issued by a different provider/],
  ['aud', /InvalidAudienceError|oidc: expected audience/],
  ['azp', /includes additional untrusted audiences/],
  ['sub', /InvalidSubjectError/],
  ['typ', /unexpected "typ" JWT header value/],
  [
    'signature',
    /^(?:Uncaught )?JWSSignatureVerificationFailed|JWSSignatureVerificationFailed: signature/,
  ],
  [
    'signature',
    /JWT signature verification failed|InvalidSignatureError|BadSignatureError|bad_signature/,
  ],
  ['signature', /failed to verify (?:id token )?signature/],
  ['alg', /"alg" \(Algorithm\) Header Parameter (?:value not allowed|missing or invalid)/],
  [
    'alg',
    /JWT "alg"|InvalidAlgorithmError|signed with unsupported algorithm|unexpected signature algorithm/,
  ],
  [
    'crit',
    /Extension Header Parameter "[^"]*" is not recognized|"crit" \(Critical\) Header Parameter/,
  ],
  ['kid', /(?:no applicable key|multiple matching keys) found in the JSON Web Key Set/],
  [
    'kid',
    /error when selecting a JWT verification key|PyJWKClientError: Unable to find a signing key/,
  ],
  ['keys', /JSON Web Key Set malformed|"response" body "keys" property/],
  [
    'state',
    /"state" response parameter|response parameter "state" missing|MismatchingStateError|mismatching_state/,
  ],
  ['callback_iss', /response parameter "iss"|"iss" \(issuer\) response parameter/],
  [
    'issuer',
    /"response" body "issuer" property|discovered metadata issuer|oidc: issuer did not match the issuer/,
  ],
  ['status', /is not a conform (?:Authorization Server Metadata|JSON Web Key Set) response/],
  ['body', /failed to parse "response" body as JSON/],
  [
    'serialisation',
    /Invalid Compact JWS|JWTInvalid: |JWSInvalid: (?:Failed to base64url|JWS Protected Header is)/,
  ],
  ['serialisation', /failed to parse JWT (?:Header|Payload)|OperationProcessingError: Invalid JWT/],
  ['serialisation', /jwt\.exceptions\.DecodeError|oidc: malformed jwt/],
]

/**
 * How the libraries name a claim: `"exp" claim`, `"aud" (audience) claim`, `ID Token "c_hash"`,
 * `InvalidClaimError: … 'iss'`.
 */
const CLAIM =
  /"(\w+)" (?:\([\w ]+\) )?claim|ID Token "(\w+)"|(?:Missing|Invalid|MissingRequired)ClaimError: .*["'](\w+)["']/

const MAX_LINES = 5
const STACK = /^\s+at |^\s+File "|^\s*$/

/**
 * Adds lines of the app's log to a finding: from the first line that names a check, otherwise the
 * last lines. If the named check is not in `breaks`, the evidence says so.
 */
export function withLog(
  finding: TrialFinding,
  lines: readonly string[],
  breaks: readonly ClientCheck[] = [],
): TrialFinding {
  const written = lines.filter((line) => !STACK.test(line))
  const checks = written.map(checkNamedIn)
  const index = checks.findIndex((check) => check !== undefined)
  if (index < 0) return { ...finding, log: written.slice(-MAX_LINES) }
  const refusedBy = checks[index]
  const log = written.slice(index, index + MAX_LINES)
  if (!refusedBy || breaks.length === 0 || breaks.includes(refusedBy))
    return { ...finding, log, refusedBy }
  const evidence = `${finding.evidence}; your app's log names ${refusedBy}, while this row breaks ${breaks.join(', ')}`
  return { ...finding, evidence, log, refusedBy }
}

function checkNamedIn(line: string): ClientCheck | undefined {
  const known = LIBRARY_MESSAGES.find(([, message]) => message.test(line))
  if (known) return known[0]
  const claim = CLAIM.exec(line)
    ?.slice(1)
    .find((name) => name !== undefined)
  return CHECKS.find((check) => check === claim)
}
