import { createLocalJWKSet, exportJWK, generateKeyPair, jwtVerify, SignJWT } from 'jose'
import { expect, test } from 'vitest'
import { LIBRARY_MESSAGES, readLog, withLog } from '../../../src/audit/judge/refusing-check.ts'
import { findRow } from '../../../src/sandbox/outcomes/catalogue.ts'

const seconds = () => Math.floor(Date.now() / 1000)

const RIGHT = { iss: 'https://issuer.example', aud: 'app', nonce: 'n', sub: 's' }
const RULES = {
  issuer: RIGHT.iss,
  audience: 'app',
  algorithms: ['ES256'],
  requiredClaims: ['exp', 'nonce'],
  typ: 'JWT',
}

const { publicKey, privateKey } = await generateKeyPair('ES256')
const keys = createLocalJWKSet({ keys: [{ ...(await exportJWK(publicKey)), kid: 'k', alg: 'ES256' }] })

/** What jose throws for a token, as console.error prints it. */
async function joseError(change: {
  claims?: Record<string, unknown>
  header?: { typ?: string; kid?: string }
  damage?: (token: string) => string
  rules?: object
}): Promise<string[]> {
  const claims = { ...RIGHT, exp: seconds() + 60, ...change.claims }
  const header = { alg: 'ES256', typ: 'JWT', kid: 'k', ...change.header }
  const token = await new SignJWT(claims).setProtectedHeader(header).sign(privateKey)
  const failure = await jwtVerify((change.damage ?? ((text) => text))(token), keys, { ...RULES, ...change.rules }).then(
    () => 'nothing was wrong',
    (error: unknown) => `${error instanceof Error ? error.stack : error}`,
  )
  return failure.split('\n')
}

test.each([
  ['exp', { claims: { exp: 1 } }],
  ['exp', { claims: { exp: undefined } }],
  ['nbf', { claims: { nbf: 4e9 } }],
  ['iat', { claims: { iat: 4e9 }, rules: { maxTokenAge: 60 } }],
  ['iss', { claims: { iss: 'https://other.example' } }],
  ['aud', { claims: { aud: 'other' } }],
  ['nonce', { claims: { nonce: undefined } }],
  ['typ', { header: { typ: 'at+jwt' } }],
  ['kid', { header: { kid: 'other' } }],
  ['alg', { rules: { algorithms: ['RS256'] } }],
  ['signature', { damage: (token: string) => `${token.slice(0, -8)}AAAAAAAA` }],
  ['serialisation', { damage: (token: string) => token.replaceAll('.', '-') }],
])('The log of an app by jose names %s when that check refused (%j)', async (check, change) => {
  expect(readLog(await joseError(change)).refusedBy).toBe(check)
})

