import { expect, test } from 'vitest'
import { findFailingSets } from '../../../src/audit/readings/combine.ts'
import { type ChosenVariant, nameOf } from '../../../src/audit/readings/variants.ts'
import { READINGS } from '../../../src/sandbox/readings/readings.ts'

const VARIANTS = READINGS.slice(0, 4).flatMap((reading) => {
  const variant = reading.variants.find(({ name }) => name !== reading.default)
  return variant ? [{ reading, variant, usual: reading.default, flows: [] }] : []
})
const setOf = (...indexes: number[]) => VARIANTS.filter((_variant, index) => indexes.includes(index))

/** What is found of combinations by an app that fails when all variants of a set meet, and that is lost after some trials. */
function find(combinations: ChosenVariant[][], { failing = [] as ChosenVariant[][], livesFor = 100 } = {}) {
  let tried = 0
  return findFailingSets(combinations, {
    async tryOne(variants) {
      tried += 1
      if (tried > livesFor) return { verdict: 'undetermined', reason: 'control_lost', evidence: 'it fell', flows: [] }
      const isFailure = failing.some((set) => set.every((one) => variants.includes(one)))
      return { verdict: isFailure ? 'too strict' : 'accepted', evidence: 'it fails', flows: [] }
    },
    onTried: () => {},
  })
}

test('Each pair of readings that fails is found in a combination that holds two such pairs', async () => {
  const pairs = [setOf(1, 3), setOf(0, 2)]
  const { failed, ...counts } = await find([VARIANTS], { failing: pairs })
  const found = failed.map(({ variants }) => variants.toSorted())
  expect(found.toSorted()).toEqual(pairs.map((pair) => pair.map(nameOf).toSorted()).toSorted())
  expect(counts).toEqual({ tried: 6, undetermined: [] })
})

test('Combinations of readings that an app is lost for are undetermined, and only the first of them is tried', async () => {
  const found = await find([setOf(0, 1), setOf(0, 2), setOf(0, 3)], { livesFor: 1 })
  expect(found).toEqual({ failed: [], tried: 1, undetermined: [{ reason: 'control_lost: it fell', count: 2 }] })
})
