import * as z from 'zod'
import { mustBe } from '../../../files/describe-issue.ts'

const lines = () => z.array(z.string()).readonly()

const triedVariantSchema = z.strictObject({
  reading: z.string().describe('What the specification leaves open: par_status'),
  variant: z.string().describe('How the sandbox read it in these flows: 200'),
  usual: z.string().describe('How it reads it otherwise, which every flow of the app was compared with: 201'),
  summary: z.string().describe('What the sandbox does under the variant'),
  silent: z.string().describe('The part of the specification that does not say it'),
  verdict: z
    .enum(['depends', 'undetermined', 'works', 'not for this app'])
    .describe('works: each flow ended as it usually does; depends: one did not'),
  reason: z.string().optional().describe('Why it is undetermined or not for this app'),
  evidence: z.string().optional().describe('What the app did: a sentence'),
  flows: lines().describe('Flows in the journal of the sandbox'),
})

/** The verdict on one variant of a reading. */
export type TriedVariant = Readonly<z.infer<typeof triedVariantSchema>>

const failedSchema = z.strictObject({
  variants: lines().describe('The smallest set that fails: par_status=200, error_body=text'),
  evidence: z.string(),
  flows: lines(),
})

const combinationsSchema = z.strictObject({
  tried: z.int().min(0).describe('Combinations that together hold every pair of the variants that work'),
  undetermined: z
    .array(z.strictObject({ reason: z.string(), count: z.int().min(1) }).readonly())
    .readonly()
    .describe('Combinations of which no verdict was found, as when the budget was over'),
  failed: z.array(failedSchema.readonly()).readonly(),
})

/** What `audit --readings` found: whether an app survives what the specification leaves open. */
export const readingsReportSchema = z.strictObject({
  started_at: z.iso.datetime(mustBe('an instant like 2026-01-31T12:00:00Z')),
  seconds: z.number().min(0),
  variants: z.array(triedVariantSchema.readonly()).readonly(),
  combinations: combinationsSchema.readonly(),
  counted: z.boolean().describe('Whether what the app depends on counts for the exit code: --fail-on-readings'),
})

export type ReadingsReport = Readonly<z.infer<typeof readingsReportSchema>>

/** `par_status=200` */
export const variantName = ({ reading, variant }: TriedVariant): string => `${reading}=${variant}`

/** `works under 31 of 34; depends on par_status=201`. Variants that made no difference to the app are not counted. */
export function describeReadings({ variants, combinations }: ReadingsReport): string {
  const those = (verdict: TriedVariant['verdict']) => variants.filter((one) => one.verdict === verdict)
  const [works, depends] = [those('works').length, those('depends')]
  const needs = [...new Set(depends.map(({ reading, usual }) => `${reading}=${usual}`))].join(', ')
  const open = combinations.undetermined.reduce((sum, { count }) => sum + count, those('undetermined').length)
  return [
    `works under ${works} of ${works + depends.length}`,
    ...(needs === '' ? [] : [`depends on ${needs}`]),
    ...combinations.failed.map(({ variants }) => `fails under ${variants.join(' with ')}`),
    ...(open === 0 ? [] : [`${open} undetermined`]),
  ].join('; ')
}
