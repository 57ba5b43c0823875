import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { keepText, readText, textBytes } from '../../src/store/memory-budget.ts'

test('JSON is read as it was kept, short and long, in whatever script', () => {
  const short = fc.string({ unit: 'binary' })
  const long = fc.string({ unit: 'binary', minLength: 1_000, maxLength: 2_000 })
  fc.assert(
    fc.property(fc.oneof(short, long), (value) => {
      const text = JSON.stringify(value)
      expect(readText(keepText(text))).toBe(text)
    }),
  )
})

test.each([
  ['a short text', 'ab', 4],
  ['a long one', 'a'.repeat(5_000), 5_000],
  ['a long one of three bytes a character', '年'.repeat(5_000), 15_000],
])('%s takes as many bytes as are counted, and shares them with no other', (_case, text, bytes) => {
  const kept = keepText(text)
  expect(textBytes(kept)).toBe(bytes)
  if (typeof kept !== 'string') expect(kept.buffer.byteLength).toBe(bytes)
})
