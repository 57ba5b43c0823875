import { describe, expect, test } from 'vitest'
import { readCallback } from '../support/callbacks.ts'
import { createClient } from '../support/http-client.ts'
import { idTokenOf } from '../support/id-tokens.ts'
import { createRelyingParty } from '../support/relying-party.ts'
import { useRequest } from '../support/requests.ts'
import { startSandbox } from '../support/sandbox.ts'

const SHOP = { client_id: 'shop', client_secret: 's', redirect_uris: ['https://shop.example/cb'] }

describe('a tenant', () => {
  test('exists from the first touch of its address, with an issuer of its own', async () => {
    const sandbox = await startSandbox()
    const names = async () => {
      const { tenants } = (await sandbox.request.get('/_sandbox/tenants')).body as { tenants: { name: string }[] }
      return tenants.map(({ name }) => name)
    }
    expect(await names()).toEqual(['default'])
    const http = createClient(`${sandbox.url}/t/one`)
    const discovery = (await http.request.get('/v1/oidc/use/.well-known/openid-configuration')).body
    expect(discovery).toMatchObject({
      issuer: `${sandbox.baseUrl}/t/one/v1/oidc/use`,
      jwks_uri: `${sandbox.baseUrl}/t/one/.well-known/jwks.json`,
    })
    expect(idTokenOf(await createRelyingParty(http).use()).iss).toBe(`${sandbox.baseUrl}/t/one/v1/oidc/use`)
    expect(await names()).toEqual(['default', 'one'])
  })

  test('shares neither clock nor personas, expectations, journal, codes or tokens', async () => {
    const sandbox = await startSandbox()
    const [one, other] = [sandbox.tenant('one'), sandbox.tenant('other')]
    const rpOf = (name: string) => createRelyingParty(createClient(`${sandbox.url}/t/${name}`))
    await one.clock.advance(1000)
    await one.personas.remove('teen-16')
    const [code, token] = [await rpOf('one').obtainCode(), await rpOf('one').obtainToken()]
    await one.next({ outcome: 'access_denied' })
    expect((await other.clock.state()).advanced_seconds).toBe(0)
    expect(await other.personas.get('teen-16')).toMatchObject({ name: 'teen-16' })
    expect(await other.expectations.list()).toEqual([])
    expect(await other.flows.list()).toEqual([])
    expect((await rpOf('other').exchange(code)).body).toMatchObject({ error: 'invalid_grant' })
    expect((await rpOf('other').upgrade(token)).body).toMatchObject({ error: 'invalid_token' })
    expect((await rpOf('one').exchange(code)).status).toBe(200)
  })

  test('rotates keys of its own', async () => {
    const sandbox = await startSandbox()
    const jwks = async (path: string) => (await sandbox.request.get(`${path}/.well-known/jwks.json`)).body
    const before = await jwks('')
    await sandbox.tenant('one').keys.rotate('publish')
    expect(await jwks('')).toEqual(before)
    expect(await jwks('/t/one')).not.toEqual(before)
  })

  test('is made by PUT with what it has of its own, changed in part, and removed by DELETE', async () => {
    const sandbox = await startSandbox()
    const put = (body: object) => sandbox.request.put('/_sandbox/tenants/one').send(body)
    const made = await put({ persona: 'teen-16', lifetimes: { request_uri: 5 } })
    expect(made.status).toBe(201)
    expect(made.body).toMatchObject({ name: 'one', persona: 'teen-16', lifetimes: { request_uri: 5, code: 600 } })
    const changed = await put({
      outcome: 'access_denied',
      clients: [{ client_id: 'shop', client_secret: 's3cret', redirect_uris: ['https://shop.example/cb'] }],
    })
    expect(changed.status).toBe(200)
    expect(changed.body).toMatchObject({
      persona: 'teen-16',
      outcome: 'access_denied',
      lifetimes: { request_uri: 5 },
    })
    expect(changed.text).not.toContain('s3cret')
    const query = useRequest({ client_id: 'shop', redirect_uri: 'https://shop.example/cb' })
    const callback = readCallback(await sandbox.request.get('/t/one/v1/oidc/use').query(query))
    expect(callback.params).toMatchObject({ error: 'access_denied' })

    const remove = () => sandbox.request.delete('/_sandbox/tenants/one')
    expect((await remove()).status).toBe(204)
    expect((await remove()).body).toMatchObject({ error: 'not_found' })
    await sandbox.request.get('/_sandbox/tenants/one').expect(404)
  })

  test.each([
    ['one', { persona: 'teen-61' }, 'teen-16'],
    ['one', { outcome: 'acess_denied' }, 'access_denied'],
    ['one', { lifetimes: { request_uri: 0 } }, 'lifetimes.request_uri'],
    ['one', { clients: [{ client_id: 'a' }] }, 'clients[0].client_secret'],
    ['one', { clients: [SHOP, SHOP] }, 'clients: \\"shop\\" is declared twice'],
    ['one', { personas: [] }, 'Did you mean \\"persona\\"?'],
    ['No_Name', {}, 'lowercase letters, digits and hyphens'],
    ['-x', {}, 'no hyphen first'],
  ])('%s is not made with %j', async (name, body, message) => {
    const sandbox = await startSandbox()
    const answer = await sandbox.request.put(`/_sandbox/tenants/${name}`).send(body).expect(400)
    expect(answer.text).toContain(message)
    expect((await sandbox.request.get('/_sandbox/tenants')).body).toMatchObject({ tenants: [{ name: 'default' }] })
  })

  test.each(['/t/Upper', '/t/-x', `/t/${'a'.repeat(64)}`, '/t/default'])('%s is no address', async (path) => {
    const sandbox = await startSandbox()
    await sandbox.request.get(`${path}/.well-known/jwks.json`).expect(400)
  })

  test.each([
    ['clients', 200, (count: number) => Array(count).fill(0)],
    ['clients[0].redirect_uris', 100, (count: number) => [{ ...SHOP, redirect_uris: Array(count).fill('') }]],
  ])(
    'has at most so many entries of %s: %i; of a longer list only the number is reported',
    async (path, max, clients) => {
      const sandbox = await startSandbox()
      const put = async (count: number) =>
        (await sandbox.request.put('/_sandbox/tenants/q').send({ clients: clients(count) })).body.error_description
      expect(await put(max + 1)).toBe(`${path}: expected at most ${max} items, found a list of ${max + 1}`)
      expect(await put(max)).toContain(`${path}[0]: `)
    },
  )

  test('two hundred at once never see each other', async () => {
    const sandbox = await startSandbox()
    const personas = ['adult-passport', 'child-12', 'teen-16', 'turned-18-today']
    const results = await Promise.all(
      Array.from({ length: 200 }, async (_, index) => {
        const tenant = sandbox.tenant(`ci-${index}`)
        const persona = personas[index % personas.length] ?? ''
        await tenant.next({ persona })
        await tenant.clock.advance(index)
        const rp = createRelyingParty(createClient(tenant.baseUrl))
        await rp.use({ sandbox_persona: undefined, state: `state-${index}` })
        const flows = await tenant.flows.list()
        return { flows: flows.map(({ state, persona }) => [state, persona]), clock: await tenant.clock.state() }
      }),
    )
    for (const [index, { flows, clock }] of results.entries()) {
      expect(flows).toEqual([[`state-${index}`, personas[index % personas.length]]])
      expect(clock.advanced_seconds).toBe(index)
    }
  })
})

