import { expect, test } from 'vitest'
import { idTokenOf } from '../support/id-tokens.ts'
import { createRelyingParty } from '../support/relying-party.ts'
import { pushedRequest, tokenRequest, useRequest } from '../support/requests.ts'
import { startSandbox } from '../support/sandbox.ts'
import { startWebApp } from '../support/web-app.ts'
import { expectPromises, isPage } from './every-answer.ts'

/**
 * Addresses that are no route, and calls that are refused before a route; `page-routes.test.ts`
 * asks all routes.
 */
const UNSERVED = ['/nowhere', '/v1', '/%', '/t/x/', '/t/%E0%A4%A/x', '/t/UPPER/v1/oidc/use']
const OTHERS = ['/_sandbox/assets/app.css', '/_sandbox/assets/nothing.css', ...UNSERVED]
const POSTED = [
  '/v1/oidc/create/par',
  '/v1/oidc/use/token',
  '/v1/svc/upgrade',
  '/v1/oidc/use/choice',
  '/nowhere',
]
const PAGE = 'text/html,application/xhtml+xml,*/*;q=0.8'

test('Every answer keeps what all answers promise', async () => {
  const { request } = await startSandbox()
  const hosted = [{}, { sandbox_persona: 'teen-16' }].map(
    (changes) => `?${new URLSearchParams(useRequest(changes))}`,
  )
  for (const path of [...OTHERS, ...hosted.map((query) => `/v1/oidc/use${query}`)])
    for (const type of [PAGE, '*/*'])
      expectPromises(path.replace(/\?.*/, ''), await request.get(path).set('Accept', type))
  expectPromises('/v1/oidc/use', await request.delete('/v1/oidc/use'))
  for (const path of POSTED) {
    expectPromises(path, await request.post(path).send({}))
    for (const body of [pushedRequest(), tokenRequest('x'), 'x'.repeat(70_000)])
      expectPromises(path, await request.post(path).type('form').send(body))
  }
})

const HEADS = [
  '/',
  '/_sandbox/health',
  '/_sandbox/events',
  '/_sandbox/console/flows',
  '/.well-known/jwks.json',
]
test.each(HEADS)(
  'The answer to HEAD %s is a head without a body, and HEAD begins no Create flow',
  async (path) => {
    const { request, flows } = await startSandbox()
    const answer = await request.head(path).expect(200)
    await request.head('/v1/oidc/create').query(useRequest()).expect(405)
    expect(await flows.list()).toEqual([])
    expect(answer.text ?? '').toBe('')
  },
)

test('An address that is not served is answered by a page only for a browser', async () => {
  const { request } = await startSandbox()
  const shows = async (path: string, accept: string) =>
    isPage(await request.get(path).set('Accept', accept).expect(404))
  expect(await shows('/nothing', PAGE)).toBe(true)
  expect(await shows('/nothing', '*/*')).toBe(false)
  expect(await shows('/_sandbox/nothing', 'text/html')).toBe(false)
  expect(await shows('/_sandbox/console/nothing', 'text/html')).toBe(true)
})

test('No URL that a client supplies is fetched', async () => {
  const trap = await startWebApp((_request, response) => response.end('{}'))
  const url = (name: string) => `${trap.url}/${name}`
  const names = [
    'redirect_uri',
    'request_uri',
    'request',
    'logo_uri',
    'jwks_uri',
    'sector_identifier_uri',
    'font',
  ]
  const everywhere = Object.fromEntries(names.map((name) => [name, url(name)]))
  const { request } = await startSandbox()
  await request.get('/v1/oidc/use').query(useRequest(everywhere))
  await request
    .get('/v1/oidc/use')
    .query(useRequest({ ...everywhere, sandbox_persona: 'adult-passport' }))
  await request.get('/v1/oidc/create').query(useRequest({ ...everywhere, response_type: 'none' }))
  await request.post('/v1/oidc/create/par').type('form').send(pushedRequest(everywhere))
  await request.get('/_sandbox/health').set({ Origin: url('origin'), Referer: url('referer') })
  expect(trap.requests).toEqual([])
})

const CHILD = { sandbox_persona: 'child-12' }

test('Profile agekey has its own brand word in the scope', async () => {
  const sandbox = await startSandbox({ profile: 'agekey' })
  const party = createRelyingParty(sandbox, { brand: 'agekey' })
  await party.obtainToken(CHILD)
})

test('Profile agekey has its own brand word in the upgrade path', async () => {
  const sandbox = await startSandbox({ profile: 'agekey' })
  const party = createRelyingParty(sandbox, { brand: 'agekey' })
  const token = await party.obtainToken(CHILD)
  expect((await createRelyingParty(sandbox).upgrade(token)).status).toBe(404)
  expect((await party.upgrade(token)).status).toBe(200)
  expect(idTokenOf(await party.use(CHILD)).age_thresholds).toMatchObject({ 21: true })
  expect((await party.use({ scope: 'openid svc.upgrade' })).params).toMatchObject({
    error: 'invalid_scope',
  })
})

test('Profile agekey gives an id_token for "code id_token"', async () => {
  const party = createRelyingParty(await startSandbox({ profile: 'agekey' }), { brand: 'agekey' })
  const given = async (changes: object) =>
    Object.keys((await party.use({ ...CHILD, ...changes })).params)
  expect(await given({ scope: 'openid agekey.upgrade', response_type: 'code id_token' })).toContain(
    'id_token',
  )
})

test('Profile agekey gives a code for the older name of the upgrade scope', async () => {
  const party = createRelyingParty(await startSandbox({ profile: 'agekey' }), { brand: 'agekey' })
  const given = async (changes: object) =>
    Object.keys((await party.use({ ...CHILD, ...changes })).params)
  expect(await given({ scope: 'openid agekey_upgrade' })).toContain('code')
})
