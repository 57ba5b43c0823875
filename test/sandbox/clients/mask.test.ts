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
  ['percent-encoded three times', `${QUERY}a=${encoded(encoded(encoded(SECRET)))}`, `${QUERY}a=***`],
  ['percent-encoded as in a form', `${QUERY}a=${new URLSearchParams({ a: SECRET })}`, `${QUERY}a=a=***`],
  ['that a message cuts off', `scope is "${SECRET.slice(0, 12)}…", not a scope...`, 'scope is "***", not a scope...'],
  ['escaped as PHP escapes JSON', `{"a":"${JSON.stringify(SECRET).slice(1, -1).replaceAll('/', '\\/')}"}`, '***'],
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
  ['that a query has under its name', `${QUERY}access_token=abc&x=1`, `${QUERY}access_token=***&x=1`],
])('A mask hides a secret %s', (_, text, masked) => {
  expect(mask(text)).toBe(masked)
  expect(mask({ list: [{ text }] })).toEqual({ list: [{ text: masked }] })
})

test('A mask hides a secret in a name', () => {
  const names = { [SECRET]: 'a', [`x${SHORT} y`]: 'b', [`x ${SHORT}`]: 'c' }
  expect(mask(names)).toEqual({ '***': 'a', 'xs3cr3t y': 'b', 'x ***': 'c' })
  expect(mask({ '{"client_secret":"mistyped"}': '' })).toEqual({ '{"client_secret":"***"}': '' })
})

test('A mask hides what has the name of a secret, at any depth and of any type', () => {
  const sent = { client_secret: 'x', a: [{ access_token: { b: 1 }, other: 2 }], control_token: ['x'] }
  const a = [{ access_token: '***', other: 2 }]
  expect(mask(sent)).toEqual({ client_secret: '***', a, control_token: '***' })
})

test('A mask hides a secret beside names that every object inherits', () => {
  const sent: unknown = JSON.parse(`{"__proto__":{"client_secret":"x"},"constructor":"${SHORT}"}`)
  expect(JSON.stringify(mask(sent))).toBe('{"__proto__":{"client_secret":"***"},"constructor":"***"}')
})

test.each([
  ['what holds no secret', { state: 'a b', claims: '{"age":[18]}', n: 1, none: null, yes: true, list: [[]] }],
  ['a short secret inside a word', { state: `x${SHORT}x`, other: `${SHORT}s` }],
  ['a code, an id_token and random values', { code: 'a'.repeat(22), id_token: 'e30.e30.e30', nonce: 'A'.repeat(43) }],
  ['percent signs that encode nothing', { state: '100% %zz %', next: '%41' }],
  ['nothing', undefined],
])('A mask leaves %s as it is', (_, value) => {
  expect(mask(value)).toEqual(value)
})
