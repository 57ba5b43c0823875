import { expect, test } from 'vitest'
import type { HttpClient } from '../../support/http-client.ts'
import { createRelyingParty } from '../../support/relying-party.ts'
import { ageSignal, basic, claims, pushedRequest, tokenRequest, useRequest } from '../../support/requests.ts'
import { shareSandbox } from '../../support/sandbox.ts'

const TOKEN = 'token-of-the-control-api'
const DECLARED = 'not+a/real%secret'
const SHORT = 's3cr3t'

const form = ({ request }: HttpClient, path: string, body: string, authorization?: string) => {
  const call = request.post(path).type('form')
  return (authorization === undefined ? call : call.set('Authorization', authorization)).send(body)
}
const PAR = '/v1/oidc/create/par'
const E4 = '/v1/oidc/use/token'
const asForm = (fields: Readonly<Record<string, string>>) => String(new URLSearchParams(fields))

/** Where a mistaken or an odd client puts a secret. */
const PLACES: Readonly<Record<string, (http: HttpClient, secret: string) => PromiseLike<unknown>>> = {
  'the state of E1': ({ request }, s) =>
    request.get('/v1/oidc/use').query(useRequest({ state: s, sandbox_persona: 'child-4' })),
  'the nonce of E1, in a longer text': ({ request }, s) =>
    request.get('/v1/oidc/use').query(useRequest({ nonce: `Bearer ${s} x`, sandbox_persona: 'child-4' })),
  'the client_id of E1': ({ request }, s) => request.get('/v1/oidc/use').query(useRequest({ client_id: s })),
  'the query of the redirect_uri of E1': ({ request }, s) =>
    request
      .get('/v1/oidc/use')
      .query(useRequest({ redirect_uri: `http://localhost/?x=${encodeURIComponent(s)}`, sandbox_persona: 'child-4' })),
  'a claims object': ({ request }, s) =>
    request.get('/v1/oidc/use').query(useRequest({ claims: claims({ [s]: { a: [s] } }) })),
  'claims that are no JSON': ({ request }, s) => request.get('/v1/oidc/use').query(useRequest({ claims: ` "${s}' ` })),
  'the name of a parameter of E1': ({ request }, s) =>
    request.get('/v1/oidc/use').query({ ...useRequest(), [`${s}`]: '', [`a ${s}`]: s }),
  'an unknown outcome': ({ request }, s) => request.get('/v1/oidc/use').query(useRequest({ sandbox_outcome: s })),
  'JSON that is sent as a form to E2': (http, s) =>
    form(http, PAR, JSON.stringify({ ...pushedRequest({ client_secret: s }), a: { b: [s] } })),
  'JSON behind a name in a form': (http, s) => form(http, PAR, `x${JSON.stringify({ client_secret: s })}`),
  'another field of E2': (http, s) =>
    form(http, PAR, asForm(pushedRequest({ scope: s, type: s, response_type: `${s} ${s}` }))),
  'a misspelt field of E2': (http, s) =>
    form(http, PAR, asForm(pushedRequest({ client_secret: undefined, clientsecrets: s, sekret: s }))),
  'the age signals of E2': (http, s) =>
    form(
      http,
      PAR,
      asForm(
        pushedRequest({ authorization_details: JSON.stringify([{ ...ageSignal(), verification_id: s, [s]: s }]) }),
      ),
    ),
  'the code of E4': (http, s) => form(http, E4, asForm(tokenRequest(s)), basic('ak_test_sandbox', 'sk_test_sandbox')),
  'Basic credentials that are the code of E4': (http, s) => form(http, E4, asForm(tokenRequest(basic('web-shop', s)))),
  'a percent-encoded grant_type of E4': (http, s) =>
    form(http, E4, asForm(tokenRequest('x', { grant_type: encodeURIComponent(s) }))),
  'the path of E4': (http, s) => form(http, `${E4}/${encodeURIComponent(s)}`, ''),
  'the query of E4': (http, s) => form(http, `${E4}?client_secret=${encodeURIComponent(s)}`, asForm(tokenRequest('x'))),
  'the signals of E5': ({ request }, s) =>
    request
      .post('/v1/svc/upgrade')
      .set('Authorization', `Bearer ${s}`)
      .send({ authorization_details: [{ a: { client_secret: s, b: [s] }, [s]: 1 }], nested: { token: s } }),
  'headers that clients add': ({ request }, s) =>
    request
      .get('/v1/oidc/use')
      .set({ 'User-Agent': encodeURIComponent(s), 'X-Request-Id': encodeURIComponent(s) })
      .query(useRequest({ sandbox_persona: 'child-4' })),
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
  const accessToken = await createRelyingParty(sandbox).obtainToken()
  const secrets = ['sk_test_sandbox', DECLARED, SHORT, TOKEN, accessToken]
  for (const secret of secrets) await send(sandbox, secret)
  const text = await everythingShown()
  for (const secret of secrets) {
    const forms = [secret, encodeURIComponent(secret), btoa(secret).replace(/=*$/, ''), btoa(`web-shop:${secret}`)]
    expect(forms.filter((form) => text.includes(form))).toEqual([])
  }
})

test('Events hold no secret either', async () => {
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
