import { expect, test } from 'vitest'
import { createMask } from '../../../src/sandbox/clients/mask.ts'

const SECRET = 'not-a/real "secret"+1'
const SHORT = 's3cr3t'
const TOKEN = `at_test_${'Ab3_-'.repeat(8)}abc`
const mask = createMask([SECRET, SHORT, '', '   '])

const encoded = encodeURIComponent
const everyCharacterEncoded = (text: string) =>
  [...text].map((character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`).join('')

const QUERY = 'https://a.example/?'
const NAMED = '{"a":{"client_secret" : "mist\\"yped"}}'

test.each<[string, string, string]>([
  ['that is the whole text', SECRET, '***'],
  ['inside a longer text', `Bearer ${SECRET}, please`, 'Bearer ***, please'],
  ['with blanks and quotes around it', ` '${SECRET}' `, " '***' "],
  ['each time it comes', `${SECRET}${SECRET}`, '******'],
  ['in JSON text', JSON.stringify({ a: SECRET }), '{"a":"***"}'],
  ['percent-encoded', `${QUERY}a=${encodeURIComponent(SECRET)}&b=c`, `${QUERY}a=***&b=c`],
  ['with every character percent-encoded', everyCharacterEncoded(SECRET), '***'],
  [
    'percent-encoded three times',
    `${QUERY}a=${encoded(encoded(encoded(SECRET)))}`,
    `${QUERY}a=***`,
  ],
  [
    'percent-encoded as in a form',
    `${QUERY}a=${new URLSearchParams({ a: SECRET })}`,
    `${QUERY}a=a=***`,
  ],
  [
    'that a message cuts off',
    `scope is "${SECRET.slice(0, 12)}…", not a scope...`,
    'scope is "***", not a scope...',
  ],
  [
    'escaped as PHP escapes JSON',
    `{"a":"${JSON.stringify(SECRET).slice(1, -1).replaceAll('/', '\\/')}"}`,
    '***',
  ],
  ['in Unicode escapes', `x ${SECRET.replace('n', '\\u006e')}`, '***'],
  [
    'in an id_token',
    `${QUERY}id_token=eyJ.${Buffer.from(JSON.stringify({ nonce: SECRET })).toString('base64url')}.x`,
    `${QUERY}id_token=***`,
  ],
  ['that is short, where it stands alone', `code "${SHORT}"`, 'code "***"'],
  ['that is an access token', `token ${TOKEN}.`, 'token ***.'],
  ['that is an access token, cut off', `token ${TOKEN.slice(0, 12)}…`, 'token ***'],
  ['that may be in what is encoded again and again', `%${'25'.repeat(20_000)}`, '***'],
  ['that JSON text has under its name', NAMED, '{"a":{"client_secret" : "***"}}'],
  [
    'that a query has under its name',
    `${QUERY}access_token=abc&x=1`,
    `${QUERY}access_token=***&x=1`,
  ],
])('A mask hides a secret %s', (_, text, masked) => {
  expect(mask(text)).toBe(masked)
  expect(mask({ list: [{ text }] })).toEqual({ list: [{ text: masked }] })
})

/**
 * A secret whose characters have a form of their own in each encoding, and how clients encode the
 * credentials (RFC 6749 section 2.3.1).
 */
const ODD = 'a+b&c%d/e:f g~h'
const withOdd = createMask([ODD, SHORT])
const base64 = (text: string) => Buffer.from(text).toString('base64')
const CREDENTIALS: readonly (readonly [how: string, credentials: string])[] = [
  ['as they are', `shop:${ODD}`],
  ['percent-encoded', `shop:${encoded(ODD)}`],
  ['percent-encoded with lowercase digits', `shop:${encoded(ODD).toLowerCase()}`],
  [
    'form-encoded, with + for a blank',
    `shop:${new URLSearchParams({ '': ODD }).toString().slice(1)}`,
  ],
  ['partly encoded', `shop:${ODD.replaceAll('+', '%2B').replace('%d', '%25d')}`],
  [
    'with every character encoded',
    `${everyCharacterEncoded('shop')}:${everyCharacterEncoded(ODD)}`,
  ],
  ['with an encoded client id', `${encoded('a shop/1')}:${encoded(ODD)}`],
  ['of another client', `other:${encoded(ODD)}`],
  ['with a short secret', `shop:${SHORT}`],
]

test.each(CREDENTIALS)('A mask hides Basic credentials %s', (_how, credentials) => {
  expect(withOdd(`Basic ${base64(credentials)}`)).toBe('Basic ***')
})

test.each(CREDENTIALS)('A mask hides Basic credentials %s without padding', (_how, credentials) => {
  expect(withOdd(`{"a":"Basic ${base64(credentials).replace(/=+$/, '')}"}`)).toBe(
    '{"a":"Basic ***"}',
  )
})

test.each(CREDENTIALS)(
  'A mask hides Basic credentials %s in the other alphabet',
  (_how, credentials) => {
    expect(withOdd(Buffer.from(credentials).toString('base64url'))).toBe('***')
  },
)

test.each(CREDENTIALS)(
  'A mask hides Basic credentials %s that are percent-encoded in a query',
  (_how, credentials) => {
    const query = encoded(`Basic ${base64(credentials)}`)
    expect(withOdd(`${QUERY}authorization=${query}&b=c`)).toBe(`${QUERY}authorization=***&b=c`)
  },
)

test.each(CREDENTIALS)('A mask hides Basic credentials %s in a path', (_how, credentials) => {
  const path = withOdd(`/v1/oidc/${base64(credentials)}`)
  expect(path).toMatch(/\*\*\*$/)
  expect(path).not.toContain(base64(credentials).slice(0, 12))
})

test('A mask hides Basic credentials that a message cuts off', () => {
  const cut = base64(`shop:${encoded(ODD)}`).slice(0, 32)
  expect(withOdd(`"${cut}…" is no value`)).toBe('"***" is no value')
})

test('A mask leaves the Basic credentials of another secret', () => {
  const others = `Basic ${base64('shop:another secret')}`
  expect(withOdd(others)).toBe(others)
})

test('A mask hides a secret in a name', () => {
  const names = { [SECRET]: 'a', [`x${SHORT} y`]: 'b', [`x ${SHORT}`]: 'c' }
  expect(mask(names)).toEqual({ '***': 'a', 'xs3cr3t y': 'b', 'x ***': 'c' })
  expect(mask({ '{"client_secret":"mistyped"}': '' })).toEqual({ '{"client_secret":"***"}': '' })
})

test('A mask hides the value of any member that is named like a secret', () => {
  const sent = {
    client_secret: 'x',
    a: [{ access_token: { b: 1 }, other: 2 }],
    control_token: ['x'],
  }
  const a = [{ access_token: '***', other: 2 }]
  expect(mask(sent)).toEqual({ client_secret: '***', a, control_token: '***' })
})

test('A mask hides a secret beside names that every object inherits', () => {
  const sent: unknown = JSON.parse(`{"__proto__":{"client_secret":"x"},"constructor":"${SHORT}"}`)
  expect(JSON.stringify(mask(sent))).toBe(
    '{"__proto__":{"client_secret":"***"},"constructor":"***"}',
  )
})

test.each([
  [
    'what holds no secret',
    { state: 'a b', claims: '{"age":[18]}', n: 1, none: null, yes: true, list: [[]] },
  ],
  ['a short secret inside a word', { state: `x${SHORT}x`, other: `${SHORT}s` }],
  [
    'a code, an id_token and random values',
    { code: 'a'.repeat(22), id_token: 'e30.e30.e30', nonce: 'A'.repeat(43) },
  ],
  ['percent signs that encode nothing', { state: '100% %zz %', next: '%41' }],
  ['nothing', undefined],
])('A mask leaves %s as it is', (_, value) => {
  expect(mask(value)).toEqual(value)
})
