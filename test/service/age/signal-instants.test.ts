import { expect, test } from 'vitest'
import { evaluateAnswers } from '../../../src/service/age/evaluate.ts'
import type { AgeSignal } from '../../../src/service/age/signal.ts'
import { instantsOf } from '../../../src/service/age/signal-instants.ts'

const SIGNAL: AgeSignal = {
  method: 'id_doc_scan',
  age: { date_of_birth: '2000-02-29' },
  verified_at: '2026-01-01T12:00:00Z',
  provenance: '/veratad/roc',
}

test('The dates of a signal are read as epoch milliseconds', () => {
  expect(instantsOf(SIGNAL)).toEqual({
    verified: Date.UTC(2026, 0, 1, 12),
    birth: Date.UTC(2000, 1, 29),
  })
})

test('A signal with an age in years has no day of birth', () => {
  expect(instantsOf({ ...SIGNAL, age: { years: 20 } }).birth).toBeUndefined()
})

test('A day that does not exist is no number', () => {
  expect(instantsOf({ ...SIGNAL, verified_at: '2026-02-30' }).verified).toBeNaN()
})

test('The date of birth of a signal is read once, however many claims it is evaluated against', () => {
  let reads = 0
  const age = {
    get date_of_birth() {
      reads += 1
      return '2000-02-29'
    },
  }
  const signal = { ...SIGNAL, age }
  for (const threshold of [13, 16, 18]) {
    const claims = { age_thresholds: [threshold] }
    expect(evaluateAnswers([signal], claims, Date.UTC(2026, 5, 1))).toEqual({ [threshold]: true })
  }
  expect(reads).toBe(1)
})
