import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { findLibrary, remedyFor } from '../../../src/audit/report/remedies.ts'
import { CHECKS, type ClientCheck } from '../../../src/sandbox/outcomes/outcome.ts'

test.each([
  [
    'package.json',
    '{"dependencies":{"jose":"^6.0.0","express-openid-connect":"^2"}}',
    'express-openid-connect',
  ],
  ['package.json', '{"dependencies":{"next-auth":"^4.24.0"}}', 'next-auth'],
  ['package.json', '{"dependencies":{"next-auth":"5.0.0-beta.4"}}', undefined],
  ['package.json', '{"dependencies":{"openid-client":"~5.7.1"}}', 'openid-client 5'],
  ['package.json', '{"dependencies":{"openid-client":"^6.8.0"}}', 'openid-client'],
  ['package.json', '{"dependencies": {"jose": "6"}}', 'jose'],
  ['requirements.txt', 'Flask\nAuthlib==1.2\n', 'Authlib'],
  ['pyproject.toml', 'dependencies = ["pyjwt[crypto]"]', 'PyJWT'],
  ['Pipfile', '[packages]\nPyJWT = "*"', 'PyJWT'],
  ['go.mod', 'require github.com/coreos/go-oidc/v3 v3.1.0', 'go-oidc'],
  ['Gemfile', "gem 'openid_connect'", 'openid_connect'],
  ['age.conf', 'LoadModule auth_openidc_module modules/mod_auth_openidc.so', 'mod_auth_openidc'],
  ['README.md', 'jose', undefined],
])('The library of an app with the file %s, %j, is %s', (file, text, library) => {
  expect(findLibrary((name) => (name === file ? text : undefined))).toBe(library)
})

const CLAIMS = '{"age_thresholds":[18]}'
const hash = (text: string, bytes: number) =>
  createHash('sha256').update(text).digest().subarray(0, bytes).toString('base64url')

/** What the lines for `jose` read: an answer that passes all of them. */
const GOOD = {
  ...{ CLIENT_ID: 'client', CLAIMS, code: 'a-code', createHash },
  session: { state: 's', nonce: 'n' },
  answer: { state: 's' },
  claims: {
    ...{
      nonce: 'n',
      aud: ['client'],
      iat: 1000,
      exp: 1600,
      sub: 'one',
      age_thresholds: { 18: true },
    },
    ...{ req_claims_hash: hash(CLAIMS, 32), c_hash: hash('a-code', 16) },
  },
  response: { ok: true },
  upgraded: 'OK',
  reply: { request_uri: 'urn:a' },
}
const claims = (changes: object) => ({ claims: { ...GOOD.claims, ...changes } })

/** Whether the lines for a check let these values through. */
async function passes(check: ClientCheck, changes: object): Promise<boolean> {
  const values: Readonly<Record<string, unknown>> = { ...GOOD, ...changes }
  const { lines = expect.fail() } = remedyFor(check, 'jose', ['use/id_token.any'])
  const run = new Function(...Object.keys(values), `return (async () => { ${lines} })()`)
  return run(...Object.values(values)).then(
    () => true,
    () => false,
  )
}

test.each<[ClientCheck, object]>([
  ['state', { answer: { state: 'x' } }],
  ['state', { answer: {}, session: {} }],
  ['nonce', claims({ nonce: ['n'] })],
  ['nonce', { ...claims({ nonce: undefined }), session: {} }],
  ['error', { answer: { error: 'access_denied' } }],
  ['parameters', { answer: { state: ['s', 's'] } }],
  ['azp', claims({ aud: ['client', 'other'] })],
  ['lifetime', claims({ exp: 1601 })],
  ['lifetime', claims({ iat: undefined })],
  ['iat', claims({ iat: '1000' })],
  ['sub', claims({ sub: '' })],
  ['age_thresholds', claims({ age_thresholds: { 18: 'true' } })],
  ['age_thresholds', claims({ age_thresholds: undefined })],
  ['requested_thresholds', claims({ age_thresholds: { 18: true, 21: true } })],
  ['req_claims_hash', claims({ req_claims_hash: hash('{}', 32) })],
  ['c_hash', claims({ c_hash: undefined })],
  ['status', { response: { ok: false } }],
  ['request_uri', { reply: {} }],
  ['ok', { upgraded: { error: 'invalid_token' } }],
])('The lines to write for the check %s refuse only a wrong answer (%#)', async (check, wrong) => {
  expect(await passes(check, {})).toBe(true)
  expect(await passes(check, wrong)).toBe(false)
})

