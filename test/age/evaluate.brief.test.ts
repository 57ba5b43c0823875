import { expect, test } from 'vitest'
import { claimsSchema } from '../../src/age/claims.ts'
import { evaluateBriefly } from '../../src/age/evaluate.ts'
import type { AgeSignal } from '../../src/age/signal.ts'

const NOW = Date.parse('2026-06-01T00:00:00Z')
const verified = { verified_at: '2026-05-01', provenance: '/yoti' }
const scan = (years: number): AgeSignal => ({ method: 'id_doc_scan', age: { years }, ...verified })
const FACE: AgeSignal = { method: 'facial_age_estimation', age: { at_least_years: 19 }, ...verified }
const OVERRIDE = { overrides: { facial_age_estimation: { min_age: 21 } } }
const FILTERS = { allowed_methods: ['email_age_estimation'], verified_after: '2026-05-20' }
const ONLY_FACES = { allowed_methods: ['facial_age_estimation'] }
const FACE_NEEDS_21 = 'facial_age_estimation: is at least 19, needs 21'

test.each<[what: string, held: AgeSignal[], thresholds: number[], reason: string, filters?: object]>([
  ['no signal where there is none', [], [18], 'no age signal'],
  ['the age when nothing fails', [scan(36)], [18, 21], 'id_doc_scan: is 36'],
  ['the signal that reaches the highest threshold', [FACE, scan(36)], [21, 18], 'id_doc_scan: is 36'],
  ['an age that is reached to the year', [scan(18)], [18], 'id_doc_scan: is 18'],
  ['the signal that reaches the highest of three thresholds', [FACE, scan(36)], [13, 18, 21], 'id_doc_scan: is 36'],
  ['the lowest threshold that fails', [scan(16)], [13, 21, 18], 'id_doc_scan: is 16, needs 18'],
  ['an age that is a lower bound as such', [FACE], [21], FACE_NEEDS_21],
  ['that an override asks for another age', [FACE], [18], `${FACE_NEEDS_21} by overrides`, OVERRIDE],
  ['the filters that fail', [scan(36)], [18], 'id_doc_scan: fails allowed_methods, verified_after', FILTERS],
  ['the oldest signal when none is old enough', [12, 16, 14].map(scan), [18], 'id_doc_scan: is 16, needs 18'],
  ['the signal that passes the filters, not an older one', [scan(36), FACE], [21], FACE_NEEDS_21, ONLY_FACES],
])('The short reason of an evaluation names %s', (_what, held, age_thresholds, reason, filters) => {
  expect(evaluateBriefly(held, claimsSchema.parse({ age_thresholds, ...filters }), NOW).reason).toBe(reason)
})
