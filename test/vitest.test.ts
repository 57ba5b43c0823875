import { expect, onTestFinished, test } from 'vitest'
import { setupSandbox } from '../src/vitest.ts'
import { KEY_FILE } from './support/keys.ts'

test('setupSandbox resets its sandbox after each test', async () => {
  const runs: (() => Promise<void>)[] = []
  const keep = (run: () => Promise<void>) => runs.push(run)
  const sandbox = await setupSandbox({
    port: 0,
    keys: KEY_FILE,
    hooks: { afterEach: keep, afterAll: keep },
  })
  const [afterEach, afterAll] = runs
  onTestFinished(async () => afterAll?.())
  await sandbox.next({ persona: 'teen-16' })
  await sandbox.clock.advance(60)
  await afterEach?.()
  expect(await sandbox.expectations.list()).toEqual([])
  expect((await sandbox.clock.state()).advanced_seconds).toBe(0)
})

test('setupSandbox closes its sandbox after the last test', async () => {
  const runs: (() => Promise<void>)[] = []
  const keep = (run: () => Promise<void>) => runs.push(run)
  const sandbox = await setupSandbox({
    port: 0,
    keys: KEY_FILE,
    hooks: { afterEach: keep, afterAll: keep },
  })
  const [, afterAll] = runs
  await afterAll?.()
  await expect(fetch(sandbox.baseUrl)).rejects.toThrow('fetch failed')
})
