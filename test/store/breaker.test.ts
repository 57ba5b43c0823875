import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createBreaker } from '../../src/store/breaker.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

function start() {
  const told: string[] = []
  const breaker = createBreaker({
    withinMs: 2_000,
    onOpen: () => told.push('open'),
    onClose: () => told.push('close'),
  })
  return { breaker, told }
}

/** A call that is answered when the test says so. */
function pending() {
  let answer = () => {}
  const promise = new Promise<string>((resolve) => {
    answer = () => resolve('late')
  })
  return { act: () => promise, answer: () => answer() }
}

test('answers and refusals pass through', async () => {
  const { breaker, told } = start()
  expect(await breaker.call(async () => 'answer')).toBe('answer')
  await expect(breaker.call(() => Promise.reject(new Error('refused')))).rejects.toThrow('refused')
  await vi.advanceTimersByTimeAsync(10_000)
  expect(told).toEqual([])
})

test('after one call without an answer the next ones are refused at once, until that answer comes', async () => {
  const { breaker, told } = start()
  const { act, answer } = pending()
  const silent = expect(breaker.call(act)).rejects.toThrow('no answer within 2 seconds')
  await vi.advanceTimersByTimeAsync(2_000)
  await silent
  const next = vi.fn(async () => 'answer')
  await expect(breaker.call(next)).rejects.toThrow('no answer')
  expect(next).not.toHaveBeenCalled()

  answer()
  await vi.advanceTimersByTimeAsync(0)
  expect(await breaker.call(next)).toBe('answer')
  expect(told).toEqual(['open', 'close'])
})

test('several calls without an answer are told once, and a new connection ends it', async () => {
  const { breaker, told } = start()
  const calls = [1, 2, 3].map(() => breaker.call(pending().act).catch(() => 'refused'))
  await vi.advanceTimersByTimeAsync(2_000)
  expect(await Promise.all(calls)).toEqual(['refused', 'refused', 'refused'])
  breaker.close()
  breaker.close()
  expect(told).toEqual(['open', 'close'])
  expect(await breaker.call(async () => 'answer')).toBe('answer')
})
