import { expect, test } from 'vitest'
import { beginCreate } from '../../../../src/service/oidc/create.ts'
import { echoedText, refuseLongValues } from '../../../../src/service/oidc/request/echoed.ts'
import { decodePairs, ignoredParameter } from '../../../../src/service/oidc/request/parameters.ts'
import { ruleRow } from '../../../../src/service/oidc/rules/rules.ts'
import { beginUse } from '../../../../src/service/oidc/use.ts'
import { createRequest, useRequest } from '../../../support/requests.ts'
import { createService, refusalOf } from '../../../support/service.ts'

const pairs = (count: number) => Array.from({ length: count }, (_, n) => `p${n}=${n}`).join('&')

test('decodePairs accepts 200 parameters', () => {
  expect(decodePairs(pairs(200))).toHaveLength(200)
})

test('decodePairs refuses 201 parameters before it decodes any', async () => {
  expect(await refusalOf(() => decodePairs(`${pairs(200)}&%zz`))).toMatchObject({
    status: 400,
    code: 'invalid_request',
    title: 'Too many parameters',
    message:
      'parameters: 201 were sent, and at most 200 are read; send only those that the call knows, each once',
  })
})

test.each([
  [`&&${'&'.repeat(6_000)}a=1&`, [['a', '1']]],
  ['', []],
  ['a', [['a', '']]],
  ['=b', [['', 'b']]],
  ['a=b=c', [['a', 'b=c']]],
  ['a+b%20c=%2B+%26', [['a b c', '+ &']]],
  ['a=%zz&%zz=b&c', Object.entries({ a: undefined, '%zz': undefined, c: '' })],
])('decodePairs reads the pairs of row %#', (encoded, expected) => {
  expect(decodePairs(encoded)).toEqual(expected)
})

test('Values that are shown again have 4096 bytes at most, but for those of one name', async () => {
  const long = 'ü'.repeat(2_049)
  const judge = (values: Readonly<Record<string, string | undefined>>) =>
    refuseLongValues(Object.entries({ ...values, claims: long }), 'claims')
  const message = 'is 4098 bytes long; at most 4096 are taken'
  const refusal = await refusalOf(() => judge({ a: undefined, 'b c': long }))
  expect(refusal).toMatchObject({ status: 400, message: `"b c" ${message}` })
  expect(judge({ a: 'ü'.repeat(2_048) })).toBeUndefined()
  expect(echoedText.parse('ü'.repeat(2_048))).toHaveLength(2_048)
  expect(echoedText.safeParse(long).error?.issues).toMatchObject([{ code: 'custom', message }])
})

const STANDARDS = {
  'RFC 6749':
    'client_id code grant_type password redirect_uri refresh_token response_type scope state username',
  'RFC 6750': 'access_token',
  'RFC 7521': 'assertion client_assertion client_assertion_type',
  'RFC 7636, PKCE': 'code_challenge code_challenge_method code_verifier',
  'RFC 8693': 'audience',
  'RFC 8707': 'resource',
  'RFC 9101': 'request request_uri',
  'RFC 9396': 'authorization_details',
  'RFC 9449, DPoP': 'dpop_jkt',
  'OAuth 2.0 Multiple Response Types': 'response_mode',
  'OpenID Connect Core':
    'acr_values claims claims_locales display id_token_hint login_hint max_age nonce prompt registration ui_locales',
}

test.each(Object.entries(STANDARDS))(
  'A parameter of %s is no spelling mistake: %s',
  (standard, names) => {
    for (const name of names.split(' ')) {
      const message = `${name} is a standard parameter (${standard}) that this endpoint does not use: it was ignored`
      expect(ignoredParameter(name, ['scope', 'code', 'nonse', 'request_url'])).toBe(message)
    }
  },
)

test.each([
  ['nonse', 'nonse is not known and was ignored. Did you mean "nonce"?'],
  ['colour', 'colour is not known and was ignored. Known: scope, nonce, claims.'],
  ['constructor', 'constructor is not known and was ignored. Known: scope, nonce, claims.'],
  ['a\nb', '"a\\nb" is not known and was ignored. Known: scope, nonce, claims.'],
  [
    'x'.repeat(5_000),
    `"${'x'.repeat(60)}…" is not known and was ignored. Known: scope, nonce, claims.`,
  ],
  [
    'client_secret',
    'client_secret is for E2 and E4 and must never reach a browser: it was ignored. The secret is burnt, since browsers and logs keep addresses: replace it',
  ],
])(
  'Of the unknown parameter %s it is said what was meant, when a known one is near',
  (name, message) => {
    expect(ignoredParameter(name, ['scope', 'nonce', 'claims'])).toBe(message)
  },
)

test('The hint beside a client_secret in the browser does not say that it has no effect', () => {
  for (const rule of ['USE-11', 'CRE-12']) expect(ruleRow(rule).hint).not.toContain('no effect')
})

/** Parameters that libraries send to every endpoint, and no endpoint uses. */
const COMMON = [
  ...[
    'acr_values',
    'audience',
    'client_assertion_type',
    'code_challenge',
    'code_challenge_method',
    'code_verifier',
  ],
  ...[
    'display',
    'dpop_jkt',
    'id_token_hint',
    'login_hint',
    'max_age',
    'prompt',
    'resource',
    'ui_locales',
  ],
]

test.each<['E1' | 'E2' | 'E3' | 'E4', string, string[]]>([
  ['E1', 'USE-11', ['client_assertion']],
  ['E2', 'PAR-12', ['nonce', 'claims', 'response_mode', 'code']],
  ['E3', 'CRE-12', ['client_assertion', 'nonce', 'claims', 'response_mode', 'state']],
  ['E4', 'TOK-09', ['redirect_uri', 'scope', 'state']],
])('%s advises by %s of each parameter that it does not use', async (endpoint, rule, more) => {
  const names = [...COMMON, ...more]
  const changes = Object.fromEntries(names.map((name) => [name, 'x']))
  const service = createService()
  const { provider } = service
  const requestUri = await service.obtainRequestUri({ state: 'pushed' })
  const answers = {
    E1: () => beginUse(Object.entries(useRequest(changes)), provider),
    E2: () => service.push(changes),
    E3: () => beginCreate(Object.entries(createRequest(requestUri, changes)), provider),
    E4: async () => service.exchange(await service.obtainCode(), changes),
  }
  const answer = await answers[endpoint]()
  const advice = names.map((path) => [rule, 'advice', path])
  expect(answer.findings.map((one) => [one.rule, one.level, one.path])).toEqual(advice)
  const state = endpoint === 'E1' ? 'state-1' : 'pushed'
  if ('kind' in answer) expect(answer).toMatchObject({ kind: 'proceed', transaction: { state } })
})
