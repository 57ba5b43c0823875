import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test, vi } from 'vitest'
import { close, createServerWith, listen, listenProblem } from '../../src/server/listen.ts'

test('A server goes on after connections that could not be accepted', async () => {
  const server = await createServerWith(undefined)
  onTestFinished(() => void server.close())
  await listen(server, 0, '127.0.0.1')
  for (let n = 0; n < 3; n++)
    server.emit('error', Object.assign(new Error('accept EMFILE'), { code: 'EMFILE' }))
  expect(server.listening).toBe(true)
})

test('A body that arrives too slowly is answered with 408', async () => {
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

test('A request has a minute to arrive', async () => {
  const server = await createServerWith(undefined)
  expect(server.requestTimeout).toBe(60_000)
  expect(server.headersTimeout).toBe(20_000)
  // A connection that waits for its next call is kept longer than a busy client takes to use it.
  expect(server.keepAliveTimeout).toBeGreaterThan(60_000)
})

test('Three thousand connections that say nothing leave a sandbox that answers when they are gone', async () => {
  const server = await createServerWith(undefined)
  onTestFinished(() => void server.close())
  server.on('request', (_request, response) => response.end('answered'))
  await listen(server, 0, '127.0.0.1')
  const { port } = server.address() as AddressInfo
  const sockets = Array.from({ length: 3_000 }, () =>
    connect(port, '127.0.0.1').on('error', () => {}),
  )
  await Promise.all(sockets.slice(0, 100).map((socket) => once(socket, 'connect')))
  for (const socket of sockets) socket.destroy()
  await vi.waitFor(
    async () => expect(await (await fetch(`http://127.0.0.1:${port}`)).text()).toBe('answered'),
    5_000,
  )
}, 30_000)

/** An error of the system, as `listen` gives it. */
const systemError = (code: string) =>
  Object.assign(new Error(`listen ${code}: said by the system`), { code })
const problemOf = (code: string, port: number, freePort?: number) =>
  listenProblem(systemError(code), { port, host: '127.0.0.1', freePort })

test.each([1024, 2435, 51_121, 65_535])(
  'The system reserves port %d, so a free port is offered',
  (port) => {
    expect(problemOf('EACCES', port, 40_123)).toBe(
      `port ${port} may not be opened: the system reserves it (on Windows "netsh interface ipv4 show excludedportrange protocol=tcp" lists what is reserved); choose 40123, which is free now, by the option port, or 0 for a free one`,
    )
  },
)

test('A reserved port where no other port can be found asks for another one', () => {
  expect(problemOf('EACCES', 2435)).toMatch(
    /; choose another one by the option port, or 0 for a free one$/,
  )
})

test.each([1, 80, 443, 1023])(
  'Port %d is for the administrator, so a port above 1023 is asked for',
  (port) => {
    expect(problemOf('EACCES', port)).toBe(
      `port ${port} may not be opened; choose one above 1023 by the option port. Linux and macOS keep the ports below for root, Linux also for CAP_NET_BIND_SERVICE`,
    )
  },
)

test.each([80, 51_121])('Port %d that is in use is no reserved port', (port) => {
  expect(problemOf('EADDRINUSE', port)).toBe(
    `port ${port} is in use on 127.0.0.1; choose another one by the option port, or 0 for a free one`,
  )
})

test.each(['ENOTFOUND', 'EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EAI_AGAIN'])(
  '%s says that the host is wrong',
  (code) => {
    expect(problemOf(code, 2435)).toMatch(
      /^host: "127\.0\.0\.1" is no address of this machine; give 127\.0\.0\.1 /,
    )
  },
)

test('A program that may open no port is told where to allow it', () => {
  expect(problemOf('EPERM', 2435)).toMatch(
    /^cannot listen on 127\.0\.0\.1:2435: .*\(EPERM\); allow it in the sandbox of/,
  )
})

test('Any other error of the system is named as it came', () => {
  expect(problemOf('EMFILE', 2435)).toBe(
    'cannot listen on 127.0.0.1:2435: listen EMFILE: said by the system',
  )
})

test('The port that is offered for a reserved one can be opened', async () => {
  const reserved = await createServerWith(undefined)
  reserved.listen = () => {
    reserved.emit('error', systemError('EACCES'))
    return reserved
  }
  const said = await listen(reserved, 2435, '127.0.0.1').catch(String)
  const [, port] = /choose (\d+), which is free now,/.exec(String(said)) ?? []
  const server = await createServerWith(undefined)
  await listen(server, Number(port), '127.0.0.1')
  expect(server.listening).toBe(true)
  await close(server)
})
