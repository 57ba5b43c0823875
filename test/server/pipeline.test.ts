import { expect, test } from 'vitest'
import { MAX_PIPELINED } from '../../src/server/pipeline.ts'
import { exchangeRaw } from '../support/raw-exchange.ts'
import { startSandbox } from '../support/sandbox.ts'

const get = (headers = '') => `GET /_sandbox/health HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`
const sendAhead = async (url: string, requests: number) => {
  const { status, body } = await exchangeRaw(url, get().repeat(requests - 1) + get('Connection: close\r\n'))
  return [status, body.match(/HTTP\/1\.1 200/g)?.length]
}

test('A connection may send 10 requests ahead of their answers, and more of them close it', async () => {
  const { url } = await startSandbox()
  expect(await sendAhead(url, MAX_PIPELINED)).toEqual([200, MAX_PIPELINED - 1])
  expect(await sendAhead(url, MAX_PIPELINED + 1)).toEqual([0, undefined])
})

test('A connection may send any number of requests after their answers', async () => {
  const { request } = await startSandbox()
  for (let n = 0; n < 3 * MAX_PIPELINED; n++) {
    await request.get('/_sandbox/health').set('Connection', 'keep-alive').expect(200)
  }
})

test('A request begins when the one before it on the connection has its answer', async () => {
  const { url, request } = await startSandbox()
  const waits = 'GET /_sandbox/flows?wait=1 HTTP/1.1\r\nHost: localhost\r\n\r\n'
  const follows =
    'PUT /_sandbox/tenants/late HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}'
  const answers = exchangeRaw(url, waits + follows)
  await new Promise((resolve) => setTimeout(resolve, 300))
  await request.get('/_sandbox/tenants/late').expect(404)
  expect((await answers).body).toContain('HTTP/1.1 201')
  await request.get('/_sandbox/tenants/late').expect(200)
})
