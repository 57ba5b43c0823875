import { createServer, request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startSandbox, type TestSandbox } from '../../support/sandbox.ts'

const TOKEN = 'not-a-real-token'
const WITH_TOKEN = { Authorization: `Bearer ${TOKEN}` }

/** A reverse proxy on this machine that passes every call on with further headers, as nginx, Caddy or a tunnel does. */
async function startProxy(target: TestSandbox, added: Readonly<Record<string, string>>): Promise<string> {
  const { port } = new URL(target.url)
  const server = createServer((incoming, outgoing) => {
    const { host: _, ...headers }: IncomingHttpHeaders = incoming.headers
    const { method = 'GET', url: path = '/' } = incoming
    const call = httpRequest({ port, host: '127.0.0.1', method, path, headers: { ...headers, ...added } }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(outgoing)
    })
    incoming.pipe(call)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const post = (url: string, body: object = {}, headers: Readonly<Record<string, string>> = {}) =>
  fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
    redirect: 'manual',
  })

const errorOf = async (answer: Response) => {
  const { error, error_description: description } = (await answer.json()) as Record<string, string>
  return [answer.status, error, description]
}

/** What a proxy on this machine says of a caller from elsewhere. */
const FORWARDED = { 'X-Forwarded-For': '203.0.113.9' }

describe('with a base URL beyond this machine and no token, the control API is off', () => {
  const baseUrl = 'https://sandbox.example.com'
  const HOW = 'start it with --control-token TOKEN (in the library: controlToken)'

  test('for every call, whatever its headers, and the answer says why and how to mend it', async () => {
    const sandbox = await startSandbox({ baseUrl })
    const direct = await errorOf(await post(`${sandbox.url}/_sandbox/clock`, { advance: 60 }))
    const proxied = await errorOf(await post(`${await startProxy(sandbox, {})}/_sandbox/clock`, { advance: 60 }))
    for (const answer of [direct, proxied]) {
      expect(answer).toEqual([403, 'access_denied', expect.stringContaining(`the base URL ${baseUrl} names a host`)])
      expect(answer[2]).toContain(HOW)
    }
    expect((await sandbox.clock.state()).advanced_seconds).toBe(0)
  })

  test('and the start warns of it', async () => {
    const warnings: string[] = []
    await startSandbox({ baseUrl, onWarning: (text) => warnings.push(text) })
    expect(warnings).toEqual([expect.stringMatching(/^the control API is off: the base URL https:\/\/sandbox/)])
    expect(warnings[0]).toContain('start it with the option controlToken')
  })

  test.each(['http://127.0.0.2:9', 'https://age.localhost', 'http://[::1]:2435'])(
    'which %s is not: no token is needed, and no warning is given',
    async (address) => {
      const warnings: string[] = []
      const sandbox = await startSandbox({ baseUrl: address, onWarning: (text) => warnings.push(text) })
      expect((await post(`${sandbox.url}/_sandbox/clock`, { advance: 60 })).status).toBe(200)
      expect(warnings).toEqual([])
    },
  )
})

describe('through a proxy on this machine that is not trusted', () => {
  test.each([
    FORWARDED,
    { 'x-forwarded-host': 'sandbox.example.com' },
    { 'X-Forwarded-Proto': 'https' },
    { 'X-Forwarded-Port': '443' },
    { Forwarded: 'for=203.0.113.9;proto=https' },
    { 'X-Real-IP': '203.0.113.9' },
    { 'X-Client-IP': '203.0.113.9' },
    { 'True-Client-IP': '203.0.113.9' },
    { 'CF-Connecting-IP': '203.0.113.9' },
    { Via: '1.1 tunnel' },
    { 'X-Forwarded-For': '127.0.0.1' },
  ])('that adds %j, no call drives the sandbox without a token', async (added) => {
    const sandbox = await startSandbox()
    const proxy = await startProxy(sandbox, added)
    const [[name, value]] = Object.entries(added) as [[string, string]]
    const [status, code, description] = await errorOf(await post(`${proxy}/_sandbox/clock`, { advance: 60 }))
    expect([status, code]).toEqual([403, 'access_denied'])
    expect(description).toContain(`the call came with ${name}: ${JSON.stringify(value)}`)
    expect(description).toContain('--control-token')
    expect((await sandbox.clock.state()).advanced_seconds).toBe(0)
  })

  test('the token opens the control API, and its absence is a 401 that says what is missing', async () => {
    const sandbox = await startSandbox({ controlToken: TOKEN })
    const proxy = await startProxy(sandbox, FORWARDED)
    const refused = await post(`${proxy}/_sandbox/clock`, { advance: 60 })
    expect(refused.headers.get('www-authenticate')).toMatch(/^Bearer /)
    expect((await errorOf(refused))[2]).toMatch(/^Authorization: it is absent; .* X-Forwarded-For: "203\.0\.113\.9"/)
    expect((await post(`${proxy}/_sandbox/clock`, {}, { Authorization: 'Bearer wrong' })).status).toBe(401)
    expect((await post(`${proxy}/_sandbox/clock`, { advance: 60 }, WITH_TOKEN)).status).toBe(200)
    // The developer at the machine itself needs none.
    expect((await post(`${sandbox.url}/_sandbox/clock`, { reset: true })).status).toBe(200)
  })

  test('neither the console, its events, act-as nor the API document are open', async () => {
    const sandbox = await startSandbox()
    const proxy = await startProxy(sandbox, FORWARDED)
    const statusOf = async (path: string) => (await fetch(`${proxy}/_sandbox/${path}`)).status
    const paths = ['console', 'console/flows', 'console/clock', 'events', 'act-as/teen-16', 'openapi.json', 'catalog']
    expect(await Promise.all(paths.map(statusOf))).toEqual(paths.map(() => 403))
    const form = { method: 'POST', body: new URLSearchParams({ advance: '60' }), redirect: 'manual' } as const
    expect((await fetch(`${proxy}/_sandbox/console/clock`, form)).status).toBe(403)
    const actAs = await post(`${proxy}/_sandbox/act-as/teen-16`)
    expect([actAs.status, actAs.headers.get('set-cookie')]).toEqual([403, null])
  })

  test('the console asks for the token, and a browser that gave it comes in', async () => {
    const sandbox = await startSandbox({ controlToken: TOKEN })
    const proxy = await startProxy(sandbox, FORWARDED)
    expect((await fetch(`${proxy}/_sandbox/console/flows`)).status).toBe(401)
    const body = new URLSearchParams({ token: TOKEN })
    const signedIn = await fetch(`${proxy}/_sandbox/console/sign-in`, { method: 'POST', body, redirect: 'manual' })
    const headers = { Cookie: String(signedIn.headers.get('set-cookie')).split(';', 1)[0] ?? '' }
    expect((await fetch(`${proxy}/_sandbox/console/flows`, { headers })).status).toBe(200)
  })

  test('the service, the demo and the health check stay open, and the home page hides the secret of the config', async () => {
    const shop = { clientId: 'shop', clientSecret: 'of-the-config', redirectUris: ['https://shop.example/cb'] }
    const sandbox = await startSandbox({ clients: [shop], builtinClient: false })
    const proxy = await startProxy(sandbox, FORWARDED)
    for (const path of ['/_sandbox/health', '/.well-known/jwks.json', '/_sandbox/demo'])
      expect([path, (await fetch(proxy + path)).status]).toEqual([path, 200])
    expect(await (await fetch(`${proxy}/`)).text()).not.toContain('of-the-config')
    expect(await (await fetch(`${sandbox.url}/`)).text()).toContain('of-the-config')
  })
})

