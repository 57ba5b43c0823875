import * as z from 'zod'
import { Refusal } from '../../oidc/refusal.ts'
import { echoedText } from '../../oidc/request/echoed.ts'
import { requireOutcome, requirePersona } from '../outcomes/names.ts'
import { OUTCOME_FLOWS, type OutcomeFlow } from '../outcomes/outcome.ts'
import type { Personas } from '../personas/personas.ts'

/** What to queue. */
export const newExpectationSchema = z.strictObject({
  flow: z.enum(OUTCOME_FLOWS),
  persona: z.string().optional(),
  outcome: z.string().optional(),
  match: z
    .strictObject({ client_id: echoedText, state: echoedText, nonce: echoedText })
    .partial()
    .optional()
    .describe(
      'The request must say the same; in Create state is the pushed one, for token and upgrade that of the Use request',
    ),
  audit: z.literal(true).optional().describe('Marks its flow as one of an audit'),
  times: z
    .int()
    .min(1)
    .max(1_000_000)
    .optional()
    .describe(
      'How many requests it decides; 1 when absent. For discovery and jwks every read until a flow has ended counts as one',
    ),
})

const countSchema = z.object({
  times: z.int(),
  remaining: z.int(),
  held_since: z
    .string()
    .optional()
    .describe(
      'Of discovery and jwks, once a read has met it: the flow that had ended last then. It holds until another one ends',
    ),
})

/** A decision queued for a coming request. */
export const expectationSchema = z.object({ id: z.string(), ...newExpectationSchema.shape, ...countSchema.shape })

/** What an expectation says beside the one step that it is in the queue. */
export const expectedSchema = newExpectationSchema.pick({ match: true, audit: true }).extend(countSchema.shape)

export type NewExpectation = z.infer<typeof newExpectationSchema>
export type Expectation = z.infer<typeof expectationSchema>

/** @throws Refusal for a decision without persona and outcome, and for names that do not exist */
export async function checkExpectation(
  { flow, persona, outcome }: NewExpectation,
  { personas }: { personas: Personas },
): Promise<void> {
  if (persona === undefined && outcome === undefined)
    throw Refusal.invalidRequest('body: give persona, outcome or both')
  if (persona !== undefined && flow !== 'use' && flow !== 'create') {
    throw Refusal.invalidRequest(`persona: a ${flow} call has no persona; give outcome only`)
  }
  if (persona !== undefined) await requirePersona(persona, { personas })
  if (outcome !== undefined) requireOutcome(flow, outcome)
}

/**
 * Decision: what is queued for these holds until a flow has ended after it was first served. Clients rightly read them more
 * than once, a discovery document per issuer and the keys again for an unknown kid, and would not meet it.
 */
export const isHeld = (flow: OutcomeFlow): boolean => flow === 'discovery' || flow === 'jwks'