test.each<[string, ClientCheck, RegExp]>([
  ['jose', 'signature', /\nconst \{ payload: claims \} = await jwtVerify\(/],
  ['openid-client', 'state', /implicitAuthentication\(.*expectedState/],
  ['next-auth', 'nonce', /checks: \['state', 'nonce'\]/],
  ['Authlib', 'c_hash', /HybridIDToken[\s\S]*"code": answer\.get\("code"\)/],
  ['PyJWT', 'nonce', /^if not \(.*\):\n {4}raise ValueError\("nonce"\)$/],
  ['go-oidc', 'state', /^if !\(.*\) \{\n {4}return errors\.New\("state"\) \}$/],
  ['mod_auth_openidc', 'exp', /OIDCResponseType id_token/],
  ['go-oidc', 'age_thresholds', /claims\.AgeThresholds\["18"\] == true/],
  ['openid_connect', 'age_thresholds', /^raise "age_thresholds" unless .*\["18"\] == true$/],
  ['openid_connect', 'nonce', /verify!\(.*nonce: session/],
  ['openid_connect', 'state', /^raise "state" unless session\[:state\]/],
  [
    'mod_auth_openidc',
    'age_thresholds',
    /claim age_thresholds\.18:true\n {2}Require not claim age_thresholds\.18:0/,
  ],
])('The lines to write with %s for the check %s are its own', (library, check, lines) => {
  expect(remedyFor(check, library, ['use/id_token.any'])).toMatchObject({
    library,
    lines: expect.stringMatching(lines),
  })
})

test('A remedy without a library has no lines', () => {
  expect(remedyFor('signature', undefined, ['use/id_token.any'])).toEqual({})
  expect(remedyFor('signature', 'a-library', ['use/id_token.any'])).toEqual({})
})

test('A remedy that only a sentence can say has no lines', () => {
  expect(remedyFor('size', 'jose', ['use/id_token.any'])).toEqual({ library: 'jose' })
  expect(remedyFor('state', 'mod_auth_openidc', ['use/id_token.any'])).toEqual({
    library: 'mod_auth_openidc',
  })
})

test('A remedy has at most three lines', () => {
  for (const library of ['jose', 'PyJWT', 'Authlib', 'go-oidc', 'next-auth', 'openid-client 5'])
    for (const check of CHECKS)
      expect(
        remedyFor(check, library, ['use/id_token.any']).lines?.split('\n').length ?? 1,
      ).toBeLessThan(4)
})

test.each<[string, ClientCheck, string, RegExp | undefined]>([
  ['PyJWT', 'exp', 'use/id_token.exp_string', /^if not \(type\(claims\["exp"\]\) is int\)/],
  ['go-oidc', 'exp', 'use/id_token.exp_string', undefined],
  ['go-oidc', 'kid', 'use/id_token.kid_empty', undefined],
  ['openid_connect', 'exp', 'use/id_token.exp_string', undefined],
  ['mod_auth_openidc', 'iss', 'use/id_token.iss_trailing_slash', undefined],
])(
  'The call of %s is no remedy for the check %s where only %s is let in, which that call takes',
  (library, check, row, lines) => {
    const got = remedyFor(check, library, [row]).lines
    if (lines) expect(got).toMatch(lines)
    else expect(got).toBeUndefined()
    expect(remedyFor(check, library, [row, 'use/id_token.another']).lines).toBeDefined()
  },
)
