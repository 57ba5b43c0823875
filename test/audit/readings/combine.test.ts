import { expect, test } from 'vitest'
import { findFailingSets } from '../../../src/audit/readings/combine.ts'
import { type UnusualVariant, unusualVariants } from '../../../src/audit/readings/variants.ts'
import { workerOf } from '../../../src/audit/readings/workers.ts'

const VARIANTS = unusualVariants({}).slice(0, 4)
const setOf = (...indexes: number[]) => VARIANTS.filter((_variant, index) => indexes.includes(index))
const SEEN = { runs: [], documents: new Set<never>() }

/** What is found of combinations by an app that fails when all variants of a set meet; the audit ends with the first when it is brief. */
async function find(combinations: UnusualVariant[][], { failing = [] as UnusualVariant[][], isBrief = false } = {}) {
  const ended = new AbortController()
  const found = await findFailingSets(combinations, {
    workersOf: () => [workerOf({ isFresh: false, run: () => expect.fail('the worker stands for a copy of the app') })],
    async try(variants) {
      const isFailure = failing.some((set) => set.every((one) => variants.includes(one)))
      return isFailure ? { ...SEEN, kind: 'fails', evidence: 'it fails' } : { ...SEEN, kind: 'works' }
    },
    onTried: () => isBrief && ended.abort(),
    signal: ended.signal,
  })
  return { ...found, failing: found.failing.map(({ variants }) => variants) }
}

test('Each pair of readings that fails is found in a combination that holds two such pairs', async () => {
  const pairs = [setOf(1, 3), setOf(0, 2)]
  expect(await find([VARIANTS], { failing: pairs })).toEqual({ failing: pairs, tried: 6, undetermined: [] })
})

test('Combinations of readings that an ended audit had no time for are undetermined, with the remedy', async () => {
  const reason = 'timed_out: the audit ended before; raise --budget'
  const combinations = [setOf(0, 1), setOf(0, 2), setOf(0, 3)]
  const undetermined = [{ reason, count: 2 }]
  expect(await find(combinations, { isBrief: true })).toEqual({ failing: [], tried: 1, undetermined })
})
