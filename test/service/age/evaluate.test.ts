import { expect, test } from 'vitest'
import * as z from 'zod'
import { parseInstant } from '../../../src/service/age/calendar.ts'
import { claimsSchema } from '../../../src/service/age/claims.ts'
import { type BriefReason, evaluate, evaluateBriefly } from '../../../src/service/age/evaluate.ts'
import { type AgeSignal, evaluationSignalSchema } from '../../../src/service/age/signal.ts'
import { thresholdTraceSchema } from '../../../src/service/age/trace.ts'
import { named, readCases } from './cases.ts'

const one = z.strictObject({
  name: z.string(),
  signals: z.array(z.string()),
  claims: claimsSchema,
  result: z.record(z.string(), z.boolean()),
  fails: z.record(z.string(), z.string()).optional(),
})
const signalsByName = z.record(z.string(), evaluationSignalSchema)
const { now, signals, cases } = readCases(
  'evaluate.cases.json',
  z.strictObject({ now: z.string(), signals: signalsByName, cases: z.array(one) }),
)

const instant = parseInstant(now) ?? Number.NaN
const pick = (names: readonly string[]) => names.flatMap((name) => signals[name] ?? [])

test.each(named(cases))(
  'evaluate answers, and explains what fails: %s',
  (_name, { claims, result, fails, ...one }) => {
    const { ageThresholds, trace } = evaluate(pick(one.signals), claims, instant)
    expect(ageThresholds).toEqual(result)
    if (fails === undefined) return
    const failed =
      trace[0]?.signals.flatMap(({ checks }) => checks.filter(({ passed }) => !passed)) ?? []
    expect(Object.fromEntries(failed.map(({ filter, reason }) => [filter, reason]))).toEqual(fails)
  },
)

test('evaluate makes all seven checks in order, also after a failed one', () => {
  const claims = claimsSchema.parse({
    age_thresholds: [18],
    allowed_methods: ['email_age_estimation', 'id_doc_scan'],
    verified_after: '2026-01-01',
    provenance: { allowed: ['/yoti'], denied: ['/stripe'] },
    iso_27566_1: 'basic',
    overrides: { facial_age_estimation: { min_age: 19, attributes: { on_device: true } } },
  })
  const [threshold] = evaluate(pick(['face19']), claims, instant).trace
  const among = 'facial_age_estimation is not among email_age_estimation, id_doc_scan'
  const checks = [
    { filter: 'allowed_methods', passed: false, reason: among },
    {
      filter: 'verified_after',
      passed: true,
      reason: 'verified 2026-06-01, after 2026-01-01 by verified_after',
    },
    { filter: 'provenance.denied', passed: true, reason: '/yoti matches no denied pattern' },
    {
      filter: 'provenance.allowed',
      passed: true,
      reason: '/yoti matches the allowed pattern /yoti',
    },
    {
      filter: 'iso_27566_1',
      passed: false,
      reason: 'needs basic by iso_27566_1, is not certified',
    },
    {
      filter: 'attributes',
      passed: true,
      reason: 'meets overrides.facial_age_estimation.attributes',
    },
    {
      filter: 'age',
      passed: true,
      reason: 'needs 19 by overrides.facial_age_estimation.min_age, has 19',
    },
  ]
  const signals = [{ method: 'facial_age_estimation', passed: false, checks }]
  expect(threshold).toEqual({ threshold: 18, satisfied: false, signals })
})

test('evaluate traces thresholds in the order of the request', () => {
  const { trace } = evaluate(pick(['card', 'face19']), { age_thresholds: [21, 13] }, instant)
  expect(trace.map(({ threshold, satisfied }) => `${threshold} ${satisfied}`)).toEqual([
    '21 false',
    '13 true',
  ])
})

test('evaluate traces the signals of a threshold in their order', () => {
  const { trace } = evaluate(pick(['card', 'face19']), { age_thresholds: [21, 13] }, instant)
  expect(trace[0]?.signals.map(({ method }) => method)).toEqual([
    'payment_card_network',
    'facial_age_estimation',
  ])
})

test('evaluate traces as the schema of a trace describes', () => {
  const { trace } = evaluate(pick(['card', 'face19']), { age_thresholds: [21, 13] }, instant)
  expect(z.array(thresholdTraceSchema).parse(trace)).toEqual(trace)
  expect(
    JSON.stringify(z.toJSONSchema(thresholdTraceSchema)).match(/"description":"[^"]{10,}/g),
  ).toHaveLength(4)
})

test('evaluate explains each filter that the claims omit', () => {
  const reasons = (claims: Parameters<typeof evaluate>[1]) =>
    evaluate(pick(['card']), claims, instant).trace[0]?.signals[0]?.checks.map(
      ({ reason }) => reason,
    )
  const filters =
    'allowed_methods verified_after provenance.denied provenance.allowed iso_27566_1 attributes'
  const absent = filters.split(' ').map((filter) => `no ${filter} filter in the request`)
  expect(reasons({ age_thresholds: [18] })).toEqual([
    ...absent,
    'needs 18 by age_thresholds[0], has 18',
  ])
})