test('a reset brings back the declared state and keeps clients, keys and other tenants', async () => {
  const sandbox = await startSandbox()
  const rp = createRelyingParty(sandbox)
  const code = await rp.obtainCode()
  await sandbox.configure({
    clients: [{ clientId: 'shop', clientSecret: 's', redirectUris: ['https://shop.example/cb'] }],
  })
  await sandbox.tenant('other').clock.advance(7)
  await sandbox.clock.advance(1000)
  await sandbox.next({ outcome: 'access_denied' })
  await sandbox.scenarios.arm({ name: 'A', steps: [{ await: 'par' }] })
  await sandbox.request.post('/_sandbox/reset').expect(204)
  expect((await sandbox.clock.state()).advanced_seconds).toBe(0)
  expect(await sandbox.expectations.list()).toEqual([])
  expect(await sandbox.scenarios.list()).toEqual([])
  expect(await sandbox.flows.list()).toEqual([])
  expect((await rp.exchange(code)).body).toMatchObject({ error: 'invalid_grant' })
  expect((await sandbox.tenant('other').clock.state()).advanced_seconds).toBe(7)
  const query = useRequest({ client_id: 'shop', redirect_uri: 'https://shop.example/cb', sandbox_persona: 'teen-16' })
  await sandbox.request.get('/v1/oidc/use').query(query).expect(302)
})
