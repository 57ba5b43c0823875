import * as z from 'zod'
import { OPERATIONS } from '../../control/contract/contract.ts'
import { newExpectationSchema } from '../../sandbox/queue/expectation.ts'
import { defineTool } from '../tool.ts'

export const clock = defineTool({
  name: 'clock',
  title: 'Read or move the clock',
  description:
    'Reads the clock of the sandbox, and with arguments moves it: every lifetime (request_uri 90 s, code 600 s and others) and every age is judged by it. Members apply in the order reset, set, freeze, advance. Examples: {} reads; {"advance":91} lets 91 seconds pass; {"set":"2030-01-01T00:00:00Z"}; {"freeze":true}; {"reset":true} goes back to real time. The clock of the app stays where it is.',
  effect: 'changes',
  // Without arguments the tool only reads.
  input: z.strictObject(OPERATIONS.moveClock.body.shape),
  async run(move, { sandbox, call }) {
    const state = Object.keys(move).length === 0 ? await sandbox.clock.state() : await call('moveClock', { body: move })
    const { now, advanced_seconds, frozen } = state
    const advanced = advanced_seconds === 0 ? '' : `, ${advanced_seconds} s ahead`
    return {
      data: { ...state },
      text: `The sandbox has ${now}${advanced}${frozen ? ', and the clock is stopped' : ''}.`,
    }
  },
})

export const resetTool = defineTool({
  name: 'reset',
  title: 'Reset the sandbox',
  description:
    'Brings the sandbox back to its declared state: personas with their age keys, the queue, scenarios, the clock, the journal of flows, codes and tokens. Rotated signing keys are taken back; clients stay. Use it before each test; what was recorded is gone.',
  effect: 'discards',
  input: z.strictObject({}),
  async run(_args, { sandbox }) {
    await sandbox.reset()
    return {
      data: { reset: true },
      text: 'Reset: personas as declared, real time, no queued decision, no scenario, no flow.',
    }
  },
})

const { shape } = newExpectationSchema

export const decideNext = defineTool({
  name: 'decide_next',
  title: 'Decide the next flow',
  description:
    'Queues a decision for a coming request, first in first out: which persona the user is, and how the flow ends. Then send the browser or the test through the app; no choice page is shown. Examples: {"persona":"teen-16"}; {"outcome":"id_token.expired"}; {"persona":"adult-passport","times":3}; {"outcome":"token.500"} for the token call. Without flow it is the flow that has the outcome, Use first.',
  effect: 'changes',
  input: z.strictObject({
    flow: shape.flow.optional().describe('Which request it decides'),
    persona: shape.persona.describe('A name of list_personas'),
    outcome: shape.outcome.describe('A name of list_outcomes; without it the flow ends as the persona answers'),
    match: shape.match.describe('The request must say the same client_id, state or nonce'),
    times: shape.times.describe('How many requests it decides; 1 when absent'),
  }),
  async run(decision, { sandbox }) {
    const expectation = await sandbox.next(decision)
    const waiting = (await sandbox.expectations.list()).length
    const { flow, persona, outcome, remaining } = expectation
    const parts = [
      ...(persona === undefined ? [] : [`persona ${persona}`]),
      ...(outcome === undefined ? [] : [`outcome ${outcome}`]),
    ]
    const requests = remaining === 1 ? `the next ${flow} request` : `the next ${remaining} ${flow} requests`
    return {
      data: { expectation, waiting },
      text: `Queued as ${expectation.id} for ${requests}: ${parts.join(', ')}. Decisions that wait: ${waiting}.`,
    }
  },
})
