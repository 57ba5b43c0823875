import { expect, test } from 'vitest'
import { readError } from '../../support/error-body.ts'
import { exchangeRaw } from '../../support/raw-exchange.ts'
import { shareSandbox } from '../../support/sandbox.ts'

const { request, url } = await shareSandbox()
const PAR = 'POST /v1/oidc/create/par'

/** A request of this machine; what follows its headers is up to the test. */
const head = (headers: string, target = PAR) =>
  `${target} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n${headers}\r\n\r\n`
const CHUNK = `10000\r\n${'x'.repeat(65_536)}\r\n`

test('A body that is too large is refused before its content type is checked', async () => {
  const send = (length: number) =>
    request.post('/v1/oidc/create/par').type('text/plain').send('x'.repeat(length))
  const message =
    'the body has 65537 bytes, and 65536 are read at most: send fewer or shorter values'
  expect(readError(await send(65_537).expect(413)).error_description).toBe(message)
  await send(65_536).expect(415)
})

test('A body that is compressed is refused with its encoding', async () => {
  const call = request.post('/v1/oidc/create/par').type('form').set('Content-Encoding', 'gzip')
  const { error_description: said } = readError(await call.send('state=x').expect(415))
  expect(said).toBe('Content-Encoding gzip is not read: send the body without it')
})

test.each([
  ...[
    PAR,
    'POST /v1/oidc/use/token',
    'POST /v1/svc/upgrade',
    'GET /v1/oidc/use',
    'PUT /_sandbox/tenants/a',
  ],
  ...['POST /nowhere', 'TRACE /'],
])('A body that is too large is refused at %s before it is sent', async (target) => {
  const { status, headers, body } = await exchangeRaw(url, head('Content-Length: 65537', target))
  expect(status).toBe(413)
  expect(headers).toMatchObject({ connection: 'close', 'x-agekey-sandbox': 'testing-only' })
  const error_description = expect.stringContaining(
    'the body has 65537 bytes, and 65536 are read at most',
  )
  expect(JSON.parse(body)).toMatchObject({ error: 'invalid_request', error_description })
})

test.each([PAR, 'GET /v1/oidc/use'])(
  'A body that never ends is refused at %s beyond the limit',
  async (target) => {
    const sent = `${head('Transfer-Encoding: chunked', target)}${CHUNK}1\r\nx\r\n`
    const { status, headers, body } = await exchangeRaw(url, sent)
    expect(status).toBe(413)
    expect(headers['connection']).toBe('close')
    expect(body).toContain('the body has more than 65536 bytes')
  },
)

test('A body that is too large is refused in words that its sender can read while it still sends', async () => {
  const answer = await fetch(`${url}/v1/oidc/create/par`, {
    method: 'POST',
    body: 'x'.repeat(20_000_000),
  })
  expect(answer.status).toBe(413)
  expect((await answer.json())['error']).toBe('invalid_request')
})

test('A body of permitted size is asked for by 100 Continue', async () => {
  const answer = await exchangeRaw(
    url,
    `${head('Expect: 100-continue\r\nConnection: close\r\nContent-Length: 3')}a=b`,
  )
  expect(answer).toMatchObject({ status: 100, body: expect.stringContaining('HTTP/1.1 401') })
})
test('A body that is too large is not asked for by 100 Continue', async () => {
  const refused = await exchangeRaw(url, head('Expect: 100-continue\r\nContent-Length: 65537'))
  expect(refused.status).toBe(413)
})

test('A body of permitted size is read whole when it comes in chunks', async () => {
  const sent = `${head('Transfer-Encoding: chunked\r\nConnection: close')}${CHUNK}0\r\n\r\n`
  expect((await exchangeRaw(url, sent)).status).toBe(401)
})

test('A body of permitted size leaves the connection open for the next request, also that of a GET', async () => {
  const requests = [
    `${head('Content-Length: 3')}a=b`,
    `${head('Content-Length: 3', 'GET /_sandbox/health')}a=b`,
    head('Connection: close', 'GET /_sandbox/health'),
  ]
  const { status, body } = await exchangeRaw(url, requests.join(''))
  expect(status).toBe(401)
  expect(body.match(/HTTP\/1\.1 200/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200'])
})
