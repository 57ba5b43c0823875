import * as z from 'zod'
import { METHOD_NAMES } from './methods.ts'

const checkSchema = z.object({
  filter: z.enum([
    'allowed_methods',
    'verified_after',
    'provenance.denied',
    'provenance.allowed',
    'iso_27566_1',
    'attributes',
    'age',
  ]),
  passed: z.boolean(),
  reason: z
    .string()
    .describe('For people: `needs 21 by overrides.facial_age_estimation.min_age, has 19`'),
})

const signalTraceSchema = z.object({
  method: z.enum(METHOD_NAMES),
  passed: z.boolean().describe('Whether every check passed'),
  checks: z
    .array(checkSchema)
    .describe('All seven, in the order of application, also those after a failed one'),
})

/** Why one of the requested thresholds is satisfied or not. */
export const thresholdTraceSchema = z.object({
  threshold: z.number(),
  satisfied: z
    .boolean()
    .describe('Whether some signal passed; of a threshold that is named twice each entry must'),
  signals: z.array(signalTraceSchema),
})

/** The result of one filter for one signal. A filter that the request does not use passes. */
export type Check = z.infer<typeof checkSchema>
export type SignalTrace = z.infer<typeof signalTraceSchema>
export type ThresholdTrace = z.infer<typeof thresholdTraceSchema>