/** What libraries write, in their words, by the check that refused. PyJWT and Authlib are asked themselves at night. */
const MESSAGES: Readonly<Record<string, readonly string[]>> = {
  exp: [
    'JWTExpired: "exp" claim timestamp check failed',
    'JWTClaimValidationFailed: missing required "exp" claim',
    'JWTClaimValidationFailed: "exp" claim must be a number',
    'unexpected JWT "exp" (expiration time) claim value, expiration is past current timestamp',
    'JWT "exp" (expiration time) claim missing',
    'jwt.exceptions.ExpiredSignatureError: Signature has expired',
    'jwt.exceptions.MissingRequiredClaimError: Token is missing the "exp" claim',
    'authlib.jose.errors.ExpiredTokenError: expired_token: The token is expired',
    'expired_token: The token is expired',
    "authlib.jose.errors.MissingClaimError: missing_claim: Missing 'exp' claim",
    'oidc: token is expired (Token Expiry: 2026-01-01)',
  ],
  nbf: [
    'JWTClaimValidationFailed: "nbf" claim timestamp check failed',
    '"nbf" claim must be a number',
    'unexpected JWT "nbf" (not before) claim value',
    'jwt.exceptions.ImmatureSignatureError: The token is not yet valid (nbf)',
    'oidc: current time 2026-01-01 before the nbf (not before) time: 2027-01-01',
  ],
  iat: [
    '"iat" claim timestamp check failed (too far in the past)',
    '"iat" claim must be a number',
    'missing required "iat" claim',
    'unexpected JWT "iat" (issued at) claim type',
    'JWT "iat" (issued at) claim missing',
    'jwt.exceptions.ImmatureSignatureError: The token is not yet valid (iat)',
  ],
  iss: [
    'unexpected "iss" claim value',
    'missing required "iss" claim',
    'unexpected JWT "iss" (issuer) claim value',
    'JWT "iss" (issuer) claim missing',
    'jwt.exceptions.InvalidIssuerError: Invalid issuer',
    'jwt.exceptions.MissingRequiredClaimError: Token is missing the "iss" claim',
    "authlib.jose.errors.InvalidClaimError: invalid_claim: Invalid claim 'iss'",
    'InvalidClaimError: invalid_claim: Invalid claim "iss"',
    "MissingClaimError: missing_claim: Missing 'iss' claim",
    'MissingClaimError: missing_claim: Missing "iss" claim',
    'oidc: id token issued by a different provider, expected "a" got "b"',
  ],
  aud: [
    'unexpected "aud" claim value',
    'missing required "aud" claim',
    'unexpected JWT "aud" (audience) claim value',
    'JWT "aud" (audience) claim missing',
    "jwt.exceptions.InvalidAudienceError: Audience doesn't match",
    'MissingRequiredClaimError: Token is missing the "aud" claim',
    "InvalidClaimError: invalid_claim: Invalid claim 'aud'",
    'InvalidClaimError: invalid_claim: Invalid claim "aud"',
    "MissingClaimError: missing_claim: Missing 'aud' claim",
    'MissingClaimError: missing_claim: Missing "aud" claim',
    'oidc: expected audience "app" got ["other"]',
  ],
  azp: [
    'unexpected ID Token "azp" (authorized party) claim value',
    'ID Token "aud" (audience) claim includes additional untrusted audiences',
    "InvalidClaimError: Invalid claim 'azp'",
    'InvalidClaimError: Invalid claim "azp"',
    "MissingClaimError: Missing 'azp' claim",
    'MissingClaimError: Missing "azp" claim',
  ],
  nonce: [
    'missing required "nonce" claim',
    'unexpected ID Token "nonce" claim value',
    'MissingRequiredClaimError: Token is missing the "nonce" claim',
    "InvalidClaimError: Invalid claim 'nonce'",
    'InvalidClaimError: Invalid claim "nonce"',
    "MissingClaimError: Missing 'nonce' claim",
    'MissingClaimError: Missing "nonce" claim',
  ],
  sub: [
    'missing required "sub" claim',
    'MissingRequiredClaimError: Token is missing the "sub" claim',
    'jwt.exceptions.InvalidSubjectError: Subject must be a string',
  ],
  typ: ['unexpected "typ" JWT header value'],
  signature: [
    'JWSSignatureVerificationFailed: signature verification failed',
    'Uncaught JWSSignatureVerificationFailed',
    'JWSSignatureVerificationFailed',
    'Error [JWSSignatureVerificationFailed: signature verification failed',
    'OperationProcessingError: JWT signature verification failed',
    'jwt.exceptions.InvalidSignatureError: Signature verification failed',
    'authlib.jose.errors.BadSignatureError: bad_signature: ',
    'bad_signature: ',
    'failed to verify signature: failed to verify id token signature',
    'failed to verify id token signature',
  ],
  alg: [
    '"alg" (Algorithm) Header Parameter value not allowed',
    '"alg" (Algorithm) Header Parameter missing or invalid',
    'unexpected JWT "alg" header parameter',
    'missing client or server configuration to verify used JWT "alg"',
    'jwt.exceptions.InvalidAlgorithmError: The specified alg value is not allowed',
    'oidc: id token signed with unsupported algorithm, expected ["RS256"] got "HS256"',
    'go-jose/go-jose: unexpected signature algorithm "HS256"',
  ],
  crit: [
    'JOSENotSupported: Extension Header Parameter "sandbox_extension" is not recognized',
    'Extension Header Parameter "" is not recognized',
    'JWSInvalid: "crit" (Critical) Header Parameter MUST be an array',
  ],
  kid: [
    'JWKSNoMatchingKey: no applicable key found in the JSON Web Key Set',
    'JWKSMultipleMatchingKeys: multiple matching keys found in the JSON Web Key Set',
    'error when selecting a JWT verification key, no applicable keys found',
    'jwt.exceptions.PyJWKClientError: Unable to find a signing key that matches: "k"',
  ],
  keys: ['JWKSInvalid: JSON Web Key Set malformed', '"response" body "keys" property must be an array'],
  serialisation: [
    'JWSInvalid: Invalid Compact JWS',
    'JWTInvalid: JWT Claims Set must be a top-level JSON object',
    'JWSInvalid: Failed to base64url decode the signature',
    'JWSInvalid: JWS Protected Header is invalid',
    'failed to parse JWT Header body as base64url encoded JSON',
    'failed to parse JWT Payload body as base64url encoded JSON',
    'OperationProcessingError: Invalid JWT',
    'jwt.exceptions.DecodeError: Not enough segments',
    'oidc: malformed jwt: illegal base64 data',
  ],
  c_hash: [
    'invalid ID Token "c_hash"',
    "InvalidClaimError: Invalid claim 'c_hash'",
    'InvalidClaimError: Invalid claim "c_hash"',
    "MissingClaimError: Missing 'c_hash' claim",
    'MissingClaimError: Missing "c_hash" claim',
  ],
  state: [
    'unexpected "state" response parameter value',
    'response parameter "state" missing',
    'MismatchingStateError: mismatching_state: CSRF Warning!',
    'mismatching_state: CSRF Warning!',
  ],
  callback_iss: ['response parameter "iss" (issuer) missing', 'unexpected "iss" (issuer) response parameter value'],
  issuer: [
    '"response" body "issuer" property does not match the expected value',
    'discovered metadata issuer does not match the expected issuer',
    'oidc: issuer did not match the issuer returned by provider, expected "a" got "b"',
  ],
  status: [
    '"response" is not a conform Authorization Server Metadata response (unexpected HTTP status code)',
    '"response" is not a conform JSON Web Key Set response (unexpected HTTP status code)',
  ],
  body: ['OperationProcessingError: failed to parse "response" body as JSON'],
}

