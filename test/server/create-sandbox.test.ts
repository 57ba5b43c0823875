import { expect, test } from 'vitest'
import { createSandbox, type SandboxOptions } from '../../src/server/create-sandbox.ts'
import { useRequest } from '../support/requests.ts'
import { startSandbox } from '../support/sandbox.ts'

const create = (options: Readonly<Record<string, unknown>>) => createSandbox(options as SandboxOptions)

const client = (changes: object) => ({ clients: [{ clientId: 'a', clientSecret: 'b', ...changes }] })

test.each([
  [{ prot: 1 }, 'createSandbox: prot: unknown key. Did you mean "port"?'],
  [{ base_url: 'http://localhost' }, 'base_url: unknown key. Did you mean "baseUrl"?'],
  [{ store: 'redis://localhost:6379', seed: 1 }, 'seed: replicas with one seed'],
  [{ personas: './personas' }, 'personas: expected a list'],
  [{ lifetimes: { requestURI: 90 } }, 'lifetimes.requestURI: unknown key. Did you mean "requestUri"?'],
  [client({}), 'clients[0].redirectUris: is missing'],
  [client({ redirectUris: ['/callback'] }), 'clients[0].redirectUris[0]: "/callback" is not an http or https URL'],
  [{ controlToken: ' token' }, 'controlToken: expected one or more printable ASCII characters'],
  [{ onCall: true }, 'onCall: expected a function'],
  [{ prot: 1, seed: 'x' }, /seed: .*; prot: |prot: .*; seed: /],
  [{ outcome: 'acess_denied' }, 'outcome: there is no outcome "acess_denied". Did you mean "access_denied"?'],
  [{ baseUrl: 'http://localhost:2435/t/x' }, ': "/t/x" has the part "t", below which the tenants are'],
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
])('The base URL %s and the base path %s are the base URL %s', async (given, basePath, baseUrl) => {
  expect((await create({ baseUrl: given, basePath })).baseUrl).toBe(baseUrl)
})

test('A sandbox without any client says so when it starts', async () => {
  const warnings: string[] = []
  await using _ = await create({ builtinClient: false, onWarning: (message: string) => warnings.push(message) })
  expect(warnings).toEqual([expect.stringMatching(/^clients: there is none/)])
})

test('A redirect URI with a * is registered as it is, with a warning when the sandbox starts', async () => {
  const warnings: string[] = []
  const shop = { clientId: 'shop', clientSecret: 's', redirectUris: ['https://*.shop.example/cb'] }
  await using _ = await create({ clients: [shop], onWarning: (message: string) => warnings.push(message) })
  expect(warnings).toEqual([expect.stringMatching(/^client shop: .* no wildcard/)])
})

test('An option of createSandbox that is undefined counts as absent', async () => {
  await using sandbox = await create({ port: undefined, persona: undefined, lifetimes: { code: undefined } })
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
  const answer = fetch(`${sandbox.url}/v1/oidc/use?${new URLSearchParams(useRequest())}`, { redirect: 'manual' })
  const [{ status }] = await Promise.all([answer, sandbox.flows.ended().then(() => sandbox.close())])
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

test.each(['RS256', 'ES256'] as const)('Seed, keys and a frozen clock fix a callback by %s', async (signingAlg) => {
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
      locations.push((await sandbox.request.get('/v1/oidc/use').query(useRequest(changes))).headers.location)
    return locations
  }
  const [first, second] = [await callbacks(), await callbacks()]
  expect(first).toHaveLength(5)
  expect(first[1]).toContain('code=')
  expect(second).toEqual(first)
})
