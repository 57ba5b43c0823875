import { describe, expect, test } from 'vitest'
import { type CoverageCounters, claimsKey, emptyCounters, MAX_TESTS } from '../../../src/sandbox/coverage/counters.ts'
import { mergeCoverage } from '../../../src/sandbox/coverage/merge-coverage.ts'

const VERSION = '1.0.0'
const counters = (more: Partial<CoverageCounters>): CoverageCounters => ({ ...emptyCounters(VERSION), ...more })

describe('Merged coverage', () => {
  test('adds counts and unites the names of tests', () => {
    const one = counters({
      rows: { 'use/verified': { count: 2, tests: ['a', 'b'] } },
      calls: { par: { success: { count: 1 } } },
    })
    const other = counters({
      rows: { 'use/verified': { count: 1, tests: ['b', 'c'] }, 'use/access_denied': { count: 1 } },
      calls: { par: { success: { count: 2 }, refusal: { count: 1 } } },
    })
    const merged = mergeCoverage([one, other], VERSION)
    expect(merged.rows).toEqual({
      'use/verified': { count: 3, tests: ['a', 'b', 'c'] },
      'use/access_denied': { count: 1 },
    })
    expect(merged.calls).toEqual({ par: { success: { count: 3 }, refusal: { count: 1 } } })
  })

  test('has one entry for claims that differ in the instant of verified_after and in the order of members', () => {
    const entry = { filters: {}, boundaries: {} }
    const one = counters({
      claims: [
        {
          ...entry,
          claims: { age_thresholds: [18], verified_after: '2026-01-01' },
          thresholds: { 18: { true: { count: 1 } } },
        },
      ],
    })
    const other = counters({
      claims: [
        {
          ...entry,
          claims: { verified_after: '2026-02-02', age_thresholds: [18] },
          thresholds: { 18: { false: { count: 1 } } },
        },
      ],
    })
    expect(mergeCoverage([one, other], VERSION).claims).toEqual([
      { ...one.claims[0], thresholds: { 18: { true: { count: 1 }, false: { count: 1 } } } },
    ])
  })

  test('keeps claims apart that ask for other thresholds, or for verified_after at all', () => {
    const keys = [
      { age_thresholds: [18] },
      { age_thresholds: [21] },
      { age_thresholds: [18], verified_after: '2026-01-01' },
    ]
    expect(new Set(keys.map(claimsKey)).size).toBe(3)
  })

  test(`names at most ${MAX_TESTS} tests beside a count`, () => {
    const parts = Array.from({ length: 30 }, (_, n) => counters({ asked: { use: { count: 1, tests: [`test ${n}`] } } }))
    const { asked } = mergeCoverage(parts, VERSION)
    expect(asked['use']?.count).toBe(30)
    expect(asked['use']?.tests).toHaveLength(MAX_TESTS)
  })
})
