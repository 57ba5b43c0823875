import { createLocalJWKSet, exportJWK, generateKeyPair, jwtVerify, SignJWT } from 'jose'
import { expect, test } from 'vitest'
import { LIBRARY_MESSAGES, withLog } from '../../../src/audit/trials/library-messages.ts'
import MESSAGES from './library-messages.cases.json' with { type: 'json' }

const RIGHT = { iss: 'https://issuer.example', aud: 'app', nonce: 'n', sub: 's' }
const RULES = {
  issuer: RIGHT.iss,
  audience: 'app',
  algorithms: ['ES256'],
  requiredClaims: ['exp', 'nonce'],
  typ: 'JWT',
}

const { publicKey, privateKey } = await generateKeyPair('ES256')
const keys = createLocalJWKSet({
  keys: [{ ...(await exportJWK(publicKey)), kid: 'k', alg: 'ES256' }],
})

const REFUSED = { verdict: 'refused', evidence: 'your app showed 400', flows: ['f1'] } as const

interface Change {
  claims?: Record<string, unknown>
  header?: { typ?: string; kid?: string }
  damage?: (token: string) => string
  rules?: object
}

/** The error of jose for a token, as console.error prints it. */
async function joseError({
  claims,
  header,
  damage = (text) => text,
  rules,
}: Change): Promise<string[]> {
  const token = await new SignJWT({ ...RIGHT, exp: Math.floor(Date.now() / 1000) + 60, ...claims })
    .setProtectedHeader({ alg: 'ES256', typ: 'JWT', kid: 'k', ...header })
    .sign(privateKey)
  const failure = await jwtVerify(damage(token), keys, { ...RULES, ...rules }).then(
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
  expect(withLog(REFUSED, await joseError(change)).refusedBy).toBe(check)
})

// Messages of libraries by the refusing check. PyJWT and Authlib themselves are asked at night.
test.each(Object.entries(MESSAGES))(
  'Messages of libraries name the check %s',
  (check, messages) => {
    for (const message of messages)
      expect(withLog(REFUSED, [message]).refusedBy, message).toEqual(check)
    for (const [, message] of LIBRARY_MESSAGES.filter(([known]) => known === check))
      expect(messages.filter((text) => message.test(text))).not.toEqual([])
  },
)

test.each([
  'the user exp was not found',
  'claims: {"iss":"https://issuer.example","aud":"app"}',
  'see JWSSignatureVerificationFailed',
  'ImmatureSignatureError: too early',
  'MissingRequiredClaimError: "name"',
])('A line that names no check is not taken for a message of a library: %s', (line) => {
  expect(withLog(REFUSED, [line])).toEqual({ ...REFUSED, log: [line] })
})

const STACK = ['    at f (file:1:2)', 'two', 'three', '', ' \t', '  File "app.py", line 1']
const EXPIRED = 'JWTExpired: "exp" claim timestamp check failed'
const NONCE = 'Error: unexpected ID Token "nonce" claim value'
const OTHER = `${REFUSED.evidence}; your app's log names nonce, while this row breaks exp, iat`

test.each<[string, string[], object]>([
  [
    'ends',
    ['one', ...STACK, 'four at 5', 'five', 'six'],
    { log: ['two', 'three', 'four at 5', 'five', 'six'] },
  ],
  [
    'names a check',
    ['begins', EXPIRED, '    at f (x:1)', ...'abcdef'],
    { log: [EXPIRED, ...'abcd'], refusedBy: 'exp' },
  ],
  ['names another check', [NONCE], { log: [NONCE], refusedBy: 'nonce', evidence: OTHER }],
])('A finding keeps its verdict when the log %s', (_, lines, added) => {
  expect(withLog(REFUSED, lines, ['exp', 'iat'])).toEqual({ ...REFUSED, ...added })
})
