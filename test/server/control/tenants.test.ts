import { createServer } from 'node:http'
import { expect, test } from 'vitest'
import { createApp } from '../../../src/server/app.ts'
import { connectSandbox } from '../../../src/server/client/connect-sandbox.ts'
import { createMemoryDirectory, createMemoryStores } from '../../../src/server/store/stores.ts'
import { readCallback } from '../../support/callbacks.ts'
import { press, submit } from '../../support/forms.ts'
import { createTestHost } from '../../support/host.ts'
import { type Answer, createClient, type HttpClient } from '../../support/http-client.ts'
import { idTokenOf } from '../../support/id-tokens.ts'
import { listenOnFreePort } from '../../support/listen-on-free-port.ts'
import { createRelyingParty } from '../../support/relying-party.ts'
import { useRequest } from '../../support/requests.ts'
import { shareSandbox, startSandbox } from '../../support/sandbox.ts'
import { createTestParts } from '../../support/tenant.ts'

const sandbox = await shareSandbox()
const rpOf = (name: string) => createRelyingParty(createClient(`${sandbox.baseUrl}/t/${name}`))
const namesOf = async () => {
  const { tenants } = (await sandbox.request.get('/_sandbox/tenants')).body as {
    tenants: { name: string }[]
  }
  return tenants.map(({ name }) => name)
}

test('A tenant exists from the first touch of its address', async () => {
  expect(await namesOf()).not.toContain('new')
  const baseUrl = `${sandbox.baseUrl}/t/new`
  const { body } = await sandbox.request.get('/t/new/v1/oidc/use/.well-known/openid-configuration')
  expect(body).toMatchObject({
    issuer: `${baseUrl}/v1/oidc/use`,
    jwks_uri: `${baseUrl}/.well-known/jwks.json`,
  })
  expect(idTokenOf(await rpOf('new').use()).iss).toBe(`${baseUrl}/v1/oidc/use`)
  const page = await sandbox.request.get('/t/new/v1/oidc/use').query(useRequest())
  expect(page.text).toContain('action="/t/new/v1/oidc/use/choice"')
  expect(await namesOf()).toContain('new')
})

test('A tenant shares neither clock nor personas, expectations, scenarios, journal, codes, tokens or keys', async () => {
  const [one, other] = [sandbox.tenant('one'), sandbox.tenant('other')]
  const jwks = async (name: string) =>
    (await sandbox.request.get(`/t/${name}/.well-known/jwks.json`)).body
  const before = await jwks('other')
  await one.clock.advance(1000)
  await one.personas.remove('teen-16')
  const [code, token] = [await rpOf('one').obtainCode(), await rpOf('one').obtainToken()]
  await one.next({ outcome: 'access_denied' })
  await one.scenarios.arm({ name: 'A', steps: [{ decide: { flow: 'use', persona: 'child-12' } }] })
  await one.keys.rotate('publish')
  expect((await other.clock.state()).advanced_seconds).toBe(0)
  expect(await other.personas.get('teen-16')).toMatchObject({ name: 'teen-16' })
  const lists = [other.expectations.list(), other.scenarios.list(), other.flows.list()]
  expect(await Promise.all(lists)).toEqual([[], [], []])
  expect((await rpOf('other').exchange(code)).body).toMatchObject({ error: 'invalid_grant' })
  expect((await rpOf('other').upgrade(token)).body).toMatchObject({ error: 'invalid_token' })
  expect(await jwks('other')).toEqual(before)
  expect(await jwks('one')).toEqual(expect.not.objectContaining(before))
  expect((await rpOf('one').exchange(code)).status).toBe(200)
})

test('PUT makes a tenant, or changes a part of its settings', async () => {
  const path = '/_sandbox/tenants/put'
  const put = (body: object) => sandbox.request.put(path).send(body)
  const made = await put({ persona: 'teen-16', lifetimes: { request_uri: 5 } }).expect(201)
  expect(made.body).toMatchObject({
    name: 'put',
    persona: 'teen-16',
    lifetimes: { request_uri: 5, code: 600 },
  })
  expect((await rpOf('put').push()).body).toMatchObject({ expires_in: 5 })
  const client = {
    client_id: 'shop',
    client_secret: 's3cret',
    redirect_uris: ['https://shop.example/cb'],
  }
  const changed = await put({ outcome: 'access_denied', clients: [client] }).expect(200)
  expect(changed.body).toMatchObject({
    persona: 'teen-16',
    outcome: 'access_denied',
    lifetimes: { request_uri: 5 },
  })
  expect(changed.text).not.toContain('s3cret')
  const query = useRequest({ client_id: 'shop', redirect_uri: 'https://shop.example/cb' })
  const callback = readCallback(await sandbox.request.get('/t/put/v1/oidc/use').query(query))
  expect(callback.params).toMatchObject({ error: 'access_denied' })
  const { persona, outcome } = (await put({ outcome: null }).expect(200)).body
  expect(persona).toBe('teen-16')
  expect(outcome).toBeUndefined()
  expect((await put({ persona: null }).expect(200)).body).not.toHaveProperty('persona')

  await sandbox.request.delete(path).expect(204)
  expect((await sandbox.request.delete(path)).body).toMatchObject({ error: 'not_found' })
  await sandbox.request.get(path).expect(404)
})

