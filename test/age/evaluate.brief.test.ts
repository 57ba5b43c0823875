import { expect, test } from 'vitest'
import { claimsSchema } from '../../src/age/claims.ts'
import { evaluateBriefly } from '../../src/age/evaluate.ts'
import type { AgeSignal } from '../../src/age/signal.ts'

const NOW = Date.parse('2026-06-01T00:00:00Z')

const scan = (years: number): AgeSignal => ({
  method: 'id_doc_scan',
  age: { years },
  verified_at: '2026-05-01',
  provenance: '/veratad/roc',
})
const face: AgeSignal = {
  method: 'facial_age_estimation',
  age: { at_least_years: 19 },
  verified_at: '2026-05-01',
  provenance: '/yoti',
}

test.each([
  ['no signal where there is none', [], { age_thresholds: [18] }, 'no age signal'],
  ['the age when nothing fails', [scan(36)], { age_thresholds: [18, 21] }, 'id_doc_scan: is 36'],
  [
    'the signal that reaches the highest threshold when nothing fails',
    [face, scan(36)],
    { age_thresholds: [21, 18] },
    'id_doc_scan: is 36',
  ],
  ['an age that is reached to the year', [scan(18)], { age_thresholds: [18] }, 'id_doc_scan: is 18'],
  [
    'the signal that reaches the highest of three thresholds',
    [face, scan(36)],
    { age_thresholds: [13, 18, 21] },
    'id_doc_scan: is 36',
  ],
  ['the lowest threshold that fails', [scan(16)], { age_thresholds: [13, 21, 18] }, 'id_doc_scan: is 16, needs 18'],
  [
    'an age that is a lower bound as such',
    [face],
    { age_thresholds: [21] },
    'facial_age_estimation: is at least 19, needs 21',
  ],
  [
    'that an override asks for another age than the threshold',
    [face],
    { age_thresholds: [18], overrides: { facial_age_estimation: { min_age: 21 } } },
    'facial_age_estimation: is at least 19, needs 21 by overrides',
  ],
  [
    'the filters that an old enough signal fails',
    [scan(36)],
    { age_thresholds: [18], allowed_methods: ['email_age_estimation'], verified_after: '2026-05-20' },
    'id_doc_scan: fails allowed_methods, verified_after',
  ],
  [
    'the oldest signal when none is old enough',
    [scan(12), scan(16), scan(14)],
    { age_thresholds: [18] },
    'id_doc_scan: is 16, needs 18',
  ],
  [
    'the signal that passes the filters, although another one is older',
    [scan(36), face],
    { age_thresholds: [21], allowed_methods: ['facial_age_estimation'] },
    'facial_age_estimation: is at least 19, needs 21',
  ],
])('The short reason of an evaluation names %s', (_, held, claims, reason) => {
  expect(evaluateBriefly(held, claimsSchema.parse(claims), NOW).reason).toBe(reason)
})
