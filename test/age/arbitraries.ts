import fc from 'fast-check'
import { ASSURANCE_LEVELS } from '../../src/age/assurance.ts'
import { METHOD_NAMES, type Method } from '../../src/age/methods.ts'
import type { Age, AgeSignal } from '../../src/age/signal.ts'

// Few values of each kind, so that filters and signals often meet.
export const methods = fc.constantFrom<Method>('id_doc_scan', 'facial_age_estimation', 'payment_card_network')
export const ages = fc.integer({ min: 0, max: 40 })
export const patterns = fc.constantFrom('/a', '/a/b', '/a/*', '/c', '/*')
export const paths = fc.constantFrom('/a', '/a/b', '/a/c', '/c')
const levels = fc.constantFrom(...ASSURANCE_LEVELS)
const dates = fc
  .date({ min: new Date('2024-01-01'), max: new Date('2026-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString())

const age: fc.Arbitrary<Age> = fc.oneof(
  fc
    .date({ min: new Date('1986-01-01'), max: new Date('2026-01-01'), noInvalidDate: true })
    .map((date) => ({ date_of_birth: date.toISOString().slice(0, 10) })),
  ages.map((years) => ({ years })),
  ages.map((years) => ({ at_least_years: years })),
)

export const signal: fc.Arbitrary<AgeSignal> = fc.record(
  {
    method: methods,
    age,
    verified_at: dates,
    provenance: paths,
    attributes: fc.record(
      { face_match_performed: fc.boolean(), issuing_country: fc.constantFrom('US', 'FR') },
      { requiredKeys: [] },
    ),
    iso_27566_1: levels,
  },
  { requiredKeys: ['method', 'age', 'verified_at', 'provenance'] },
)

const attributes = fc.record(
  {
    face_match_performed: fc.boolean(),
    issuing_country: fc.subarray(['US', 'FR'], { minLength: 1 }),
  },
  { requiredKeys: [] },
)

const override = (thresholds: number) =>
  fc.record(
    {
      min_age: ages,
      age_thresholds: fc.array(ages, { minLength: thresholds, maxLength: thresholds }),
      verified_after: dates,
      iso_27566_1: levels,
      attributes,
    },
    { requiredKeys: [] },
  )

/** Claims as `parseClaims` would let them through, apart from the facial pair. */
export const claims = fc.array(ages, { minLength: 1, maxLength: 4 }).chain((thresholds) =>
  fc.record(
    {
      age_thresholds: fc.constant(thresholds),
      allowed_methods: fc.subarray([...METHOD_NAMES], { minLength: 1 }),
      verified_after: dates,
      provenance: fc.record(
        { allowed: fc.array(patterns, { maxLength: 3 }), denied: fc.array(patterns, { maxLength: 2 }) },
        { requiredKeys: [] },
      ),
      iso_27566_1: levels,
      overrides: fc.record(
        { id_doc_scan: override(thresholds.length), facial_age_estimation: override(thresholds.length) },
        { requiredKeys: [] },
      ),
    },
    { requiredKeys: ['age_thresholds'] },
  ),
)
