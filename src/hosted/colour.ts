import { formatHex, interpolate, modeLrgb, modeRgb, useMode, wcagContrast } from 'culori/fn'

// culori knows only the colour spaces that are registered: sRGB, and its linear form for the contrast.
useMode(modeRgb)
useMode(modeLrgb)

/** `#rrggbb` */
export type Colour = string

export const BLACK: Colour = '#000000'
export const WHITE: Colour = '#ffffff'

/** `share` (0 to 1) of one colour with the rest of another, in sRGB as CSS `color-mix` does it. */
export const mix = (colour: Colour, share: number, other: Colour): Colour =>
  formatHex(interpolate([other, colour], 'rgb')(share))

/** The contrast ratio of WCAG 2.2, 1 to 21. */
export const contrast = (one: Colour, other: Colour): number => wcagContrast(one, other)

/** Black or white: the one with the better contrast on all of the colours. It has at least 4.5:1 on any single colour. */
export function textOn(...backgrounds: readonly Colour[]): Colour {
  const least = (text: Colour) => Math.min(...backgrounds.map((background) => contrast(text, background)))
  return least(WHITE) >= least(BLACK) ? WHITE : BLACK
}

/** The colour, moved towards black or white just as far as it takes to have `ratio` on every one of the backgrounds. */
export function readable(colour: Colour, ratio: number, backgrounds: readonly Colour[]): Colour {
  const target = textOn(...backgrounds)
  for (let share = 1; share > 0; share -= 0.02) {
    const candidate = mix(colour, share, target)
    if (backgrounds.every((background) => contrast(candidate, background) >= ratio)) return candidate
  }
  return target
}
