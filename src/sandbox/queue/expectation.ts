import * as z from 'zod'
import { CALLS, type CallName } from '../../service/oidc/endpoints.ts'
import { Refusal } from '../../service/oidc/refusal.ts'
import { echoedText } from '../../service/oidc/request/echoed.ts'
import { requireOutcome, requirePersona } from '../outcomes/names.ts'
import type { Personas } from '../personas/personas.ts'

/** An expectation to queue. */
export const newExpectationSchema = z.strictObject({
  flow: z.enum(CALLS),
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
export const expectationSchema = z.object({
  id: z.string(),
  ...newExpectationSchema.shape,
  ...countSchema.shape,
})

/** The members of an expectation besides its one step. */
export const expectedSchema = newExpectationSchema
  .pick({ match: true, audit: true })
  .extend(countSchema.shape)

export type NewExpectation = z.infer<typeof newExpectationSchema>
export type Expectation = z.infer<typeof expectationSchema>

/**
 * The problem of a decision that fits no request, whatever names exist: it names neither persona
 * nor outcome, or a persona for a server-to-server call.
 */
export function decisionProblem({
  flow,
  persona,
  outcome,
}: Pick<NewExpectation, 'flow' | 'persona' | 'outcome'>) {
  if (persona === undefined && outcome === undefined)
    return { path: [], message: 'give persona, outcome or both' }
  if (persona === undefined || flow === 'use' || flow === 'create') return undefined
  return { path: ['persona'], message: `a ${flow} call has no persona; give outcome only` }
}

/**
 * Checks an expectation before it is queued.
 * @throws Refusal for a decision without persona and outcome, and for unknown names
 */
export async function checkExpectation(
  expectation: NewExpectation,
  { personas }: { personas: Personas },
) {
  const { flow, persona, outcome } = expectation
  const problem = decisionProblem(expectation)
  if (problem) throw Refusal.invalidRequest(`${problem.path[0] ?? 'body'}: ${problem.message}`)
  if (persona !== undefined) await requirePersona(persona, { personas })
  if (outcome !== undefined) requireOutcome(flow, outcome)
}

/**
 * Whether a queued decision is held after its first use, until another flow has ended. Decision:
 * discovery and the key set are held, because a correct client may read them several times (a
 * discovery document for each issuer, the key set again for an unknown kid) and only one read would
 * receive the outcome.
 */
export const isHeld = (flow: CallName): boolean => flow === 'discovery' || flow === 'jwks'
