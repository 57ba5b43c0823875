import { decodeJwt } from 'jose'
import { expect, test } from 'vitest'
import type { Sandbox, SandboxOptions } from '../../src/server/create-sandbox.ts'
import type { Answer, HttpClient } from '../support/http-client.ts'
import { decodeReferences } from '../support/markup.ts'
import { createRelyingParty, type RelyingParty } from '../support/relying-party.ts'
import {
  ageSignal,
  basic,
  type Changes,
  pushedRequest,
  REDIRECT_URI,
  tokenRequest,
  useRequest,
} from '../support/requests.ts'
import { shareSandbox, startSandbox } from '../support/sandbox.ts'
import { readPage } from './page.ts'

/** What a developer sees, as the page shows it. */
type Show = (sandbox: Sandbox & HttpClient) => Promise<string>

const USE = '/v1/oidc/use'
const PAR = '/v1/oidc/create/par'
const TOKEN = '/v1/oidc/use/token'
const ADULT = { sandbox_persona: 'adult-passport' }
const WEB_SHOP = { clientId: 'web-shop', clientSecret: 'not-a-real-secret', redirectUris: [REDIRECT_URI] }
const shop = { client_id: WEB_SHOP.clientId }

const ELSEWHERE = 'https://sandbox.example.com'

const said = ({ error, error_description }: Readonly<Record<string, string | undefined>>) =>
  `${error}: ${error_description}`
const described = ({ body }: Answer) => said(body)

/** What the error page of E1 says. */
const errorPage =
  (changes: Changes): Show =>
  async (sandbox) => {
    const { text } = await sandbox.request.get(USE).query(useRequest(changes))
    return decodeReferences(/data-testid="error-description">(.*?)<\/p>/s.exec(text)?.[1] ?? '')
  }

/** What comes back with the callback of E1. */
const callback =
  (changes: Changes): Show =>
  async (sandbox) =>
    said((await createRelyingParty(sandbox).use(changes)).params)

const push =
  (changes: Changes): Show =>
  async (sandbox) =>
    described(await createRelyingParty(sandbox).push(changes))

/** Where E1 sends the browser of a user whose age is verified. */
const redirected =
  (changes: Changes): Show =>
  async (sandbox) => {
    const { headers } = await sandbox.request.get(USE).query(useRequest({ ...ADULT, ...changes }))
    return `Location: ${headers['location']?.replace(/id_token=[^&]+/, 'id_token=eyJ...')}`
  }

/** What the console says of the flow. */
const reasonsOf = async (sandbox: Sandbox) => (await sandbox.flows.last())?.reasons?.join('\n') ?? ''

/** What the control API says at another address, without the token. */
const controlApi =
  (options: SandboxOptions): Show =>
  async () =>
    described(await (await startSandbox({ baseUrl: ELSEWHERE, ...options })).request.get('/_sandbox/flows'))

/** What E3 answers a reference that was pushed, and spent before. */
const created =
  (spend: (rp: RelyingParty, requestUri: string, sandbox: Sandbox) => Promise<unknown>, changes: Changes = {}): Show =>
  async (sandbox) => {
    await sandbox.clock.freeze()
    const rp = createRelyingParty(sandbox)
    const requestUri = await rp.obtainRequestUri()
    await spend(rp, requestUri, sandbox)
    return said((await rp.create(requestUri, changes)).params)
  }

