import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createHttpAgent } from '../../../src/audit/agent/http-agent.ts'
import { generateCertificate } from '../../../src/server/tls/self-signed.ts'
import { visit } from '../../support/visit.ts'
import { page, redirectTo, startWebApp } from '../../support/web-app.ts'

const MEBIBYTE = 1024 * 1024

/** A raw server: it acts when the first bytes of a request have come. */
async function startRawServer(answer: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => {}).once('data', () => answer(socket))
    onTestFinished(() => void socket.destroy())
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test.each([
  ['does not run', 'http://localhost:9', 'nothing answers there'],
  ['has an unknown host name', 'http://nothing-here.test', 'its host name is not known'],
])('An app that %s is unreachable', async (_what, url, why) => {
  const hops = [expect.objectContaining({ party: 'app', status: 0 })]
  const problem = `${url} cannot be reached: ${why}`
  expect(await visit(url)).toEqual({
    end: 'unreachable',
    url: `${url}/`,
    problem,
    hops,
    page: undefined,
  })
})

test('An app that is named below localhost is on this machine', async () => {
  const app = await startWebApp(page('here'))
  expect(await visit(app.url.replace('127.0.0.1', 'shop.localhost'))).toMatchObject({ end: 'page' })
  await app.allClosed()
})

const dropped = (status: number, problem: RegExp, page: unknown = undefined) => ({
  end: 'dropped',
  problem: expect.stringMatching(problem),
  hops: [{ status }],
  page,
})
const CLOSED = /^http:\/\/127.0.0.1:\d+ closed the connection /
const REDIRECT =
  'HTTP/1.1 302 Found\r\nLocation: http://elsewhere.test/\r\nContent-Length: 9\r\n\r\n'
const LONG = REDIRECT.replace('elsewhere.test/', `elsewhere.test/?${'x'.repeat(200 * 1024)}`)
const IN_A_CHUNK = 'HTTP/1.1 500 No\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nWelc\r\n'
const UPGRADE = 'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'
const ENDLESS_HEADERS = `HTTP/1.1 200 OK\r\nX-Long: ${'x'.repeat(300 * 1024)}`

test.each<readonly [string, string, object]>([
  [
    'closes the connection without an answer',
    '',
    dropped(0, /closed the connection without an answer$/),
  ],
  ['dies in its headers', 'HTTP/1.1 200 OK\r\nContent-', dropped(0, CLOSED)],
  [
    'dies in its body',
    'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nWelc',
    dropped(200, CLOSED, { text: 'Welc' }),
  ],
  ['dies in a chunk', IN_A_CHUNK, dropped(500, CLOSED, { text: 'Welc' })],
  [
    'dies after a redirect',
    REDIRECT,
    { end: 'elsewhere', url: 'http://elsewhere.test/', hops: [{ status: 302 }] },
  ],
  ['redirects to an address of 200 KB', LONG, { end: 'elsewhere', hops: [{ status: 302 }] }],
  [
    'speaks another protocol',
    'SSH-2.0-OpenSSH_9.6\r\n',
    dropped(0, /be read: Parse Error: Expected HTTP/),
  ],
  [
    'sends headers without end',
    ENDLESS_HEADERS,
    dropped(0, /cannot be read: Parse Error: Header overflow/),
  ],
  ['changes to another protocol', UPGRADE, { end: 'dropped' }],
])('An app that %s ends the visit', async (_what, bytes, expected) => {
  expect(await visit(await startRawServer((socket) => socket.end(bytes)))).toMatchObject(expected)
})

test('An app that resets the connection after an answer without a length has answered', async () => {
  const url = await startRawServer((socket) =>
    socket.write('HTTP/1.1 431 Too Large\r\nConnection: close\r\n\r\n', () =>
      socket.resetAndDestroy(),
    ),
  )
  expect(await visit(url)).toMatchObject({ end: 'page', page: { status: 431 } })
})

