import { expect, test } from 'vitest'
import { parseJson } from '../../../src/oidc/request/json.ts'

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)

test('JSON is read down to 64 levels and refused below them, however it is nested', () => {
  expect(parseJson(nested(64)).ok).toBe(true)
  expect(parseJson(`${'{"a":'.repeat(64)}1${'}'.repeat(64)}`).ok).toBe(true)
  for (const text of [nested(66), nested(100_000), `${'{"a":'.repeat(66)}1${'}'.repeat(66)}`]) {
    expect(parseJson(text)).toEqual({ ok: false, reason: 'it is nested deeper than 64 levels' })
  }
})

test('JSON that is none is refused with a reason of at most 120 characters', () => {
  const parsed = parseJson(`{"a": ${'x'.repeat(1000)}}`)
  expect(parsed).toEqual({ ok: false, reason: expect.stringMatching(/^.{1,120}$/) })
})
