import { describe, expect, it } from 'vitest'
import { didYouMean, nearest } from '../../src/age/nearest.ts'

describe('nearest', () => {
  it.each([
    ['allowed_method', ['allowed_methods', 'overrides'], ['allowed_methods']],
    ['Adult-Pasport', ['teen-16', 'adult-passport'], ['adult-passport']],
    ['teen-61', ['teen-16', 'teen-14', 'child-12'], ['teen-16', 'teen-14']],
    ['adult', ['adult-passport', 'teen-16'], ['adult-passport']],
    ['us', ['UA', 'US'], ['US']],
    ['xyz', ['adult-passport'], []],
    ['', ['ab', 'abcdef'], []],
    ['x'.repeat(10_000), ['x'.repeat(9_999)], []],
  ])('%s of %j is %j', (word, candidates, expected) => {
    expect(nearest(word, candidates)).toEqual(expected)
  })
})

describe('didYouMean', () => {
  it('asks about the nearest name', () => {
    expect(didYouMean('teen16', ['teen-14', 'teen-16'])).toBe(' Did you mean "teen-16"?')
  })

  it('is silent when nothing is near', () => {
    expect(didYouMean('zebra', ['teen-14', 'teen-16'])).toBe('')
  })
})
