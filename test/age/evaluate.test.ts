import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { parseInstant } from '../../src/age/calendar.ts'
import { claimsSchema } from '../../src/age/claims.ts'
import { evaluate } from '../../src/age/evaluate.ts'
import { evaluationSignalSchema } from '../../src/age/signal.ts'
import { named, readCases } from './cases.ts'

const { now, signals, cases } = readCases(
  'evaluate.cases.json',
  z.strictObject({
    now: z.string(),
    signals: z.record(z.string(), evaluationSignalSchema),
    cases: z.array(
      z.strictObject({
        name: z.string(),
        signals: z.array(z.string()),
        claims: claimsSchema,
        result: z.record(z.string(), z.boolean()),
        fails: z.record(z.string(), z.string()).optional(),
      }),
    ),
  }),
)

const instant = parseInstant(now) ?? Number.NaN
const pick = (names: readonly string[]) => names.flatMap((name) => signals[name] ?? [])

describe('evaluate', () => {
  it.each(named(cases))('%s', (_name, { signals: names, claims, result }) => {
    expect(evaluate(pick(names), claims, instant).ageThresholds).toEqual(result)
  })

  it.each(named(cases.filter(({ fails }) => fails)))('explains: %s', (_name, { signals: names, claims, fails }) => {
    const [first] = evaluate(pick(names), claims, instant).trace
    const failed = first?.signals.flatMap(({ checks }) => checks.filter(({ passed }) => !passed)) ?? []
    expect(Object.fromEntries(failed.map(({ filter, reason }) => [filter, reason]))).toEqual(fails)
  })

  it('makes all seven checks in order, also after a failed one', () => {
    const claims = claimsSchema.parse({
      age_thresholds: [18],
      allowed_methods: ['email_age_estimation'],
      verified_after: '2026-01-01',
      provenance: { allowed: ['/yoti'], denied: ['/stripe'] },
      iso_27566_1: 'basic',
      overrides: { facial_age_estimation: { min_age: 19, attributes: { on_device: true } } },
    })
    const [threshold] = evaluate(pick(['face19']), claims, instant).trace
    expect(threshold?.signals[0]?.checks).toEqual([
      { filter: 'allowed_methods', passed: false, reason: 'facial_age_estimation is not among email_age_estimation' },
      { filter: 'verified_after', passed: true, reason: 'verified 2026-06-01, after 2026-01-01 by verified_after' },
      { filter: 'provenance.denied', passed: true, reason: '/yoti matches no denied pattern' },
      { filter: 'provenance.allowed', passed: true, reason: '/yoti matches the allowed pattern /yoti' },
      { filter: 'iso_27566_1', passed: false, reason: 'needs basic by iso_27566_1, is not certified' },
      { filter: 'attributes', passed: true, reason: 'meets overrides.facial_age_estimation.attributes' },
      { filter: 'age', passed: true, reason: 'needs 19 by overrides.facial_age_estimation.min_age, has 19' },
    ])
  })

  it('says of each absent filter that it is absent', () => {
    const [threshold] = evaluate(pick(['card']), { age_thresholds: [18] }, instant).trace
    expect(threshold?.signals[0]?.checks.map(({ reason }) => reason)).toEqual([
      'no allowed_methods filter in the request',
      'no verified_after filter in the request',
      'no provenance.denied filter in the request',
      'no provenance.allowed filter in the request',
      'no iso_27566_1 filter in the request',
      'no attributes filter in the request',
      'needs 18 by age_thresholds[0], has 18',
    ])
  })

  it('traces each entry of a threshold that is named twice on its own', () => {
    const claims = claimsSchema.parse({
      age_thresholds: [18, 18],
      overrides: { facial_age_estimation: { age_thresholds: [21, 18] } },
    })
    const { trace, ageThresholds } = evaluate(pick(['face19']), claims, instant)
    expect(ageThresholds).toEqual({ 18: false })
    expect(
      trace.map(({ threshold, satisfied, signals }) => [threshold, satisfied, signals[0]?.checks[6]?.reason]),
    ).toEqual([
      [18, false, 'needs 21 by overrides.facial_age_estimation.age_thresholds[0], has 19'],
      [18, true, 'needs 18 by overrides.facial_age_estimation.age_thresholds[1], has 19'],
    ])
  })

  it('traces thresholds and signals in the order of the request', () => {
    const { trace } = evaluate(pick(['card', 'face19']), { age_thresholds: [21, 13] }, instant)
    expect(trace.map(({ threshold, satisfied }) => [threshold, satisfied])).toEqual([
      [21, false],
      [13, true],
    ])
    expect(trace[0]?.signals.map(({ method }) => method)).toEqual(['payment_card_network', 'facial_age_estimation'])
  })
})
