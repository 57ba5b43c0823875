import { expect, test } from 'vitest'
import { MAX_PIPELINED } from '../../src/server/pipeline.ts'
import { exchangeRaw } from '../support/raw-exchange.ts'
import { createRelyingParty } from '../support/relying-party.ts'
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
  for (let n = 0; n < 3 * MAX_PIPELINED; n++)
    await request.get('/_sandbox/health').set('Connection', 'keep-alive').expect(200)
})

test('A request begins when the one before it on the connection has its answer', async () => {
  const sandbox = await startSandbox()
  const waits = 'GET /_sandbox/flows?wait=60 HTTP/1.1\r\nHost: localhost\r\n\r\n'
  const json = 'Host: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}'
  const answers = exchangeRaw(sandbox.url, `${waits}PUT /_sandbox/tenants/late HTTP/1.1\r\n${json}`)
  const late = () => sandbox.request.get('/_sandbox/tenants/late')
  for (let n = 0; n < 5; n++) await late().expect(404)
  await createRelyingParty(sandbox).use()
  expect((await answers).body).toContain('HTTP/1.1 201')
  await late().expect(200)
})
