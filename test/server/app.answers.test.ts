import { expect, test } from 'vitest'
import { readError, refusal } from '../support/error-body.ts'
import { createClient } from '../support/http-client.ts'
import { createRelyingParty } from '../support/relying-party.ts'
import { pushedRequest, tokenRequest, useRequest } from '../support/requests.ts'
import { startSandbox } from '../support/sandbox.ts'
import { startWebApp } from '../support/web-app.ts'
import { expectPromises, isPage } from './every-answer.ts'

/** Addresses that are no route, and calls that are refused before a route; `page-routes.test.ts` asks all routes. */
const UNSERVED = ['/nowhere', '/v1', '/%', '/t/x/', '/t/%E0%A4%A/x', '/t/UPPER/v1/oidc/use']
const OTHERS = ['/_sandbox/assets/app.css', '/_sandbox/assets/nothing.css', ...UNSERVED]
const POSTED = ['/v1/oidc/create/par', '/v1/oidc/use/token', '/v1/svc/upgrade', '/v1/oidc/use/choice', '/nowhere']
const PAGE = 'text/html,application/xhtml+xml,*/*;q=0.8'

test('Answers that no route gives, and pages with a valid request, keep what all answers promise', async () => {
  const { request } = await startSandbox()
  const hosted = [{}, { sandbox_persona: 'teen-16' }].map((changes) => `?${new URLSearchParams(useRequest(changes))}`)
  for (const path of [...OTHERS, ...hosted.map((query) => `/v1/oidc/use${query}`)]) {
    for (const type of [PAGE, '*/*'])
      expectPromises(path.replace(/\?.*/, ''), await request.get(path).set('Accept', type))
  }
  expectPromises('/v1/oidc/use', await request.delete('/v1/oidc/use'))
  for (const path of POSTED) {
    expectPromises(path, await request.post(path).send({}))
    for (const body of [pushedRequest(), tokenRequest('x'), 'x'.repeat(70_000)])
      expectPromises(path, await request.post(path).type('form').send(body))
  }
})

test.each(['/', '/_sandbox/health', '/_sandbox/events', '/_sandbox/console/flows', '/.well-known/jwks.json'])(
  'The answer to HEAD %s is a head without a body, and HEAD begins no Create flow',
  async (path) => {
    const { request, flows } = await startSandbox()
    const answer = await request.head(path).expect(200)
    await request.head('/v1/oidc/create').query(useRequest()).expect(405)
    expect(await flows.list()).toEqual([])
    expect(answer.text ?? '').toBe('')
  },
)

test('An address that is not served is answered by a page for a browser and in JSON for every other client', async () => {
  const { request } = await startSandbox()
  const hasPage = async (path: string, accept: string) =>
    isPage(await request.get(path).set('Accept', accept).expect(404))
  expect([await hasPage('/nothing', PAGE), await hasPage('/nothing', '*/*')]).toEqual([true, false])
  expect(await hasPage('/_sandbox/nothing', 'text/html')).toBe(false)
  expect(await hasPage('/_sandbox/console/nothing', 'text/html')).toBe(true)
})

test('An answer to a server-to-server call is JSON even when the caller asks for HTML', async () => {
  const { request } = await startSandbox()
  const exchange = request.post('/v1/oidc/use/token').set('Accept', 'text/html').type('form')
  expect(readError(await exchange.send(tokenRequest('x'))).error).toBe('invalid_client')
})

test('An unknown name is reported with the place where it stands', async () => {
  const { request } = await startSandbox()
  const use = request.get('/v1/oidc/use').set('Accept', 'application/json')
  const { error_description } = readError(await use.query(useRequest({ sandbox_persona: 'teen16' })))
  expect(error_description).toContain('query parameter sandbox_persona: there is no persona "teen16"')
  const byHeader = request.get('/v1/oidc/use').set({ Accept: 'application/json', 'X-Sandbox-Outcome': 'x' })
  const message = 'request header X-Sandbox-Outcome: there is no outcome of use'
  expect(readError(await byHeader.query(useRequest())).error_description).toContain(message)
})

test('A tenant has endpoints, issuer and links of its own below /t/NAME', async () => {
  const sandbox = await startSandbox()
  const { body } = await sandbox.request.get('/t/ci-1/v1/oidc/use/.well-known/openid-configuration')
  expect(body).toMatchObject({ issuer: `${sandbox.baseUrl}/t/ci-1/v1/oidc/use` })
  const page = await sandbox.request.get('/t/ci-1/v1/oidc/use').query(useRequest())
  expect(page.text).toContain('action="/t/ci-1/v1/oidc/use/choice"')
  const requestUri = await createRelyingParty(createClient(`${sandbox.url}/t/ci-1`)).obtainRequestUri()
  expect((await createRelyingParty(sandbox).create(requestUri)).params).toMatchObject({ error: 'invalid_request_uri' })
})

test('E1, E2 and E5 refuse JSON that is nested 10,000 levels deep, and the journal still records the call', async () => {
  const sandbox = await startSandbox()
  const rp = createRelyingParty(sandbox)
  const deep = '['.repeat(10_000) + ']'.repeat(10_000)
  expect((await rp.use({ claims: deep })).params).toMatchObject({ error: 'invalid_request' })
  expect(refusal(await rp.push({ authorization_details: deep })).rules).toEqual(['PAR-10'])
  const headers = { Authorization: `Bearer ${await rp.obtainToken()}`, 'Content-Type': 'application/json' }
  const answer = await sandbox.request.post('/v1/svc/upgrade').set(headers).send(`{"authorization_details":${deep}}`)
  expect(refusal(answer)).toEqual({ status: 400, error: 'invalid_request', rules: ['UPG-05'] })
  expect((await sandbox.flows.last())?.calls.at(-1)?.status).toBe(400)
})

test('No key of the key set has a private member, through a whole rotation', async () => {
  const sandbox = await startSandbox()
  for (const stage of ['publish', 'use', 'retire'] as const) {
    await sandbox.keys.rotate(stage)
    const { keys } = (await sandbox.request.get('/.well-known/jwks.json')).body as { keys: Record<string, unknown>[] }
    expect(keys.length).toBeGreaterThan(1)
    for (const { kid, ...key } of keys) {
      expect(kid).toMatch(/^sandbox-/)
      for (const member of ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k', 'oth']) expect(key).not.toHaveProperty(member)
    }
  }
})

test('No URL that a client supplies is fetched', async () => {
  const trap = await startWebApp((_request, response) => response.end('{}'))
  const url = (name: string) => `${trap.url}/${name}`
  const names = ['redirect_uri', 'request_uri', 'request', 'logo_uri', 'jwks_uri', 'sector_identifier_uri', 'font']
  const everywhere = Object.fromEntries(names.map((name) => [name, url(name)]))
  const { request } = await startSandbox()
  await request.get('/v1/oidc/use').query(useRequest(everywhere))
  await request.get('/v1/oidc/use').query(useRequest({ ...everywhere, sandbox_persona: 'adult-passport' }))
  await request.get('/v1/oidc/create').query(useRequest({ ...everywhere, response_type: 'none' }))
  await request.post('/v1/oidc/create/par').type('form').send(pushedRequest(everywhere))
  await request.get('/_sandbox/health').set({ Origin: url('origin'), Referer: url('referer') })
  expect(trap.requests).toEqual([])
})
