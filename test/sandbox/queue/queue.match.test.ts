import { expect, test } from 'vitest'
import { createMask } from '../../../src/sandbox/clients/mask.ts'
import type { ReceivedCall } from '../../../src/sandbox/queue/call.ts'
import { matchQueued } from '../../../src/sandbox/queue/queue.ts'
import { failStep, passStep, type Queued, queuedScenario } from '../../../src/sandbox/queue/queued.ts'
import { type Scenario, scenarioSchema } from '../../../src/sandbox/queue/scenario-schema.ts'

const armed = (id: string, ...steps: Scenario['steps']) =>
  queuedScenario(id, scenarioSchema.parse({ name: `Scenario ${id}`, steps }))

const passed = (queued: Queued) => passStep(queued) ?? expect.fail('nothing is left')

const use: ReceivedCall = {
  ...{ flow: 'use', client_id: 'web-shop', state: undefined, nonce: undefined },
  sentParameters: () => ({ can_create: 'true' }),
  mask: createMask([]),
}

const asTeen: Scenario['steps'][number] = { decide: { flow: 'use', persona: 'teen-16' } }

test('The first scenario whose current step decides the call is matched', () => {
  const scenarios = [
    armed('waits', { await: 'par' }, asTeen),
    passed(armed('passed', asTeen)),
    armed('creates', { decide: { flow: 'create', outcome: 'created' } }),
    passed(armed('first', { await: 'par' }, asTeen)),
    armed('second', asTeen),
  ]
  const source = 'scenario "Scenario first", step 2'
  const decision = { id: 'first', scenario: 'first', index: 1, source, persona: 'teen-16', outcome: undefined }
  expect(matchQueued(scenarios, use)).toEqual({ contradicted: [], decision })
})

test('Scenarios before the matched one that the call contradicts are listed with the reason, later ones are not', () => {
  const expecting = (value: string) => ({ ...asTeen, expect: { can_create: value } })
  const scenarios = [armed('a', expecting('false')), armed('b', expecting('true')), armed('c', expecting('false'))]
  const explanation = { detail: 'can_create: expected "false", came "true"' }
  const contradicted = [{ id: 'a', index: 0, explanation }]
  expect(matchQueued(scenarios, use)).toMatchObject({ decision: { id: 'b' }, contradicted })
})

test('A failed scenario is not matched, and no scenario is changed', () => {
  const failed = failStep(armed('a', asTeen), { detail: 'failed' })
  const before = structuredClone(failed)
  expect([matchQueued([failed], use), failed]).toEqual([{ contradicted: [], decision: undefined }, before])
})
