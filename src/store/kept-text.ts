/** A text in memory. A long one is kept outside the heap of V8, which the coming and going of long strings leaves full of holes. */
export type KeptText = string | Buffer

/** Characters from which a buffer of its own costs less than the holes. */
const LONG = 1_000

export function keepText(text: string): KeptText {
  if (text.length < LONG) return text
  // Not from the pool of Node, of which a part would keep the whole.
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text))
  bytes.write(text)
  return bytes
}

export const readText = (kept: KeptText): string => (typeof kept === 'string' ? kept : kept.toString())

/** The bytes that it takes: two for each character of a string at most. */
export const textBytes = (kept: KeptText): number => (typeof kept === 'string' ? 2 * kept.length : kept.length)

export const isSameText = (one: KeptText, other: KeptText): boolean =>
  typeof one === 'string' || typeof other === 'string' ? one === other : one.equals(other)
