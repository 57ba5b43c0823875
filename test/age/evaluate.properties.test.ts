import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseInstant } from '../../src/age/calendar.ts'
import type { Claims } from '../../src/age/claims.ts'
import {
  type Evaluation,
  evaluate,
  evaluateAnswers,
  evaluateBriefly,
  explainEvaluation,
} from '../../src/age/evaluate.ts'
import { matchesPattern } from '../../src/age/provenance.ts'
import type { AgeSignal } from '../../src/age/signal.ts'
import * as arbitrary from './arbitraries.ts'

const NOW = parseInstant('2026-07-01') ?? Number.NaN
const YEAR = 366 * 86_400_000

const signals = fc.array(arbitrary.signal, { maxLength: 4 })

/** Every threshold of the first evaluation that is true is true in the second. */
function expectNoneLost(before: Evaluation, after: Evaluation) {
  const reached = (evaluation: Evaluation) => evaluation.trace.map(({ satisfied }) => satisfied)
  expect(reached(after).map((satisfied, index) => satisfied || reached(before)[index] === false)).not.toContain(false)
}

function older(signal: AgeSignal, years: number): AgeSignal {
  const { age } = signal
  if ('years' in age) return { ...signal, age: { years: age.years + years } }
  if ('at_least_years' in age) return { ...signal, age: { at_least_years: age.at_least_years + years } }
  const born = Number(age.date_of_birth.slice(0, 4)) - years
  return { ...signal, age: { date_of_birth: `${born}${age.date_of_birth.slice(4).replace('02-29', '02-28')}` } }
}

test('Being older never loses a threshold', () => {
  fc.assert(
    fc.property(signals, arbitrary.claims, fc.integer({ min: 0, max: 50 }), (held, claims, years) => {
      expectNoneLost(
        evaluate(held, claims, NOW),
        evaluate(
          held.map((signal) => older(signal, years)),
          claims,
          NOW,
        ),
      )
    }),
  )
})

test('Time alone never loses a threshold', () => {
  fc.assert(
    fc.property(signals, arbitrary.claims, fc.integer({ min: 0, max: 50 * YEAR }), (held, claims, later) => {
      expectNoneLost(evaluate(held, claims, NOW), evaluate(held, claims, NOW + later))
    }),
  )
})

test('Another signal never loses a threshold', () => {
  fc.assert(
    fc.property(signals, arbitrary.signal, arbitrary.claims, (held, added, claims) => {
      expectNoneLost(evaluate(held, claims, NOW), evaluate([...held, added], claims, NOW))
    }),
  )
})

test('Removing a filter from the claims never loses a threshold', () => {
  const filters = ['allowed_methods', 'verified_after', 'provenance', 'iso_27566_1'] as const
  fc.assert(
    fc.property(signals, arbitrary.claims, fc.constantFrom(...filters), (held, claims, filter) => {
      // An override may still set the filter; the root value is gone for every other method.
      const { [filter]: _removed, ...fewer } = claims
      expectNoneLost(evaluate(held, claims, NOW), evaluate(held, fewer, NOW))
    }),
  )
})

test('Removing the attributes or the min_age of an override never loses a threshold', () => {
  fc.assert(
    fc.property(signals, arbitrary.claims, (held, claims) => {
      const { attributes: _attributes, min_age: _minAge, ...override } = claims.overrides?.id_doc_scan ?? {}
      const fewer: Claims = { ...claims, overrides: { ...claims.overrides, id_doc_scan: override } }
      expectNoneLost(evaluate(held, claims, NOW), evaluate(held, fewer, NOW))
    }),
  )
})

test('A denied pattern of provenance beats an allowed one', () => {
  fc.assert(
    fc.property(
      signals,
      arbitrary.claims,
      fc.array(arbitrary.patterns),
      arbitrary.patterns,
      (held, claims, allowed, denied) => {
        const { trace } = evaluate(
          held,
          { ...claims, provenance: { allowed: [...allowed, denied], denied: [denied] } },
          NOW,
        )
        for (const threshold of trace) {
          for (const [index, { provenance }] of held.entries()) {
            if (matchesPattern(denied, provenance)) expect(threshold.signals[index]?.passed).toBe(false)
          }
        }
      },
    ),
  )
})

test('The trace of an evaluation explains every boolean', () => {
  fc.assert(
    fc.property(signals, arbitrary.claims, (held, claims) => {
      const { ageThresholds, trace } = evaluate(held, claims, NOW)
      expect(trace.map(({ threshold }) => threshold)).toEqual(claims.age_thresholds)
      for (const threshold of trace) {
        expect(threshold.signals.map(({ method }) => method)).toEqual(held.map(({ method }) => method))
        for (const { passed, checks } of threshold.signals) {
          expect(checks).toHaveLength(7)
          expect(passed).toBe(checks.every((check) => check.passed))
        }
        expect(threshold.satisfied).toBe(threshold.signals.some(({ passed }) => passed))
      }
      // A threshold that is named twice has two entries: each must hold.
      const answers = claims.age_thresholds.map((threshold) => [
        threshold,
        trace.filter((entry) => entry.threshold === threshold).every(({ satisfied }) => satisfied),
      ])
      expect(ageThresholds).toEqual(Object.fromEntries(answers))
    }),
  )
})

test('The answers alone and the trace alone are those of the whole evaluation', () => {
  fc.assert(
    fc.property(signals, arbitrary.claims, (held, claims) => {
      const { ageThresholds, trace } = evaluate(held, claims, NOW)
      expect(evaluateAnswers(held, claims, NOW)).toEqual(ageThresholds)
      expect(explainEvaluation(held, claims, NOW)).toEqual(trace)
      expect(evaluateBriefly(held, claims, NOW).ageThresholds).toEqual(ageThresholds)
    }),
  )
})

test('The arbitrary signals and claims of these properties reach and miss thresholds', () => {
  const samples = fc.sample(fc.tuple(signals, arbitrary.claims), 500)
  const outcomes = samples.flatMap(([held, claims]) =>
    evaluate(held, claims, NOW).trace.map(({ satisfied }) => satisfied),
  )
  expect(outcomes.filter(Boolean).length).toBeGreaterThan(20)
  expect(outcomes.filter((satisfied) => !satisfied).length).toBeGreaterThan(20)
})
