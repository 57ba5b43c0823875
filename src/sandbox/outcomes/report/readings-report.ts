import * as z from 'zod'
import { mustBe } from '../../../files/describe-issue.ts'

/** What an audit says of one variant of a reading. */
export const READING_VERDICTS = ['depends', 'undetermined', 'works', 'not for this app'] as const

const lines = () => z.array(z.string()).readonly()

const triedVariantSchema = z.strictObject({
  reading: z.string().describe('What the specification leaves open: par_status'),
  variant: z.string().describe('How the sandbox read it in these flows: 200'),
  usual: z.string().describe('How it reads it otherwise, which every flow of the app was compared with: 201'),
  summary: z.string().describe('What the sandbox does under the variant'),
  silent: z.string().describe('The part of the specification that does not say it'),
  verdict: z
    .enum(READING_VERDICTS)
    .describe(
      'works: each flow ended as it usually does; depends: one did not, so that the app depends on the usual one',
    ),
  reason: z.string().optional().describe('Why it is undetermined or not for this app'),
  evidence: z.string().optional().describe('What the app did: a sentence'),
  flows: lines().describe('Flows in the journal of the sandbox'),
})

/** The verdict on one variant of a reading. */
export type TriedVariant = Readonly<z.infer<typeof triedVariantSchema>>

const failedCombinationSchema = z.strictObject({
  variants: lines().describe('The smallest set that fails: par_status=200, error_body=text'),
  evidence: z.string(),
  flows: lines(),
})

/** Variants that the app works under one by one, and not together. */
export type FailedCombination = Readonly<z.infer<typeof failedCombinationSchema>>

const undeterminedSetsSchema = z.strictObject({ reason: z.string(), count: z.int().min(1) })

/** How many combinations have no verdict for one reason. */
export type UndeterminedSets = Readonly<z.infer<typeof undeterminedSetsSchema>>

/** What `audit --readings` found: whether an app survives what the specification leaves open. */
export const readingsReportSchema = z.strictObject({
  started_at: z.iso.datetime(mustBe('an instant like 2026-01-31T12:00:00Z')),
  seconds: z.number().min(0),
  variants: z.array(triedVariantSchema.readonly()).readonly(),
  combinations: z
    .strictObject({
      tried: z.int().min(0).describe('Combinations that together hold every pair of the variants that work'),
      undetermined: z
        .array(undeterminedSetsSchema.readonly())
        .readonly()
        .describe('Combinations of which no verdict was found, as when the budget was over'),
      failed: z.array(failedCombinationSchema.readonly()).readonly(),
    })
    .readonly(),
  counted: z.boolean().describe('Whether what the app depends on counts for the exit code: --fail-on-readings'),
})

export type ReadingsReport = Readonly<z.infer<typeof readingsReportSchema>>
