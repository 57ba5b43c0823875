import { expect, test } from 'vitest'
import { evaluate } from '../../../src/server/client/evaluate.ts'

const NOW = Date.UTC(2026, 5, 1)
const scan = { method: 'id_doc_scan', age: { years: 17 }, verified_at: '2026-01-01' } as const
const signal = { ...scan, provenance: '/veratad/roc' }
const claims = { age_thresholds: [16, 18] }

test('evaluate() judges signals as a persona has them', () => {
  expect(evaluate([signal], claims, NOW).ageThresholds).toEqual({ 16: true, 18: false })
})

test('evaluate() judges signals as they were submitted', () => {
  const submitted = { ...signal, type: 'age_verification', verification_id: 'v1' } as const
  const trace = [{ threshold: 16, satisfied: true }, { threshold: 18 }]
  expect(evaluate([submitted], claims, NOW).trace).toMatchObject(trace)
})

test('evaluate() judges signals that are in the future', () => {
  expect(evaluate([signal], claims, Date.UTC(2000)).ageThresholds).toEqual({ 16: true, 18: false })
})

test('evaluate() counts relative dates from the instant that it is asked about', () => {
  const relative = { ...signal, age: { date_of_birth: 'today - 18y' }, verified_at: 'now - 3d' }
  const answersOf = (verified_after: string) =>
    evaluate([relative], { ...claims, verified_after }, NOW).ageThresholds
  expect(answersOf('2026-05-28')).toEqual({ 16: true, 18: true })
  expect(answersOf('2026-05-30')).toEqual({ 16: false, 18: false })
})

test('evaluate() takes platforms that only the config of a sandbox would know', () => {
  const wallet = { platform: 'own_wallet', issuing_country: 'US' }
  const credential = { ...signal, method: 'digital_credential', attributes: wallet } as const
  const asked = {
    ...claims,
    overrides: { digital_credential: { attributes: { platform: ['own_wallet'] } } },
  }
  expect(evaluate([credential], asked, NOW).ageThresholds).toEqual({ 16: true, 18: false })
})

const AN_AGE = /^evaluate: claims\.age_thresholds\[0\] must be an integer from 0 to 150, is "18"/
const A_METHOD = /signals\[0\]\.method must be one of .*id_doc_scan.*, is "passport"/
const A_TIME =
  /^evaluate: now must be a number, milliseconds since the UNIX epoch, is "2026-06-01"$/
const MISSPELT = { ...signal, verified_at: 'now - 1 day' }

test.each<[what: string, signals: unknown, claims: unknown, now: unknown, message: RegExp]>([
  ['claims', [], { age_thresholds: ['18'] }, NOW, AN_AGE],
  ['a misspelt claim', [], { age_threshold: [18] }, NOW, /age_threshold.*age_thresholds/],
  ['no claims', [], undefined, NOW, /^evaluate: claims is missing: it must be a JSON object/],
  ['a method', [{ ...signal, method: 'passport' }], claims, NOW, A_METHOD],
  [
    'signals that are none',
    signal,
    claims,
    NOW,
    /^evaluate: signals must be an array of age signals/,
  ],
  [
    'a misspelt relative date',
    [MISSPELT],
    claims,
    NOW,
    /signals\[0\]\.verified_at must be an ISO 8601 date/,
  ],
  ['an instant', [signal], claims, '2026-06-01', A_TIME],
  ['all at once', 5, {}, Number.NaN, /signals.*age_thresholds.*now/],
])('evaluate() refuses %s with a TypeError', (_what, signals, asked, now, message) => {
  const call = () => Reflect.apply(evaluate, undefined, [signals, asked, now])
  expect(call).toThrow(TypeError)
  expect(call).toThrow(message)
})
