import { createClock } from '../../../src/sandbox/clock/clock.ts'
import { type CoverageCounters, emptyCounters } from '../../../src/sandbox/coverage/counters.ts'
import type { Coverage } from '../../../src/sandbox/coverage/coverage.ts'
import { describeCoverage } from '../../../src/sandbox/coverage/describe-coverage.ts'
import { castOf } from '../../../src/sandbox/coverage/dimensions/item.ts'
import { loadPersonas } from '../../../src/sandbox/personas/load-personas.ts'

export const hits = (count: number, ...tests: string[]) => ({ count, ...(tests.length > 0 ? { tests } : {}) })

/** Counters of an app that asks for 18 and 21, of which an adult and no minor was seen. */
export const adultCounters = (test = 'an adult enters'): CoverageCounters => ({
  ...emptyCounters('0.1.0'),
  claims: [
    {
      claims: { age_thresholds: [18, 21] },
      thresholds: { 18: { true: hits(2, test) }, 21: { true: hits(2, test) } },
      filters: {},
      boundaries: {},
    },
  ],
  asked: { use: hits(2, test), query: hits(2, test), no_can_create: hits(2, test) },
  endings: { verified: hits(2, test) },
})

/** What a minor adds to it. */
export const minorCounters = (test = 'a minor is kept out'): CoverageCounters => ({
  ...emptyCounters('0.1.0'),
  claims: [
    {
      claims: { age_thresholds: [18, 21] },
      thresholds: { 18: { false: hits(1, test) }, 21: { false: hits(1, test) } },
      filters: {},
      boundaries: {},
    },
  ],
  asked: { use: hits(1, test), query: hits(1, test), no_can_create: hits(1, test) },
  endings: { none_met: hits(1, test) },
})

/** Counters and what follows from them, with the built-in personas. */
export async function described(counters: CoverageCounters): Promise<Coverage> {
  const clock = createClock()
  const cast = castOf(await loadPersonas(), { base: clock.base(), now: clock.now() })
  return { ...counters, ...describeCoverage(counters, cast) }
}
