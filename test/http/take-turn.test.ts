import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { mapInTurns, takeTurn } from '../../src/http/take-turn.ts'

function blockFor(milliseconds: number): void {
  const end = performance.now() + milliseconds
  while (performance.now() < end);
}

test('a request that comes while expensive work takes turns is answered between two of them', async () => {
  const server = createServer((_request, response) => response.end()).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  let done = 0
  const work = Promise.all(
    Array.from({ length: 100 }, async () => {
      await takeTurn()
      blockFor(5)
      done += 1
    }),
  )
  await fetch(url)
  expect(done).toBeLessThan(100)
  await work
  expect(done).toBe(100)
})

test('turns come in the order in which they were asked for', async () => {
  const order: number[] = []
  await Promise.all(
    [1, 2, 3].map(async (n) => {
      await takeTurn()
      order.push(n)
    }),
  )
  expect(order).toEqual([1, 2, 3])
})

test('A list is worked through in turns, in its order, and other events come between', async () => {
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
