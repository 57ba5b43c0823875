import * as z from 'zod'
import { claimsSchema } from '../../service/age/claims.ts'
import { CALLS } from '../../service/oidc/endpoints.ts'

/** The version of the coverage file format. A change of its shape increases the number. */
export const COVERAGE_FORMAT = 2

/** The dimensions of coverage. A required minimum names one of them. */
export const DIMENSIONS = ['answers', 'endings', 'must'] as const
export type DimensionName = (typeof DIMENSIONS)[number]

/**
 * What clients have seen. This schema also accepts a file with derived members, and removes them.
 */
export const seenByClientsSchema = z.object({
  format: z.literal(COVERAGE_FORMAT),
  version: z.string().describe('Of agekey-sandbox'),
  catalogue: z.string().describe('Version of the catalogue of outcomes'),
  claims: z
    .record(z.string(), claimsSchema)
    .describe(
      'Each distinct claims object by its id; claims count as the same when they differ in no more than verified_after',
    ),
  names: z
    .array(z.string())
    .describe(
      'What clients asked for and have seen: "asked use", "answer 1a2b3c4d/18 true", "ending verified", "row use/id_token.expired"',
    ),
  omitted: z.boolean().describe('Whether there was more than coverage has room for'),
})

/** What clients have seen, as stored in a coverage file. */
export type SeenByClients = z.infer<typeof seenByClientsSchema>

const sideSchema = z.object({
  seen: z.boolean().describe('false: a gap'),
  closes: z.string().optional().describe('Of a gap: what closes it, as a sentence'),
  persona: z.string().optional().describe('Of a gap: the persona that closes it'),
  outcome: z.string().optional().describe('Of a gap: the outcome that closes it'),
})

/** One side of an item: seen, or how to close the gap. */
export type CoverageSide = z.infer<typeof sideSchema>

const itemSchema = z.object({
  id: z.string().describe('Stays the same from run to run: use/id_token.expired'),
  title: z.string(),
  state: z.enum(['covered', 'half', 'missing']),
  flow: z.enum(CALLS).describe('What the decision that closes a gap is for'),
  claims: z.string().optional().describe('The id of the claims object that it is about'),
  sides: z
    .record(z.string(), sideSchema)
    .describe('Of an answer true and false; of other items seen'),
})

/** An item is covered when all of its sides were seen, and half covered when some were seen. */
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

const derivedSchema = z.object({
  dimensions: z.object({
    answers: dimensionSchema.describe(
      'Each requested threshold of each distinct claims: true and false',
    ),
    endings: dimensionSchema.describe('How a flow can end for the client'),
    must: dimensionSchema.describe('Each outcome of level must that this app can get'),
  }),
  unused: z
    .array(z.object({ flow: z.enum(CALLS), reason: z.string() }))
    .describe('Flows that the app never used: nothing of them is counted as a gap'),
})

/**
 * What clients have seen, with derived values: the response of the control API, and the content of
 * a coverage file.
 */
export const coverageSchema = seenByClientsSchema.extend(derivedSchema.shape)

export type Coverage = z.infer<typeof coverageSchema>

/** A side of an item that was not seen. */
export interface CoverageGap extends Pick<CoverageSide, 'closes' | 'persona' | 'outcome'> {
  readonly item: CoverageItem
  /** The missing side in a few words: `age_thresholds 18: false`, `use/id_token.expired`. */
  readonly what: string
}

/** The gaps of a dimension, in the order of its items. */
export const gapsOf = ({ items }: CoverageDimension): readonly CoverageGap[] =>
  items.flatMap((item) =>
    Object.entries(item.sides)
      .filter(([, { seen }]) => !seen)
      .map(([side, { seen: _seen, ...closing }]) => ({
        item,
        what: nameOfSide(item, side),
        ...closing,
      })),
  )

/** A side in a few words. */
export function nameOfSide({ id, title, claims }: CoverageItem, side: string): string {
  if (claims !== undefined) return `${title}: ${side}`
  return side === 'seen' ? id : `${id}: ${side}`
}

/** The claims object of an item as JSON; `undefined` for an item that is not about claims. */
export const claimsTextOf = (
  { claims: id }: CoverageItem,
  { claims }: Pick<Coverage, 'claims'>,
): string | undefined => id && JSON.stringify(claims[id])
