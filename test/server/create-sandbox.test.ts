import { setImmediate as turn } from 'node:timers/promises'
import { allowInsecureRequests, discovery } from 'openid-client'
import { describe, expect, onTestFinished, test } from 'vitest'
import { connectSandbox } from '../../src/server/client/connect-sandbox.ts'
import { createSandbox, type SandboxOptions } from '../../src/server/create-sandbox.ts'
import { useRequest } from '../support/requests.ts'
import { startSandbox } from '../support/sandbox.ts'

const create = (options: Readonly<Record<string, unknown>>) =>
  createSandbox(options as SandboxOptions)

const client = (changes: object) => ({
  clients: [{ clientId: 'a', clientSecret: 'b', ...changes }],
})

test.each([
  [{ prot: 1 }, 'createSandbox: prot: unknown key. Did you mean "port"?'],
  [{ base_url: 'http://localhost' }, 'base_url: unknown key. Did you mean "baseUrl"?'],
  [{ store: 'redis://localhost:6379', seed: 1 }, 'seed: replicas with one seed'],
  [{ personas: './personas' }, 'personas: expected a list'],
  [
    { lifetimes: { requestURI: 90 } },
    'lifetimes.requestURI: unknown key. Did you mean "requestUri"?',
  ],
  [client({}), 'clients[0].redirectUris: is missing'],
  [
    client({ redirectUris: ['/callback'] }),
    'clients[0].redirectUris[0]: "/callback" is not an http or https URL',
  ],
  [{ controlToken: ' token' }, 'controlToken: expected one or more printable ASCII characters'],
  [{ onCall: true }, 'onCall: expected a function'],
  [{ prot: 1, seed: 'x' }, /seed: .*; prot: |prot: .*; seed: /],
  [
    { outcome: 'acess_denied' },
    'outcome: there is no outcome "acess_denied". Did you mean "access_denied"?',
  ],
  [
    { baseUrl: 'http://localhost:2435/t/x' },
    ': "/t/x" has the part "t", below which the tenants are',
  ],
  [{ basePath: '/a b' }, ': "/a b" is not a path of letters'],
  [{ basePath: '/a/../b' }, ': "/a/../b" is not a path of letters'],
  [{ basePath: '/a?b' }, ': "/a?b" is not a path'],
  [{ basePath: '//a' }, ': "//a" is not a path'],
  [{ basePath: '/t' }, ': "/t" has the part "t"'],
  [{ trustProxy: ['loopbak'] }, ': "loopbak" is no address of a proxy. Did you mean "loopback"?'],
  [{ httpsKey: 'a.pem' }, /^httpsKey: needs the option httpsCert too/],
  [{ https: false, httpsCert: 'a.pem', httpsKey: 'b.pem' }, /^httpsCert: https is set to false/],
])('createSandbox refuses %j in one line', async (options, message) => {
  const refusal = create(options)
  await expect(refusal).rejects.toThrow(message)
  await expect(refusal).rejects.toThrow(/^[^\n]+$/)
})

test.each([
  ['https://age.example', '/agekey', 'https://age.example/agekey'],
  ['https://age.example/agekey/', '/agekey', 'https://age.example/agekey'],
  ['https://age.example/', '/', 'https://age.example'],
])('The base URL %s with the base path %s is the base URL %s', async (given, basePath, baseUrl) => {
  expect((await create({ baseUrl: given, basePath })).baseUrl).toBe(baseUrl)
})

test('A sandbox without any client says so when it starts', async () => {
  const warnings: string[] = []
  await using _ = await create({
    builtinClient: false,
    onWarning: (message: string) => warnings.push(message),
  })
  expect(warnings).toEqual([expect.stringMatching(/^clients: there is none/)])
})

test('A redirect URI with a * is registered as it is, with a warning when the sandbox starts', async () => {
  const warnings: string[] = []
  const shop = { clientId: 'shop', clientSecret: 's', redirectUris: ['https://*.shop.example/cb'] }
  await using _ = await create({
    clients: [shop],
    onWarning: (message: string) => warnings.push(message),
  })
  expect(warnings).toEqual([expect.stringMatching(/^client shop: .* no wildcard/)])
})

test('An option of createSandbox that is undefined counts as absent', async () => {
  await using sandbox = await create({
    port: undefined,
    persona: undefined,
    lifetimes: { code: undefined },
  })
  expect(await sandbox.expectations.list()).toEqual([])
})

test('await using closes a sandbox, also when a call is still waiting', async () => {
  let address = ''
  {
    await using sandbox = await createSandbox()
    address = sandbox.url
    void fetch(`${address}/_sandbox/flows?wait=30`).catch(() => undefined)
    expect((await fetch(`${address}/_sandbox/health`)).status).toBe(200)
  }
  await expect(fetch(`${address}/_sandbox/health`)).rejects.toThrow('fetch failed')
})

test('A sandbox that is closed lets the answer in flight be finished', async () => {
  const sandbox = await startSandbox({ persona: 'adult-passport' })
  const answer = fetch(`${sandbox.url}/v1/oidc/use?${new URLSearchParams(useRequest())}`, {
    redirect: 'manual',
  })
  const [{ status }] = await Promise.all([
    answer,
    sandbox.flows.ended().then(() => sandbox.close()),
  ])
  expect(status).toBe(302)
})