test('A redirect URI with a * is registered as it is, with a warning in the answer to PUT', async () => {
  const redirectUris = ['https://shop.example/*']
  const clients = [{ client_id: 'shop', client_secret: 's', redirect_uris: redirectUris }]
  const { body } = await sandbox.request
    .put('/_sandbox/tenants/literal')
    .send({ clients })
    .expect(201)
  expect(body).toMatchObject({ warnings: [expect.stringContaining('no wildcard')] })
  const page = (redirect_uri: string) =>
    sandbox.request
      .get('/t/literal/v1/oidc/use')
      .query(useRequest({ client_id: 'shop', redirect_uri }))
  await page('https://shop.example/*').expect(200)
  await page('https://shop.example/cb').expect(400)
})

test('A reset brings back the declared state but keeps clients', async () => {
  const tenant = sandbox.tenant('reset')
  const rp = rpOf('reset')
  const code = await rp.obtainCode()
  const shop = { clientId: 'shop', clientSecret: 's', redirectUris: ['https://shop.example/cb'] }
  await tenant.configure({ clients: [shop] })
  await sandbox.tenant('unreset').clock.advance(7)
  await tenant.clock.advance(1000)
  const { signing } = await tenant.keys.rotate('publish')
  await tenant.keys.rotate('use')
  await tenant.next({ outcome: 'access_denied' })
  await tenant.personas.remove('teen-16')
  await tenant.scenarios.arm({ name: 'A', steps: [{ await: 'par' }] })
  await sandbox.request.post('/t/reset/_sandbox/reset').expect(204)
  expect((await tenant.clock.state()).advanced_seconds).toBe(0)
  const lists = [tenant.expectations.list(), tenant.scenarios.list(), tenant.flows.list()]
  expect(await Promise.all(lists)).toEqual([[], [], []])
  expect(await tenant.keys.rotate('publish')).toEqual({
    signing,
    published: expect.arrayContaining([signing]),
  })
  expect((await rp.exchange(code)).body).toMatchObject({ error: 'invalid_grant' })
  expect((await sandbox.tenant('unreset').clock.state()).advanced_seconds).toBe(7)
  const query = useRequest({
    client_id: 'shop',
    redirect_uri: 'https://shop.example/cb',
    sandbox_persona: 'teen-16',
  })
  await sandbox.request.get('/t/reset/v1/oidc/use').query(query).expect(302)
})

const start = async (options: Parameters<typeof startSandbox>[0]) => {
  const sandbox = await startSandbox(options)
  const put = (body: object) => sandbox.request.put('/_sandbox/tenants/default').send(body)
  return { ...sandbox, put, rp: createRelyingParty(sandbox) }
}

test('PUT tenants/default sets the readings of the sandbox itself one by one', async () => {
  const { put } = await start({ readings: { typ: 'absent' } })
  const readingsAfter = async (body: object) => (await put(body)).body.readings
  expect(await readingsAfter({ readings: { refused_token_status: 403 } })).toEqual({
    typ: 'absent',
    refused_token_status: '403',
  })
  expect(await readingsAfter({ readings: { typ: null } })).toEqual({ refused_token_status: '403' })
  expect(await readingsAfter({})).toEqual({ refused_token_status: '403' })
  expect(await readingsAfter({ readings: null })).toEqual({})
})

test('PUT tenants/NAME changes nothing when its readings exclude each other', async () => {
  const { put, configure } = await start({ readings: { unknown_members: 'everywhere' } })
  const readings = { key_set: 'one' } as const
  const message =
    'key_set=one and unknown_members=everywhere exclude each other; drop one of the two'
  const { status, body } = await put({ readings, slow_reply_seconds: 1 })
  expect(status).toBe(400)
  expect(body.error_description).toContain(message)
  await expect(configure({ readings })).rejects.toThrow(message)
  expect((await put({})).body).toMatchObject({
    readings: { unknown_members: 'everywhere' },
    slow_reply_seconds: 30,
  })
})