test.each(Object.entries(MESSAGES))('Messages of libraries name the check %s', (check, messages) => {
  for (const message of messages) expect([message, readLog([message]).refusedBy]).toEqual([message, check])
})

test('Each message that is known is shown here', () => {
  const shown = Object.values(MESSAGES).flat()
  expect(LIBRARY_MESSAGES.filter(({ pattern }) => !shown.some((message) => pattern.test(message)))).toEqual([])
  expect(new Set(LIBRARY_MESSAGES.map(({ library }) => library))).toEqual(
    new Set(['jose', 'oauth4webapi and openid-client 6', 'PyJWT', 'Authlib', 'go-oidc']),
  )
})

test.each([
  'the user exp was not found',
  'see JWSSignatureVerificationFailed',
  'JWSInvalid: something else',
  'ImmatureSignatureError: too early',
  'MissingRequiredClaimError: "name"',
  'verify signature',
])('A line that names no check is not taken for a message of a library: %s', (line) => {
  expect(readLog([line])).toEqual({ log: [line] })
})

test('The lines that are kept of a log are the last five that are no stack, when no library is known', () => {
  const lines = [
    'one',
    '    at f (file:1:2)',
    'two',
    'three',
    '',
    ' \t',
    '  File "app.py", line 1',
    'four at 5',
    'five',
    'six',
  ]
  expect(readLog(lines)).toEqual({ log: ['two', 'three', 'four at 5', 'five', 'six'] })
})

test('The lines that are kept of a log begin with the message of a library, when there is one', () => {
  const lines = ['begins', 'JWTExpired: "exp" claim timestamp check failed', '    at f (x:1:2)', ...'abcdef']
  expect(readLog(lines)).toEqual({
    log: ['JWTExpired: "exp" claim timestamp check failed', 'a', 'b', 'c', 'd'],
    refusedBy: 'exp',
  })
})

test('A verdict says when another check refused than the row breaks, and stays', () => {
  const row = findRow('use/id_token.expired') ?? expect.fail('the row is there')
  const verdict = { verdict: 'refused', evidence: 'your app showed 400', flows: ['f1'] } as const
  const nonce = 'Error: unexpected ID Token "nonce" claim value'
  const other = `your app showed 400; your app's log names nonce, while this row breaks exp, iat`
  const breaks = ['exp', 'iat'] as const
  expect(withLog({ ...row, breaks }, verdict, [nonce])).toEqual({
    ...verdict,
    evidence: other,
    log: [nonce],
    refusedBy: 'nonce',
  })
  const expired = 'JWTExpired: "exp" claim timestamp check failed'
  expect(withLog({ ...row, breaks }, verdict, [expired])).toEqual({ ...verdict, log: [expired], refusedBy: 'exp' })
  expect(withLog({ ...row, breaks: [] }, verdict, [nonce])).toEqual({ ...verdict, log: [nonce], refusedBy: 'nonce' })
  expect(withLog(row, verdict, ['hello'])).toEqual({ ...verdict, log: ['hello'], refusedBy: undefined })
})
