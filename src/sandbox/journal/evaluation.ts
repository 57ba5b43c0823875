import * as z from 'zod'
import { claimsSchema } from '../../service/age/claims.ts'
import { explainEvaluation } from '../../service/age/evaluate.ts'
import { checkedSignalSchema } from '../../service/age/signal.ts'
import type { ThresholdTrace } from '../../service/age/trace.ts'

const evaluationInputSchema = z.object({
  claims: claimsSchema,
  signals: z.array(checkedSignalSchema).readonly(),
  /** Milliseconds since the UNIX epoch. */
  now: z.number(),
})

/**
 * The input of an evaluation. The journal stores the input as JSON, because the trace is many times
 * as large.
 */
export type EvaluationInput = Readonly<z.infer<typeof evaluationInputSchema>>

/** Evaluates a stored input again, when a reader asks for the flow. */
export function readEvaluation(input: string): {
  trace: ThresholdTrace[]
  signals: EvaluationInput['signals']
} {
  const { signals, claims, now } = evaluationInputSchema.parse(JSON.parse(input))
  return { trace: explainEvaluation(signals, claims, now), signals }
}
