import { createLocalJWKSet, exportJWK, generateKeyPair, jwtVerify, SignJWT } from 'jose'
import { expect, test } from 'vitest'
import { LIBRARY_MESSAGES, readLog, withLog } from '../../../src/audit/trials/refusing-check.ts'
import { findRow } from '../../../src/sandbox/outcomes/catalogue.ts'
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
const keys = createLocalJWKSet({ keys: [{ ...(await exportJWK(publicKey)), kid: 'k', alg: 'ES256' }] })

interface Change {
  claims?: Record<string, unknown>
  header?: { typ?: string; kid?: string }
  damage?: (token: string) => string
  rules?: object
}

/** What jose throws for a token, as console.error prints it. */
async function joseError({ claims, header, damage = (text) => text, rules }: Change): Promise<string[]> {
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
  expect(readLog(await joseError(change)).refusedBy).toBe(check)
})

// What libraries write, in their words, by the check that refused. PyJWT and Authlib are asked themselves at night.
test.each(Object.entries(MESSAGES))('Messages of libraries name the check %s', (check, messages) => {
  for (const message of messages) expect([message, readLog([message]).refusedBy]).toEqual([message, check])
})

test('Each message of a library that is known is shown by these tests', () => {
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
  const stack = ['    at f (file:1:2)', 'two', 'three', '', ' \t', '  File "app.py", line 1']
  const lines = ['one', ...stack, 'four at 5', 'five', 'six']
  expect(readLog(lines)).toEqual({ log: ['two', 'three', 'four at 5', 'five', 'six'] })
})

test('The lines that are kept of a log begin with the message of a library, when there is one', () => {
  const expired = 'JWTExpired: "exp" claim timestamp check failed'
  const lines = ['begins', expired, '    at f (x:1:2)', ...'abcdef']
  expect(readLog(lines)).toEqual({ log: [expired, 'a', 'b', 'c', 'd'], refusedBy: 'exp' })
})

test('A verdict says when another check refused than the row breaks, and stays', () => {
  const row = findRow('use/id_token.expired') ?? expect.fail('the row is there')
  const verdict = { verdict: 'refused', evidence: 'your app showed 400', flows: ['f1'] } as const
  const nonce = 'Error: unexpected ID Token "nonce" claim value'
  const other = `your app showed 400; your app's log names nonce, while this row breaks exp, iat`
  const breaks = ['exp', 'iat'] as const
  const named = { ...verdict, log: [nonce], refusedBy: 'nonce' }
  expect(withLog({ ...row, breaks }, verdict, [nonce])).toEqual({ ...named, evidence: other })
  const expired = 'JWTExpired: "exp" claim timestamp check failed'
  expect(withLog({ ...row, breaks }, verdict, [expired])).toEqual({ ...verdict, log: [expired], refusedBy: 'exp' })
  expect(withLog({ ...row, breaks: [] }, verdict, [nonce])).toEqual(named)
  expect(withLog(row, verdict, ['hello'])).toEqual({ ...verdict, log: ['hello'], refusedBy: undefined })
})