test('Two sandboxes in one process share nothing', async () => {
  const [one, other] = [await startSandbox(), await startSandbox()]
  await one.clock.advance(1000)
  await one.next({ persona: 'teen-16' })
  await one.personas.put({ name: 'mine', title: 'Mine', purpose: 'Only here.' })
  await one.request.get('/v1/oidc/use').query(useRequest({ state: 'a' }))
  await one.scenarios.arm({ name: 'A', steps: [{ await: 'par' }] })
  expect((await other.clock.state()).advanced_seconds).toBe(0)
  const lists = [other.expectations.list(), other.flows.list(), other.scenarios.list()]
  expect(await Promise.all(lists)).toEqual([[], [], []])
  await expect(other.personas.get('mine')).rejects.toMatchObject({ status: 404 })
})

test.each(['RS256', 'ES256'] as const)(
  'Seed, keys and a frozen clock fix a callback by %s',
  async (signingAlg) => {
    const callbacks = async () => {
      const sandbox = await startSandbox({ seed: 7, baseUrl: 'http://localhost:2435', signingAlg })
      await sandbox.clock.set('2026-05-01T12:00:00Z')
      await sandbox.clock.freeze()
      const queries = [
        { sandbox_persona: 'adult-passport' },
        { sandbox_persona: 'child-12', scope: 'openid svc.upgrade' },
        { sandbox_outcome: 'access_denied', response_mode: 'query' },
        { sandbox_outcome: 'id_token.es256' },
        { sandbox_outcome: 'id_token.foreign_key_same_kid' },
      ]
      const locations: (string | undefined)[] = []
      for (const changes of queries)
        locations.push(
          (await sandbox.request.get('/v1/oidc/use').query(useRequest(changes))).headers.location,
        )
      return locations
    }
    const [first, second] = [await callbacks(), await callbacks()]
    expect(first).toHaveLength(5)
    expect(first[1]).toContain('code=')
    expect(second).toEqual(first)
  },
)

const BASE = 'http://localhost:2435'
const INTERNAL = 'http://agekey-sandbox:2435'
const discoveryOf = (flow: 'use' | 'create') => `/v1/oidc/${flow}/.well-known/openid-configuration`

test('E6 gives the addresses for servers to a caller of the internal URL', async () => {
  const { request, internalUrl } = await startSandbox({
    baseUrl: `${BASE}/age`,
    internalUrl: `${INTERNAL}/`,
  })
  expect(internalUrl).toBe(INTERNAL)
  const read = async (path: string) =>
    (await request.get(path).set('Host', 'agekey-sandbox:2435')).body
  for (const tenant of ['', '/t/ci-1']) {
    expect(await read(`${tenant}${discoveryOf('use')}`)).toMatchObject({
      issuer: `${BASE}/age${tenant}/v1/oidc/use`,
      authorization_endpoint: `${BASE}/age${tenant}/v1/oidc/use`,
      token_endpoint: `${INTERNAL}${tenant}/v1/oidc/use/token`,
      jwks_uri: `${INTERNAL}${tenant}/.well-known/jwks.json`,
    })
    expect(await read(`${tenant}${discoveryOf('create')}`)).toMatchObject({
      issuer: `${BASE}/age${tenant}/v1/oidc/create`,
      authorization_endpoint: `${BASE}/age${tenant}/v1/oidc/create`,
      pushed_authorization_request_endpoint: `${INTERNAL}${tenant}/v1/oidc/create/par`,
      jwks_uri: `${INTERNAL}${tenant}/.well-known/jwks.json`,
    })
  }
  const other = (await request.get(discoveryOf('use')).set('Host', 'evil.example:2435')).text
  expect(other).not.toMatch(/agekey-sandbox:|evil/)
})

test('What discovery names below an internal URL is served, also with a path of its own', async () => {
  const { request } = await startSandbox({ internalUrl: 'http://gateway.internal/age' })
  const { body } = await request.get(discoveryOf('use')).set('Host', 'gateway.internal')
  expect(body.jwks_uri).toBe('http://gateway.internal/age/.well-known/jwks.json')
  for (const path of ['/age', '/age/t/ci-1'])
    await request.get(`${path}/.well-known/jwks.json`).expect(200)
})

test('With trust_host openid-client discovers by one address what is issued under another', async () => {
  const { url, request } = await startSandbox({ baseUrl: BASE, trustHost: true })
  expect(
    (await request.get(`/t/ci-1${discoveryOf('use')}`).set('Host', 'my_sandbox:8080')).body,
  ).toMatchObject({
    issuer: `${BASE}/t/ci-1/v1/oidc/use`,
    token_endpoint: 'http://my_sandbox:8080/t/ci-1/v1/oidc/use/token',
  })
  const issuer = new URL(`${url}${discoveryOf('use')}`)
  const options = { execute: [allowInsecureRequests] }
  const found = await discovery(issuer, 'ak_test_sandbox', 'sk_test_sandbox', undefined, options)
  expect(found.serverMetadata()).toMatchObject({ token_endpoint: `${url}/v1/oidc/use/token` })
})

