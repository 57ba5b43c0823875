import type { ReadingsReport, TriedVariant } from './readings-report.ts'

/** What the reports say of readings, in plain text: nothing is escaped here. */

/** The variants with this verdict. */
export const variantsThat = (verdict: TriedVariant['verdict'], { variants }: ReadingsReport): readonly TriedVariant[] =>
  variants.filter((one) => one.verdict === verdict)

/** `par_status=200` */
export const variantName = ({ reading, variant }: TriedVariant): string => `${reading}=${variant}`

/** `works under 31 of 34; depends on par_status=201`. Variants that made no difference to the app are not counted. */
export function describeReadings(report: ReadingsReport): string {
  const [works, depends] = [variantsThat('works', report), variantsThat('depends', report)]
  const needs = [...new Set(depends.map(({ reading, usual }) => `${reading}=${usual}`))].join(', ')
  const open = variantsThat('undetermined', report).length
  const undetermined = report.combinations.undetermined.reduce((sum, { count }) => sum + count, open)
  return [
    `works under ${works.length} of ${works.length + depends.length}`,
    needs && `depends on ${needs}`,
    ...report.combinations.failed.map(({ variants }) => `fails under ${variants.join(' with ')}`),
    undetermined > 0 && `${undetermined} undetermined`,
  ]
    .filter((part) => part)
    .join('; ')
}
