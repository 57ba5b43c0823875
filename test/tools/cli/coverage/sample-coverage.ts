import { createClock } from '../../../../src/sandbox/clock/clock.ts'
import { type CoverageCounters, emptyCounters } from '../../../../src/sandbox/coverage/counters.ts'
import type { Coverage } from '../../../../src/sandbox/coverage/coverage.ts'
import { describeCoverage } from '../../../../src/sandbox/coverage/describe-coverage.ts'
import { castOf } from '../../../../src/sandbox/coverage/dimensions/item.ts'
import { loadPersonas } from '../../../../src/sandbox/personas/load-personas.ts'

export const hits = (count: number, ...tests: string[]) => ({
  count,
  ...(tests.length > 0 ? { tests } : {}),
})
type Hits = ReturnType<typeof hits>

/** Counters of an app that asks for 18 and 21, for one kind of user. */
function countersOf(isAdult: boolean, ending: string, seen: Hits): CoverageCounters {
  const thresholds = { 18: { [`${isAdult}`]: seen }, 21: { [`${isAdult}`]: seen } }
  return {
    ...emptyCounters('0.1.0'),
    claims: [{ claims: { age_thresholds: [18, 21] }, thresholds, filters: {}, boundaries: {} }],
    asked: { use: seen, query: seen, no_can_create: seen },
    endings: { [ending]: seen },
  }
}

/** An adult was seen, and no minor. */
export const adultCounters = (test = 'an adult enters') =>
  countersOf(true, 'verified', hits(2, test))

/** What a minor adds. */
export const minorCounters = (test = 'a minor is kept out') =>
  countersOf(false, 'none_met', hits(1, test))

/** Counters with what is derived from them, by the built-in personas. */
export async function described(counters: CoverageCounters): Promise<Coverage> {
  const clock = createClock()
  const cast = await castOf(await loadPersonas(), { base: clock.base(), now: clock.now() })
  return { ...counters, ...(await describeCoverage(counters, cast)) }
}
