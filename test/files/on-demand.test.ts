import { closeSync, openSync } from 'node:fs'
import { devNull } from 'node:os'
import { expect, test } from 'vitest'
import { isOutOfDescriptors, onDemand } from '../../src/files/on-demand.ts'

test('A part is loaded with its first use and kept', async () => {
  let loads = 0
  const part = onDemand(async () => {
    loads += 1
    return { loads }
  })
  expect(loads).toBe(0)
  expect(await part()).toBe(await part())
  expect(loads).toBe(1)
})

test('Uses that come while a part is being loaded share one load', async () => {
  let loads = 0
  const part = onDemand(async () => {
    loads += 1
    return {}
  })
  const [first, second] = await Promise.all([part(), part()])
  expect(first).toBe(second)
  expect(loads).toBe(1)
})

test('A part that could not be loaded is tried again with the next use', async () => {
  let loads = 0
  const part = onDemand(async () => {
    loads += 1
    if (loads === 1) throw new Error('not now')
    return loads
  })
  await expect(part()).rejects.toThrow('not now')
  expect(await part()).toBe(2)
})

test('The lack of a descriptor is told from other errors by its code', () => {
  const error = (code: string) => Object.assign(new Error(code), { code })
  expect(['EMFILE', 'ENFILE', 'ENOENT'].map((code) => isOutOfDescriptors(error(code)))).toEqual([true, true, false])
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
