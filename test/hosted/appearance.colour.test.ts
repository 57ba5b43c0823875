import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { contrast, mix, readable, textOn } from '../../src/hosted/appearance.ts'

const colour = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`)

describe('contrast', () => {
  it.each<[string, string, number]>([
    ['#000', '#fff', 21],
    ['#777', '#fff', 4.48],
    ['#767676', '#fff', 4.54],
    ['#f00', '#f00', 1],
  ])('of %s and %s is %f by WCAG 2.2, either way round', (one, other, ratio) => {
    expect(contrast(one, other)).toBeCloseTo(ratio, 2)
    expect(contrast(other, one)).toBeCloseTo(ratio, 2)
  })
})

it('textOn can be read on every colour', () => {
  fc.assert(
    fc.property(colour, (background) => {
      expect(contrast(textOn(background), background)).toBeGreaterThanOrEqual(4.5)
    }),
  )
})

it('mix gives one colour at 1 and the other at 0', () => {
  expect(mix('#0a141e', 1, '#c8c8c8')).toBe('#0a141e')
  expect(mix('#0a141e', 0, '#c8c8c8')).toBe('#c8c8c8')
})

describe('readable', () => {
  it('reaches the ratio on any background', () => {
    fc.assert(
      fc.property(colour, colour, (one, background) => {
        expect(contrast(readable(one, 4.5, [background]), background)).toBeGreaterThanOrEqual(4.5)
      }),
    )
  })

  it('leaves a colour alone that can be read as it is', () => {
    fc.assert(
      fc.property(colour, colour, (one, background) => {
        fc.pre(contrast(one, background) >= 4.5)
        expect(readable(one, 4.5, [background])).toEqual(one)
      }),
    )
  })
})