test('A tenant keeps its readings through a reset', async () => {
  const { request, tenant } = await start({})
  const own = tenant('own')
  await own.configure({ readings: { refused_token_status: 403 } })
  await own.configure({ slowReplySeconds: 1 })
  await own.reset()
  const shown = async (name: string) => (await request.get(`/_sandbox/tenants/${name}`)).body
  expect(await shown('own')).toMatchObject({ readings: { refused_token_status: '403' } })
  expect(await shown('default')).toMatchObject({ readings: {} })
})

test('The journal says which readings a flow had, also when it was refused', async () => {
  const { rp, flows } = await start({ readings: { error_body: 'plain' } })
  await rp.push({ client_secret: 'wrong' })
  const flow = await flows.last()
  expect(flow?.readings).toEqual(['error_body=plain'])
  expect(flow?.reasons).toContain('Readings of the specification: error_body=plain.')
})

/** Calls below the address of a tenant that nobody has made, which no route serves. */
const UNSERVED: readonly (readonly [
  what: string,
  status: number,
  call: (at: string) => PromiseLike<Answer>,
])[] = [
  [
    'a POST of the key set',
    405,
    (at) => sandbox.request.post(`${at}/.well-known/jwks.json`).send({}),
  ],
  [
    'a POST of discovery',
    405,
    (at) => sandbox.request.post(`${at}/v1/oidc/use/.well-known/openid-configuration`),
  ],
  ['a POST of the authorization request', 405, (at) => sandbox.request.post(`${at}/v1/oidc/use`)],
  ['a HEAD of the authorization request', 405, (at) => sandbox.request.head(`${at}/v1/oidc/use`)],
  ['a GET of the token endpoint', 405, (at) => sandbox.request.get(`${at}/v1/oidc/use/token`)],
  ['a DELETE of the clock', 405, (at) => sandbox.request.delete(`${at}/_sandbox/clock`)],
  ['a PUT of the home page', 405, (at) => sandbox.request.put(`${at}/`)],
  ['a GET of MCP', 405, (at) => sandbox.request.get(`${at}/_sandbox/mcp`)],
  [
    'a preflight of the token endpoint',
    405,
    (at) => sandbox.request.options(`${at}/v1/oidc/use/token`),
  ],
  [
    'a preflight of the key set',
    204,
    (at) => sandbox.request.options(`${at}/.well-known/jwks.json`),
  ],
  ['an unknown path', 404, (at) => sandbox.request.get(`${at}/nothing`)],
  ['an unknown path by POST', 404, (at) => sandbox.request.post(`${at}/nothing`).send({})],
  [
    'an unknown path of the console',
    404,
    (at) => sandbox.request.get(`${at}/_sandbox/console/x/y`).set(AS_PAGE),
  ],
  ['an unknown path as a page', 404, (at) => sandbox.request.get(`${at}/nothing`).set(AS_PAGE)],
  [
    'an upgrade under the other brand word',
    404,
    (at) => sandbox.request.post(`${at}/v1/agekey/upgrade`).send({}),
  ],
  ['an asset', 200, (at) => sandbox.request.get(`${at}/_sandbox/assets/app.css`)],
  [
    'an asset that there is not',
    404,
    (at) => sandbox.request.get(`${at}/_sandbox/assets/no-such-file.css`),
  ],
  [
    'a body that is too large',
    413,
    (at) => sandbox.request.post(`${at}/v1/oidc/create/par`).send('x'.repeat(70_000)),
  ],
  ['an undecodable path', 400, (at) => sandbox.request.get(`${at}/_sandbox/docs/%ff`)],
]
const AS_PAGE = { Accept: 'text/html' }

test.each(UNSERVED)(
  'A call that no route serves makes no tenant: %s',
  async (_what, status, call) => {
    const answer = await call('/t/unserved')
    expect(answer.status).toBe(status)
    expect(await namesOf()).not.toContain('unserved')
  },
)

test('A refused call below an unknown tenant names the addresses of that tenant', async () => {
  const { body } = await sandbox.request.get('/t/unserved/token').expect(404)
  expect(body.error_description).toContain(`POST ${sandbox.baseUrl}/t/unserved/v1/oidc/use/token`)
})

test('The page of a refused call below an unknown tenant links to that tenant', async () => {
  const { text } = await sandbox.request.get('/t/unserved/nothing').set(AS_PAGE).expect(404)
  expect(text).toContain('href="/t/unserved/')
})

