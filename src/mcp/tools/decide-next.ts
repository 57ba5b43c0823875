import * as z from 'zod'
import { newExpectationSchema } from '../../sandbox/queue/expectation.ts'
import { defineTool } from '../tool.ts'

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
