import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BLACK, type Colour, contrast, mix, parseColour, readable, textOn, toHex } from '../../src/hosted/colour.ts'

const channel = fc.integer({ min: 0, max: 255 })
const colour = fc.tuple(channel, channel, channel)

describe('parseColour', () => {
  it.each<[string, Colour]>([
    ['#fff', [255, 255, 255]],
    ['#392669', [57, 38, 105]],
    ['#A0c', [170, 0, 204]],
    ['rebeccapurple', [102, 51, 153]],
    ['RED', [255, 0, 0]],
  ])('reads %s', (text, expected) => {
    expect(parseColour(text)).toEqual(expected)
  })

  it.each(['', '#ff', '#ffff', '#gggggg', 'reddish', 'constructor', 'rgb(1,2,3)', '#12345', 'transparent'])(
    'knows no colour %j',
    (text) => {
      expect(parseColour(text)).toBeUndefined()
    },
  )

  it('reads back what toHex writes', () => {
    fc.assert(
      fc.property(colour, (one) => {
        expect(parseColour(toHex(one))).toEqual(one)
      }),
    )
  })
})

describe('contrast', () => {
  it.each<[string, string, number]>([
    ['#000', '#fff', 21],
    ['#777', '#fff', 4.48],
    ['#767676', '#fff', 4.54],
    ['#f00', '#f00', 1],
  ])('of %s and %s is %f by WCAG 2.2, either way round', (one, other, ratio) => {
    const a = parseColour(one) ?? BLACK
    const b = parseColour(other) ?? BLACK
    expect(contrast(a, b)).toBeCloseTo(ratio, 2)
    expect(contrast(b, a)).toBeCloseTo(ratio, 2)
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
  expect(mix([10, 20, 30], 1, [200, 200, 200])).toEqual([10, 20, 30])
  expect(mix([10, 20, 30], 0, [200, 200, 200])).toEqual([200, 200, 200])
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