describe('a tenant begins to exist by its first call on this machine only:', () => {
  test.each<[string, Parameters<typeof startSandbox>[0], Record<string, string>]>([
    ['through a proxy that is not trusted', {}, FORWARDED],
    ['through a trusted proxy for a caller from elsewhere', { trustProxy: ['loopback'] }, FORWARDED],
    ['with a base URL beyond this machine', { baseUrl: 'https://sandbox.example.com' }, {}],
    ['where the sandbox listens beyond this machine', { host: '0.0.0.0' }, {}],
  ])('%s a PUT with the control token makes it', async (_sentence, options, added) => {
    const sandbox = await startSandbox({ ...options, controlToken: TOKEN })
    const proxy = await startProxy(sandbox, added)
    const namesOf = async () => {
      const answer = await fetch(`${proxy}/_sandbox/tenants`, { headers: WITH_TOKEN })
      return ((await answer.json()) as { tenants: { name: string }[] }).tenants.map(({ name }) => name)
    }
    const keySet = () => fetch(`${proxy}/t/ci-1/.well-known/jwks.json`)
    const [status, code, description] = await errorOf(await keySet())
    expect([status, code]).toEqual([404, 'not_found'])
    expect(description).toMatch(/^tenant: there is no "ci-1".*PUT http.*\/_sandbox\/tenants\/ci-1$/)
    expect((await fetch(`${proxy}/t/ci-1/_sandbox/clock`, { headers: WITH_TOKEN })).status).toBe(404)
    const headers = { 'Content-Type': 'application/json', ...WITH_TOKEN }
    const body = JSON.stringify({ flow: 'use', outcome: 'access_denied' })
    const queued = await fetch(`${proxy}/t/ci-1/_sandbox/expectations`, { method: 'POST', headers, body })
    expect(await errorOf(queued)).toEqual([404, 'not_found', expect.stringMatching(/PUT http.*tenants\/ci-1$/)])
    expect(await namesOf()).toEqual(['default'])

    const put = await fetch(`${proxy}/_sandbox/tenants/ci-1`, { method: 'PUT', headers, body: '{}' })
    expect(put.status).toBe(201)
    expect((await keySet()).status).toBe(200)
    expect(await namesOf()).toEqual(['default', 'ci-1'])
  })

  test('without a control token in the settings the answer says that one is needed', async () => {
    const sandbox = await startSandbox()
    const [status, , description] = await errorOf(
      await fetch(`${await startProxy(sandbox, FORWARDED)}/t/ci-1/.well-known/jwks.json`),
    )
    expect(status).toBe(404)
    expect(description).toContain('make it with a control token, which this sandbox does not have yet: PUT ')
  })

  test('on this machine, also through a trusted proxy, the call itself makes it', async () => {
    const sandbox = await startSandbox({ trustProxy: ['loopback'] })
    const proxy = await startProxy(sandbox, { 'X-Forwarded-For': '::1', 'X-Forwarded-Host': 'localhost' })
    expect((await fetch(`${proxy}/t/one/.well-known/jwks.json`)).status).toBe(200)
    expect((await fetch(`${sandbox.url}/t/two/.well-known/jwks.json`)).status).toBe(200)
  })

  test('the addresses that no tenant can have are refused as before', async () => {
    const sandbox = await startSandbox({ host: '0.0.0.0' })
    const proxy = await startProxy(sandbox, {})
    for (const name of ['Upper', 'default'])
      expect((await fetch(`${proxy}/t/${name}/_sandbox/health`)).status).toBe(400)
  })
})
