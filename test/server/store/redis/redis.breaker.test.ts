import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createBreaker } from '../../../../src/server/store/redis/redis.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function start() {
  const events: string[] = []
  const note = (event: string) => () => void events.push(event)
  return {
    breaker: createBreaker({ withinMs: 2_000, onOpen: note('open'), onClose: note('close') }),
    events,
  }
}

function pending() {
  let answer = () => {}
  const promise = new Promise<string>((resolve) => {
    answer = () => resolve('late')
  })
  return { act: () => promise, answer: () => answer() }
}

test('A breaker passes an answer on', async () => {
  const { breaker } = start()
  expect(await breaker.call(async () => 'answer')).toBe('answer')
})

test('A breaker passes a refusal on', async () => {
  const { breaker, events } = start()
  await expect(breaker.call(() => Promise.reject(new Error('refused')))).rejects.toThrow('refused')
  await vi.advanceTimersByTimeAsync(10_000)
  expect(events).toEqual([])
})

test('A breaker refuses calls at once after one call without an answer, until that answer comes', async () => {
  const { breaker, events } = start()
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
  expect(events).toEqual(['open', 'close'])
})

test('Several calls without an answer open the breaker once', async () => {
  const { breaker, events } = start()
  const calls = [1, 2, 3].map(() => breaker.call(pending().act).catch(() => 'refused'))
  await vi.advanceTimersByTimeAsync(2_000)
  expect(await Promise.all(calls)).toEqual(['refused', 'refused', 'refused'])
  breaker.close()
  breaker.close()
  expect(events).toEqual(['open', 'close'])
  expect(await breaker.call(async () => 'answer')).toBe('answer')
})