test('A refused call below the invalid name of a tenant says what a name is', async () => {
  const { body } = await sandbox.request.get('/t/-unserved/nothing').expect(400)
  expect(body.error_description).toContain('1 to 63 lowercase letters')
})

test('An upgrade under the other brand word is not recorded in a tenant that nobody made', async () => {
  await sandbox.request.post('/t/unserved/v1/agekey/upgrade').send({}).expect(404)
  expect(await sandbox.tenant('unserved').flows.list()).toEqual([])
})

test('An upgrade under the other brand word stays recorded in a tenant that exists', async () => {
  await sandbox.request.put('/_sandbox/tenants/branded').send({}).expect(201)
  await sandbox.request.post('/t/branded/v1/agekey/upgrade').send({}).expect(404)
  expect(await sandbox.tenant('branded').flows.list()).toHaveLength(1)
})

/** What a foreign page can make a browser send without a word of the user. */
const CROSS_SITE = {
  'Sec-Fetch-Site': 'cross-site',
  'Sec-Fetch-Mode': 'no-cors',
  'Sec-Fetch-Dest': 'image',
}

const CALLS: readonly ((request: HttpClient['request'], name: string) => PromiseLike<unknown>)[] = [
  (request, name) => request.get(`/t/${name}/v1/oidc/use`).query(useRequest()),
  (request, name) =>
    request.get(`/t/${name}/v1/oidc/use`).query({ sandbox_persona: 'teen-16', ...useRequest() }),
  (request, name) =>
    request
      .get(`/t/${name}/v1/oidc/use`)
      .query({ sandbox_outcome: 'jwks.no_keys', ...useRequest() }),
  (request, name) => request.get(`/t/${name}/v1/oidc/use`).query(useRequest()).set(CROSS_SITE),
  (request, name) => request.get(`/t/${name}/v1/oidc/use/.well-known/openid-configuration`),
  (request, name) => request.get(`/t/${name}/_sandbox/clock`),
  (request, name) => request.get(`/t/${name}/_sandbox/tenants`).set(CROSS_SITE),
  (request, name) => request.head(`/t/${name}/.well-known/jwks.json`),
  (request, name) => request.options(`/t/${name}/.well-known/jwks.json`),
  (request, name) => request.get(`/t/${name}/no/such/path`),
  (request, name) => request.get(`/t/${name}/_sandbox/assets/no-such-file.css`),
  (request, name) => request.get(`/t/${name}/_sandbox/console/tenants`),
  (request, name) => request.post(`/t/${name}/_sandbox/clock`).send({ advance: 1 }).set(CROSS_SITE),
  (request, name) =>
    request.post(`/t/${name}/_sandbox/expectations`).send({ flow: 'use', outcome: 'no_such' }),
  (request, name) => request.post(`/t/${name}/_sandbox/evaluate`).send({ claims: {}, signals: [] }),
  (request, name) => request.get(`/t/-${name}/v1/oidc/use`),
]

test('Calls for other tenants, however many, leave a declared tenant everything that it has', async () => {
  const directory = createMemoryDirectory({ max: 3 })
  const parts = await createTestParts({ ...createMemoryStores(), directory })
  const url = `http://${await listenOnFreePort(createServer(createApp(createTestHost(parts))))}`
  const { request } = createClient(url)
  const made = connectSandbox(url).tenant('made')
  await made.configure({ outcome: 'access_denied' })
  await made.personas.put({ name: 'own', title: 'Own', purpose: 'Put by a test.' })
  await made.clock.set('2030-01-01T00:00:00Z')
  await made.next({ persona: 'own', outcome: 'create_requested' })
  const driven = createRelyingParty(createClient(`${url}/t/driven`))
  const { action, fields } = press(
    (await request.get('/t/driven/v1/oidc/use').query(useRequest())).text,
    'decline',
  )
  fields.set('outcome', 'jwks.no_keys')
  await submit({ request }, { action, fields })
  const code = await driven.obtainCode()

  for (const [kind, call] of CALLS.entries()) await call(request, `kind-${kind}`)
  const names = await directory.list()
  expect(names).toEqual([
    ...names.filter((name) => name.startsWith('kind-')).slice(-3),
    'made',
    'driven',
  ])
  expect((await request.get('/_sandbox/tenants/made')).body).toMatchObject({
    outcome: 'access_denied',
  })
  expect(await made.personas.get('own')).toMatchObject({ title: 'Own' })
  expect((await made.clock.state()).base).toBe('2030-01-01T00:00:00.000Z')
  expect(await made.expectations.list()).toMatchObject([
    { persona: 'own', outcome: 'create_requested' },
  ])
  expect((await driven.exchange(code)).status).toBe(200)
})
