import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { createServerWith, listen } from '../../../../src/server/listen.ts'
import { exchangeRaw } from '../../../support/raw-exchange.ts'
import { shareSandbox } from '../../../support/sandbox.ts'

const sandbox = await shareSandbox()
const byTls = await shareSandbox({ https: true })

const HOST = 'Host: localhost\r\n'
const POST = `POST /v1/oidc/create/par HTTP/1.1\r\n${HOST}`
const CHUNKED = `${POST}Transfer-Encoding: chunked\r\n\r\n`

/** Bytes that Node's parser refuses, with the answer's status and a word of its help. */
const REFUSED: readonly (readonly [what: string, bytes: string, status: number, help: string])[] = [
  [
    'a TLS handshake',
    '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
    400,
    'this port speaks http; call it by http://',
  ],
  ['a request by HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400, 'a request by HTTP/2 came'],
  ['bytes that are no request', 'hello\r\n\r\n', 400, 'begin the request with a method and a path'],
  ['an invented method', `BREW / HTTP/1.1\r\n${HOST}\r\n`, 400, 'HPE_INVALID_METHOD'],
  ['a blank in the path', `GET /a b HTTP/1.1\r\n${HOST}\r\n`, 400, 'percent-encode blanks'],
  [
    'a control character in the path',
    `GET /\x01 HTTP/1.1\r\n${HOST}\r\n`,
    400,
    'percent-encode blanks, control characters',
  ],
  ['a path beyond ASCII', `GET /\xe4 HTTP/1.1\r\n${HOST}\r\n`, 400, 'non-ASCII characters'],
  [
    'another version of HTTP',
    `GET / HTTP/3.7\r\n${HOST}\r\n`,
    400,
    'end the request line with \\"HTTP/1.1\\"',
  ],
  [
    'a blank in the name of a header',
    `GET / HTTP/1.1\r\n${HOST}a b: c\r\n\r\n`,
    400,
    'header names of letters',
  ],
  [
    'a control character in a header',
    `GET / HTTP/1.1\r\n${HOST}a: \x01\r\n\r\n`,
    400,
    'without control characters',
  ],
  [
    'two lengths',
    `${POST}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`,
    400,
    'send either one Content-Length',
  ],
  [
    'a length that is no number',
    `${POST}Content-Length: x\r\n\r\n`,
    400,
    'send either one Content-Length, in digits',
  ],
  [
    'a chunk without a length',
    `${CHUNKED}zz\r\n`,
    400,
    'begin each chunk with its length in hexadecimal digits',
  ],
  [
    'long extensions of chunks',
    `${CHUNKED}1;${'a'.repeat(20_000)}\r\n`,
    413,
    'send chunks without extensions',
  ],
  [
    'a long query',
    `GET /?${'a'.repeat(120_000)} HTTP/1.1\r\n${HOST}\r\n`,
    431,
    'more than 96 KiB together',
  ],
  [
    'a long header',
    `GET / HTTP/1.1\r\n${HOST}a: ${'a'.repeat(1_200_000)}\r\n\r\n`,
    431,
    'more than 96 KiB together',
  ],
  [
    'CONNECT',
    'CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n',
    405,
    'the sandbox is no proxy',
  ],
]

test.each(REFUSED)(
  'The answer to %s says what came and what to do',
  async (_what, bytes, status, help) => {
    const answer = await exchangeRaw(sandbox.url, bytes)
    expect(answer.status).toBe(status)
    expect(answer.body).toContain(help)
    expect(JSON.parse(answer.body)).toMatchObject({ error: 'invalid_request', findings: [] })
    expect(answer.headers).toMatchObject({
      'x-agekey-sandbox': 'testing-only',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      'content-type': 'application/json; charset=utf-8',
      connection: 'close',
    })
  },
)

test('By https the parser is answered for as by http', async () => {
  const answer = await exchangeRaw(byTls.url, 'hello\r\n\r\n')
  expect(answer.status).toBe(400)
  expect(answer.headers['x-agekey-sandbox']).toBe('testing-only')
})

test('A request without TLS to the port of https is told so', async () => {
  const answer = await exchangeRaw(
    byTls.url.replace('https:', 'http:'),
    `GET / HTTP/1.1\r\n${HOST}\r\n`,
  )
  expect(answer.status).toBe(400)
  expect(answer.body).toContain('this port speaks https; call it by https://')
  expect(answer.headers['x-agekey-sandbox']).toBe('testing-only')
})

test('A request whose client stops in its middle is told so', async () => {
  const answer = await exchangeRaw(sandbox.url, `${POST}Content-Length: 10\r\n\r\nhalf`, {
    ending: 'end',
  })
  expect(answer.status).toBe(400)
  expect(answer.body).toContain('send all of the request before you close the connection')
})

test('Requests beyond the number that a connection may carry are refused with the common headers', async () => {
  const answer = await exchangeRaw(
    sandbox.url,
    `GET /_sandbox/health HTTP/1.1\r\n${HOST}\r\n`.repeat(1_001),
  )
  const last = answer.body.slice(answer.body.lastIndexOf('HTTP/1.1 503 '))
  expect(last).toMatch(/^X-AgeKey-Sandbox: testing-only\r$/m)
  expect(last).toMatch(/^Connection: close\r$/m)
})

/** A server that answers each request by `respond`, with short times. */
async function serve(respond: (url: string | undefined, response: ServerResponse) => void) {
  const times = { headersTimeout: 300, requestTimeout: 300, connectionsCheckingInterval: 50 }
  const server = await createServerWith(undefined, times)
  onTestFinished(() => void server.close())
  server.on('request', ({ url }, response) => respond(url, response))
  await listen(server, 0, '127.0.0.1')
  const { port } = server.address() as AddressInfo
  return () => connect(port, '127.0.0.1')
}

test('A request that arrives too slowly is told how long it may take', async () => {
  const socket = (await serve(() => {}))()
  socket.write(`GET / HTTP/1.1\r\n${HOST}`)
  const answer = await text(socket)
  expect(answer).toMatch(/^HTTP\/1\.1 408 /)
  expect(answer).toContain('its head may take 0.3 seconds')
  expect(answer).toContain('X-AgeKey-Sandbox: testing-only')
})

test('Nothing is written into an answer that was begun', async () => {
  const socket = (
    await serve((_url, response) => {
      response.writeHead(200, { 'Content-Length': 100 })
      response.write('begun')
    })
  )()
  socket.write(`GET / HTTP/1.1\r\n${HOST}\r\n`)
  const [begun] = await once(socket, 'data')
  socket.write('hello\r\n\r\n')
  const rest = await text(socket)
  expect(String(begun) + rest).toMatch(/^HTTP\/1\.1 200 /)
  expect(String(begun) + rest).not.toContain('400')
})

test('A connection whose last answer has ended is answered for what cannot be read', async () => {
  const socket = (await serve((_url, response) => response.end('ended')))()
  socket.write(`GET / HTTP/1.1\r\n${HOST}\r\n`)
  await once(socket, 'data')
  socket.write('hello\r\n\r\n')
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 /)
})
