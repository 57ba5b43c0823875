import * as z from 'zod'
import { OUTCOME_FLOWS } from '../outcomes/outcome.ts'
import { countersSchema } from './counters.ts'

/** The dimensions of coverage. A minimum names one of these. */
export const DIMENSIONS = ['answers', 'filters', 'boundaries', 'endings', 'must', 'calls'] as const
export type DimensionName = (typeof DIMENSIONS)[number]

const sideSchema = z.object({
  count: z.int().min(0).describe('0: a gap'),
  tests: z.array(z.string()).optional().describe('The tests that saw it'),
  closes: z.string().optional().describe('Of a gap: what closes it, as a sentence'),
  persona: z.string().optional().describe('Of a gap: the persona that closes it'),
  outcome: z.string().optional().describe('Of a gap: the outcome that closes it'),
})

/** One side of an item: how often it was seen, or what closes the gap. */
export type CoverageSide = z.infer<typeof sideSchema>

const itemSchema = z.object({
  id: z.string().describe('Stays the same from run to run: use/id_token.expired'),
  title: z.string(),
  state: z.enum(['covered', 'half', 'missing']),
  flow: z.enum(OUTCOME_FLOWS).describe('What the decision that closes a gap is for'),
  claims: z.string().optional().describe('The claims object that it is about, as JSON'),
  sides: z
    .record(z.string(), sideSchema)
    .describe('true and false; passed and failed; of what has one side, seen'),
})

/** One thing to see: covered when each of its sides was seen, half when some were. */
export type CoverageItem = z.infer<typeof itemSchema>

const dimensionSchema = z.object({
  covered: z.int().min(0).describe('Sides that were seen'),
  total: z.int().min(0).describe('Sides that there are'),
  percent: z
    .int()
    .min(0)
    .max(100)
    .describe('Rounded down; without any side 100, and 0 when no flow came at all'),
  items: z.array(itemSchema),
})

export type CoverageDimension = z.infer<typeof dimensionSchema>

const dimensionsSchema = z.object({
  answers: dimensionSchema.describe(
    'Each requested threshold of each distinct claims: true and false',
  ),
  filters: dimensionSchema.describe('Each filter of the claims: passed and failed'),
  boundaries: dimensionSchema.describe('A birthday today and tomorrow, for each threshold'),
  endings: dimensionSchema.describe('How a flow can end for the client'),
  must: dimensionSchema.describe('Each outcome of level must that this app can get'),
  calls: dimensionSchema.describe(
    'Calls from server to server: success, refusal, failure and timeout',
  ),
})

const derivedSchema = z.object({
  dimensions: dimensionsSchema,
  unused: z
    .array(z.object({ flow: z.enum(OUTCOME_FLOWS), reason: z.string() }))
    .describe('Flows that the app never used: nothing of them is counted as a gap'),
})

/** Members derived from the counters. */
export type DescribedCoverage = z.infer<typeof derivedSchema>

/** Counters with what is derived from them: the answer of the control API, and a coverage file. */
export const coverageSchema = countersSchema.extend(derivedSchema.shape)

export type Coverage = z.infer<typeof coverageSchema>

/** A side of an item that was not seen. */
export interface CoverageGap extends Pick<CoverageSide, 'closes' | 'persona' | 'outcome'> {
  readonly item: CoverageItem
  /**
   * What is missing, in a few words: `age_thresholds 18: false`, `use/id_token.expired`, `par:
   * timeout`.
   */
  readonly what: string
}

/** The gaps of a dimension, in the order of its items. */
export const gapsOf = ({ items }: CoverageDimension): readonly CoverageGap[] =>
  items.flatMap((item) =>
    Object.entries(item.sides).flatMap(([side, { count, tests: _tests, ...closing }]) =>
      count > 0 ? [] : [{ item, what: nameOfSide(item, side), ...closing }],
    ),
  )

/** A side in few words. */
export function nameOfSide({ id, title, claims }: CoverageItem, side: string): string {
  if (claims !== undefined) return `${title}: ${side}`
  return side === 'seen' ? id : `${id}: ${side}`
}
