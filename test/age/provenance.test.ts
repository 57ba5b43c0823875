import { expect, test } from 'vitest'
import { matchesPattern, PROVENANCE_PATH, PROVENANCE_PATTERN } from '../../src/age/provenance.ts'

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

test.each([
  ['pattern', PROVENANCE_PATTERN, ['/a', '/a/b', '/a/b/c', '/a_1/*', '/*']],
  ['path', PROVENANCE_PATH, ['/a', '/a/b_2']],
])('A provenance %s has lowercase letters, digits and underscores behind slashes', (_what, grammar, texts) => {
  expect(texts.filter((text) => !grammar.test(text))).toEqual([])
})

test.each([
  ['pattern', PROVENANCE_PATTERN, ['/a-b', '/a*', '*', '/*/a', '/a/**', '/é', '/a/*/']],
  ['path', PROVENANCE_PATH, ['/a/b/c', '/a/*']],
])('What breaks the grammar is no provenance %s', (_what, grammar, texts) => {
  const broken = [...texts, '', '/', 'a', '/a/', '//', '/a//b', '/A', '/a\n', 'x/a']
  expect(broken.filter((text) => grammar.test(text))).toEqual([])
})
