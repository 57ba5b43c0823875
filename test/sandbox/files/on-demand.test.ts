import { closeSync, openSync } from 'node:fs'
import { devNull } from 'node:os'
import { expect, test } from 'vitest'
import { isOutOfDescriptors, onDemand } from '../../../src/sandbox/files/on-demand.ts'

/** A part that counts its loads; those up to `failures` fail. */
function countingPart(failures = 0) {
  let loads = 0
  const part = onDemand(async () => {
    loads += 1
    if (loads <= failures) throw new Error('not now')
    return { loads }
  })
  return { part, loads: () => loads }
}

test('Uses of a part that come while the part is being loaded share one load', async () => {
  const { part, loads } = countingPart()
  expect(loads()).toBe(0)
  const [first, second] = await Promise.all([part(), part()])
  expect(first).toBe(second)
})

test('A loaded part is kept', async () => {
  const { part, loads } = countingPart()
  const first = await part()
  expect(await part()).toBe(first)
  expect(loads()).toBe(1)
})

test('A part that could not be loaded is tried again with the next use', async () => {
  const { part } = countingPart(1)
  await expect(part()).rejects.toThrow('not now')
  expect(await part()).toEqual({ loads: 2 })
})

test('The lack of a descriptor is told from other errors by its code', () => {
  const error = (code: string) => Object.assign(new Error(code), { code })
  expect(['EMFILE', 'ENFILE', 'ENOENT'].map((code) => isOutOfDescriptors(error(code)))).toEqual([
    true,
    true,
    false,
  ])
  expect(isOutOfDescriptors('EMFILE')).toBe(false)
})

test('A load leaves no descriptor open', async () => {
  const next = () => {
    const descriptor = openSync(devNull, 'r')
    closeSync(descriptor)
    return descriptor
  }
  const before = next()
  await onDemand(async () => 'loaded')()
  expect(next()).toBe(before)
})
