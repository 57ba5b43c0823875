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

test('A page waits for its turn behind the work of others; a call of a flow and health do not', async () => {
  const { request } = await startSandbox()
  await request.get('/_sandbox/personas').expect(200)
  const turns = busyTurns()
  const left: Record<string, number> = {}
  const paths = { page: '/_sandbox/personas', call: '/.well-known/jwks.json', health: '/_sandbox/health' }
  const ask = async ([name, path]: [string, string]) => {
    await request.get(path).expect(200)
    left[name] = turns.left
  }
  await Promise.all(Object.entries(paths).map(ask))
  expect(left['page']).toBe(0)
  for (const name of ['call', 'health']) expect(left[name]).toBeGreaterThan(0)
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
