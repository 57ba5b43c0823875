import { describe, expect, it } from 'vitest'
import { didYouMean, nearest, unknownName } from '../../src/age/nearest.ts'

const OUTCOMES = [
  'token.code_expired',
  'access_denied',
  'id_token.expired',
  'id_token.nonce_missing',
  'id_token.nonce_other',
  'id_token.huge',
  'request_uri.expired',
]
const PERSONAS = ['adult-passport', 'child-12', 'teen-14', 'teen-16', 'turned-18-today', 'turns-18-tomorrow']

describe('nearest', () => {
  it.each([
    ['allowed_method', ['allowed_methods', 'overrides'], ['allowed_methods']],
    ['Adult-Pasport', ['teen-16', 'adult-passport'], ['adult-passport']],
    ['teen-61', ['teen-16', 'teen-14', 'child-12'], ['teen-16', 'teen-14']],
    ['us', ['UA', 'US'], ['US']],
    ['xyz', ['adult-passport'], []],
    ['', ['ab', 'abcdef'], []],
    ['-', ['ab', 'abcdef'], []],
    ['x'.repeat(10_000), ['x'.repeat(9_999)], []],
  ])('%s of %j is %j', (word, candidates, expected) => {
    expect(nearest(word, candidates)).toEqual(expected)
  })

  it.each(['accessDenied', 'access-denied', 'Access Denied', 'ACCESS.DENIED', 'accessdenied', ' access_denied '])(
    'reads %j as access_denied: case, blanks and punctuation make no other name',
    (word) => {
      expect(nearest(word, OUTCOMES)).toEqual(['access_denied'])
    },
  )

  it.each([
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
  ])('prefers names that %s is a part of to names with a few other letters', (word, candidates, expected) => {
    expect(nearest(word, candidates)).toEqual(expected)
  })

  it('finds a name by a part that is misspelt', () => {
    expect(nearest('pasport', PERSONAS)).toEqual(['adult-passport'])
  })
})

describe('didYouMean', () => {
  it('asks about the nearest name', () => {
    expect(didYouMean('teen16', ['teen-14', 'teen-16'])).toBe(' Did you mean "teen-16"?')
  })

  it('asks about all names that are equally near', () => {
    expect(didYouMean('teen', PERSONAS)).toBe(' Did you mean "teen-14" or "teen-16"?')
    expect(didYouMean('expierd', ['a.expired', 'b.expired', 'c.expired'])).toBe(
      ' Did you mean "a.expired", "b.expired" or "c.expired"?',
    )
  })

  it('does not ask about a name that is less near', () => {
    expect(didYouMean('teen-61', ['teen-16', 'teen-14'])).toBe(' Did you mean "teen-16"?')
  })

  it('names four of many', () => {
    const names = ['adult-a', 'adult-b', 'adult-c', 'adult-d', 'adult-e', 'adult-f']
    expect(didYouMean('adult', names)).toBe(
      ' Did you mean "adult-a", "adult-b", "adult-c", "adult-d" or another that fits?',
    )
  })

  it('is silent when nothing is near', () => {
    expect(didYouMean('zebra', ['teen-14', 'teen-16'])).toBe('')
  })
})

describe('unknownName', () => {
  it('repeats the name and asks about the nearest', () => {
    expect(unknownName('persona', 'teen', PERSONAS)).toBe(
      'there is no persona "teen". Did you mean "teen-14" or "teen-16"?',
    )
  })

  it('lists the names when none is near', () => {
    expect(unknownName('tenant', 'zebra', ['ci-1', 'ci-2'])).toBe('there is no tenant "zebra". Known are ci-1, ci-2.')
    expect(unknownName('tenant', 'zebra', [])).toBe('there is no tenant "zebra". There is none yet.')
  })

  it('lists no more names than a line can hold', () => {
    const many = Array.from({ length: 40 }, (_, index) => `n${index}`)
    expect(unknownName('tenant', 'zebra', many)).toMatch(/ Known are n0, n1, .*n11 and 28 more\.$/)
  })
})
