import { createHash } from 'node:crypto'
import { birthdayOf, birthdaysAt, filterResults, filtersOf } from '../../../age/claims-seen.ts'
import { evaluateAnswers } from '../../../age/evaluate.ts'
import type { AgeSignal } from '../../../age/signal.ts'
import { mapInTurns } from '../../take-turn.ts'
import { ANSWER_SIDES, BOUNDARY_SIDES, type ClaimsCounters, claimsKey, FILTER_SIDES } from '../counters.ts'
import type { CoverageItem } from '../coverage.ts'
import { byPersona, type Cast, createItem, type Described, type GapClosing } from './item.ts'

/** Each requested threshold of each distinct claims: true and false. */
export const answerItems = ({ counters, cast }: Described): Promise<CoverageItem[]> =>
  forEachClaims(counters, async (seen) => {
    const { claims } = seen
    const headOf = headsOf(seen)
    const first = await firstWith(cast, (signals) =>
      Object.entries(evaluateAnswers(signals, claims, cast.now)).map((answer) => answer.join()),
    )
    const close = (threshold: number, answer: boolean): GapClosing =>
      byPersona(first.get(`${threshold},${answer}`), {
        because: `it answers ${threshold}: ${answer} to these claims`,
        otherwise: answer
          ? `whose age signal passes the filters of these claims and says date_of_birth: today - ${threshold}y`
          : `whose age signal says date_of_birth: today - ${threshold}y + 1d`,
      })
    return distinctThresholds(seen).map(({ threshold }) =>
      createItem({
        ...headOf(String(threshold), `age_thresholds ${threshold}`),
        seen: seen.thresholds[threshold],
        sides: sidesOf(ANSWER_SIDES, (side) => () => close(threshold, side === 'true')),
      }),
    )
  })

/** Each member of the claims that filters: passed and failed by an age signal. */
export const filterItems = ({ counters, cast }: Described): Promise<CoverageItem[]> =>
  forEachClaims(counters, async (seen) => {
    const { claims } = seen
    const headOf = headsOf(seen)
    const first = await firstWith(cast, (signals) =>
      filterResults(signals, claims, cast.now).map(({ member, passed }) => `${member},${passed}`),
    )
    const close = (filter: string, passed: boolean): GapClosing =>
      byPersona(first.get(`${filter},${passed}`), {
        because: `its age signal ${passed ? 'passes' : 'fails'} ${filter}`,
        otherwise: `whose age signal ${passed ? 'passes' : 'fails'} ${filter}`,
      })
    return filtersOf(claims).map((filter) =>
      createItem({
        ...headOf(filter, filter),
        seen: seen.filters[filter],
        sides: sidesOf(FILTER_SIDES, (side) => () => close(filter, side === 'passed')),
      }),
    )
  })

/** For each requested threshold a birthday today and tomorrow; none where the claims accept no method with a date of birth. */
export const boundaryItems = ({ counters, cast }: Described): Promise<CoverageItem[]> =>
  forEachClaims(counters, async (seen) => {
    const { claims } = seen
    const headOf = headsOf(seen)
    const first = await firstWith(cast, (signals) =>
      birthdaysAt(signals, claims, cast.now).map(({ threshold, day }) => `${threshold},${day}`),
    )
    const close = (threshold: number, years: number, day: 'today' | 'tomorrow'): GapClosing =>
      byPersona(first.get(`${threshold},${day}`), {
        because: `it is ${years} from ${day} on`,
        otherwise: `whose age signal passes the filters of these claims and says date_of_birth: today - ${years}y${day === 'today' ? '' : ' + 1d'}`,
      })
    return distinctThresholds(seen).flatMap(({ threshold, index }) => {
      const years = birthdayOf(threshold, index, claims)
      if (years === undefined) return []
      const item = createItem({
        ...headOf(String(threshold), `birthday for ${threshold}`),
        seen: seen.boundaries[threshold],
        sides: sidesOf(BOUNDARY_SIDES, (day) => () => close(threshold, years, day)),
      })
      return [item]
    })
  })

async function forEachClaims(
  { claims }: Described['counters'],
  itemsOf: (seen: ClaimsCounters) => Promise<readonly CoverageItem[]>,
): Promise<CoverageItem[]> {
  const items: CoverageItem[] = []
  for (const seen of claims) items.push(...(await itemsOf(seen)))
  return items
}

/** The name of the first persona that gives each of the results. What all of them give would take too much memory. */
async function firstWith(
  { personas }: Cast,
  resultsOf: (signals: readonly AgeSignal[]) => readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const first = new Map<string, string>()
  await mapInTurns(personas, ({ name, signals }) => {
    for (const result of resultsOf(signals)) if (!first.has(result)) first.set(result, name)
  })
  return first
}

const distinctThresholds = ({ claims: { age_thresholds: thresholds } }: ClaimsCounters) =>
  thresholds
    .map((threshold, index) => ({ threshold, index }))
    .filter(({ threshold, index }) => thresholds.indexOf(threshold) === index)

function headsOf({ claims }: ClaimsCounters) {
  const common = { flow: 'use', claims: JSON.stringify(claims) } as const
  const digest = digestOf(claimsKey(claims))
  return (part: string, title: string) => ({ id: `${digest}/${part}`, title, ...common })
}

/** Tells claims apart in ids. */
const digestOf = (key: string) => createHash('sha256').update(key).digest('hex').slice(0, 8)

const sidesOf = <Side extends string>(names: readonly Side[], close: (side: Side) => () => GapClosing) =>
  Object.fromEntries(names.map((name) => [name, close(name)]))
