import { expect, test } from 'vitest'
import { findFailingSets } from '../../../src/audit/readings/combine.ts'
import { unusualVariants } from '../../../src/audit/readings/variants.ts'
import { workerOf } from '../../../src/audit/readings/workers.ts'

test('Combinations of readings that an ended audit had no time for are undetermined, with the remedy', async () => {
  const [first, ...others] = unusualVariants({}).slice(0, 4)
  const combinations = others.map((other) => (first ? [first, other] : []))
  const ended = new AbortController()
  const worker = workerOf({ isFresh: false, run: () => expect.fail('a combination is tried by its worker') })
  const found = await findFailingSets(combinations, {
    workersOf: () => [worker],
    try: async () => ({ kind: 'works', runs: [], documents: new Set() }),
    onTried: () => ended.abort(),
    signal: ended.signal,
  })
  const reason = 'timed_out: the audit ended before; raise --budget'
  expect(found).toEqual({ failing: [], tried: 1, undetermined: [{ reason, count: 2 }] })
})
