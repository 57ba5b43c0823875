import { expect, test } from 'vitest'
import { takeTurn } from '../../src/sandbox/take-turn.ts'
import { exchangeRaw } from '../support/raw-exchange.ts'
import { startSandbox } from '../support/sandbox.ts'

/** Work of other requests for half a second, of which `left` counts down. */
function busyTurns() {
  const turns = { left: 100, done: Promise.resolve() }
  const work = Array.from({ length: turns.left }, async () => {
    await takeTurn()
    for (const end = performance.now() + 5; performance.now() < end; );
    turns.left -= 1
  })
  turns.done = Promise.all(work).then(() => {})
  return turns
}

test('A call waits for its turn behind the work of others, and health does not', async () => {
  const { request } = await startSandbox()
  await request.get('/_sandbox/personas').expect(200)
  const turns = busyTurns()
  const left = { call: -1, health: -1 }
  const [called, asked] = [request.get('/.well-known/jwks.json'), request.get('/_sandbox/health')]
  await Promise.all([
    called.expect(200).then(() => (left.call = turns.left)),
    asked.expect(200).then(() => (left.health = turns.left)),
  ])
  expect(left.call).toBe(0)
  expect(left.health).toBeGreaterThan(0)
})

test('Nothing is done for a caller that went away before its turn', async () => {
  const { url, request } = await startSandbox()
  await request.get('/_sandbox/tenants/gone').expect(404)
  const headers = 'Host: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close'
  const put = (name: string, ending: 'wait' | 'close') =>
    exchangeRaw(url, `PUT /_sandbox/tenants/${name} HTTP/1.1\r\n${headers}\r\n\r\n{}`, { ending })
  const turns = busyTurns()
  await Promise.all([put('gone', 'close'), put('stays', 'wait'), turns.done])
  await request.get('/_sandbox/tenants/stays').expect(200)
  await request.get('/_sandbox/tenants/gone').expect(404)
})
