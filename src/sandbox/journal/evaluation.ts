import * as z from 'zod'
import { claimsSchema } from '../../age/claims.ts'
import { explainEvaluation } from '../../age/evaluate.ts'
import { checkedSignalSchema } from '../../age/signal.ts'
import type { ThresholdTrace } from '../../age/trace.ts'

const evaluationInputSchema = z.object({
  claims: claimsSchema,
  signals: z.array(checkedSignalSchema).readonly(),
  /** Milliseconds since the UNIX epoch. */
  now: z.number(),
})

/** What a verified flow was evaluated from. The journal keeps it as JSON in place of the trace, which is many times as large. */
export type EvaluationInput = Readonly<z.infer<typeof evaluationInputSchema>>

/** The trace of an evaluation, from the JSON of its input: worked out when a reader asks for the flow. */
export function traceOf(input: string): ThresholdTrace[] {
  const { signals, claims, now } = evaluationInputSchema.parse(JSON.parse(input))
  return explainEvaluation(signals, claims, now)
}