/** What makes the message of each part of the page, by its heading. */
const TROUBLES: Readonly<Record<string, Show>> = {
  'The browser shows "redirect_uri is not registered"': errorPage({ ...shop, redirect_uri: `${REDIRECT_URI}/` }),
  'localhost works, 127.0.0.1 does not': errorPage({ ...shop, redirect_uri: 'http://127.0.0.1:3000/callback' }),
  'redirect_uri is refused with the built-in client': errorPage({ redirect_uri: 'https://shop.example/callback' }),
  'redirect_uri is missing although it is sent': errorPage({ redirect_uri: undefined, redirect_url: REDIRECT_URI }),
  'client_id is not registered': errorPage({ client_id: 'web-shp' }),
  'invalid_client at PAR although the secret is right': async (sandbox) => {
    const request = sandbox.request.post(PAR).set('Authorization', basic(WEB_SHOP.clientId, WEB_SHOP.clientSecret))
    return described(await request.type('form').send(pushedRequest({ client_secret: undefined })))
  },
  'invalid_client at the token call although the secret is right': async (sandbox) => {
    const form = tokenRequest('c', { ...shop, client_secret: WEB_SHOP.clientSecret })
    return described(await sandbox.request.post(TOKEN).type('form').send(form))
  },
  'invalid_client with a secret that was copied': push({ ...shop, client_secret: `${WEB_SHOP.clientSecret}\n` }),
  'Every field is missing at PAR': async (sandbox) =>
    described(await sandbox.request.post(PAR).type('form').send(JSON.stringify(pushedRequest()))),
  unsupported_response_type: callback({ response_type: 'code' }),
  'invalid_scope for the upgrade scope': callback({ scope: 'openid agekey.upgrade' }),
  'claims must be JSON': callback({ claims: "{'age_thresholds': [18]}" }),
  'claims is JSON and is refused all the same': callback({ claims: encodeURIComponent('{"age_thresholds":[18]}') }),
  '18 is false although the user is 18': async (sandbox) => {
    const claims = { age_thresholds: [18], overrides: { facial_age_estimation: { min_age: 21 } } }
    await createRelyingParty(sandbox).use({ sandbox_persona: 'face-estimate-19', claims: JSON.stringify(claims) })
    return reasonsOf(sandbox)
  },
  'The fragment never reaches my server': redirected({}),
  'state mismatch': redirected({ response_mode: 'query', state: 'first-tab' }),
  'nonce mismatch after a second tab': async (sandbox) => {
    const { params } = await createRelyingParty(sandbox).use({ nonce: 'first-tab' })
    return JSON.stringify({ nonce: decodeJwt(params['id_token'] ?? '')['nonce'] })
  },
  'The session is empty at a form_post callback': async (sandbox) => {
    const { text } = await sandbox.request.get(USE).query(useRequest({ ...ADULT, response_mode: 'form_post' }))
    return /<form method="post" action="[^"]*"/.exec(text)?.[0] ?? ''
  },
  'issuer mismatch in Docker': async (sandbox) => {
    const { body } = await sandbox.request.get(`${USE}/.well-known/openid-configuration`)
    return JSON.stringify({ issuer: body.issuer })
  },
  'CORS: the browser blocks the token call': async (sandbox) => described(await sandbox.request.options(TOKEN)),
  'A code or request_uri has expired at once': created((_rp, _uri, { clock }) => clock.advance(3600)),
  'request_uri has already been used': created((rp, uri) => rp.create(uri)),
  'No choice page appears any more': async (sandbox) => {
    await sandbox.request.get(USE).set('Cookie', 'agekey_sandbox_persona=teen-16').query(useRequest())
    return (await reasonsOf(sandbox)).split('\n')[0] ?? ''
  },
  'The control API answers 401 in a container': controlApi({ controlToken: 'not-a-real-token' }),
  'The control API answers 403 in a container': controlApi({}),
  'An age signal is refused by its provenance': push({
    authorization_details: JSON.stringify([ageSignal({ provenance: '/my_company' })]),
  }),
  'The token call refuses the id_token': async (sandbox) => {
    const rp = createRelyingParty(sandbox)
    const { params } = await rp.use()
    return described(await rp.exchange(params['id_token']))
  },
  'E3 answers without the parameters that were pushed': created(async () => {}, {
    scope: undefined,
    response_type: undefined,
  }),
}

/** The parts of the page by their headings. */
const parts = new Map(
  readPage('troubleshooting.md')
    .split(/^### /m)
    .slice(1)
    .map((part) => [part.split('\n', 1)[0] ?? '', part]),
)

/** Without the link to the flow, and with the address of the page. */
const asOnThePage = (text: string, baseUrl: string) =>
  text.replace(/ \(flow f\d+: [^ )]+\)/, '').replaceAll(baseUrl, 'http://localhost:2435')

const sandbox = await shareSandbox({ clients: [WEB_SHOP] })

test.each(Object.entries(TROUBLES))('troubleshooting.md shows what the product says: %s', async (heading, show) => {
  const [, shown] = /^```text\n(.*?)\n```/ms.exec(parts.get(heading) ?? '') ?? []
  expect(asOnThePage(await show(sandbox), sandbox.baseUrl)).toBe(shown)
})

test('Each part of troubleshooting.md has a case that makes its message, and names the cause and the remedy', () => {
  expect([...parts.keys()]).toEqual(Object.keys(TROUBLES))
  expect(parts.size).toBeGreaterThanOrEqual(20)
  for (const part of parts.values()) expect(part).toMatch(/^\*\*Cause\.\*\* [\s\S]*^\*\*Remedy\.\*\* /m)
})
