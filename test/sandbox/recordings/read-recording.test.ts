import { expect, test } from 'vitest'
import { resolvePersona } from '../../../src/sandbox/personas/age-keys.ts'
import { loadPersonas } from '../../../src/sandbox/personas/load-personas.ts'
import { neededPersonas } from '../../../src/sandbox/recordings/needed-personas.ts'
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

test.each([
  ['brings a persona along that had another level than the built-in one', 'basic', 1],
  ['brings no persona along that was the built-in one', 'highly_effective', 0],
] as const)('A recording %s', async (_does, iso_27566_1, count) => {
  const [persona = expect.fail()] = (await loadPersonas()).filter(({ name }) => name === 'adult-passport')
  const call = recordedCall({ decision: { persona: persona.name, outcome: 'verified' } })
  const held = resolvePersona(persona, Date.parse(call.at)).age_key?.signals ?? []
  const flow = listedFlow({ calls: [call], signals: held.map((signal) => ({ ...signal, iso_27566_1 })) })
  expect(await neededPersonas(flow, { find: async () => undefined })).toHaveLength(count)
})
