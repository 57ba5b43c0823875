import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createSandbox } from '../../src/server/create-sandbox.ts'
import { createHeldBytes, type HeldBytes, MAX_HELD_BYTES, tooHeavy } from '../../src/server/held-bytes.ts'
import { listenOnFreePort } from '../support/listen-on-free-port.ts'

/** A server that answers each call when it is told to, and a connection to it. */
async function startCounted() {
  const answers: ((text: string) => void)[] = []
  let held: HeldBytes | undefined
  const server = createServer((request, response) => {
    held?.add(request)
    response.on('close', () => held?.remove(request))
    request.resume()
    answers.push((text) => response.end(text))
  })
  server.on('connection', (socket) => (held = createHeldBytes(socket)))
  const [host, port] = (await listenOnFreePort(server)).split(':')
  const client = connect(Number(port), host)
  onTestFinished(() => void client.destroy())
  client.on('data', () => {})
  await Promise.all([once(client, 'connect'), once(server, 'connection')])
  const count = () => held?.count()
  const holds = (bytes: number) => expect.poll(count, { timeout: 10_000 }).toBe(bytes)
  const answer = async (text = '') => {
    await expect.poll(() => answers.length).toBeGreaterThan(0)
    answers.shift()?.(text)
  }
  return { client, count, holds, answer }
}

const GET = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'

const POST = `POST /long HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50000\r\n\r\n`

test('A head that has not arrived in full counts as held, and a request with its body until its answer', async () => {
  const { client, holds, answer } = await startCounted()
  await holds(0)
  client.write(GET.slice(0, -2))
  await holds(GET.length - 2)
  client.write('\r\n')
  await holds(GET.length)
  await answer()
  await holds(0)
  client.write(POST + 'b'.repeat(30_000))
  await holds(POST.length + 30_000)
  client.write('b'.repeat(20_000))
  await holds(POST.length + 50_000)
  await answer()
  await holds(0)
})

test('Of requests that are sent ahead those without an answer count as held', async () => {
  const { client, holds, answer } = await startCounted()
  client.write(POST + 'b'.repeat(50_000) + GET + GET)
  await holds(POST.length + 50_000 + 2 * GET.length)
  for (const left of [2, 1, 0]) {
    await answer()
    await holds(left * GET.length)
  }
})

test('An answer counts as held as far as it is not read', async () => {
  const { client, count, holds, answer } = await startCounted()
  client.pause()
  client.write(GET)
  await answer('a'.repeat(20_000_000))
  await expect.poll(count).toBeGreaterThan(8_000_000)
  client.resume()
  await holds(0)
})

test('The connections that hold most go, until the others hold no more than they may', () => {
  const connection = (mebibytes: number) => ({
    mebibytes,
    held: { add: () => {}, remove: () => {}, count: () => mebibytes * 1024 * 1024 },
  })
  const gone = (...mebibytes: number[]) => tooHeavy(mebibytes.map(connection)).map(({ mebibytes }) => mebibytes)
  expect(MAX_HELD_BYTES).toBe(32 * 1024 * 1024)
  expect(gone()).toEqual([])
  expect(gone(31, 1)).toEqual([])
  expect([gone(31, 2), gone(1, 20, 15, 16), gone(1, 20, 17, 16)]).toEqual([[31], [20], [20, 17]])
})

test('Heads that never end are closed, over TLS too, with one warning, and other calls go on', async () => {
  const warnings: string[] = []
  const sandbox = await createSandbox({ https: true, onWarning: (message) => warnings.push(message) })
  onTestFinished(() => sandbox.close())
  const port = Number(new URL(sandbox.url).port)
  const open = async (head: string) => {
    const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false })
    onTestFinished(() => void socket.destroy())
    socket.on('error', () => {})
    await once(socket, 'secureConnect')
    socket.write(head)
    return socket
  }
  const waiting = await open('GET /_sandbox/flows?wait=60 HTTP/1.1\r\nHost: localhost\r\n\r\n')
  const large: Socket[] = []
  while (large.length < 400) large.push(await open(`GET / HTTP/1.1\r\nX-Large: ${'x'.repeat(90_000)}`))
  const held = () => large.filter(({ destroyed }) => !destroyed).length * 90_000
  await vi.waitFor(() => expect(held()).toBeLessThanOrEqual(MAX_HELD_BYTES), 10_000)
  expect(held()).toBeGreaterThan(MAX_HELD_BYTES / 2)
  expect(waiting.destroyed).toBe(false)
  expect(warnings.filter((warning) => warning.startsWith('connections hold'))).toHaveLength(1)
  expect(await sandbox.flows.list()).toEqual([])
}, 60_000)
