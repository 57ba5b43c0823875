import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { answerUnreadableRequests } from '../../src/http/refusals/client-error.ts'
import { createServerWith, listen } from '../../src/server/listen.ts'

test('A server goes on after connections that could not be accepted', async () => {
  const server = await createServerWith(undefined, {})
  onTestFinished(() => void server.close())
  await listen(server, 0, '127.0.0.1')
  for (let n = 0; n < 3; n++) server.emit('error', Object.assign(new Error('accept EMFILE'), { code: 'EMFILE' }))
  expect(server.listening).toBe(true)
})

test('A body that arrives too slowly is answered with 408, and an answer may take longer than a request', async () => {
  const server = await createServerWith(undefined, { arrivalSeconds: 1 })
  onTestFinished(() => void server.close())
  answerUnreadableRequests(server, { maxHeaderBytes: 1 })
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
  expect(await text(slow)).toMatch(/^HTTP\/1\.1 408 .*did not arrive within 1 seconds: send its headers and its body/s)
  expect(await text(prompt)).toMatch(/^HTTP\/1\.1 200 .*answered/s)
})

test('A request has a minute to arrive, whatever Node would allow', async () => {
  const server = await createServerWith(undefined, {})
  expect([server.requestTimeout, server.headersTimeout]).toEqual([60_000, 60_000])
})

test('A connection that waits for its next call is kept longer than a busy client takes to use it', async () => {
  const server = await createServerWith(undefined, {})
  expect(server.keepAliveTimeout).toBeGreaterThan(60_000)
})
