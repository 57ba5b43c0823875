import {
  type ClaimsCounters,
  type CoverageCounters,
  claimsKey,
  claimsRoom,
  emptyCounters,
  type Hits,
  type HitsTable,
  MAX_TESTS,
  type SidesTable,
} from './counters.ts'

/** Adds counts and unites names of tests. The order of `parts` does not matter for counts. @param version of agekey-sandbox */
export const mergeCoverage = (parts: readonly CoverageCounters[], version: string): CoverageCounters =>
  parts.reduce(addCounters, emptyCounters(version))

const addCounters = (one: CoverageCounters, other: CoverageCounters): CoverageCounters => ({
  ...one,
  ...mergeClaims(one, other),
  asked: mergeHits(one.asked, other.asked),
  endings: mergeHits(one.endings, other.endings),
  rows: mergeHits(one.rows, other.rows),
  calls: mergeSides(one.calls, other.calls),
})

type ClaimsPart = Pick<CoverageCounters, 'claims' | 'omitted'>

function mergeClaims(sum: ClaimsPart, part: ClaimsPart): ClaimsPart {
  const byKey = new Map(sum.claims.map((entry) => [claimsKey(entry.claims), entry]))
  const hasRoom = claimsRoom(sum.claims)
  let omitted = sum.omitted.claims + part.omitted.claims
  for (const entry of part.claims) {
    const key = claimsKey(entry.claims)
    const same = byKey.get(key)
    if (same || hasRoom(entry.claims)) byKey.set(key, same ? mergeEntries(same, entry) : entry)
    else omitted++
  }
  return { claims: [...byKey.values()], omitted: { claims: omitted } }
}

const mergeEntries = (one: ClaimsCounters, other: ClaimsCounters): ClaimsCounters => ({
  claims: one.claims,
  thresholds: mergeSides(one.thresholds, other.thresholds),
  filters: mergeSides(one.filters, other.filters),
  boundaries: mergeSides(one.boundaries, other.boundaries),
})

const mergeSides = (one: SidesTable, other: SidesTable): SidesTable => mergeTables(one, other, mergeHits)

const mergeHits = (one: HitsTable, other: HitsTable): HitsTable => mergeTables(one, other, addHits)

function addHits(one: Hits, other: Hits): Hits {
  const tests = [...new Set([...(one.tests ?? []), ...(other.tests ?? [])])].slice(0, MAX_TESTS)
  return { count: one.count + other.count, ...(tests.length > 0 ? { tests } : {}) }
}

function mergeTables<Value>(
  one: Readonly<Record<string, Value>>,
  other: Readonly<Record<string, Value>>,
  merge: (one: Value, other: Value) => Value,
): Record<string, Value> {
  const merged = new Map(Object.entries(one))
  for (const [name, value] of Object.entries(other)) {
    const same = merged.get(name)
    merged.set(name, same === undefined ? value : merge(same, value))
  }
  return Object.fromEntries(merged)
}
