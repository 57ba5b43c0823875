import { describe, expect, test } from 'vitest'
import { readError } from '../support/error-body.ts'
import { exchangeRaw } from '../support/raw-exchange.ts'
import { startSandbox } from '../support/sandbox.ts'

test('A body that is too large is refused with its size and the limit', async () => {
  const { request } = await startSandbox()
  const answer = await request
    .post('/v1/oidc/create/par')
    .type('form')
    .send(`state=${'x'.repeat(70_000)}`)
    .expect(413)
  expect(readError(answer).error_description).toBe(
    'the body has 70006 bytes, and 65536 are read at most: send fewer or shorter values',
  )
})

test('A body that is compressed is refused with its encoding', async () => {
  const { request } = await startSandbox()
  const call = request.post('/v1/oidc/create/par').type('form').set('Content-Encoding', 'gzip')
  expect(readError(await call.send('state=x').expect(415)).error_description).toBe(
    'Content-Encoding gzip is not read: send the body without it',
  )
})

/** A request for E2 that is of this machine; what follows its headers is up to the test. */
const head = (headers: string, target = 'POST /v1/oidc/create/par') =>
  `${target} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n${headers}\r\n\r\n`
const CHUNK = `10000\r\n${'x'.repeat(65_536)}\r\n`

describe('A body that is too large', () => {
  test.each(['POST /v1/oidc/create/par', 'GET /v1/oidc/use', 'PUT /_sandbox/tenants/a', 'POST /nowhere', 'TRACE /'])(
    'is refused at %s before it is sent, and the connection ends',
    async (target) => {
      const { url } = await startSandbox()
      const { status, headers, body } = await exchangeRaw(url, head('Content-Length: 65537', target))
      expect([status, headers['connection']]).toEqual([413, 'close'])
      expect(headers['x-agekey-sandbox']).toBe('testing-only')
      expect(JSON.parse(body)).toMatchObject({
        error: 'invalid_request',
        error_description: expect.stringContaining('the body has 65537 bytes, and 65536 are read at most'),
      })
    },
  )

  test('is not asked for by 100 Continue', async () => {
    const { url } = await startSandbox()
    const answer = await exchangeRaw(url, head('Expect: 100-continue\r\nContent-Length: 65537'))
    expect(answer.status).toBe(413)
  })

  test.each(['POST /v1/oidc/create/par', 'GET /v1/oidc/use'])(
    'and has no length is refused at %s where it exceeds the limit, though it never ends',
    async (target) => {
      const { url } = await startSandbox()
      const { status, headers, body } = await exchangeRaw(
        url,
        `${head('Transfer-Encoding: chunked', target)}${CHUNK}1\r\nx\r\n`,
      )
      expect([status, headers['connection']]).toEqual([413, 'close'])
      expect(body).toContain('the body has more than 65536 bytes')
    },
  )

  test('is refused before its content type is looked at', async () => {
    const { request } = await startSandbox()
    await request.post('/v1/oidc/create/par').type('text/plain').send('x'.repeat(65_537)).expect(413)
    await request.post('/v1/oidc/create/par').type('text/plain').send('x'.repeat(65_536)).expect(415)
  })

  test('is refused in words that its sender can read while it still sends', async () => {
    const { url } = await startSandbox()
    const answer = await fetch(`${url}/v1/oidc/create/par`, { method: 'POST', body: 'x'.repeat(20_000_000) })
    expect([answer.status, (await answer.json())['error']]).toEqual([413, 'invalid_request'])
  })
})

describe('A body of permitted size', () => {
  test('is asked for by 100 Continue', async () => {
    const { url } = await startSandbox()
    const request = head('Expect: 100-continue\r\nConnection: close\r\nContent-Length: 3')
    const { status, body } = await exchangeRaw(url, `${request}a=b`)
    expect(status).toBe(100)
    expect(body).toContain('HTTP/1.1 401')
  })

  test('is read whole when it comes in chunks', async () => {
    const { url } = await startSandbox()
    const { status } = await exchangeRaw(
      url,
      `${head('Transfer-Encoding: chunked\r\nConnection: close')}${CHUNK}0\r\n\r\n`,
    )
    expect(status).toBe(401)
  })

  test('leaves the connection open for the next request, and so does the one of a GET', async () => {
    const { url } = await startSandbox()
    const requests = [
      `${head('Content-Length: 3')}a=b`,
      `${head('Content-Length: 3', 'GET /_sandbox/health')}a=b`,
      head('Connection: close', 'GET /_sandbox/health'),
    ]
    const { status, body } = await exchangeRaw(url, requests.join(''))
    expect([status, body.match(/HTTP\/1\.1 200/g)]).toEqual([401, ['HTTP/1.1 200', 'HTTP/1.1 200']])
  })
})
