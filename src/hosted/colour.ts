import colorName from 'color-name'

/** Red, green and blue, each 0 to 255. */
export type Colour = readonly [red: number, green: number, blue: number]

export const BLACK: Colour = [0, 0, 0]
export const WHITE: Colour = [255, 255, 255]

/** A colour as `#rgb`, `#rrggbb` or a CSS colour name; `undefined` for anything else. */
export function parseColour(text: string): Colour | undefined {
  const name = text.toLowerCase()
  const named = Object.entries(colorName).find(([known]) => known === name)
  if (named) return named[1]
  const short = /^#([0-9a-f])([0-9a-f])([0-9a-f])$/.exec(name)
  const digits = short ? short.slice(1).map((digit) => digit + digit) : /^#(..)(..)(..)$/.exec(name)?.slice(1)
  const [red, green, blue] = (digits ?? []).map((pair) =>
    /^[0-9a-f]{2}$/.test(pair) ? Number.parseInt(pair, 16) : NaN,
  )
  if (red === undefined || green === undefined || blue === undefined || Number.isNaN(red + green + blue))
    return undefined
  return [red, green, blue]
}

/** `#rrggbb` */
export const toHex = (colour: Colour): string =>
  `#${colour.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`

/** `share` (0 to 1) of one colour with the rest of another, in sRGB as CSS `color-mix` does it. */
export const mix = ([r1, g1, b1]: Colour, share: number, [r2, g2, b2]: Colour): Colour => [
  r1 * share + r2 * (1 - share),
  g1 * share + g2 * (1 - share),
  b1 * share + b2 * (1 - share),
]

/** The contrast ratio of WCAG 2.2, 1 to 21. */
export function contrast(one: Colour, other: Colour): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

/** Black or white, whichever is read better on all of the colours. One of them has at least 4.5:1 on any single colour. */
export function textOn(...backgrounds: readonly Colour[]): Colour {
  const least = (text: Colour) => Math.min(...backgrounds.map((background) => contrast(text, background)))
  return least(WHITE) >= least(BLACK) ? WHITE : BLACK
}

/** The colour, moved towards black or white just as far as it takes to have `ratio` on every one of the backgrounds. */
export function readable(colour: Colour, ratio: number, backgrounds: readonly Colour[]): Colour {
  const target = textOn(...backgrounds)
  for (let share = 1; share > 0; share -= 0.02) {
    const candidate = parseColour(toHex(mix(colour, share, target))) ?? target
    if (backgrounds.every((background) => contrast(candidate, background) >= ratio)) return candidate
  }
  return target
}

function luminance(colour: Colour): number {
  const [red, green, blue] = colour.map((part) => {
    const value = Math.round(part) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * (red ?? 0) + 0.7152 * (green ?? 0) + 0.0722 * (blue ?? 0)
}
