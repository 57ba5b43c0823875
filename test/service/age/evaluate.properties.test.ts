import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseInstant } from '../../../src/service/age/calendar.ts'
import type { Claims } from '../../../src/service/age/claims.ts'
import {
  evaluate,
  evaluateAnswers,
  evaluateBriefly,
  explainEvaluation,
} from '../../../src/service/age/evaluate.ts'
import { METHOD_NAMES, type Method } from '../../../src/service/age/methods.ts'
import type { Age, AgeSignal } from '../../../src/service/age/signal.ts'
import { ASSURANCE_LEVELS } from '../../../src/service/age/vocabulary.ts'

const NOW = parseInstant('2026-07-01') ?? Number.NaN
const YEAR = 366 * 86_400_000

// Few values of each kind, so that filters and signals often meet.
const methods = fc.constantFrom<Method>(
  'id_doc_scan',
  'facial_age_estimation',
  'payment_card_network',
)
const ages = fc.integer({ min: 0, max: 40 })
const patterns = fc.constantFrom('/a', '/a/b', '/a/*', '/c', '/*')
const paths = fc.constantFrom('/a', '/a/b', '/a/c', '/c')
const levels = fc.constantFrom(...ASSURANCE_LEVELS)
const instants = (first: string) =>
  fc
    .date({ min: new Date(first), max: new Date('2026-01-01'), noInvalidDate: true })
    .map((date) => date.toISOString())
const dates = instants('2024-01-01')
const some = <T>(members: { [Name in keyof T]: fc.Arbitrary<T[Name]> }) =>
  fc.record(members, { requiredKeys: [] })

const age: fc.Arbitrary<Age> = fc.oneof(
  instants('1986-01-01').map((instant) => ({ date_of_birth: instant.slice(0, 10) })),
  ages.map((years) => ({ years })),
  ages.map((years) => ({ at_least_years: years })),
)

const held = some({
  face_match_performed: fc.boolean(),
  issuing_country: fc.constantFrom('US', 'FR'),
})
const signal: fc.Arbitrary<AgeSignal> = fc.record(
  {
    method: methods,
    age,
    verified_at: dates,
    provenance: paths,
    attributes: held,
    iso_27566_1: levels,
  },
  { requiredKeys: ['method', 'age', 'verified_at', 'provenance'] },
)

const countries = fc.subarray(['US', 'FR'], { minLength: 1 })
const override = (thresholds: number) =>
  some({
    min_age: ages,
    age_thresholds: fc.array(ages, { minLength: thresholds, maxLength: thresholds }),
    verified_after: dates,
    iso_27566_1: levels,
    attributes: some({ face_match_performed: fc.boolean(), issuing_country: countries }),
  })

/** Claims that `parseClaims` would accept, apart from the facial pair. */
const claims = fc.array(ages, { minLength: 1, maxLength: 4 }).chain((thresholds) => {
  const overrides = {
    id_doc_scan: override(thresholds.length),
    facial_age_estimation: override(thresholds.length),
  }
  const lists = {
    allowed: fc.array(patterns, { maxLength: 3 }),
    denied: fc.array(patterns, { maxLength: 2 }),
  }
  const filters = some({
    allowed_methods: fc.subarray([...METHOD_NAMES], { minLength: 1 }),
    verified_after: dates,
    provenance: some(lists),
    iso_27566_1: levels,
    overrides: some(overrides),
  })
  return filters.map((filter) => ({ age_thresholds: thresholds, ...filter }))
})

const signals = fc.array(signal, { maxLength: 4 })

function older(signal: AgeSignal, years: number): AgeSignal {
  const { age } = signal
  if ('years' in age) return { ...signal, age: { years: age.years + years } }
  if ('at_least_years' in age)
    return { ...signal, age: { at_least_years: age.at_least_years + years } }
  const born = Number(age.date_of_birth.slice(0, 4)) - years
  return {
    ...signal,
    age: { date_of_birth: `${born}${age.date_of_birth.slice(4).replace('02-29', '02-28')}` },
  }
}

type Question = {
  readonly held: readonly AgeSignal[]
  readonly claims: Claims
  readonly now: number
}

