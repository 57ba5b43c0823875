import type { Answer } from '../support/http-client.ts'
import { decodeReferences } from '../support/markup.ts'
import { createRelyingParty } from '../support/relying-party.ts'
import {
  ageSignal,
  basic,
  type Changes,
  createRequest,
  pushedRequest,
  tokenRequest,
  useRequest,
} from '../support/requests.ts'
import { startSandbox, type TestSandbox } from '../support/sandbox.ts'
import { WEB_SHOP } from '../support/web-shop.ts'

/** What a developer sees, as the page shows it. */
type Show = (sandbox: TestSandbox) => Promise<string>

const USE = '/v1/oidc/use'
const PAR = '/v1/oidc/create/par'
const TOKEN = '/v1/oidc/use/token'
const ADULT = { sandbox_persona: 'adult-passport' }
const shop = { client_id: WEB_SHOP.clientId }

const described = ({ body }: Answer): string => `${body.error}: ${body.error_description}`

/** What the error page of E1 says. */
const page =
  (changes: Changes): Show =>
  async (sandbox) => {
    const { text } = await sandbox.request.get(USE).query(useRequest(changes))
    return decodeReferences(/data-testid="error-description">(.*?)<\/p>/s.exec(text)?.[1] ?? '')
  }

/** What comes back with the callback of E1. */
const callback =
  (changes: Changes): Show =>
  async (sandbox) => {
    const { params } = await createRelyingParty(sandbox).use(changes)
    return `${params['error']}: ${params['error_description']}`
  }

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
async function reasonsOf(sandbox: TestSandbox): Promise<string> {
  const { body } = await sandbox.request.get('/_sandbox/flows/f1')
  return body.reasons.join('\n')
}

/** One for each heading of the page. */
export const TROUBLES: Readonly<Record<string, Show>> = {
  'The browser shows "redirect_uri is not registered"': page({
    ...shop,
    redirect_uri: 'http://localhost:3000/callback/',
  }),
  'localhost works, 127.0.0.1 does not': page({ ...shop, redirect_uri: 'http://127.0.0.1:3000/callback' }),
  'redirect_uri is refused with the built-in client': page({ redirect_uri: 'https://shop.example/callback' }),
  'redirect_uri is missing although it is sent': page({
    redirect_uri: undefined,
    redirect_url: 'http://localhost:3000/callback',
  }),
  'client_id is not registered': page({ client_id: 'web-shp' }),
  'invalid_client at PAR although the secret is right': async (sandbox) => {
    const form = new URLSearchParams(pushedRequest({ client_secret: undefined }))
    const { clientId, clientSecret } = WEB_SHOP
    return described(
      await sandbox.request.post(PAR).set('Authorization', basic(clientId, clientSecret)).send(String(form)),
    )
  },
  'invalid_client at the token call although the secret is right': async (sandbox) =>
    described(
      await sandbox.request
        .post(TOKEN)
        .type('form')
        .send(tokenRequest('c', { ...shop, client_secret: WEB_SHOP.clientSecret })),
    ),
  'invalid_client with a secret that was copied': push({ ...shop, client_secret: `${WEB_SHOP.clientSecret}\n` }),
  'Every field is missing at PAR': async (sandbox) =>
    described(await sandbox.request.post(PAR).type('form').send(JSON.stringify(pushedRequest()))),
  unsupported_response_type: callback({ response_type: 'code' }),
  'invalid_scope for the upgrade scope': callback({ scope: 'openid agekey.upgrade' }),
  'claims must be JSON': callback({ claims: "{'age_thresholds': [18]}" }),
  'claims is JSON and is refused all the same': callback({
    claims: encodeURIComponent('{"age_thresholds":[18]}'),
  }),
  '18 is false although the user is 18': async (sandbox) => {
    const claims = { age_thresholds: [18], overrides: { facial_age_estimation: { min_age: 21 } } }
    await createRelyingParty(sandbox).use({ sandbox_persona: 'face-estimate-19', claims: JSON.stringify(claims) })
    return reasonsOf(sandbox)
  },
  'The fragment never reaches my server': redirected({}),
  'state mismatch': redirected({ response_mode: 'query', state: 'first-tab' }),
  'nonce mismatch after a second tab': async (sandbox) => {
    const { params } = await createRelyingParty(sandbox).use({ nonce: 'first-tab' })
    const [, payload = ''] = params['id_token']?.split('.') ?? []
    const { nonce }: { nonce: string } = JSON.parse(Buffer.from(payload, 'base64url').toString())
    return JSON.stringify({ nonce })
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
  'A code or request_uri has expired at once': async (sandbox) => {
    await sandbox.clock.freeze()
    const rp = createRelyingParty(sandbox)
    const requestUri = await rp.obtainRequestUri()
    await sandbox.clock.advance(3600)
    const { params } = await rp.create(requestUri)
    return `${params['error']}: ${params['error_description']}`
  },
  'request_uri has already been used': async (sandbox) => {
    const rp = createRelyingParty(sandbox)
    const requestUri = await rp.obtainRequestUri()
    await rp.create(requestUri)
    const { params } = await rp.create(requestUri)
    return `${params['error']}: ${params['error_description']}`
  },
  'No choice page appears any more': async (sandbox) => {
    await sandbox.request.get(USE).set('Cookie', 'agekey_sandbox_persona=teen-16').query(useRequest())
    return (await reasonsOf(sandbox)).split('\n')[0] ?? ''
  },
  'The control API answers 401 in a container': async () => {
    const sandbox = await startSandbox({ baseUrl: 'https://sandbox.example.com', controlToken: 'not-a-real-token' })
    return described(await sandbox.request.get('/_sandbox/flows'))
  },
  'The control API answers 403 in a container': async () => {
    const sandbox = await startSandbox({ baseUrl: 'https://sandbox.example.com' })
    return described(await sandbox.request.get('/_sandbox/flows'))
  },
  'An age signal is refused by its provenance': push({
    authorization_details: JSON.stringify([ageSignal({ provenance: '/my_company' })]),
  }),
  'The token call refuses the id_token': async (sandbox) => {
    const rp = createRelyingParty(sandbox)
    const { params } = await rp.use()
    return described(await rp.exchange(params['id_token']))
  },
  'E3 answers without the parameters that were pushed': async (sandbox) => {
    const rp = createRelyingParty(sandbox)
    const query = createRequest(await rp.obtainRequestUri(), { scope: undefined, response_type: undefined })
    const { headers } = await sandbox.request.get('/v1/oidc/create').query(query)
    const params = new URL(headers['location'] ?? '').searchParams
    return `${params.get('error')}: ${params.get('error_description')}`
  },
}
