import type { Persona } from '../personas/persona-schema.ts'
import type { CoverageCounters } from './counters.ts'
import type { Coverage, CoverageDimension, CoverageItem, DescribedCoverage } from './coverage.ts'
import type { TenantCoverage } from './coverage-keeper.ts'
import { answerItems, boundaryItems, filterItems } from './dimensions/by-claims.ts'
import { callItems, endingItems, mustItems, seenFlows } from './dimensions/by-flows.ts'
import { type Cast, castOf } from './dimensions/item.ts'

/**
 * Derives what was seen, what is missing, and which persona or outcome closes each gap. It runs in
 * turns, since there are many personas.
 */
export async function describeCoverage(
  counters: CoverageCounters,
  cast: Cast,
): Promise<DescribedCoverage> {
  const described = { counters, cast }
  const flows = seenFlows(counters)
  const hasFlow = flows.uses('use') || flows.uses('create')
  const dimension = (items: CoverageItem[]): CoverageDimension => {
    const sides = items.flatMap((item) => Object.values(item.sides))
    const covered = sides.filter(({ count }) => count > 0).length
    const total = sides.length
    // Decision: a suite without any flow has seen nothing; where nothing can be seen, everything
    // was seen.
    const percent = total > 0 ? Math.floor((100 * covered) / total) : hasFlow ? 100 : 0
    return { covered, total, percent, items }
  }
  return {
    dimensions: {
      answers: dimension(await answerItems(described)),
      filters: dimension(await filterItems(described)),
      boundaries: dimension(await boundaryItems(described)),
      endings: dimension(endingItems(described, flows)),
      must: dimension(mustItems(described, flows)),
      calls: dimension(callItems(described, flows)),
    },
    unused: [...flows.unused],
  }
}

interface CountedTenant {
  readonly coverage: Pick<TenantCoverage, 'counters'>
  readonly personas: { list(): Promise<readonly Persona[]> }
  readonly clock: { now(): number; base(): number }
}

/**
 * The counters of a tenant with what is derived from them. Its own personas close the gaps, by its
 * own clock.
 */
export async function currentCoverage({
  coverage,
  personas,
  clock,
}: CountedTenant): Promise<Coverage> {
  const counters = coverage.counters()
  const cast = await castOf(await personas.list(), { base: clock.base(), now: clock.now() })
  return { ...counters, ...(await describeCoverage(counters, cast)) }
}
