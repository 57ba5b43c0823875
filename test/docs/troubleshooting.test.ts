import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { promisify } from 'node:util'
import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose'
import { expect, onTestFinished, test } from 'vitest'
import * as z from 'zod'
import { createSandbox, type SandboxOptions } from '../../src/server/create-sandbox.ts'
import { type Answer, createClient } from '../support/http-client.ts'
import { decodeReferences } from '../support/markup.ts'
import { createRelyingParty } from '../support/relying-party.ts'
import * as requests from '../support/requests.ts'
import { shareSandbox, startSandbox } from '../support/sandbox.ts'
import { readPage } from './page.ts'

const { ageSignal, basic, pushedRequest, REDIRECT_URI, tokenRequest, useRequest } = requests

const USE = '/v1/oidc/use'
const PAR = '/v1/oidc/create/par'
const TOKEN = '/v1/oidc/use/token'
const ADULT = { sandbox_persona: 'adult-passport' }
const WEB_SHOP = {
  clientId: 'web-shop',
  clientSecret: 'not-a-real-secret',
  redirectUris: [REDIRECT_URI],
}
const shop = { client_id: WEB_SHOP.clientId }
const sandbox = await shareSandbox({ clients: [WEB_SHOP] })
const { request, flows, clock } = sandbox
const app = createRelyingParty(sandbox)

const said = ({ error, error_description }: Readonly<Record<string, string | undefined>>) =>
  `${error}: ${error_description}`
const described = ({ body }: Answer) => said(body)

const open = async (changes: requests.Changes, headers = {}) =>
  request.get(USE).set(headers).query(useRequest(changes))

/** What the error page of E1 says. */
async function errorPage(changes: requests.Changes) {
  const { text } = await open(changes)
  return decodeReferences(/data-testid="error-description">(.*?)<\/p>/s.exec(text)?.[1] ?? '')
}

/** Where E1 sends the browser of a user whose age is verified. */
async function redirected(changes: requests.Changes) {
  const { headers } = await open({ ...ADULT, ...changes })
  return `Location: ${headers['location']?.replace(/id_token=[^&]+/, 'id_token=eyJ...')}`
}

/** The id_token that a sandbox issues for an adult. */
async function idTokenOf({ url }: { readonly url: string }) {
  const { params } = await createRelyingParty(createClient(url)).use()
  return z.string().parse(params['id_token'])
}

/** What the console says of the flow. */
const reasons = async () => (await flows.last())?.reasons ?? []

/** What the control API says at another address, without the token. */
async function controlApi(options: SandboxOptions) {
  const elsewhere = await startSandbox({ baseUrl: 'https://sandbox.example.com', ...options })
  return described(await elsewhere.request.get('/_sandbox/flows'))
}

/** What E3 answers a reference that was pushed, and spent before. */
async function created(
  spend: (requestUri: string) => Promise<unknown>,
  changes: requests.Changes = {},
) {
  await clock.freeze()
  const requestUri = await app.obtainRequestUri()
  await spend(requestUri)
  return said((await app.create(requestUri, changes)).params)
}

/** What curl gets when a proxy that cannot reach this machine is asked for the sandbox. */
async function behindProxy() {
  const proxy = createServer((_request, response) => response.writeHead(502).end()).listen(0)
  await once(proxy, 'listening')
  onTestFinished(() => void proxy.close())
  const { port } = z.object({ port: z.number() }).parse(proxy.address())
  const health = `${sandbox.baseUrl}/_sandbox/health`
  const ask = async (environment: Readonly<Record<string, string>>) => {
    const env = {
      PATH: process.env['PATH'],
      http_proxy: `http://127.0.0.1:${port}`,
      ...environment,
    }
    return (
      await promisify(execFile)('curl', ['-s', '-o', '/dev/null', '-w', '%{http_code}', health], {
        env,
      })
    ).stdout
  }
  expect(await ask({ NO_PROXY: 'localhost,127.0.0.1,::1,agekey-sandbox' })).toBe('200')
  return `curl ${health}: ${await ask({})}`
}

