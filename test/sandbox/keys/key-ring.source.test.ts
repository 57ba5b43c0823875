import { expect, test } from 'vitest'
import { keysSoon } from '../../../src/sandbox/keys/key-ring.ts'
import { readTestKeys } from '../../support/keys.ts'

test('Keys that could not be made are made with the next use', async () => {
  let attempts = 0
  const keys = keysSoon(async () => {
    attempts += 1
    if (attempts === 1) throw new Error('not now')
    return await readTestKeys()
  }, 60_000)
  await expect(keys()).rejects.toThrow('not now')
  expect(await keys()).toBe(await keys())
  expect(attempts).toBe(2)
})
