import { expect, test } from 'vitest'
import { readSteps } from '../../../src/sandbox/recordings/read-recording.ts'
import { callbackWith, listedFlow, recordedCall } from '../../support/journal-entries.ts'

test('A recording moves the clock once for a move before the choice, and not again before the next call', () => {
  const parameters = { transaction: 't' }
  const later = { at: '2026-06-01T12:01:00.250Z', clock: { advanced_seconds: 60 } }
  const calls = [
    recordedCall({ response: { kind: 'page', title: 'Choose', ...parameters } }),
    recordedCall({ ...later, endpoint: 'choice', parameters, decision: {}, response: callbackWith({ code: 'c' }) }),
    recordedCall({ ...later, endpoint: 'E4', method: 'POST', parameters: { code: 'c' } }),
  ]
  const { steps } = readSteps(listedFlow({ calls }), { shortestLifetime: 90 })
  const found = steps.map((step) => (step.kind === 'clock' ? step.move : step.call.endpoint))
  expect(found).toEqual([{ advance: 60 }, 'E1', 'E4'])
})
