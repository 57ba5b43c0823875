import { expect, test } from 'vitest'
import { createRemoteTransport } from '../../../src/server/client/remote-transport.ts'
import { startWebApp } from '../../support/web-app.ts'

/**
 * A transport to a server that gives every call the same answer, and the requests to that server.
 */
async function answering(status: number, body: string) {
  const { url, requests } = await startWebApp((_request, response) =>
    response.writeHead(status).end(body),
  )
  return {
    ...createRemoteTransport({ baseUrl: `${url}/base`, token: 'not-a-real-token' }),
    requests,
  }
}

test('A call of the control API is sent to the path of its operation', async () => {
  const { call, requests } = await answering(200, '{"flows":[],"last_ended":"f0"}')
  const query = { state: 'a b', persona: undefined, wait: 2 }
  expect(await call('listFlows', { query })).toEqual({ flows: [], last_ended: 'f0' })
  const headers = expect.objectContaining({ authorization: 'Bearer not-a-real-token' })
  expect(requests).toEqual([
    { method: 'GET', path: '/base/_sandbox/flows?state=a+b&wait=2', headers, body: '' },
  ])
})

test('A name in the path of a call of the control API is escaped', async () => {
  const { call, requests } = await answering(204, '')
  await call('deletePersona', { params: { name: 'a/b' } })
  expect(requests).toMatchObject([{ path: '/base/_sandbox/personas/a%2Fb' }])
})

test('An answer that the contract does not know rejects with the difference', async () => {
  const { call } = await answering(200, '{"now":"2026-01-01T00:00:00.000Z","base":5}')
  const difference = /^getClock: the answer is not the one .* base: expected a text, found 5/
  await expect(call('getClock', {})).rejects.toThrow(difference)
})

test('A page of a proxy rejects with its status', async () => {
  const proxy = await answering(502, '<h1>Bad gateway</h1>')
  const rejection = {
    message: 'the sandbox answered 502',
    status: 502,
    error: 'server_error',
    suggestions: [],
  }
  await expect(proxy.call('getClock', {})).rejects.toMatchObject({
    name: 'SandboxError',
    ...rejection,
  })
})
