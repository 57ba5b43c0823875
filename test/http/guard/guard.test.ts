import { request as httpRequest } from 'node:http'
import { describe, expect, test } from 'vitest'
import { startSandbox } from '../../support/sandbox.ts'

/** A request whose Host header is chosen freely, as `fetch` does not allow. */
function send(url: string, { method = 'GET', headers }: { method?: string; headers: Record<string, string> }) {
  return new Promise<number | undefined>((resolve, reject) => {
    httpRequest(url, { method, headers }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
      .on('error', reject)
      .end()
  })
}

describe('a page of another site cannot drive the sandbox:', () => {
  test.each([
    ['a foreign Origin', { Origin: 'https://evil.example' }],
    ['an Origin of null', { Origin: 'null' }],
    ['another port of this machine', { Origin: 'http://localhost:9' }],
    ['Sec-Fetch-Site cross-site', { 'Sec-Fetch-Site': 'cross-site' }],
    ['Sec-Fetch-Site same-site', { 'Sec-Fetch-Site': 'same-site' }],
  ])('%s is refused', async (_, headers) => {
    const sandbox = await startSandbox()
    await sandbox.clock.advance(5)
    const { status } = await sandbox.request.post('/_sandbox/clock').set(headers).send({ reset: true })
    expect(status).toBe(403)
    expect((await sandbox.clock.state()).advanced_seconds).toBe(5)
  })

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', ''])(
    'a body as %j, which a form can send, is refused',
    async (type) => {
      const sandbox = await startSandbox()
      await sandbox.clock.advance(5)
      const { status } = await sandbox.request.post('/_sandbox/clock').set('Content-Type', type).send('{"reset":true}')
      expect(status).toBe(415)
      expect((await sandbox.clock.state()).advanced_seconds).toBe(5)
    },
  )

  test('its own pages and programs may', async () => {
    const sandbox = await startSandbox()
    const headers = { Origin: new URL(sandbox.baseUrl).origin, 'Sec-Fetch-Site': 'same-origin' }
    await sandbox.request.post('/_sandbox/clock').set(headers).send({ reset: true }).expect(200)
    await sandbox.request.post('/_sandbox/clock').send({ reset: true }).expect(200)
  })
})

describe('a name that was made to resolve to this machine (DNS rebinding)', () => {
  test.each(['evil.example', 'evil.example:2435', '127.0.0.1.evil.example', 'localhost.evil.example', '0.0.0.0'])(
    '%j is refused, for reading too',
    async (host) => {
      const sandbox = await startSandbox()
      expect(await send(`${sandbox.url}/_sandbox/flows`, { headers: { Host: host } })).toBe(403)
      expect(await send(`${sandbox.url}/_sandbox/openapi.json`, { headers: { Host: host } })).toBe(403)
    },
  )

  test.each(['localhost', 'localhost:1', '127.0.0.1', '[::1]:80', 'age.localhost'])('%j is not one', async (host) => {
    const sandbox = await startSandbox({ baseUrl: 'http://age.localhost' })
    expect(await send(`${sandbox.url}/_sandbox/flows`, { headers: { Host: host } })).toBe(200)
  })
})

describe('beyond this machine', () => {
  const everywhere = { host: '0.0.0.0' }
  /** 0.0.0.0 is reached by every address of this machine. */
  const at = (url: string, path: string) => `${url.replace('0.0.0.0', '127.0.0.1')}${path}`

  test('the control API is off without a token, a start warns of it, and health is open', async () => {
    const warnings: string[] = []
    const sandbox = await startSandbox({ ...everywhere, onWarning: (message) => warnings.push(message) })
    expect(warnings).toEqual([expect.stringContaining('the option controlToken')])
    const refused = await fetch(at(sandbox.url, '/_sandbox/flows'))
    expect([refused.status, await refused.json()]).toEqual([403, expect.objectContaining({ error: 'access_denied' })])
    expect((await fetch(at(sandbox.url, '/_sandbox/health'))).status).toBe(200)
  })

  test('it asks for the token', async () => {
    const warnings: string[] = []
    const options = { ...everywhere, controlToken: 'open-sesame', onWarning: (text: string) => warnings.push(text) }
    const sandbox = await startSandbox(options)
    const ask = (headers: Record<string, string>) => fetch(at(sandbox.url, '/_sandbox/flows'), { headers })
    const refused = await ask({})
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, expect.stringMatching(/^Bearer /)])
    expect((await ask({ Authorization: 'Bearer open-sesam' })).status).toBe(401)
    expect((await ask({ Authorization: 'Basic open-sesame' })).status).toBe(401)
    expect((await ask({ Authorization: 'Bearer open-sesame' })).status).toBe(200)
    expect(warnings).toEqual([])
  })

  test('the endpoints of the service are open', async () => {
    const sandbox = await startSandbox(everywhere)
    expect((await fetch(at(sandbox.url, '/.well-known/jwks.json'))).status).toBe(200)
  })
})

test('on loopback a wrong token is refused, and none is needed', async () => {
  const sandbox = await startSandbox({ controlToken: 'open-sesame' })
  const ask = async (headers = {}) => (await sandbox.request.get('/_sandbox/flows').set(headers)).status
  expect(await ask()).toBe(200)
  expect(await ask({ Authorization: 'Bearer wrong' })).toBe(401)
})