test('An app that never answers is left when the time of the visit is up', async () => {
  const over = new AbortController()
  const app = await startWebApp(() => over.abort())
  const { end, problem, page: shown } = await visit(app.url, { signal: over.signal })
  expect(end).toBe('timed_out')
  expect(problem).toBe(`${app.url} did not answer in time`)
  expect(shown).toBeUndefined()
  await app.allClosed()
})

test.each(['', 'Content-Length: 99\r\n', 'Transfer-Encoding: chunked\r\n'])(
  'An app that never ends its page (%j) is left when the time is up, and what came is kept',
  async (header) => {
    const url = await startRawServer((socket) =>
      socket.write(`HTTP/1.1 200 OK\r\n${header}\r\n4\r\nWelc\r\n`),
    )
    const over = new AbortController()
    const abort = () => setImmediate(() => over.abort())
    subscribe('http.client.response.finish', abort)
    onTestFinished(() => void unsubscribe('http.client.response.finish', abort))
    const { end, hops, page: shown } = await visit(url, { signal: over.signal })
    expect(end).toBe('timed_out')
    expect(hops[0]?.status).toBe(200)
    expect(shown?.text).toContain('Welc')
  },
)

test('A page without end is read up to the first megabyte', async () => {
  const app = await startWebApp((_request, response) => response.write('x'.repeat(2 * MEBIBYTE)))
  const { end, page: shown } = await visit(app.url)
  expect(end).toBe('page')
  expect(shown?.text.length).toEqual(MEBIBYTE)
  await app.allClosed()
})

test('An app on https is visited with a certificate that is given', async () => {
  const { key, cert } = await generateCertificate(['localhost'], Date.now())
  const server = createHttpsServer({ key, cert }, (_request, response) =>
    response.end('safe'),
  ).listen(0, 'localhost')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const url = `https://localhost:${(server.address() as AddressInfo).port}`
  const browser = createHttpAgent({ ca: cert }).newBrowser()
  expect(await visit(url, { browser })).toMatchObject({ end: 'page', page: { text: 'safe' } })
})

test('An app on https is not visited without its certificate', async () => {
  const { key, cert } = await generateCertificate(['localhost'], Date.now())
  const server = createHttpsServer({ key, cert }, (_request, response) =>
    response.end('safe'),
  ).listen(0, 'localhost')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const url = `https://localhost:${(server.address() as AddressInfo).port}`
  // Node 24 goes on with a hint.
  const problem = expect.stringContaining(`${url} cannot be reached: self-signed certificate`)
  expect(await visit(url)).toMatchObject({ end: 'unreachable', problem })
})

test('An app without TLS is not visited by https', async () => {
  const plain = (await startWebApp(page(''))).url.replace('http:', 'https:')
  const noTls = `${plain} cannot be reached: it does not speak TLS`
  expect(await visit(plain)).toMatchObject({ end: 'unreachable', problem: noTls })
})

test('A sandbox is not reached when the time is up before the decision comes, or before it is asked for', async () => {
  const over = new AbortController()
  const sandbox = await startWebApp(page(''))
  const app = await startWebApp(redirectTo(`${sandbox.url}/v1/oidc/use`))
  const decide = () => {
    over.abort()
    return new Promise<'stop'>(() => {})
  }
  const { end, hops } = await visit(app.url, {
    sandboxUrl: sandbox.url,
    signal: over.signal,
    decide,
  })
  expect(end).toBe('timed_out')
  expect(hops).toHaveLength(1)
  expect(sandbox.requests).toEqual([])
  const early = visit('http://sandbox.test/v1/oidc/use', {
    signal: over.signal,
    decide: () => Promise.reject(),
  })
  expect(await early).toMatchObject({ end: 'timed_out', hops: [] })
})

test('A persona with a line break cannot be sent to a sandbox', async () => {
  const decide = async () => ({ persona: 'adult\npassport' })
  const problem = expect.stringContaining('Invalid character in header content')
  expect(await visit('http://sandbox.test/v1/oidc/use', { decide })).toMatchObject({
    end: 'unreachable',
    problem,
  })
})
