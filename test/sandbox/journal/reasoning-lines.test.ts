import { expect, test } from 'vitest'
import { reasoningLines } from '../../../src/sandbox/journal/reasoning-lines.ts'
import { explainEvaluation } from '../../../src/service/age/evaluate.ts'

const NOW = Date.parse('2026-01-01T00:00:00Z')
const face = {
  method: 'facial_age_estimation',
  age: { at_least_years: 19 },
  verified_at: '2025-12-01',
  provenance: '/yoti',
} as const

test('The lines of a reasoning name all failed checks, or the age when no check failed', () => {
  const overrides = { facial_age_estimation: { age_thresholds: [18, 25] } }
  const claims = { age_thresholds: [18, 21], iso_27566_1: 'basic' as const, overrides }
  expect(
    reasoningLines(explainEvaluation([{ ...face, iso_27566_1: 'basic' }], claims, NOW)),
  ).toEqual([
    '18: yes. facial_age_estimation: needs 18 by overrides.facial_age_estimation.age_thresholds[0], has 19',
    '21: no. facial_age_estimation: needs 25 by overrides.facial_age_estimation.age_thresholds[1], has 19',
  ])
})

test('A reasoning gives thresholds with the same reason, or with another age alone, one line with the nearest age', () => {
  const claims = { age_thresholds: [13, 16, 18], provenance: { denied: ['/yoti'] } }
  expect(reasoningLines(explainEvaluation([face], claims, NOW))).toEqual([
    '13, 16, 18: no. facial_age_estimation: /yoti matches the denied pattern /yoti',
  ])
  expect(
    reasoningLines(explainEvaluation([face], { age_thresholds: [21, 13, 18, 25] }, NOW)),
  ).toEqual([
    '21, 25: no. facial_age_estimation: needs 21, has 19',
    '13, 18: yes. facial_age_estimation: needs 18, has 19',
  ])
})

test('A reasoning about many ages ends after some lines', () => {
  const ages = Array.from({ length: 100 }, (_, index) => index)
  const claims = {
    age_thresholds: ages,
    overrides: { facial_age_estimation: { age_thresholds: ages } },
  }
  const lines = reasoningLines(explainEvaluation([face], claims, NOW))
  expect(lines.length).toBeLessThan(20)
  expect(lines.at(-1)).toBe('…')
})

test('A reason that repeats a long list is cut', () => {
  const provenance = { allowed: Array(10).fill(`/${'a'.repeat(99)}`) }
  const [line] = reasoningLines(
    explainEvaluation([face], { age_thresholds: [13], provenance }, NOW),
  )
  expect(line).toMatch(/^.{1,298}…$/)
})
