import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createRelyingParty } from '../support/relying-party.ts'
import { basic, pushedRequest, useRequest } from '../support/requests.ts'
import { startSandbox } from '../support/sandbox.ts'

const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k', 'oth']

test('no key of the key set has a private member, through a whole rotation', async () => {
  const sandbox = await startSandbox()
  for (const stage of ['publish', 'use', 'retire'] as const) {
    await sandbox.keys.rotate(stage)
    const { keys } = (await sandbox.request.get('/.well-known/jwks.json')).body as { keys: Record<string, unknown>[] }
    expect(keys.length).toBeGreaterThan(1)
    for (const key of keys) {
      expect(Object.keys(key)).not.toEqual(expect.arrayContaining([expect.toBeOneOf(PRIVATE_MEMBERS)]))
      expect(key['kid']).toMatch(/^sandbox-/)
    }
  }
})

test('journal and log hold neither client secrets nor Basic credentials, access tokens or the control token', async () => {
  const sandbox = await startSandbox({ controlToken: 'the-control-token' })
  const party = createRelyingParty(sandbox)
  const token = await party.obtainToken()
  await party.upgrade(token)
  await party.push()
  await sandbox.request
    .post('/v1/oidc/create/par')
    .type('form')
    .send(pushedRequest({ client_secret: 'mistyped-secret' }))
  const control = { Authorization: 'Bearer the-control-token' }
  await sandbox.request.get('/_sandbox/catalog').set(control)

  const reported = JSON.stringify([await sandbox.flows.list(), sandbox.calls])
  expect(reported).toContain('client_secret')
  const credentials = basic('ak_test_sandbox', 'sk_test_sandbox').replace('Basic ', '')
  for (const secret of ['sk_test_sandbox', 'mistyped-secret', credentials, token, 'the-control-token']) {
    expect(reported).not.toContain(secret)
  }
})

test.each([
  ['E1', '/v1/oidc/use'],
  ['E3', '/v1/oidc/create'],
])('%s answers an unregistered redirect_uri with a page, whatever else is wrong', async (_endpoint, path) => {
  const sandbox = await startSandbox()
  for (const redirect_uri of [
    'https://evil.example/',
    '//evil.example',
    'javascript:alert(1)',
    'http://localhost@evil.example/',
  ]) {
    for (const changes of [{}, { scope: 'other' }, { sandbox_outcome: 'access_denied' }]) {
      const answer = await sandbox.request
        .get(path)
        .query(useRequest({ ...changes, redirect_uri }))
        .expect(400)
      expect(answer.headers.location).toBeUndefined()
    }
  }
})

test('no URL that a client supplies is fetched', async () => {
  const visits: string[] = []
  const trap = createServer((request, response) => {
    visits.push(String(request.url))
    response.end('{}')
  })
  await new Promise<void>((resolve) => trap.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void trap.close())
  const url = (name: string) => `http://127.0.0.1:${(trap.address() as AddressInfo).port}/${name}`
  const everywhere = Object.fromEntries(
    ['redirect_uri', 'request_uri', 'request', 'logo_uri', 'jwks_uri', 'sector_identifier_uri', 'font'].map((name) => [
      name,
      url(name),
    ]),
  )
  const sandbox = await startSandbox()
  await sandbox.request.get('/v1/oidc/use').query(useRequest(everywhere))
  await sandbox.request.get('/v1/oidc/use').query(useRequest({ ...everywhere, sandbox_persona: 'adult-passport' }))
  await sandbox.request.get('/v1/oidc/create').query(useRequest({ ...everywhere, response_type: 'none' }))
  await sandbox.request.post('/v1/oidc/create/par').type('form').send(pushedRequest(everywhere))
  await sandbox.request.get('/_sandbox/health').set({ Origin: url('origin'), Referer: url('referer') })
  expect(visits).toEqual([])
})

describe('the control API', () => {
  test('refuses a page of another site, by Origin and by a Host that was made to resolve here', async () => {
    const sandbox = await startSandbox()
    const reset = (headers: Record<string, string>) => sandbox.request.post('/_sandbox/reset').set(headers).send({})
    expect((await reset({ Origin: 'https://evil.example' })).status).toBe(403)
    expect((await reset({ 'Sec-Fetch-Site': 'cross-site' })).status).toBe(403)
    const resolvedHere = await reset({ Host: 'evil.example', 'Sec-Fetch-Site': 'same-origin' })
    expect(resolvedHere.status).toBe(403)
    expect(resolvedHere.text).toContain('Host: \\"evil.example\\" is not a name of this sandbox')
    for (const path of ['catalog', 'flows', 'events', 'console/flows']) {
      const read = sandbox.request.get(`/_sandbox/${path}`).set('Host', 'evil.example')
      await read.expect(403)
    }
    await sandbox.request.post('/_sandbox/reset').set('Content-Type', 'text/plain').send('{}').expect(415)
    expect((await reset({})).status).toBe(204)
  })

  test('is off beyond loopback until a token is set, and then asks for it', async () => {
    const off = await startSandbox({ host: '0.0.0.0' })
    await off.request.get('/_sandbox/catalog').expect(403)
    const guarded = await startSandbox({ host: '0.0.0.0', controlToken: 'right' })
    const withToken = (token: string) =>
      guarded.request.get('/_sandbox/catalog').set('Authorization', `Bearer ${token}`)
    await guarded.request.get('/_sandbox/catalog').expect(401)
    expect((await withToken('wrong')).status).toBe(401)
    expect((await withToken('right')).status).toBe(200)
  })
})

test.each(['/', '/v1/oidc/use', '/.well-known/jwks.json', '/_sandbox/health', '/nowhere', '/t/x/', '/%'])(
  'the answer to %s says that it is for testing only',
  async (path) => {
    const sandbox = await startSandbox()
    expect((await sandbox.request.get(path)).headers['x-agekey-sandbox']).toBe('testing-only')
  },
)
