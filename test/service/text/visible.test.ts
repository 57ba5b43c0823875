import { expect, test } from 'vitest'
import { visible } from '../../../src/service/text/visible.ts'

test.each([
  ['a control sequence', 'a\u001b[2Jb', 'a\\u001b[2Jb'],
  ['a line break', 'a\r\nb', 'a\\r\\nb'],
  ['an override of the direction', 'a\u202eb\u202c', 'a\\u202eb\\u202c'],
  ['isolates and marks', '\u2066\u2069\u200e\u200f\u061c', '\\u2066\\u2069\\u200e\\u200f\\u061c'],
  ['what has no width', 'a\u200bb\ufeff', 'a\\u200bb\\ufeff'],
])('A terminal shows %s as an escape', (_, text, shown) => {
  expect(visible(text)).toBe(shown)
})

test('A terminal shows right-to-left text as it is', () => {
  expect(visible('متجر חנות 👨‍👩‍👧')).toBe('متجر חנות 👨‍👩‍👧')
})
