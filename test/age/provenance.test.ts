import { describe, expect, it } from 'vitest'
import { matchesPattern, PROVENANCE_PATH, PROVENANCE_PATTERN } from '../../src/age/provenance.ts'

describe('provenance', () => {
  it.each([
    ['/a/b', '/a/b', true],
    ['/a/b', '/a', false],
    ['/a', '/a/b', false],
    ['/a/*', '/a/b', true],
    ['/a/*', '/a', false],
    ['/a/*', '/ab/c', false],
    ['/a/b/*', '/a/b', false],
    ['/*', '/a', true],
    ['/*', '/a/b', true],
  ])('pattern %s against %s is %s', (pattern, path, matches) => {
    expect(matchesPattern(pattern, path)).toBe(matches)
  })

  it.each(['/a', '/a/b', '/a/b/c', '/a_1/*', '/*'])('%s is a pattern', (text) => {
    expect(text).toMatch(PROVENANCE_PATTERN)
  })

  it.each(['', '/', 'a', '/a/', '//', '/a//b', '/A', '/a-b', '/a*', '*', '/*/a', '/a/**', '/a\n', '/é'])(
    '%j is no pattern',
    (text) => {
      expect(text).not.toMatch(PROVENANCE_PATTERN)
    },
  )

  it.each(['/a', '/a/b_2'])('%s is a path', (text) => {
    expect(text).toMatch(PROVENANCE_PATH)
  })

  it.each(['', '/', '/a/', '/a/b/c', '/a/*', '/A', 'a', '/a\n'])('%j is no path', (text) => {
    expect(text).not.toMatch(PROVENANCE_PATH)
  })
})
