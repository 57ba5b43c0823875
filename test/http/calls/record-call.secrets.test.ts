import { expect, test } from 'vitest'
import type { HttpClient } from '../../support/http-client.ts'
import { createRelyingParty } from '../../support/relying-party.ts'
import {
  ageSignal,
  basic,
  type Changes,
  claims,
  type Fields,
  pushedRequest,
  tokenRequest,
  useRequest,
} from '../../support/requests.ts'
import { shareSandbox } from '../../support/sandbox.ts'

const TOKEN = 'token-of-the-control-api'
const DECLARED = 'not+a/real%secret'
const SHORT = 's3cr3t'
const PAR = '/v1/oidc/create/par'
const E4 = '/v1/oidc/use/token'
type Send = (secret: string, http: HttpClient) => PromiseLike<unknown>

const form = ({ request }: HttpClient, path: string, body: Fields | string, headers: Fields = {}) =>
  request.post(path).type('form').set(headers).send(body)
const push = (http: HttpClient, changes: Changes) => form(http, PAR, pushedRequest(changes))
const use = ({ request }: HttpClient, changes: Changes, headers: Fields = {}) =>
  request.get('/v1/oidc/use').set(headers).query(useRequest(changes))
const decided = (http: HttpClient, changes: Changes, headers?: Fields) =>
  use(http, { sandbox_persona: 'child-4', ...changes }, headers)
const signals = (s: string) => JSON.stringify([{ ...ageSignal(), verification_id: s, [s]: s }])
const upgrade = (s: string) => ({
  authorization_details: [{ a: { client_secret: s, b: [s] }, [s]: 1 }],
  nested: { token: s },
})
const encode = encodeURIComponent
const CLIENT = { Authorization: basic('ak_test_sandbox', 'sk_test_sandbox') }

/** Where a mistaken or an odd client puts a secret. */
const PLACES: Readonly<Record<string, Send>> = {
  'the state of E1': (s, http) => decided(http, { state: s }),
  'the client_id of E1': (s, http) => use(http, { client_id: s }),
  'the query of the redirect_uri of E1': (s, http) =>
    decided(http, { redirect_uri: `http://localhost/?x=${encode(s)}` }),
  'a claims object': (s, http) => use(http, { claims: claims({ [s]: { a: [s] } }) }),
  'the name of a parameter of E1': (s, http) => use(http, { [s]: '', [`a ${s}`]: s }),
  'an unknown outcome': (s, http) => use(http, { sandbox_outcome: s }),
  'JSON that is sent as a form to E2': (s, http) =>
    form(http, PAR, JSON.stringify({ ...pushedRequest({ client_secret: s }), a: { b: [s] } })),
  'another field of E2': (s, http) => push(http, { scope: s, type: s, response_type: `${s} ${s}` }),
  'the age signals of E2': (s, http) => push(http, { authorization_details: signals(s) }),
  'the code of E4': (s, http) => form(http, E4, tokenRequest(s), CLIENT),
  'the path of E4': (s, http) => form(http, `${E4}/${encode(s)}`, ''),
  'the query of E4': (s, http) => form(http, `${E4}?client_secret=${encode(s)}`, tokenRequest('x')),
  'the signals of E5': (s, { request }) =>
    request.post('/v1/svc/upgrade').set('Authorization', `Bearer ${s}`).send(upgrade(s)),
  'headers that clients add': (s, http) => decided(http, {}, { 'User-Agent': encode(s), 'X-Request-Id': encode(s) }),
}

const REDIRECT = { redirectUris: ['https://shop.example/cb'] }
const sandbox = await shareSandbox({
  controlToken: TOKEN,
  clients: [
    { clientId: 'web-shop', clientSecret: DECLARED, ...REDIRECT },
    { clientId: 'short', clientSecret: SHORT, ...REDIRECT },
  ],
})
const { request } = sandbox

/** Everything by which a recorded call is seen again. */
async function everythingShown(): Promise<string> {
  const flows = await sandbox.flows.list({ limit: 10 })
  const paths = flows.flatMap(({ id }) => [`/_sandbox/flows/${id}`, `/_sandbox/console/flows/${id}`])
  const pages: string[] = []
  for (const path of [...paths, '/_sandbox/console/flows']) pages.push((await request.get(path)).text)
  return JSON.stringify([sandbox.calls, flows, pages])
}

test.each(Object.entries(PLACES))('A secret in %s is not shown again, whichever secret it is', async (_place, send) => {
  const secrets = ['sk_test_sandbox', DECLARED, SHORT, TOKEN, await createRelyingParty(sandbox).obtainToken()]
  for (const secret of secrets) await send(secret, sandbox)
  const text = await everythingShown()
  for (const secret of secrets) {
    const forms = [secret, encodeURIComponent(secret), btoa(secret).replace(/=*$/, ''), btoa(`web-shop:${secret}`)]
    expect(forms.filter((form) => text.includes(form))).toEqual([])
  }
})

test('The events of the control API hold no secret of a call', async () => {
  const events = await fetch(`${sandbox.url}/_sandbox/events`)
  const reader = events.body?.pipeThrough(new TextDecoderStream()).getReader()
  const query = useRequest({ state: `x ${DECLARED}`, nonce: TOKEN, sandbox_persona: 'child-4' })
  await request.get('/v1/oidc/use').query(query)
  let text = ''
  while (!text.includes('event: flow')) text += (await reader?.read())?.value ?? ''
  await reader?.cancel()
  expect(text).toContain('"state":"x ***"')
  for (const secret of [DECLARED, TOKEN]) expect(text).not.toContain(secret)
})

test('The secret of a client that a tenant declares later is masked', async () => {
  const tenant = sandbox.tenant('late')
  await tenant.configure({ clients: [{ clientId: 'late', clientSecret: 'declared-later', ...REDIRECT }] })
  await request.get('/t/late/v1/oidc/use').query(useRequest({ state: 'declared-later' }))
  expect((await tenant.flows.last())?.state).toBe('***')
})

test.each([
  ['replaced', [{ clientId: 'late', clientSecret: 'its-new-secret', ...REDIRECT }]],
  ['removed', []],
])('The secret of a client that is %s later stays masked in what was recorded before', async (_, clients) => {
  const tenant = sandbox.tenant('late')
  await tenant.configure({ clients: [{ clientId: 'late', clientSecret: 'its-old-secret', ...REDIRECT }] })
  await request.get('/t/late/v1/oidc/use').query(useRequest({ state: 'its-old-secret' }))
  await tenant.configure({ clients })
  await tenant.configure({ lifetimes: { code: 60 } })
  expect((await tenant.flows.last())?.state).toBe('***')
})
