import { createServer } from 'node:http'
import { expect, test } from 'vitest'
import { connectSandbox } from '../../src/client/connect-sandbox.ts'
import { createApp } from '../../src/server/app.ts'
import { createMemoryDirectory, createMemoryStores } from '../../src/store/stores.ts'
import { press, submit } from '../support/forms.ts'
import { createTestHost } from '../support/host.ts'
import { createClient, type HttpClient } from '../support/http-client.ts'
import { listenOnFreePort } from '../support/listen-on-free-port.ts'
import { createRelyingParty } from '../support/relying-party.ts'
import { useRequest } from '../support/requests.ts'
import { createTestParts } from '../support/tenant.ts'

/** What a foreign page can make a browser send without a word of the user. */
const CROSS_SITE = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'no-cors', 'Sec-Fetch-Dest': 'image' }

const CALLS: readonly ((request: HttpClient['request'], name: string) => PromiseLike<unknown>)[] = [
  (request, name) => request.get(`/t/${name}/v1/oidc/use`).query(useRequest()),
  (request, name) => request.get(`/t/${name}/v1/oidc/use`).query({ sandbox_persona: 'teen-16', ...useRequest() }),
  (request, name) => request.get(`/t/${name}/v1/oidc/use`).query({ sandbox_outcome: 'jwks.no_keys', ...useRequest() }),
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
  (request, name) => request.post(`/t/${name}/_sandbox/expectations`).send({ flow: 'use', outcome: 'no_such' }),
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
  const { action, fields } = press((await request.get('/t/driven/v1/oidc/use').query(useRequest())).text, 'decline')
  fields.set('outcome', 'jwks.no_keys')
  await submit({ request }, { action, fields })
  const code = await driven.obtainCode()

  for (const [kind, call] of CALLS.entries()) await call(request, `kind-${kind}`)
  const names = await directory.list()
  expect(names).toEqual([...names.filter((name) => name.startsWith('kind-')).slice(-3), 'made', 'driven'])
  expect((await request.get('/_sandbox/tenants/made')).body).toMatchObject({ outcome: 'access_denied' })
  expect(await made.personas.get('own')).toMatchObject({ title: 'Own' })
  expect((await made.clock.state()).base).toBe('2030-01-01T00:00:00.000Z')
  expect(await made.expectations.list()).toMatchObject([{ persona: 'own', outcome: 'create_requested' }])
  expect((await driven.exchange(code)).status).toBe(200)
})
