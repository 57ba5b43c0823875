import { expect, test } from 'vitest'
import { ruleRow } from '../../../src/service/oidc/rules/rules.ts'
import { readError, refusal } from '../../support/error-body.ts'
import type { Answer } from '../../support/http-client.ts'
import { idTokenOf } from '../../support/id-tokens.ts'
import { createRelyingParty } from '../../support/relying-party.ts'
import { ageSignal, basic, REDIRECT_URI, tokenRequest } from '../../support/requests.ts'
import { shareSandbox } from '../../support/sandbox.ts'

const TOKEN = '/v1/oidc/use/token'
const UPGRADE = '/v1/svc/upgrade'
const DETAILS = { authorization_details: [ageSignal()] }

/** Characters with a meaning in HTTP Basic, in forms or in both. */
const AWKWARD = {
  clientId: 'shop one+%41&=',
  clientSecret: 'p:a s+s%2Bw%zz~',
  redirectUris: [REDIRECT_URI],
}
const sandbox = await shareSandbox({ clients: [AWKWARD] })
const rp = createRelyingParty(sandbox)
const send = (
  path: string,
  body: string | object,
  headers: Readonly<Record<string, string>> = {},
) => sandbox.request.post(path).set(headers).send(body)
const formOf = (fields: Readonly<Record<string, string>>) => String(new URLSearchParams(fields))

const JSON_NOT_STORED = {
  'content-type': expect.stringMatching(/^application\/json/),
  'cache-control': expect.stringContaining('no-store'),
}

test('E2 answers 201 with a request_uri that lives 90 seconds, as JSON that is never stored', async () => {
  expect(await rp.push()).toMatchObject({
    status: 201,
    text: expect.stringMatching(
      /^\{"request_uri":"urn:svc:request:[A-Za-z0-9_-]{22,}","expires_in":90\}$/,
    ),
    headers: JSON_NOT_STORED,
  })
})

test('E4 answers an opaque bearer token for 10800 seconds, as JSON that is never stored', async () => {
  const answer = await rp.exchange(await rp.obtainCode())
  expect(answer).toMatchObject({ status: 200, headers: { ...JSON_NOT_STORED, pragma: 'no-cache' } })
  const access_token = expect.stringMatching(/^[A-Za-z0-9_-]{22,}$/)
  expect(answer.body).toEqual({ access_token, token_type: 'Bearer', expires_in: 10_800 })
})

test('E5 answers 200 with the JSON string OK', async () => {
  const answer = await rp.upgrade(await rp.obtainToken({ sandbox_persona: 'child-12' }))
  expect(answer).toMatchObject({ status: 200, text: '"OK"', headers: JSON_NOT_STORED })
})

test('The next Use of an upgraded age key is true', async () => {
  await rp.upgrade(await rp.obtainToken({ sandbox_persona: 'child-12' }))
  expect(idTokenOf(await rp.use({ sandbox_persona: 'child-12' })).age_thresholds).toMatchObject({
    21: true,
  })
  expect(idTokenOf(await rp.use({ sandbox_persona: 'teen-14' })).age_thresholds).toMatchObject({
    16: false,
  })
})

const HTML = { Accept: 'text/html' }

test.each<[rule: string, status: number, error: string, () => PromiseLike<Answer>, asks?: RegExp]>([
  ['PAR-02', 401, 'invalid_client', () => rp.push({ client_secret: 'sk_test_sandbox\n' })],
  [
    'TOK-02',
    401,
    'invalid_client',
    () => send(TOKEN, formOf(tokenRequest('x')), HTML),
    /^Basic realm="/,
  ],
  ['TOK-05', 400, 'invalid_grant', () => rp.exchange('x')],
  // RFC 6750 section 3.1: no error code for a request without any credentials.
  ['UPG-02', 401, 'invalid_token', () => send(UPGRADE, DETAILS), /^Bearer(?!.*error=)/],
  ['UPG-03', 401, 'invalid_token', () => rp.upgrade('unknown'), /^Bearer .*error=/],
])(
  'A refusal by %s is JSON with status %i (%s), whatever the client accepts',
  async (rule, status, error, call, asks) => {
    const answer = await call()
    expect(refusal(answer)).toEqual({ status, error, rules: [rule] })
    const { error_description, findings } = readError(answer)
    expect(error_description).toMatch(new RegExp(`^${rule}: `))
    expect(findings[0]).toMatchObject({ rule, level: 'error', hint: ruleRow(rule).hint })
    const recorded = (await sandbox.flows.last())?.calls.at(-1)
    expect(recorded?.findings).toEqual(findings)
    for (const text of [JSON.stringify(recorded), answer.text])
      expect(text).not.toMatch(/sk_test_sandbox|at_test_/)
    expect(answer.headers).toMatchObject(JSON_NOT_STORED)
    if (asks) expect(answer.headers['www-authenticate']).toMatch(asks)
  },
)

test('E5 accepts application/json with a charset', async () => {
  const token = await rp.obtainToken()
  const headers = {
    Authorization: `Bearer ${token}`,
    'Content-Type': 'Application/JSON; charset=utf-8',
  }
  await send(UPGRADE, JSON.stringify(DETAILS), headers).expect(200)
})
test('E5 accepts no access token in the body or in the query', async () => {
  const token = await rp.obtainToken()
  await send(UPGRADE, { ...DETAILS, access_token: token }).expect(401)
  await send(`${UPGRADE}?access_token=${token}`, DETAILS).expect(401)
})

test('E4 takes form-encoded HTTP Basic credentials (RFC 6749 2.3.1), whatever characters they have', async () => {
  const code = await createRelyingParty(sandbox, AWKWARD).obtainCode()
  const encode = (text: string) => formOf({ text }).slice('text='.length)
  const Authorization = basic(encode(AWKWARD.clientId), encode(AWKWARD.clientSecret))
  await send(TOKEN, formOf(tokenRequest(code)), { Authorization }).expect(200)
})