/** What makes the message of each part of the page, by its heading. */
const TROUBLES: Readonly<Record<string, () => Promise<string>>> = {
  'The browser shows "redirect_uri is not registered"': () =>
    errorPage({ ...shop, redirect_uri: `${REDIRECT_URI}/` }),
  'localhost works, 127.0.0.1 does not': () =>
    errorPage({ ...shop, redirect_uri: 'http://127.0.0.1:3000/callback' }),
  'redirect_uri is refused with the built-in client': () =>
    errorPage({ redirect_uri: 'https://shop.example/callback' }),
  'redirect_uri has no http://': () => errorPage({ redirect_uri: 'localhost:3000/callback' }),
  'redirect_uri is missing although it is sent': () =>
    errorPage({ redirect_uri: undefined, redirect_url: REDIRECT_URI }),
  'client_id is not registered': () => errorPage({ client_id: 'web-shp' }),
  'invalid_client at PAR although the secret is right': async () => {
    const call = request
      .post(PAR)
      .set('Authorization', basic(WEB_SHOP.clientId, WEB_SHOP.clientSecret))
    return described(await call.type('form').send(pushedRequest({ client_secret: undefined })))
  },
  'invalid_client at the token call although the secret is right': async () => {
    const form = tokenRequest('c', { ...shop, client_secret: WEB_SHOP.clientSecret })
    return described(await request.post(TOKEN).type('form').send(form))
  },
  'invalid_client with a secret that was copied': async () =>
    described(await app.push({ ...shop, client_secret: `${WEB_SHOP.clientSecret}\n` })),
  'invalid_client with a secret that has + or &': async () => {
    const elsewhere = await startSandbox({
      clients: [{ ...WEB_SHOP, clientSecret: 'not+a+real+secret' }],
    })
    const form = `${new URLSearchParams(pushedRequest({ ...shop, client_secret: undefined }))}&client_secret=not+a+real+secret`
    return described(await elsewhere.request.post(PAR).type('form').send(form))
  },
  'invalid_client with private_key_jwt': async () =>
    described(
      await app.push({ ...shop, client_secret: undefined, client_assertion: 'e30.e30.c2ln' }),
    ),
  'Every field is missing at PAR': async () =>
    described(await request.post(PAR).type('form').send(JSON.stringify(pushedRequest()))),
  unsupported_response_type: async () => said((await app.use({ response_type: 'code' })).params),
  'invalid_scope for the upgrade scope': async () =>
    said((await app.use({ scope: 'openid agekey.upgrade' })).params),
  'claims must be JSON': async () =>
    said((await app.use({ claims: "{'age_thresholds': [18]}" })).params),
  'claims is JSON and is refused all the same': async () =>
    said((await app.use({ claims: encodeURIComponent('{"age_thresholds":[18]}') })).params),
  'claims is missing although it is sent': async () =>
    said((await app.use({ claims: undefined, 'claims[age_thresholds][]': '18' })).params),
  'claims of OpenID Connect are refused': async () =>
    said((await app.use({ claims: '{"id_token":{"age_thresholds":[18]}}' })).params),
  'JSON is refused because it was escaped': async () =>
    said((await app.use({ claims: '{\\"age_thresholds\\":[18]}' })).params),
  '18 is false although the user is 18': async () => {
    const overrides = { facial_age_estimation: { min_age: 21 } }
    await app.use({
      sandbox_persona: 'face-estimate-19',
      claims: requests.claims({ age_thresholds: [18], overrides }),
    })
    return (await reasons()).join('\n')
  },
  'The fragment never reaches my server': () => redirected({}),
  'state mismatch': () => redirected({ response_mode: 'query', state: 'first-tab' }),
  'nonce mismatch after a second tab': async () => {
    const { params } = await app.use({ nonce: 'first-tab' })
    return JSON.stringify({ nonce: decodeJwt(params['id_token'] ?? '')['nonce'] })
  },
  'The session is empty at a form_post callback': async () => {
    const { text } = await open({ ...ADULT, response_mode: 'form_post' })
    return /<form method="post" action="[^"]*"/.exec(text)?.[0] ?? ''
  },
  'localhost answers 403 or 502, and the journal has no call': behindProxy,
  'Good tokens are refused after a restart': async () => {
    // Neither has a folder or a file for its keys.
    await using before = await createSandbox()
    const keySet = createRemoteJWKSet(new URL(`${before.url}/.well-known/jwks.json`))
    await jwtVerify(await idTokenOf(before), keySet)
    await before.close()
    await using after = await createSandbox({ port: Number(new URL(before.url).port) })
    return jwtVerify(await idTokenOf(after), keySet).then(String, String)
  },
  'issuer mismatch in Docker': async () => {
    const { body } = await request.get(`${USE}/.well-known/openid-configuration`)
    return JSON.stringify({ issuer: body.issuer })
  },
  'CORS: the browser blocks the token call': async () => described(await request.options(TOKEN)),
  'A code or request_uri has expired at once': () => created(() => clock.advance(3600)),
  'request_uri has already been used': () => created((requestUri) => app.create(requestUri)),
  'No choice page appears any more': async () => {
    await open({}, { Cookie: 'agekey_sandbox_persona=teen-16' })
    return (await reasons()).join('\n').split('\n')[0] ?? ''
  },
  'The control API answers 401 in a container': () =>
    controlApi({ controlToken: 'not-a-real-token' }),
  'The control API answers 403 in a container': () => controlApi({}),
  'An age signal is refused by its provenance': async () => {
    const details = [ageSignal({ provenance: '/my_company' })]
    return described(await app.push({ authorization_details: JSON.stringify(details) }))
  },
  'A method of another service is refused': async () => {
    const details = [ageSignal({ method: 'passport' })]
    return described(await app.push({ authorization_details: JSON.stringify(details) }))
  },
  'The token call refuses the id_token': async () => {
    const { params } = await app.use()
    return described(await app.exchange(params['id_token']))
  },
  'E3 answers without the parameters that were pushed': () =>
    created(async () => {}, { scope: undefined, response_type: undefined }),
}

/** The parts of the page by their headings. */
const parts = new Map(
  readPage('troubleshooting.md')
    .split(/^### /m)
    .slice(1)
    .map((it) => [it.split('\n', 1)[0] ?? '', it]),
)

test.each(Object.entries(TROUBLES))(
  'troubleshooting.md shows what the product says: %s',
  async (heading, show) => {
    const [, shown] = /^```text\n(.*?)\n```/ms.exec(parts.get(heading) ?? '') ?? []
    const withoutLink = (await show()).replace(/ \(flow f\d+: [^ )]+\)/, '')
    expect(withoutLink.replaceAll(sandbox.baseUrl, 'http://localhost:2435')).toBe(shown)
  },
)

test('Each part of troubleshooting.md has a case that makes its message', () => {
  expect([...parts.keys()]).toEqual(Object.keys(TROUBLES))
  expect(parts.size).toBeGreaterThanOrEqual(20)
})

test('Each part of troubleshooting.md names the cause before the remedy', () => {
  for (const part of parts.values())
    expect(part).toMatch(/^\*\*Cause\.\*\* [\s\S]*^\*\*Remedy\.\*\* /m)
})
