import { expect, test } from 'vitest'
import type { Claims } from '../../../src/age/claims.ts'
import { changesOf } from '../../../src/console/playground/changes.ts'

const NOW = Date.parse('2026-03-01T00:00:00Z')
const changed = (claims: Claims) => new Map(changesOf(claims, NOW).map(({ label, claims: after }) => [label, after]))

test('The changes of claims leave each filter out alone', () => {
  const claims: Claims = {
    age_thresholds: [18],
    verified_after: '2025-01-01',
    provenance: { allowed: ['/a'], denied: ['/b'] },
    overrides: { id_doc_scan: { min_age: 20, iso_27566_1: 'strict' } },
  }
  const { verified_after: _, ...rest } = claims
  const all = changed(claims)
  expect(all.get('without verified_after')).toEqual(rest)
  expect(all.get('without provenance.denied')).toEqual({ ...claims, provenance: { allowed: ['/a'] } })
  const overrides = { id_doc_scan: { iso_27566_1: 'strict' } }
  expect(all.get('without min_age of overrides.id_doc_scan')).toEqual({ ...claims, overrides })
  expect(all.get('without overrides.id_doc_scan')).not.toHaveProperty('overrides')
})

test('The changes of claims add the usual filters that are not there yet', () => {
  const all = changed({ age_thresholds: [18] })
  expect(all.get('with verified_after 2025-03-01')).toEqual({ age_thresholds: [18], verified_after: '2025-03-01' })
  const withAge = all.get('with min_age 25 of overrides.facial_age_estimation')
  expect(withAge?.overrides).toEqual({ facial_age_estimation: { min_age: 25 } })
  expect([...all.keys()].filter((label) => label.startsWith('without'))).toEqual([])
})

test('A change is never offered when the claims would be refused then', () => {
  // A facial estimate has to keep one of min_age and age_thresholds.
  const overrides: Claims['overrides'] = { facial_age_estimation: { min_age: 25, iso_27566_1: 'basic' } }
  const all = changed({ age_thresholds: [18], overrides })
  expect(all.has('without min_age of overrides.facial_age_estimation')).toBe(false)
  expect(all.has('without iso_27566_1 of overrides.facial_age_estimation')).toBe(true)
})
