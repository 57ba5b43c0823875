import { createHash } from 'node:crypto'
import {
  birthdayOf,
  birthdaysAt,
  filterResults,
  filtersOf,
} from '../../../service/age/claims-seen.ts'
import { evaluateAnswers } from '../../../service/age/evaluate.ts'
import type { AgeSignal } from '../../../service/age/signal.ts'
import { mapInTurns } from '../../take-turn.ts'
import {
  ANSWER_SIDES,
  BOUNDARY_SIDES,
  type ClaimsCounters,
  claimsKey,
  FILTER_SIDES,
  type HitsTable,
} from '../counters.ts'
import type { CoverageItem } from '../coverage.ts'
import { byPersona, createItem, type Described } from './item.ts'

/** Each requested threshold of each distinct claims object: true and false. */
export const answerItems = (described: Described): Promise<CoverageItem[]> =>
  claimsItems(described, (seen, now) => ({
    resultsOf: (signals) =>
      Object.entries(evaluateAnswers(signals, seen.claims, now)).map((answer) => answer.join()),
    parts: distinctThresholds(seen).map(({ threshold }) => ({
      part: String(threshold),
      title: `age_thresholds ${threshold}`,
      hits: seen.thresholds[threshold],
      sides: ANSWER_SIDES,
      closing: (side) => ({
        because: `it answers ${threshold}: ${side} to these claims`,
        otherwise:
          side === 'true'
            ? `whose age signal passes the filters of these claims and says date_of_birth: today - ${threshold}y`
            : `whose age signal says date_of_birth: today - ${threshold}y + 1d`,
      }),
    })),
  }))

/** Each filtering member of the claims: passed and failed by an age signal. */
export const filterItems = (described: Described): Promise<CoverageItem[]> =>
  claimsItems(described, (seen, now) => ({
    resultsOf: (signals) =>
      filterResults(signals, seen.claims, now).map(
        ({ member, passed }) => `${member},${passed ? 'passed' : 'failed'}`,
      ),
    parts: filtersOf(seen.claims).map((filter) => ({
      part: filter,
      title: filter,
      hits: seen.filters[filter],
      sides: FILTER_SIDES,
      closing(side) {
        const passes = `age signal ${side === 'passed' ? 'passes' : 'fails'} ${filter}`
        return { because: `its ${passes}`, otherwise: `whose ${passes}` }
      },
    })),
  }))

/**
 * For each requested threshold, a birthday today and tomorrow; none if the claims accept no method
 * with a date of birth.
 */
export const boundaryItems = (described: Described): Promise<CoverageItem[]> =>
  claimsItems(described, (seen, now) => ({
    resultsOf: (signals) =>
      birthdaysAt(signals, seen.claims, now).map(({ threshold, day }) => `${threshold},${day}`),
    parts: distinctThresholds(seen).flatMap(({ threshold, index }) => {
      const years = birthdayOf(threshold, index, seen.claims)
      if (years === undefined) return []
      return {
        part: String(threshold),
        title: `birthday for ${threshold}`,
        hits: seen.boundaries[threshold],
        sides: BOUNDARY_SIDES,
        closing: (day) => ({
          because: `it is ${years} from ${day} on`,
          otherwise: `whose age signal passes the filters of these claims and says date_of_birth: today - ${years}y${day === 'today' ? '' : ' + 1d'}`,
        }),
      }
    }),
  }))

/** What coverage looks at for one distinct claims object. */
interface ClaimsParts {
  /** The parts and sides that a persona with these signals closes: `18,true`. */
  resultsOf(signals: readonly AgeSignal[]): readonly string[]
  readonly parts: readonly {
    readonly part: string
    readonly title: string
    readonly hits: HitsTable | undefined
    readonly sides: readonly string[]
    /** The sentence for a gap that the persona closes, and for a gap that no persona closes. */
    closing(side: string): Parameters<typeof byPersona>[1]
  }[]
}

async function claimsItems(
  { counters, cast }: Described,
  partsOf: (seen: ClaimsCounters, now: number) => ClaimsParts,
): Promise<CoverageItem[]> {
  const items: CoverageItem[] = []
  for (const seen of counters.claims) {
    const { resultsOf, parts } = partsOf(seen, cast.now)
    // The first persona for each result. The results of all personas would take too much memory.
    const first = new Map<string, string>()
    await mapInTurns(cast.personas, ({ name, signals }) => {
      for (const result of resultsOf(signals)) if (!first.has(result)) first.set(result, name)
    })
    const claims = JSON.stringify(seen.claims)
    const digest = createHash('sha256').update(claimsKey(seen.claims)).digest('hex').slice(0, 8)
    for (const { part, title, hits, sides, closing } of parts) {
      const closings = sides.map(
        (side) => [side, () => byPersona(first.get(`${part},${side}`), closing(side))] as const,
      )
      const head = { id: `${digest}/${part}`, title, flow: 'use', claims } as const
      items.push(createItem({ ...head, seen: hits, sides: Object.fromEntries(closings) }))
    }
  }
  return items
}

const distinctThresholds = ({ claims: { age_thresholds: thresholds } }: ClaimsCounters) =>
  thresholds
    .map((threshold, index) => ({ threshold, index }))
    .filter(({ threshold, index }) => thresholds.indexOf(threshold) === index)