test('evaluate explains why a method is allowed', () => {
  const reasons = (claims: Parameters<typeof evaluate>[1]) =>
    evaluate(pick(['card']), claims, instant).trace[0]?.signals[0]?.checks.map(
      ({ reason }) => reason,
    )
  const allowed_methods = ['payment_card_network' as const]
  const [reason] = reasons({ age_thresholds: [18], allowed_methods }) ?? []
  expect(reason).toBe('payment_card_network is among payment_card_network')
})

test('evaluate treats an undefined attribute as omitted', () => {
  const overrides = { id_doc_scan: { attributes: { face_match_performed: undefined } } }
  expect(
    evaluate(pick(['born2008']), { age_thresholds: [18], overrides }, instant).ageThresholds,
  ).toEqual({ 18: true })
})

test('evaluate traces each entry of a threshold that is named twice on its own', () => {
  const overrides = { facial_age_estimation: { age_thresholds: [21, 18] } }
  const claims = claimsSchema.parse({ age_thresholds: [18, 18], overrides })
  const { trace, ageThresholds } = evaluate(pick(['face19']), claims, instant)
  expect(ageThresholds).toEqual({ 18: false })
  const traced = trace.map(({ threshold, satisfied, signals }) => [
    threshold,
    satisfied,
    signals[0]?.checks[6]?.reason,
  ])
  expect(traced).toEqual([
    [18, false, 'needs 21 by overrides.facial_age_estimation.age_thresholds[0], has 19'],
    [18, true, 'needs 18 by overrides.facial_age_estimation.age_thresholds[1], has 19'],
  ])
})

const verified = { verified_at: '2026-05-01', provenance: '/yoti' }
const scan = (years: number): AgeSignal => ({ method: 'id_doc_scan', age: { years }, ...verified })
const FACE: AgeSignal = {
  method: 'facial_age_estimation',
  age: { at_least_years: 19 },
  ...verified,
}
const OVERRIDE = { overrides: { facial_age_estimation: { min_age: 21 } } }
const FILTERS = { allowed_methods: ['email_age_estimation'], verified_after: '2026-05-20' }
const ONLY_FACES = { allowed_methods: ['facial_age_estimation'] }
const FACE_NEEDS_21 = 'facial_age_estimation: is at least 19, needs 21'

function inWords(reason: BriefReason | undefined): string {
  if (!reason) return 'no age signal'
  const { method, age, isLeastAge, failed, needed } = reason
  if (failed.length > 0) return `${method}: fails ${failed.join(', ')}`
  const needs = needed ? `, needs ${needed.years}${needed.byOverrides ? ' by overrides' : ''}` : ''
  return `${method}: is ${isLeastAge ? 'at least ' : ''}${age}${needs}`
}

test.each<
  [what: string, held: AgeSignal[], thresholds: number[], reason: string, filters?: object]
>([
  ['no signal where there is none', [], [18], 'no age signal'],
  ['the age when nothing fails', [scan(36)], [18, 21], 'id_doc_scan: is 36'],
  [
    'the signal that reaches the highest threshold',
    [FACE, scan(36)],
    [21, 18],
    'id_doc_scan: is 36',
  ],
  ['an age that is reached to the year', [scan(18)], [18], 'id_doc_scan: is 18'],
  [
    'the signal that reaches the highest of three thresholds',
    [FACE, scan(36)],
    [13, 18, 21],
    'id_doc_scan: is 36',
  ],
  ['the lowest threshold that fails', [scan(16)], [13, 21, 18], 'id_doc_scan: is 16, needs 18'],
  ['an age that is a lower bound as such', [FACE], [21], FACE_NEEDS_21],
  [
    'that an override asks for another age',
    [FACE],
    [18],
    `${FACE_NEEDS_21} by overrides`,
    OVERRIDE,
  ],
  [
    'the filters that fail',
    [scan(36)],
    [18],
    'id_doc_scan: fails allowed_methods, verified_after',
    FILTERS,
  ],
  [
    'the oldest signal when none is old enough',
    [12, 16, 14].map(scan),
    [18],
    'id_doc_scan: is 16, needs 18',
  ],
  [
    'the signal that passes the filters, not an older one',
    [scan(36), FACE],
    [21],
    FACE_NEEDS_21,
    ONLY_FACES,
  ],
])('The short reason of an evaluation names %s', (_what, held, age_thresholds, reason, filters) => {
  expect(
    inWords(
      evaluateBriefly(held, claimsSchema.parse({ age_thresholds, ...filters }), instant).reason,
    ),
  ).toBe(reason)
})