type Change = (question: Question) => Partial<Question>

const FILTERS = ['allowed_methods', 'verified_after', 'provenance', 'iso_27566_1'] as const
/** An override may still set the filter; for every other method the root value is gone. */
const withoutFilter =
  (filter: (typeof FILTERS)[number]): Change =>
  ({ claims: { [filter]: _removed, ...claims } }) => ({ claims })
const withoutDemands: Change = ({ claims }) => {
  const {
    attributes: _attributes,
    min_age: _minAge,
    ...override
  } = claims.overrides?.id_doc_scan ?? {}
  return { claims: { ...claims, overrides: { ...claims.overrides, id_doc_scan: override } } }
}
const laterBy =
  (later: number): Change =>
  ({ now }) => ({ now: now + later })
const withSignal =
  (added: AgeSignal): Change =>
  ({ held }) => ({ held: [...held, added] })
const olderBy =
  (years: number): Change =>
  ({ held }) => ({ held: held.map((one) => older(one, years)) })

test.each<[string, fc.Arbitrary<Change>]>([
  ['Being older', fc.integer({ min: 0, max: 50 }).map(olderBy)],
  ['Time alone', fc.integer({ min: 0, max: 50 * YEAR }).map(laterBy)],
  ['Another signal', signal.map(withSignal)],
  ['Removing a filter from the claims', fc.constantFrom(...FILTERS).map(withoutFilter)],
  ['Removing the attributes and the min_age of an override', fc.constant(withoutDemands)],
])('%s never loses a threshold', (_what, changes) => {
  fc.assert(
    fc.property(signals, claims, changes, (held, claims, change) => {
      const reached = (question: Question) =>
        evaluate(question.held, question.claims, question.now).trace.map(
          ({ satisfied }) => satisfied,
        )
      const before = { held, claims, now: NOW }
      const [were, are] = [reached(before), reached({ ...before, ...change(before) })]
      expect(are.map((isReached, index) => isReached || were[index] === false)).not.toContain(false)
    }),
  )
})

test('The trace of an evaluation explains every boolean', () => {
  fc.assert(
    fc.property(signals, claims, (held, claims) => {
      const { ageThresholds, trace } = evaluate(held, claims, NOW)
      expect(trace.map(({ threshold }) => threshold)).toEqual(claims.age_thresholds)
      for (const threshold of trace) {
        expect(threshold.signals.map(({ method }) => method)).toEqual(
          held.map(({ method }) => method),
        )
        for (const { passed, checks } of threshold.signals) {
          expect(checks).toHaveLength(7)
          expect(passed).toBe(checks.every((check) => check.passed))
        }
        expect(threshold.satisfied).toBe(threshold.signals.some(({ passed }) => passed))
      }
      // A repeated threshold has two entries, and each must hold.
      const answers = claims.age_thresholds.map((threshold) => [
        threshold,
        trace.filter((entry) => entry.threshold === threshold).every(({ satisfied }) => satisfied),
      ])
      expect(ageThresholds).toEqual(Object.fromEntries(answers))
    }),
  )
})

test('evaluateAnswers gives the answers of the whole evaluation', () => {
  fc.assert(
    fc.property(fc.tuple(signals, claims, fc.constant(NOW)), (question) => {
      const { ageThresholds } = evaluate(...question)
      expect(evaluateAnswers(...question)).toEqual(ageThresholds)
      expect(evaluateBriefly(...question).ageThresholds).toEqual(ageThresholds)
    }),
  )
})

test('explainEvaluation gives the trace of the whole evaluation', () => {
  fc.assert(
    fc.property(fc.tuple(signals, claims, fc.constant(NOW)), (question) => {
      expect(explainEvaluation(...question)).toEqual(evaluate(...question).trace)
    }),
  )
})

test('The arbitrary claims of these properties have either answer more than twenty times', () => {
  const traces = fc
    .sample(fc.tuple(signals, claims), 500)
    .flatMap(([held, asked]) => evaluate(held, asked, NOW).trace)
  const reached = traces.filter(({ satisfied }) => satisfied).length
  expect(reached).toBeGreaterThan(20)
  expect(traces.length - reached).toBeGreaterThan(20)
})
