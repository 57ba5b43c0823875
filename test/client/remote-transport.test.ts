import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createRemoteTransport } from '../../src/client/remote-transport.ts'

/** A server that gives every call the same answer, and a transport that calls it. */
async function answering(status: number, body: string) {
  const requests: IncomingMessage[] = []
  const server = createServer((request, response) => {
    requests.push(request)
    response.writeHead(status).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const transport = createRemoteTransport({ baseUrl: `http://127.0.0.1:${port}/base`, token: 'not-a-real-token' })
  return { ...transport, requests }
}

test('A call of the control API is sent to the path of its operation, with the query that is given and the token', async () => {
  const { call, requests } = await answering(200, '{"flows":[],"last_ended":"f0"}')
  expect(await call('listFlows', { query: { state: 'a b', persona: undefined, wait: 2 } })).toEqual({
    flows: [],
    last_ended: 'f0',
  })
  const [request] = requests
  expect([request?.method, request?.url]).toEqual(['GET', '/base/_sandbox/flows?state=a+b&wait=2'])
  expect(request?.headers.authorization).toBe('Bearer not-a-real-token')
})

test('The id of the flow that ended last is asked for at once, over HTTP', async () => {
  const { lastEnded, requests } = await answering(200, '{"flows":[],"last_ended":"f7"}')
  expect(await lastEnded()).toBe('f7')
  expect(requests[0]?.url).toBe('/base/_sandbox/flows?since=now')
})

test('A name in the path of a call of the control API is escaped', async () => {
  const { call, requests } = await answering(204, '')
  await call('deletePersona', { params: { name: 'a/b' } })
  expect(requests[0]?.url).toBe('/base/_sandbox/personas/a%2Fb')
})

test('An answer that the contract does not know rejects and says where it differs', async () => {
  const { call } = await answering(200, '{"now":"2026-01-01T00:00:00.000Z","base":5}')
  await expect(call('getClock', {})).rejects.toThrow(
    /^getClock: the answer is not the one .* base: expected a text, found 5/,
  )
})

test('A page of a proxy instead of an answer rejects with its status', async () => {
  const { call } = await answering(502, '<h1>Bad gateway</h1>')
  await expect(call('getClock', {})).rejects.toMatchObject({
    name: 'SandboxError',
    message: 'the sandbox answered 502',
    status: 502,
    error: 'server_error',
    suggestions: [],
  })
})
