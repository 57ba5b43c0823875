import { expect, test } from 'vitest'
import {
  didYouMean,
  excerpt,
  isNearMiss,
  listed,
  nearest,
  quote,
  unknownName,
} from '../../../src/service/text/message-parts.ts'

const OUTCOMES = [
  ...[
    'token.code_expired',
    'access_denied',
    'id_token.expired',
    'id_token.nonce_missing',
    'id_token.nonce_other',
  ],
  ...['id_token.huge', 'request_uri.expired'],
]
const PERSONAS = [
  'adult-passport',
  'child-12',
  'teen-14',
  'teen-16',
  'turned-18-today',
  'turns-18-tomorrow',
]

test.each([
  ['allowed_method', ['allowed_methods', 'overrides'], ['allowed_methods']],
  ['Adult-Pasport', ['teen-16', 'adult-passport'], ['adult-passport']],
  ['teen-61', ['teen-16', 'teen-14', 'child-12'], ['teen-16', 'teen-14']],
  ['us', ['UA', 'US'], ['US']],
  ['xyz', ['adult-passport'], []],
  ['', ['ab', 'abcdef'], []],
  ['-', ['ab', 'abcdef'], []],
  ['x'.repeat(64), ['x'.repeat(65)], ['x'.repeat(65)]],
  ['x'.repeat(65), ['x'.repeat(65)], []],
  ['abcdef', ['bacdef', 'bacdef'], ['bacdef']],
  ['nonse', ['nonce'], ['nonce']],
  ['nnce', ['nonce'], ['nonce']],
  ['noonce', ['nonce'], ['nonce']],
  ['nocne', ['nonce'], ['nonce']],
  ['nouse', ['nonce'], []],
  ['nocxe', ['nonce'], []],
  ['noxne', ['nonce'], []],
  ['nocnx', ['nonce'], []],
  ['abxyef', ['abcdef'], ['abcdef']],
  ['xyzdef', ['abcdef'], []],
  ['noce', ['nonces'], ['nonces']],
])('The names nearest to %s of %j are %j', (word, candidates, expected) => {
  expect(nearest(word, candidates)).toEqual(expected)
})

test('A name is found whatever its case, blanks or punctuation are', () => {
  const words = [
    'accessDenied',
    'access-denied',
    'Access Denied',
    'ACCESS.DENIED',
    'accessdenied',
    ' access_denied ',
  ]
  expect(words.map((word) => nearest(word, OUTCOMES))).toEqual(words.map(() => ['access_denied']))
})

test.each([
  ['id_token.nonce', OUTCOMES, ['id_token.nonce_missing', 'id_token.nonce_other']],
  ['nonce', OUTCOMES, ['id_token.nonce_missing', 'id_token.nonce_other']],
  ['expired', OUTCOMES, ['id_token.expired', 'request_uri.expired', 'token.code_expired']],
  ['expired.id_token', OUTCOMES, ['id_token.expired']],
  ['teen', PERSONAS, ['teen-14', 'teen-16']],
  ['passport', PERSONAS, ['adult-passport']],
  ['passport-adult', PERSONAS, ['adult-passport']],
  ['turn-18', PERSONAS, ['turned-18-today', 'turns-18-tomorrow']],
  ['issuer_country', ['issuing_country', 'platform'], ['issuing_country']],
  ['birthDate', ['date_of_birth', 'years'], ['date_of_birth']],
  ['(passport)', PERSONAS, ['adult-passport']],
  ['teen', ['my-teen', 'teen-14'], ['teen-14', 'my-teen']],
  ['adult', ['x-adults', 'y-adult'], ['y-adult', 'x-adults']],
  ['te', PERSONAS, []],
  ['tee', PERSONAS, ['teen-14', 'teen-16']],
  ['pass-adu', PERSONAS, ['adult-passport']],
])(
  'Names that %s is a part of come before names with a few other letters',
  (word, candidates, expected) => {
    expect(nearest(word, candidates)).toEqual(expected)
  },
)

const LONG = ['some-long-adult-passport', 'some-long-adult-pasport']

