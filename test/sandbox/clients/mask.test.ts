import { expect, test } from 'vitest'
import { createMask } from '../../../src/sandbox/clients/mask.ts'

const SECRET = 'not-a/real "secret"+1'
const SHORT = 's3cr3t'
const TOKEN = `at_test_${'Ab3_-'.repeat(8)}abc`
const mask = createMask([SECRET, SHORT, '', '   '])

const base64 = (text: string) => Buffer.from(text).toString('base64')
const base64url = (text: string) => Buffer.from(text).toString('base64url')
const everyCharacterEncoded = (text: string) =>
  [...text].map((character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`).join('')

const QUERY = 'https://a.example/?'
const NAMED = '{"a":{"clientSecret" : "mist\\"yped"}}'

test.each<[string, string, string]>([
  ['that is the whole text', SECRET, '***'],
  ['inside a longer text', `Bearer ${SECRET}, please`, 'Bearer ***, please'],
  ['with blanks and quotes around it', ` '${SECRET}' `, " '***' "],
  ['each time it comes', `${SECRET}${SECRET}`, '******'],
  ['in JSON text', JSON.stringify({ a: SECRET }), '{"a":"***"}'],
  ['percent-encoded', `${QUERY}a=${encodeURIComponent(SECRET)}&b=c`, `${QUERY}a=***&b=c`],
  ['with every character percent-encoded', everyCharacterEncoded(SECRET), '***'],
  ['in Basic credentials', `Basic ${base64(`web-shop:${SECRET}`)}`, 'Basic ***'],
  ['in Basic credentials of another length', base64(`a:${SECRET}`), '***='],
  ['in base64url', base64url(`ab:${SECRET}:cd`), '***'],
  ['that is short, where it stands alone', `code "${SHORT}"`, 'code "***"'],
  ['that is an access token', `token ${TOKEN}.`, 'token ***.'],
  ['that JSON text has under its name', NAMED, '{"a":{"clientSecret" : "***"}}'],
  ['that a query has under its name', `${QUERY}access_token=abc&x=1`, `${QUERY}access_token=***&x=1`],
])('A mask hides a secret %s', (_, text, masked) => {
  expect(mask(text)).toBe(masked)
  expect(mask({ list: [{ text }] })).toEqual({ list: [{ text: masked }] })
})

test('A mask hides a secret in a name, and in a name that has more beside it', () => {
  const names = { [SECRET]: 'a', [`x${SHORT} y`]: 'b', [`x ${SHORT}`]: 'c' }
  expect(mask(names)).toEqual({ '***': '***', 'xs3cr3t y': 'b', 'x ***': 'c' })
  expect(mask({ '{"client_secret":"mistyped"}': '' })).toEqual({ '***': '***' })
})

test('A mask hides what has the name of a secret, at any depth and of any type', () => {
  const sent = { client_secret: 'x', a: [{ clientSecret: { b: 1 }, 'access-token': 2 }], CONTROL_TOKEN: ['x'] }
  const a = [{ clientSecret: '***', 'access-token': '***' }]
  expect(mask(sent)).toEqual({ client_secret: '***', a, CONTROL_TOKEN: '***' })
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

test('A mask leaves everything else beside a secret, and the same object where nothing is to hide', () => {
  const sent = { state: SECRET, claims: '{"age_thresholds":[18]}', n: [1, 1.5, null, false], code: 'abc' }
  expect(mask(sent)).toEqual({ ...sent, state: '***' })
  const plain = { state: 'a' }
  expect(createMask(['another-secret'])(plain)).toBe(plain)
})
