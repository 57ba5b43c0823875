import type { FailedCombination, ReadingsReport, TriedVariant } from './readings-report.ts'
import { asSentence, capitalised } from './row-texts.ts'

/** What the reports say of readings, in plain text: nothing is escaped here. */

/** The variants with this verdict. */
export const variantsThat = (verdict: TriedVariant['verdict'], { variants }: ReadingsReport): readonly TriedVariant[] =>
  variants.filter((one) => one.verdict === verdict)

/** `works under 31 of 34; depends on par_status=201`. Variants that made no difference to the app are not counted. */
export function describeReadings(report: ReadingsReport): string {
  const works = variantsThat('works', report).length
  const met = works + variantsThat('depends', report).length
  const { failed } = report.combinations
  const undetermined = reasonsOf(report).reduce((sum, one) => sum + (one.verdict === 'undetermined' ? one.count : 0), 0)
  const parts = [
    `works under ${works} of ${met}`,
    ...dependencesOf(report).map(({ needs }, index) => (index === 0 ? `depends on ${needs}` : needs)),
  ]
  const together = failed.map((one) => `fails under ${namesOfCombination(one)}`)
  return [
    [parts[0], parts.slice(1).join(', ')].filter((part) => part).join('; '),
    ...together,
    ...(undetermined === 0 ? [] : [`${undetermined} undetermined`]),
  ].join('; ')
}

/** A value that the app depends on, and the variants that break it. */
export interface Dependence {
  /** `par_status=201` */
  readonly needs: string
  readonly broken: readonly TriedVariant[]
}

/** What the app depends on, each value once. */
export function dependencesOf(report: ReadingsReport): readonly Dependence[] {
  const found = new Map<string, readonly TriedVariant[]>()
  for (const one of variantsThat('depends', report)) {
    const needs = `${one.reading}=${one.usual}`
    found.set(needs, [...(found.get(needs) ?? []), one])
  }
  return [...found].map(([needs, broken]) => ({ needs, broken }))
}

/** `par_status=200` */
export const variantName = ({ reading, variant }: Pick<TriedVariant, 'reading' | 'variant'>): string =>
  `${reading}=${variant}`

/** What the variant is, and what the app did under it. */
export const whatVariantDid = ({ summary, evidence = '' }: TriedVariant): string =>
  [summary, capitalised(evidence)]
    .filter((text) => text !== '')
    .map(asSentence)
    .join(' ')

/** `par_status=200 with error_body=text` */
export const namesOfCombination = ({ variants }: FailedCombination): string => variants.join(' with ')

export const whatTogetherDid = ({ evidence }: FailedCombination): string =>
  `The app works under each of them alone. ${capitalised(asSentence(evidence))}`

export const whereSilent = ({ silent }: TriedVariant): string =>
  asSentence(`The specification leaves it open: ${silent}`)

/** What was not shown, for one reason. */
export interface Unshown {
  readonly verdict: 'undetermined' | 'not for this app'
  readonly reason: string
  readonly count: number
  /** `par_status=200`, of combinations none. */
  readonly names: readonly string[]
}

/** What was not shown: variants by their verdict and reason, in the order of the report, then combinations. */
export function reasonsOf(report: ReadingsReport): readonly Unshown[] {
  const variants = (['undetermined', 'not for this app'] as const).flatMap((verdict) => {
    const groups = new Map<string, readonly string[]>()
    for (const one of variantsThat(verdict, report)) {
      const reason = one.reason ?? 'no reason is known'
      groups.set(reason, [...(groups.get(reason) ?? []), variantName(one)])
    }
    return [...groups].map(([reason, names]) => ({ verdict, reason, count: names.length, names }))
  })
  const combinations = report.combinations.undetermined.map(({ reason, count }) => ({
    verdict: 'undetermined' as const,
    reason: `${reason} (${count === 1 ? 'a combination' : 'combinations'} of variants that work alone)`,
    count,
    names: [],
  }))
  return [...variants, ...combinations]
}
