import { expect, test } from 'vitest'
import { parseJson } from '../../../src/oidc/request/json.ts'

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)

test('JSON is read down to 64 levels and refused below them, however it is nested', () => {
  expect(parseJson(nested(64)).ok).toBe(true)
  expect(parseJson(`${'{"a":'.repeat(64)}1${'}'.repeat(64)}`).ok).toBe(true)
  for (const text of [nested(65), nested(100_000), `${'{"a":'.repeat(65)}1${'}'.repeat(65)}`]) {
    expect(parseJson(text)).toEqual({ ok: false, reason: 'it is nested deeper than 64 levels' })
  }
})

test('JSON that is none is refused with a reason of at most 120 characters', () => {
  const parsed = parseJson(`{"a": ${'x'.repeat(1000)}}`)
  expect(parsed).toEqual({ ok: false, reason: expect.stringMatching(/^.{1,120}$/) })
})

test.each([
  ['', 'it is empty'],
  ['undefined', 'a variable without a value'],
  ['[object Object]', 'use JSON.stringify'],
  ['%7B%22age_thresholds%22%3A%5B18%5D%7D', 'percent-encoded twice'],
  [Buffer.from('{"age_thresholds":[18]}').toString('base64'), 'base64'],
  [Buffer.from('[{"type":"age_verification"}]').toString('base64url'), 'base64'],
  ["{'age_thresholds': [18]}", 'double quotes instead of single ones'],
  ["[{'type': 'age_verification'}]", 'double quotes instead of single ones'],
  ['{age_thresholds: [18]}', 'names of members in double quotes'],
  ['{"face_match_performed": True}', 'in lower case'],
  ['{"age_thresholds": [18],}', 'remove the comma'],
])('JSON that is spoiled in a usual way is refused with the remedy: %s', (text, remedy) => {
  expect(parseJson(text)).toEqual({ ok: false, reason: expect.stringContaining(remedy) })
})

test('JSON that is spoiled in another way is refused without a guess', () => {
  expect(parseJson('{"age_thresholds": [18')).toEqual({ ok: false, reason: expect.not.stringContaining('(') })
})
