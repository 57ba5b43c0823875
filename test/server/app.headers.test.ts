import { expect, test } from 'vitest'
import { exchangeRaw } from '../support/raw-exchange.ts'
import { shareSandbox } from '../support/sandbox.ts'

const sandbox = await shareSandbox()
const byTls = await shareSandbox({ https: true })

const CALLS = [
  { count: 2_000, scheme: 'http' },
  { count: 5_000, scheme: 'http' },
  { count: 20_000, scheme: 'http' },
  { count: 2_000, scheme: 'https' },
  { count: 5_000, scheme: 'https' },
] as const

/** A control call whose last headers are `last`, behind `count` short ones. */
const control = (url: string, count: number, last = '') =>
  exchangeRaw(
    url,
    `GET /_sandbox/flows HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${'a:\r\n'.repeat(count)}${last}\r\n`,
  )

test.each(CALLS)(
  'A proxied call with $count short headers before its X-Forwarded-For stays refused by $scheme',
  async (call) => {
    const { url } = call.scheme === 'http' ? sandbox : byTls
    const refused = await control(url, call.count, 'X-Forwarded-For: 203.0.113.9\r\n')
    expect(refused.status).toBe(403)
    expect(refused.body).toContain('203.0.113.9')
  },
)

test('A call of this machine with 20,000 short headers is served', async () => {
  expect((await control(sandbox.url, 20_000)).status).toBe(200)
})

test('An X-Forwarded-For among the trailers of a body changes nothing', async () => {
  const head =
    'POST /_sandbox/clock HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\n'
  const body = '{"advance":7}'
  const chunks = `${body.length.toString(16)}\r\n${body}\r\n0\r\n${'a:\r\n'.repeat(3_000)}X-Forwarded-For: 203.0.113.9\r\n\r\n`
  const { status } = await exchangeRaw(
    sandbox.url,
    `${head}Transfer-Encoding: chunked\r\nTrailer: x\r\n\r\n${chunks}`,
  )
  expect(status).toBe(200)
})