test.each([
  ['pasport', PERSONAS, ['adult-passport']],
  ['chid', PERSONAS, ['child-12']],
  ['tean', PERSONAS, []],
  ['adutl-pasport', LONG, LONG.toReversed()],
  ['teen-pasport', ['some-very-long-teen-passport'], ['some-very-long-teen-passport']],
])('The part %s of a name may be misspelt, when enough of it remains', (word, names, expected) => {
  expect(nearest(word, names)).toEqual(expected)
})

const EXPIRED = ['a.expired', 'b.expired', 'c.expired']
const ADULTS = ['adult-a', 'adult-b', 'adult-c', 'adult-d', 'adult-e', 'adult-f']

test.each([
  ['the nearest name', 'teen16', PERSONAS, ' Did you mean "teen-16"?'],
  ['all names that are equally near', 'teen', PERSONAS, ' Did you mean "teen-14" or "teen-16"?'],
  [
    'names with an equally misspelt part',
    'expierd',
    EXPIRED,
    ' Did you mean "a.expired", "b.expired" or "c.expired"?',
  ],
  ['no name that is less near', 'teen-61', ['teen-16', 'teen-14'], ' Did you mean "teen-16"?'],
  [
    'four of four',
    'adult',
    ADULTS.slice(0, 4),
    ' Did you mean "adult-a", "adult-b", "adult-c" or "adult-d"?',
  ],
  [
    'four of many',
    'adult',
    ADULTS,
    ' Did you mean "adult-a", "adult-b", "adult-c", "adult-d" or another that fits?',
  ],
  ['nothing when nothing is near', 'zebra', PERSONAS, ''],
])('didYouMean asks about %s', (_what, word, names, question) => {
  expect(didYouMean(word, names)).toBe(question)
  expect(isNearMiss(`There is none.${question}`)).toBe(question !== '')
})

test.each([
  ['persona', 'teen', PERSONAS, 'there is no persona "teen". Did you mean "teen-14" or "teen-16"?'],
  ['tenant', 'zebra', ['ci-1', 'ci-2'], 'there is no tenant "zebra". Known are ci-1, ci-2.'],
  ['tenant', 'zebra', [], 'there is no tenant "zebra". There is none yet.'],
])(
  'An unknown %s %s is answered by the nearest name, or by all of %j',
  (kind, name, known, message) => {
    expect(unknownName(kind, name, known)).toBe(message)
  },
)

test('A sentence lists twelve names', () => {
  const many = Array.from({ length: 40 }, (_, index) => `n${index}`)
  const twelve = 'n0, n1, n2, n3, n4, n5, n6, n7, n8, n9, n10, n11'
  expect(listed(many.slice(0, 12))).toEqual(twelve)
})

test('A sentence counts the names after the twelfth', () => {
  const many = Array.from({ length: 40 }, (_, index) => `n${index}`)
  const twelve = 'n0, n1, n2, n3, n4, n5, n6, n7, n8, n9, n10, n11'
  expect(listed(many)).toBe(`${twelve} and 28 more`)
})

test.each([
  ['a "b" \\', '"a \\"b\\" \\\\"'],
  ['x'.repeat(60), `"${'x'.repeat(60)}"`],
  ['x'.repeat(61), `"${'x'.repeat(60)}…"`],
  ['a\nb\0', '"a\\nb\\u0000"'],
  ['a\u200bb\u007f', '"a\\u200bb\\u007f"'],
  ['\ud800', '"\\ud800"'],
  ['\u{e0001}', '"\\ue0001"'],
  ['é😀', '"é😀"'],
])('A message quotes the text %j with its invisible characters escaped', (text, quoted) => {
  expect(quote(text)).toBe(quoted)
})

test.each([
  ['!#~', '!#~'],
  ['', '""'],
  ['a b', '"a b"'],
  ['a"b', '"a\\"b"'],
  ['é', '"é"'],
  ['x'.repeat(80), 'x'.repeat(80)],
  ['x'.repeat(81), `"${'x'.repeat(60)}…"`],
])('An excerpt of %j has quotes unless the text is plain or short', (text, shown) => {
  expect(excerpt(text)).toBe(shown)
})
