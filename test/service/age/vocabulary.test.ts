import { iso31661 } from 'iso-3166'
import { expect, test } from 'vitest'
import {
  COUNTRIES,
  matchesPattern,
  PROVENANCE_PATH,
  PROVENANCE_PATTERN,
} from '../../../src/service/age/vocabulary.ts'

test.each([
  ['/a/b', '/a/b', true],
  ['/a/b', '/a', false],
  ['/a', '/a/b', false],
  ['/a/*', '/a/b', true],
  ['/a/*', '/a', false],
  ['/a/*', '/ab/c', false],
  ['/a/b/*', '/a/b', false],
  ['/*', '/a', true],
  ['/*', '/a/b', true],
])('The provenance pattern %s matches the path %s: %s', (pattern, path, matches) => {
  expect(matchesPattern(pattern, path)).toBe(matches)
})

const OF_NO_KIND = ['', '/', 'a', '/a/', '//', '/a//b', '/A', '/a\n', 'x/a']
const NO_PATTERNS = ['/a-b', '/a*', '*', '/*/a', '/a/**', '/é', '/a/*/']

test.each([
  ['pattern', PROVENANCE_PATTERN, ['/a', '/a/b', '/a/b/c', '/a_1/*', '/*'], NO_PATTERNS],
  ['path', PROVENANCE_PATH, ['/a', '/a/b_2'], ['/a/b/c', '/a/*']],
])(
  'A provenance %s is a list of lowercase words behind slashes',
  (_what, grammar, texts, others) => {
    expect([...texts, ...others, ...OF_NO_KIND].filter((text) => grammar.test(text))).toEqual(texts)
  },
)

test('The countries are exactly the assigned ISO 3166-1 alpha-2 codes', () => {
  const assigned = iso31661.filter(({ state }) => state === 'assigned').map(({ alpha2 }) => alpha2)
  expect([...COUNTRIES].sort()).toEqual(assigned.sort())
})
