import { expect, test } from 'vitest'
import type { ReceivedCallback } from '../support/callbacks.ts'
import { idTokenOf } from '../support/id-tokens.ts'
import { createRelyingParty, type RelyingParty } from '../support/relying-party.ts'
import { claims, pushedRequest, tokenRequest, useRequest } from '../support/requests.ts'
import { shareSandbox, startSandbox, type TestSandbox } from '../support/sandbox.ts'
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

const HEADS = ['/', '/_sandbox/health', '/_sandbox/events', '/_sandbox/console/flows', '/.well-known/jwks.json']
test.each(HEADS)('The answer to HEAD %s is a head without a body, and HEAD begins no Create flow', async (path) => {
  const { request, flows } = await startSandbox()
  const answer = await request.head(path).expect(200)
  await request.head('/v1/oidc/create').query(useRequest()).expect(405)
  expect(await flows.list()).toEqual([])
  expect(answer.text ?? '').toBe('')
})

test('An address that is not served is answered by a page for a browser and in JSON for every other client', async () => {
  const { request } = await startSandbox()
  const shows = async (path: string, accept: string) =>
    isPage(await request.get(path).set('Accept', accept).expect(404))
  expect([await shows('/nothing', PAGE), await shows('/nothing', '*/*')]).toEqual([true, false])
  expect(await shows('/_sandbox/nothing', 'text/html')).toBe(false)
  expect(await shows('/_sandbox/console/nothing', 'text/html')).toBe(true)
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

const CHILD = { sandbox_persona: 'child-12' }
const lenient = await shareSandbox({ profile: 'agekey' })
const strict = await shareSandbox({ profile: 'spec' })
const party = createRelyingParty(lenient, { brand: 'agekey' })

const lastFinding = async (sandbox: TestSandbox, rule: string) =>
  (await sandbox.flows.last())?.calls.flatMap(({ findings }) => findings).find((finding) => finding.rule === rule)

type Send = (rp: RelyingParty, brand: string) => Promise<ReceivedCallback>
const scope = 'openid agekey_upgrade'

test.each<[sent: string, rule: string, Send, given: string]>([
  [
    'response_type "code id_token" with the upgrade scope',
    'USE-05',
    (rp, brand) => rp.use({ scope: `openid ${brand}.upgrade`, response_type: 'code id_token' }),
    'id_token',
  ],
  ['the scope agekey_upgrade at E1', 'USE-17', (rp) => rp.use({ scope, ...CHILD }), 'code'],
  [
    'the scope agekey_upgrade at E3',
    'CRE-05',
    async (rp) => rp.create(await rp.obtainRequestUri(), { scope }),
    'state',
  ],
])('Profile agekey serves, with an advice, and profile spec refuses %s (%s)', async (_sent, rule, send, given) => {
  const { params } = await send(party, 'agekey')
  expect([Object.keys(params), params['error']]).toEqual([expect.arrayContaining([given]), undefined])
  expect(await lastFinding(lenient, rule)).toMatchObject({ level: 'advice' })
  expect((await send(createRelyingParty(strict), 'svc')).params).toHaveProperty('error')
  expect(await lastFinding(strict, rule)).toMatchObject({ level: 'error' })
})

test('Profile agekey puts its brand word into the scope and the upgrade path, instead of svc', async () => {
  const token = await party.obtainToken(CHILD)
  expect((await createRelyingParty(lenient).upgrade(token)).status).toBe(404)
  expect((await party.upgrade(token)).status).toBe(200)
  expect(idTokenOf(await party.use(CHILD)).age_thresholds).toMatchObject({ 21: true })
  expect((await party.use({ scope: 'openid svc.upgrade' })).params).toMatchObject({ error: 'invalid_scope' })
})

const levelOf = async ({ request }: TestSandbox, rule: string) =>
  (await request.get('/_sandbox/catalog')).body.rules.find(({ id }: { id: string }) => id === rule).level

test('Profile agekey refuses a sixth threshold or the same one twice, and takes an older upgrade scope at E2', async () => {
  for (const [rule, age_thresholds] of [
    ['CLM-06', [1, 2, 3, 4, 5, 6]],
    ['CLM-04', [18, 18]],
  ] as const) {
    const query = { claims: claims({ age_thresholds }) }
    expect((await party.use(query)).params['error_description']).toContain(rule)
    expect((await createRelyingParty(strict).use(query)).params).toHaveProperty('id_token')
    expect([await levelOf(lenient, rule), await levelOf(strict, rule)]).toEqual(['error', 'advice'])
  }
  expect((await party.push({ scope })).status).toBe(201)
})