test('A base path is served below itself as at the top', async () => {
  const { url, baseUrl, request } = await startSandbox({ basePath: '/agekey/' })
  expect(baseUrl).toBe(`http://localhost:${new URL(url).port}/agekey`)
  for (const path of ['/agekey/t/ci-1', '/t/ci-1']) {
    const { body } = await request.get(`${path}${discoveryOf('use')}`)
    expect(body).toMatchObject({ issuer: `${baseUrl}/t/ci-1/v1/oidc/use` })
  }
})

test('A base URL whose path means something to Express is served as it is written', async () => {
  const { baseUrl, request } = await startSandbox({ baseUrl: `${BASE}/a:b(c)*` })
  await request.get(`${new URL(baseUrl).pathname}/.well-known/jwks.json`).expect(200)
  await request.get('/axx/.well-known/jwks.json').expect(404)
})

const CLOSED = {
  name: 'SandboxError',
  status: 0,
  error: 'closed',
  message: expect.stringContaining('is closed'),
}
const SCENARIO = { name: 'A', steps: [{ await: 'par' as const }] }

/** A call of each function of an API, those of its parts too. */
const callsOf = (
  api: object,
  prefix = '',
): readonly (readonly [name: string, call: () => unknown])[] =>
  Object.entries(api).flatMap(([name, member]: [string, unknown]) => {
    const full = prefix + name
    // Members that look at what they are given take a text, as `clock.set` does, or options.
    const given = name === 'configure' ? {} : '2026-01-01'
    if (typeof member === 'function')
      return [[full, () => Reflect.apply(member, api, [given])] as const]
    return typeof member === 'object' && member !== null ? callsOf(member, `${full}.`) : []
  })

/** A sandbox in this process, and a connection to one: each with what makes it close. */
const KINDS = {
  createSandbox: async () => createSandbox(),
  connectSandbox: async () => connectSandbox((await startSandbox()).url),
} as const

describe.each(['createSandbox', 'connectSandbox'] as const)('After close() of %s', (kind) => {
  test('Every call of a closed sandbox rejects with an error that says so', async () => {
    const sandbox = await KINDS[kind]()
    const tenant = sandbox.tenant('one')
    const namesOf = (api: object) => callsOf(api).map(([name]) => name)
    expect(namesOf(tenant).length).toBeGreaterThan(30)
    expect(namesOf(sandbox).sort()).toEqual(
      [...namesOf(tenant), 'tenant', 'removeTenant', 'close'].sort(),
    )

    await sandbox.close()
    for (const [name, call] of [...callsOf(sandbox), ...callsOf(tenant)]) {
      if (name !== 'tenant' && name !== 'close')
        await expect(call(), name).rejects.toMatchObject(CLOSED)
    }
    expect(() => sandbox.tenant('two')).toThrow(expect.objectContaining(CLOSED))
  })

  test('A call that waits when its sandbox closes rejects at once', async () => {
    const sandbox = await KINDS[kind]()
    const tenant = sandbox.tenant('one')
    const { id } = await tenant.scenarios.arm(SCENARIO)
    const waits = [
      sandbox.flows.ended({ timeoutSeconds: 60 }),
      tenant.flows.ended({ timeoutSeconds: 60, since: 'f0' }),
      tenant.scenarios.get(id, { waitSeconds: 60 }),
    ]
    await sandbox.clock.state()
    await Promise.all([sandbox.close(), sandbox.close(), sandbox[Symbol.asyncDispose]()])
    for (const wait of waits) await expect(wait).rejects.toMatchObject(CLOSED)
    await sandbox.close()
  })
})

test('A wait that is not awaited yet when its sandbox closes ends no process', async () => {
  const unhandled: unknown[] = []
  const note = (reason: unknown) => unhandled.push(reason)
  process.on('unhandledRejection', note)
  onTestFinished(() => void process.off('unhandledRejection', note))
  const sandbox = await createSandbox()
  const { id } = await sandbox.scenarios.arm(SCENARIO)
  void sandbox.flows.ended({ timeoutSeconds: 60 })
  void sandbox.scenarios.get(id, { waitSeconds: 60 })
  await sandbox.close()
  await turn()
  expect(unhandled).toEqual([])
})

test('A sandbox that stops while a connection waits, or before it calls, is named with its address', async () => {
  const sandbox = await createSandbox()
  const connection = connectSandbox(sandbox.url)
  await connection.clock.state()
  const waiting = connection.flows.ended({ timeoutSeconds: 60, since: 'f0' })
  await connection.clock.state()
  await sandbox.close()
  const gone = { name: 'SandboxError', status: 0, error: 'unreachable' }
  const lost = `${sandbox.url}: the connection was lost before the answer came`
  await expect(waiting).rejects.toMatchObject({ ...gone, message: expect.stringContaining(lost) })
  const nothing = `${sandbox.url}: nothing listens there`
  await expect(connection.reset()).rejects.toMatchObject({
    ...gone,
    message: expect.stringContaining(nothing),
  })
})
