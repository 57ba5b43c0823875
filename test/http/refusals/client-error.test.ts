import { expect, test } from 'vitest'
import { exchangeRaw } from '../../support/raw-exchange.ts'
import { shareSandbox } from '../../support/sandbox.ts'

const sandbox = await shareSandbox()
const post = (headers: string, body = '') => `POST /v1/oidc/use/token HTTP/1.1\r\nHost: x\r\n${headers}\r\n\r\n${body}`

test.each([
  ['garbage', 'garbage\r\n\r\n', 400, 'Invalid method'],
  ['a query that is not percent-encoded', 'GET /?\xff HTTP/1.1\r\nHost: x\r\n\r\n', 400, 'url'],
  ['headers above 96 KiB', `GET / HTTP/1.1\r\nX: ${'x'.repeat(98_400)}\r\n\r\n`, 431, '98304 bytes'],
  ['a length that is no number', post('Content-Length: many'), 400, 'Content-Length'],
  ['two lengths', post('Content-Length: 3\r\nTransfer-Encoding: chunked'), 400, 'well-formed'],
  ['a chunk that is none', post('Transfer-Encoding: chunked', 'zz\r\n'), 400, 'chunk size'],
])('HTTP answers %s in JSON that names the problem', async (_name, request, status, hint) => {
  const answer = await exchangeRaw(sandbox.url, request)
  expect(answer.status).toBe(status)
  const headers = { 'x-agekey-sandbox': 'testing-only', 'cache-control': 'no-store', connection: 'close' }
  expect(answer.headers).toMatchObject(headers)
  const error_description = expect.stringContaining(hint)
  expect(JSON.parse(answer.body)).toEqual({ error: 'invalid_request', error_description, findings: [] })
  await sandbox.request.get('/_sandbox/health').expect(200)
})

test('HTTP outlives a caller that goes away in the middle of a request', async () => {
  await exchangeRaw(sandbox.url, post('Content-Length: 100', 'grant_type='), { ending: 'close' })
  await exchangeRaw(sandbox.url, 'GET / HT', { ending: 'close' })
  await sandbox.request.get('/_sandbox/health').expect(200)
})

test('HTTP reads a request line and headers of nearly 96 KiB', async () => {
  const begin = 'GET /.well-known/jwks.json HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX: '
  expect((await exchangeRaw(sandbox.url, `${begin}${'x'.repeat(97_000 - begin.length)}\r\n\r\n`)).status).toBe(200)
})

test('HTTP ignores an unknown expectation', async () => {
  const request = 'GET /_sandbox/health HTTP/1.1\r\nHost: localhost\r\nExpect: wonders\r\nConnection: close\r\n\r\n'
  const answer = await exchangeRaw(sandbox.url, request)
  expect([answer.status, answer.headers['x-agekey-sandbox']]).toEqual([200, 'testing-only'])
})
