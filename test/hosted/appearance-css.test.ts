import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { renderAppearanceCss } from '../../src/hosted/appearance-css.ts'
import { type Colour, contrast, parseColour } from '../../src/hosted/colour.ts'

/** The custom properties of a style sheet. */
const propertiesOf = (css: string) =>
  Object.fromEntries([...css.matchAll(/^ {2}--([a-z-]+): (.*);$/gm)].map(([, name = '', value = '']) => [name, value]))

const hex = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`)
const colours = fc.record(
  { primary_color: hex, secondary_color: hex, text_color: hex, background_color: hex },
  { requiredKeys: [] },
)

describe('the style sheet of an appearance', () => {
  it('keeps every text readable, whatever the colours', () => {
    fc.assert(
      fc.property(colours, (appearance) => {
        const properties = propertiesOf(renderAppearanceCss(appearance))
        const colourOf = (name: string): Colour => parseColour(properties[name] ?? '') ?? [0, 0, 0]
        const pairs = [
          ...['text', 'muted', 'accent'].flatMap((text) =>
            ['background', 'page', 'wash'].map((surface) => [text, surface] as const),
          ),
          ['on-primary', 'primary'],
          ['on-primary', 'primary-hover'],
          ['on-secondary', 'secondary'],
        ] as const
        for (const [text, surface] of pairs) {
          expect(contrast(colourOf(text), colourOf(surface)), `${text} on ${surface}`).toBeGreaterThanOrEqual(4.5)
        }
        expect(contrast(colourOf('edge'), colourOf('background'))).toBeGreaterThanOrEqual(3)
      }),
    )
  })

  it('leaves the colour of buttons, band and background as it was asked for', () => {
    fc.assert(
      fc.property(hex, hex, hex, (primary, secondary, background) => {
        const css = renderAppearanceCss({
          primary_color: primary,
          secondary_color: secondary,
          background_color: background,
        })
        expect(propertiesOf(css)).toMatchObject({ primary, secondary, background })
      }),
    )
  })

  it.each([
    [{ text_align: 'right' }, { align: 'right' }],
    [{ button_radius: '08' }, { radius: '8px' }],
    [{ gradient: 'false' }, {}],
    [{ font: ' Noto Serif JP ' }, { font: '"Noto Serif JP", system-ui, sans-serif' }],
  ])('writes %j as %j', (appearance, expected) => {
    expect(propertiesOf(renderAppearanceCss(appearance))).toMatchObject(expected)
  })

  it('sets nothing but colours when nothing else is asked for', () => {
    const names = Object.keys(propertiesOf(renderAppearanceCss({ primary_color: 'red' })))
    expect(names.filter((name) => ['align', 'radius', 'band', 'font'].includes(name))).toEqual([])
  })
})
