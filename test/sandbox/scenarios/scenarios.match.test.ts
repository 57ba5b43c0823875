import { expect, test } from 'vitest'
import { createMask } from '../../../src/sandbox/clients/mask.ts'
import type { ReceivedCall } from '../../../src/sandbox/decision/call.ts'
import { armedScenario, failStep, passStep } from '../../../src/sandbox/scenarios/armed-scenario.ts'
import { type Scenario, scenarioSchema } from '../../../src/sandbox/scenarios/scenario-schema.ts'
import { matchScenarios } from '../../../src/sandbox/scenarios/scenarios.ts'

const armed = (id: string, ...steps: Scenario['steps']) =>
  armedScenario(id, scenarioSchema.parse({ name: `Scenario ${id}`, steps }))

const use: ReceivedCall = {
  ...{ flow: 'use', client_id: 'web-shop', state: undefined, nonce: undefined },
  sentParameters: () => ({ can_create: 'true' }),
  mask: createMask([]),
}

const asTeen: Scenario['steps'][number] = { decide: { flow: 'use', persona: 'teen-16' } }

test('The first scenario whose current step decides the call is matched', () => {
  const scenarios = [
    armed('waits', { await: 'par' }, asTeen),
    passStep(armed('passed', asTeen)),
    armed('creates', { decide: { flow: 'create', outcome: 'created' } }),
    passStep(armed('first', { await: 'par' }, asTeen)),
    armed('second', asTeen),
  ]
  const step = { id: 'first', name: 'Scenario first', index: 1, persona: 'teen-16', outcome: undefined }
  expect(matchScenarios(scenarios, use)).toEqual({ contradicted: [], step })
})

test('Scenarios before the matched one that the call contradicts are listed with the reason, later ones are not', () => {
  const expecting = (value: string) => ({ ...asTeen, expect: { can_create: value } })
  const scenarios = [armed('a', expecting('false')), armed('b', expecting('true')), armed('c', expecting('false'))]
  const explanation = { detail: 'can_create: expected "false", came "true"' }
  const contradicted = [{ id: 'a', index: 0, explanation }]
  expect(matchScenarios(scenarios, use)).toMatchObject({ step: { id: 'b' }, contradicted })
})

test('A failed scenario is not matched, and no scenario is changed', () => {
  const failed = failStep(armed('a', asTeen), { detail: 'failed' })
  const before = structuredClone(failed)
  expect([matchScenarios([failed], use), failed]).toEqual([{ contradicted: [], step: undefined }, before])
})
