import { spawnSync } from 'node:child_process'
import { createLocalJWKSet, exportJWK, generateKeyPair, jwtVerify, SignJWT } from 'jose'
import { describe, expect, test } from 'vitest'
import { readLog, withLog } from '../../../src/audit/judge/refusing-check.ts'
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

/** What jose throws for a token, as console.error prints it. */
async function joseError(change: {
  claims?: Record<string, unknown>
  header?: { typ?: string; kid?: string }
  exp?: number | undefined
  damage?: (token: string) => string
  rules?: object
}): Promise<string[]> {
  const { publicKey, privateKey } = await generateKeyPair('ES256')
  const keys = createLocalJWKSet({ keys: [{ ...(await exportJWK(publicKey)), kid: 'k', alg: 'ES256' }] })
  const claims = { ...RIGHT, exp: seconds() + 60, ...change.claims }
  const header = { alg: 'ES256', typ: 'JWT', kid: 'k', ...change.header }
  const token = await new SignJWT(claims).setProtectedHeader(header).sign(privateKey)
  const failure = await jwtVerify((change.damage ?? ((text) => text))(token), keys, { ...RULES, ...change.rules }).then(
    () => 'nothing was wrong',
    (error: unknown) => `${error instanceof Error ? error.stack : error}`,
  )
  return failure.split('\n')
}

describe('The log of an app by jose names', () => {
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
  ])('%s when that check refused (%j)', async (check, change) => {
    expect(readLog(await joseError(change)).refusedBy).toBe(check)
  })
})

/** What PyJWT and Authlib raise for tokens, a line each; by the first Python that has them. */
const python = (needed: string) =>
  ['python3', '/usr/bin/python3'].find((path) => spawnSync(path, ['-c', `import ${needed}`]).status === 0)

function raisedBy(command: string, code: string): string[] {
  const { stdout, stderr } = spawnSync(command, ['-c', code], { encoding: 'utf8' })
  expect(stderr).toBe('')
  return stdout.trim().split('\n')
}

const withPyjwt = python('jwt')
if (withPyjwt === undefined) console.warn('SKIPPED: messages of PyJWT, which no python3 here has')

test.skipIf(withPyjwt === undefined)('The log of an app by PyJWT names the check that refused', () => {
  const code = `
import jwt, time
good = dict(iss='i', aud='a', nonce='n', sub='s', exp=time.time() + 60)
def say(change={}, algorithms=['HS256'], token=None, drop=None):
    claims = {k: v for k, v in {**good, **change}.items() if k != drop}
    try:
        jwt.decode(token or jwt.encode(claims, 'k' * 32, 'HS256'), 'k' * 32, algorithms=algorithms, issuer='i', audience='a', options={'require': ['exp', 'nonce']})
    except Exception as error:
        print(type(error).__module__ + '.' + type(error).__name__ + ': ' + str(error))
say({'exp': 1})
say({'iss': 'other'})
say({'aud': 'other'})
say({'nbf': time.time() + 600})
say({'iat': time.time() + 600})
say(drop='exp')
say(drop='nonce')
say(algorithms=['HS384'])
say(token=jwt.encode(good, 'x' * 32, 'HS256'))
say(token='abc')
`
  expect(raisedBy(withPyjwt ?? '', code).map((line) => readLog([line]).refusedBy)).toEqual([
    ...['exp', 'iss', 'aud', 'nbf', 'iat', 'exp', 'nonce', 'alg', 'signature', 'serialisation'],
  ])
})

const withAuthlib = python('authlib.oidc.core')
if (withAuthlib === undefined) console.warn('SKIPPED: messages of Authlib, which no python3 here has')

test.skipIf(withAuthlib === undefined)('The log of an app by Authlib names the check that refused', () => {
  const code = `
import time
from authlib.jose import jwt
from authlib.oidc.core import ImplicitIDToken
good = dict(iss='i', aud='a', nonce='n', sub='s', exp=int(time.time()) + 60, iat=int(time.time()))
options = {'iss': {'values': ['i']}, 'aud': {'values': ['a']}}
def say(change={}, key='k'):
    try:
        token = jwt.encode({'alg': 'HS256'}, {**good, **change}, key)
        jwt.decode(token, 'k', claims_cls=ImplicitIDToken, claims_options=options, claims_params={'nonce': 'n'}).validate()
    except Exception as error:
        print(type(error).__module__ + '.' + type(error).__name__ + ': ' + str(error))
say({'exp': 1})
say({'iss': 'other'})
say({'aud': 'other'})
say({'nonce': 'other'})
say(key='x')
`
  expect(raisedBy(withAuthlib ?? '', code).map((line) => readLog([line]).refusedBy)).toEqual([
    ...['exp', 'iss', 'aud', 'nonce', 'signature'],
  ])
})

describe('The lines that are kept of a log', () => {
  test('are the last five that are no stack, when no library is known', () => {
    const lines = ['one', '    at f (file:1:2)', 'two', 'three', '', 'four', 'five', 'six']
    expect(readLog(lines)).toEqual({ log: ['two', 'three', 'four', 'five', 'six'] })
  })

  test('begin with the message of a library, when there is one', () => {
    const lines = ['begins', 'JWTExpired: "exp" claim timestamp check failed', '    at f (x:1:2)', ...'abcdef']
    expect(readLog(lines)).toEqual({
      log: ['JWTExpired: "exp" claim timestamp check failed', 'a', 'b', 'c', 'd'],
      refusedBy: 'exp',
    })
  })

  test('say in the evidence when another check refused than the row breaks, and leave the verdict', () => {
    const row = findRow('use/id_token.expired')
    if (!row) throw new Error('the row is there')
    const verdict = { verdict: 'refused', evidence: 'your app showed 400', flows: [] } as const
    expect(withLog(row, verdict, ['Error: unexpected ID Token "nonce" claim value'])).toMatchObject({
      verdict: 'refused',
      evidence: `your app showed 400; your app's log names nonce, while this row breaks ${row.breaks.join(', ')}`,
      refusedBy: 'nonce',
    })
    expect(withLog(row, verdict, ['JWTExpired: "exp" claim timestamp check failed']).evidence).toBe(
      'your app showed 400',
    )
  })
})
