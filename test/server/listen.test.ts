import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createServerWith, listen } from '../../src/server/listen.ts'

test('A server goes on after connections that could not be accepted', async () => {
  const server = await createServerWith(undefined)
  onTestFinished(() => void server.close())
  await listen(server, 0, '127.0.0.1')
  for (let n = 0; n < 3; n++) server.emit('error', Object.assign(new Error('accept EMFILE'), { code: 'EMFILE' }))
  expect(server.listening).toBe(true)
})

test('A body that arrives too slowly is answered with 408, and an answer may take longer than a request', async () => {
  const server = await createServerWith(undefined, {
    headersTimeout: 1_000,
    requestTimeout: 1_000,
    connectionsCheckingInterval: 100,
  })
  onTestFinished(() => void server.close())
  await listen(server, 0, '127.0.0.1')
  const { port } = server.address() as AddressInfo
  const send = (head: string) => {
    const socket = connect(port, '127.0.0.1')
    socket.write(`${head}\r\nHost: localhost\r\nConnection: close\r\n`)
    return socket
  }
  const slow = send('POST / HTTP/1.1')
  slow.write('Content-Length: 10\r\n\r\nhalf')
  const prompt = send('GET /waits HTTP/1.1')
  prompt.write('\r\n')
  server.on('request', ({ url }, response) => {
    if (url === '/waits') slow.once('close', () => response.end('answered'))
  })
  expect(await text(slow)).toMatch(/^HTTP\/1\.1 408 /)
  expect(await text(prompt)).toMatch(/^HTTP\/1\.1 200 .*answered/s)
})

test('A request has a minute to arrive, and its head twenty seconds, whatever Node would allow', async () => {
  const server = await createServerWith(undefined)
  expect([server.requestTimeout, server.headersTimeout]).toEqual([60_000, 20_000])
  // A connection that waits for its next call is kept longer than a busy client takes to use it.
  expect(server.keepAliveTimeout).toBeGreaterThan(60_000)
})

test('Three thousand connections that say nothing leave a sandbox that answers when they are gone', async () => {
  const server = await createServerWith(undefined)
  onTestFinished(() => void server.close())
  server.on('request', (_request, response) => response.end('answered'))
  await listen(server, 0, '127.0.0.1')
  const { port } = server.address() as AddressInfo
  const sockets = Array.from({ length: 3_000 }, () => connect(port, '127.0.0.1').on('error', () => {}))
  await Promise.all(sockets.slice(0, 100).map((socket) => once(socket, 'connect')))
  for (const socket of sockets) socket.destroy()
  await vi.waitFor(async () => expect(await (await fetch(`http://127.0.0.1:${port}`)).text()).toBe('answered'), 5_000)
}, 30_000)
