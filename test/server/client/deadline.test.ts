import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startDeadline } from '../../../src/server/client/deadline.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('A deadline aborts when its seconds are over', () => {
  const { signal } = startDeadline(10)
  vi.advanceTimersByTime(9_999)
  expect(signal.aborted).toBe(false)
  vi.advanceTimersByTime(1)
  expect(signal.aborted).toBe(true)
})

test('A deadline aborts with the signal that it depends on', () => {
  const parent = new AbortController()
  const { signal } = startDeadline(10, parent.signal)
  const cleared = startDeadline(10, parent.signal)
  cleared.clear()
  parent.abort()
  vi.advanceTimersByTime(20_000)
  expect(signal.aborted).toBe(true)
  expect(cleared.signal.aborted).toBe(false)
  expect(vi.getTimerCount()).toBe(0)
  expect(startDeadline(10, parent.signal).signal.aborted).toBe(true)
})

test('A deadline is not collected as garbage while something waits for it', async () => {
  vi.useRealTimers()
  setFlagsFromString('--expose-gc')
  const collectGarbage: unknown = runInNewContext('gc')
  if (typeof collectGarbage !== 'function')
    throw new Error('the engine offers no garbage collection')
  const parent = new AbortController()
  const aborted = Array.from({ length: 50 }, () => {
    const { signal } = startDeadline(0.05, parent.signal)
    return new Promise((resolve) => signal.addEventListener('abort', resolve))
  })
  collectGarbage()
  await expect(Promise.all(aborted)).resolves.toHaveLength(50)
})
