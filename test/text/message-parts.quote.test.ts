import { expect, test } from 'vitest'
import { excerpt, quote } from '../../src/text/message-parts.ts'

test.each([
  ['a "b" \\', '"a \\"b\\" \\\\"'],
  ['x'.repeat(60), `"${'x'.repeat(60)}"`],
  ['x'.repeat(61), `"${'x'.repeat(60)}…"`],
  ['a\nb\0', '"a\\nb\\u0000"'],
  ['a\u200bb\u007f', '"a\\u200bb\\u007f"'],
  ['\ud800', '"\\ud800"'],
  ['\u{e0001}', '"\\ue0001"'],
  ['é😀', '"é😀"'],
])('A message quotes the text %j, cut and with what is invisible escaped', (text, quoted) => {
  expect(quote(text)).toBe(quoted)
})

test.each([
  ['!#~', '!#~'],
  ['', '""'],
  ['a b', '"a b"'],
  ['a"b', '"a\\"b"'],
  ['é', '"é"'],
  ['x'.repeat(80), 'x'.repeat(80)],
  ['x'.repeat(81), `"${'x'.repeat(60)}…"`],
])('An excerpt of %j stands without quotes as long as the text is plain and short', (text, shown) => {
  expect(excerpt(text)).toBe(shown)
})
