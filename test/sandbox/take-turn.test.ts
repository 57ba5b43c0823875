import { expect, onTestFinished, test, vi } from 'vitest'
import { mapInTurns, takeTurn } from '../../src/sandbox/take-turn.ts'

function blockFor(milliseconds: number): void {
  const end = performance.now() + milliseconds
  while (performance.now() < end);
}

test('Turns come in the order in which they were asked for', async () => {
  const order: number[] = []
  await Promise.all(
    [1, 2, 3].map(async (n) => {
      await takeTurn()
      order.push(n)
    }),
  )
  expect(order).toEqual([1, 2, 3])
})

test('Other events are handled while a list is worked through in turns', async () => {
  let others = 0
  const other = setInterval(() => others++, 0)
  const busy = (item: number) => {
    blockFor(4)
    return item * 2
  }
  const items = Array.from({ length: 20 }, (_, index) => index)
  expect(await mapInTurns(items, busy)).toEqual(items.map((item) => item * 2))
  clearInterval(other)
  expect(others).toBeGreaterThan(2)
})

test('Turns go on while the tests of an app replace the timers', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'setImmediate', 'queueMicrotask'] })
  onTestFinished(() => void vi.useRealTimers())
  let turns = 0
  await Promise.all(
    Array.from({ length: 20 }, async () => {
      await takeTurn()
      blockFor(2)
      turns += 1
    }),
  )
  expect(turns).toBe(20)
})
