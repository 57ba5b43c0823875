import type { Answer } from '../support/http-client.ts'
import { createRelyingParty, type RelyingParty } from '../support/relying-party.ts'
import {
  ageSignal,
  basic,
  type Changes,
  createRequest,
  pushedRequest,
  tokenRequest,
  useRequest,
} from '../support/requests.ts'
import type { TestSandbox } from '../support/sandbox.ts'
import { WEB_SHOP } from '../support/web-shop.ts'

/** What a developer does wrong, and the words that the answer must hold. */
export interface Mistake {
  readonly does: string
  /** What was received. */
  readonly received: string
  /** What is allowed. */
  readonly allowed: string
  /** How to mend it. */
  readonly mend: string
  send(context: MistakeContext): Promise<Answer>
}

interface MistakeContext {
  readonly sandbox: TestSandbox
  readonly rp: RelyingParty
}

type Words = Pick<Mistake, 'received' | 'allowed' | 'mend'>

const JSON_ANSWER = { Accept: 'application/json' }
const USE = '/v1/oidc/use'
const PAR = '/v1/oidc/create/par'
const CREATE = '/v1/oidc/create'
const TOKEN = '/v1/oidc/use/token'
const UPGRADE = '/v1/svc/upgrade'

const ask = ({ sandbox }: MistakeContext, path: string, query: Changes = {}) =>
  sandbox.request.get(path).set(JSON_ANSWER).query(query)

const use = (does: string, changes: Changes, words: Words): Mistake => ({
  does,
  ...words,
  send: async (context) => ask(context, USE, useRequest({ sandbox_persona: 'adult-passport', ...changes })),
})

const claims = (does: string, value: unknown, words: Words): Mistake =>
  use(does, { claims: typeof value === 'string' ? value : JSON.stringify(value) }, words)

const push = (does: string, changes: Changes, words: Words): Mistake => ({
  does,
  ...words,
  send: ({ rp }) => rp.push(changes),
})

const signal = (does: string, changes: Readonly<Record<string, unknown>>, words: Words): Mistake =>
  push(does, { authorization_details: JSON.stringify([ageSignal(changes)]) }, words)

const visit = (does: string, path: string, words: Words): Mistake => ({
  does,
  ...words,
  send: async (context) => ask(context, path),
})

/** The built-in client sends no request here that the client of the config could not send. */
const ofShop = (changes: Changes = {}): Changes => ({ client_id: WEB_SHOP.clientId, ...changes })

const exchange = (does: string, authorization: string | undefined, form: Changes, words: Words): Mistake => ({
  does,
  ...words,
  async send({ sandbox }) {
    const call = sandbox.request.post(TOKEN).type('form')
    return (authorization === undefined ? call : call.set('Authorization', authorization)).send(tokenRequest('c', form))
  },
})

const upgrade = (
  does: string,
  authorization: (context: MistakeContext) => Promise<string> | string,
  words: Words,
): Mistake => ({
  does,
  ...words,
  send: async (context) =>
    context.sandbox.request
      .post(UPGRADE)
      .set('Authorization', await authorization(context))
      .send({ authorization_details: [ageSignal()] }),
})

const REDIRECT_WORDS = { allowed: 'registered: http://localhost:3000/callback', mend: 'Send a registered URL exactly' }
const redirect = (does: string, redirectUri: string, difference: string): Mistake =>
  use(does, ofShop({ redirect_uri: redirectUri }), { ...REDIRECT_WORDS, received: difference })

const METHODS = 'email_age_estimation, facial_age_estimation, national_id_number, digital_credential, id_doc_scan'

/** Where a request is sent, and by whom. */
const ADDRESSES: readonly Mistake[] = [
  visit('reads the discovery document at the root', '/.well-known/openid-configuration', {
    received: '/.well-known/openid-configuration is not served here',
    allowed: 'GET BASE/v1/oidc/use/.well-known/openid-configuration',
    mend: 'GET BASE/v1/oidc/create/.well-known/openid-configuration',
  }),
  visit('sends the browser to /authorize', '/authorize?client_id=web-shop', {
    received: '/authorize is not served here',
    allowed: 'E1 (Use authorization): GET BASE/v1/oidc/use',
    mend: 'E3 (Create authorization): GET BASE/v1/oidc/create',
  }),
  visit('exchanges the code by GET', TOKEN, {
    received: 'GET /v1/oidc/use/token',
    allowed: 'use POST',
    mend: 'with its parameters in the body',
  }),
  visit('calls the upgrade path of the live service', '/v1/agekey/upgrade', {
    received: '/v1/agekey/upgrade is not served here',
    allowed: 'POST BASE/v1/svc/upgrade',
    mend: 'start it with --profile agekey',
  }),
  visit('ends an address with a slash', '/v1/oidc/use/', {
    received: '/v1/oidc/use/ is not served here',
    allowed: 'GET BASE/v1/oidc/use',
    mend: 'without the slash at the end',
  }),
  visit('misspells a persona', `${USE}?sandbox_persona=teen`, {
    received: 'there is no persona "teen"',
    allowed: 'GET /_sandbox/personas lists all',
    mend: 'Did you mean "teen-14", "teen-16" or "teen-email-13"?',
  }),
]

/** E1, the authorization request. */
const AUTHORIZATION: readonly Mistake[] = [
  redirect('registers no final slash and sends one', 'http://localhost:3000/callback/', 'differs by the final slash'),
  redirect('registers localhost and sends 127.0.0.1', 'http://127.0.0.1:3000/callback', '127.0.0.1 is not localhost'),
  redirect(
    'registers one port and sends another',
    'http://localhost:3001/callback',
    'differs by the port: 3001 is not 3000',
  ),
  redirect(
    'registers http and sends https',
    'https://localhost:3000/callback',
    'differs by the scheme: https: is not http:',
  ),
  redirect('registers lower case and sends capitals', 'http://localhost:3000/Callback', 'by upper and lower case'),
  redirect('adds a query', 'http://localhost:3000/callback?from=shop', 'differs by the query: ?from=shop is not none'),
  redirect('encodes the redirect_uri twice', 'http%3A%2F%2Flocalhost%3A3000%2Fcallback', 'it is encoded twice'),
  use(
    'uses a public host with the built-in client',
    { redirect_uri: 'https://shop.example/cb' },
    {
      received: 'redirect_uri https://shop.example/cb is not registered for client ak_test_sandbox',
      allowed: 'any path and port on localhost, 127.0.0.1 and [::1]',
      mend: 'list this one under redirect_uris of the client',
    },
  ),
  use(
    'misspells the client_id',
    { client_id: 'web-shp' },
    {
      received: 'client_id "web-shp" is not registered here',
      allowed: 'Registered: web-shop, ak_test_sandbox',
      mend: 'Did you mean "web-shop"?',
    },
  ),
  use(
    'asks for the upgrade scope of the other profile',
    { scope: 'openid agekey.upgrade' },
    {
      received: 'is "openid agekey.upgrade"',
      allowed: 'scope must be "openid" or "openid svc.upgrade"',
      mend: 'start it with --profile agekey',
    },
  ),
  use(
    'asks for a code',
    { response_type: 'code' },
    {
      received: 'is "code"',
      allowed: 'response_type must be id_token',
      mend: 'Send response_type=id_token',
    },
  ),
  use(
    'misspells form_post',
    { response_mode: 'form-post' },
    {
      received: 'is "form-post"',
      allowed: 'response_mode must be fragment, query or form_post',
      mend: 'Did you mean "form_post"?',
    },
  ),
  use(
    'sends no state',
    { state: undefined },
    { received: 'state is missing', allowed: 'a random state per request', mend: 'compare it on return' },
  ),
  use(
    'sends the nonce as an empty value',
    { nonce: '' },
    {
      received: 'nonce is missing: it was received without a value',
      allowed: 'a random nonce per request',
      mend: 'keep it in the session',
    },
  ),
  use(
    'writes redirectUri',
    { redirect_uri: undefined, redirectUri: 'http://localhost:3000/callback' },
    {
      received: 'redirect_uri is missing; redirectUri was received: did you mean redirect_uri?',
      allowed: 'Did you mean "redirect_uri"?',
      mend: 'Remove the parameter, or correct its name',
    },
  ),
  use(
    'sends can_create=True',
    { can_create: 'True' },
    { received: 'is "True"', allowed: 'can_create must be exactly true', mend: 'Send can_create=true' },
  ),
]

/** The claims object. */
const CLAIMS: readonly Mistake[] = [
  claims('writes single quotes', "{'age_thresholds': [18]}", {
    received: `is "{'age_thresholds': [18]}"`,
    allowed: 'claims must be JSON',
    mend: 'write double quotes instead of single ones',
  }),
  claims('encodes the claims twice', encodeURIComponent('{"age_thresholds":[18]}'), {
    received: 'claims must be JSON, is "%7B%22age_thresholds',
    allowed: 'encodeURIComponent(JSON.stringify({ age_thresholds: [18] }))',
    mend: 'it is percent-encoded twice; encode it once',
  }),
  claims('stringifies the claims twice', JSON.stringify('{"age_thresholds":[18]}'), {
    received: 'is JSON inside a string',
    allowed: 'claims must be a JSON object',
    mend: 'it was encoded twice',
  }),
  claims(
    'sends thresholds as text',
    { age_thresholds: ['18'] },
    {
      received: 'is "18"',
      allowed: 'claims.age_thresholds[0] must be an integer from 0 to 150',
      mend: 'Send JSON numbers without quotes',
    },
  ),
  claims(
    'writes allowed_method',
    { age_thresholds: [18], allowed_method: ['id_doc_scan'] },
    {
      received: 'claims has no member "allowed_method"',
      allowed: 'Members: age_thresholds, allowed_methods',
      mend: 'Did you mean "allowed_methods"?',
    },
  ),
  claims(
    'names a method that does not exist',
    { age_thresholds: [18], allowed_methods: ['passport_scan'] },
    {
      received: 'is "passport_scan"',
      allowed: `claims.allowed_methods[0] must be one of ${METHODS}`,
      mend: 'Leave it out to accept all methods',
    },
  ),
  claims(
    'gives a single pattern for a list',
    { age_thresholds: [18], provenance: { allowed: '/yoti' } },
    {
      received: 'is "/yoti"',
      allowed: 'claims.provenance.allowed must be an array of patterns',
      mend: '"allowed": ["/veratad/*"]',
    },
  ),
]

/** E2, the pushed request. */
const PUSHED: readonly Mistake[] = [
  push(
    'sends one age signal instead of a list',
    { authorization_details: JSON.stringify(ageSignal()) },
    {
      received: 'is an object',
      allowed: 'authorization_details must be an array of age signals',
      mend: 'put it into an array',
    },
  ),
  push(
    'stringifies authorization_details twice',
    { authorization_details: JSON.stringify(JSON.stringify([ageSignal()])) },
    {
      received: 'is JSON inside a string',
      allowed: 'authorization_details must be an array of age signals',
      mend: 'it was encoded twice',
    },
  ),
  signal(
    'leaves out the type',
    { type: undefined },
    {
      received: 'authorization_details[0].type is missing',
      allowed: 'it must be age_verification',
      mend: 'Send "type": "age_verification" in each signal',
    },
  ),
  signal(
    'misspells the method',
    { method: 'idDocScan' },
    {
      received: 'is "idDocScan"',
      allowed: `must be one of ${METHODS}`,
      mend: 'Did you mean "id_doc_scan"?',
    },
  ),
  signal(
    'adds an attribute of its own',
    { attributes: { issuing_country: 'US', document_number: '1' } },
    {
      received: 'has no member "document_number"',
      allowed: 'Attributes of id_doc_scan: face_match_performed, issuing_country',
      mend: 'Correct the name of the attribute, or remove it',
    },
  ),
  signal(
    'uses an order number with a blank',
    { verification_id: 'order 17' },
    {
      received: 'is "order 17" (character 6 is a blank)',
      allowed: '1 to 100 characters: letters, digits and _ + / = . -',
      mend: 'Choose an identifier of your own, for example a UUID version 7',
    },
  ),
  signal(
    'names itself as the source',
    { provenance: '/my_company' },
    {
      received: 'is "/my_company"',
      allowed: 'it holds /connect_id /stripe',
      mend: 'list yours under provenance_allowlist in the config file',
    },
  ),
  signal(
    'writes the country with three letters',
    { attributes: { issuing_country: 'USA' } },
    {
      received: 'is "USA"',
      allowed: 'an assigned ISO 3166-1 alpha-2 code in capitals',
      mend: 'such as US or GB',
    },
  ),
  {
    does: 'sends the credentials by HTTP Basic',
    received: 'client_secret is missing',
    allowed: 'the Authorization header does not count here',
    mend: 'Send both as form fields',
    send: ({ sandbox }) => {
      const form = new URLSearchParams(pushedRequest({ client_secret: undefined }))
      return sandbox.request
        .post(PAR)
        .set('Authorization', basic('ak_test_sandbox', 'sk_test_sandbox'))
        .send(String(form))
    },
  },
  push(
    'copies the secret with a line break',
    { client_secret: 'sk_test_sandbox\n' },
    {
      received: 'there are blanks or line breaks around it',
      allowed: 'client_secret is wrong for client "ak_test_sandbox", which is registered',
      mend: 'The sandbox prints its credentials at start',
    },
  ),
  {
    does: 'sends JSON instead of a form',
    received: 'not "application/json"',
    allowed: 'Content-Type must be application/x-www-form-urlencoded',
    mend: 'Send the fields as a form, not as JSON',
    send: ({ sandbox }) => sandbox.request.post(PAR).send(pushedRequest()),
  },
  {
    does: 'sends JSON under the content type of a form',
    received: 'JSON was received instead of a form',
    allowed: 'send name=value pairs joined by &',
    mend: 'Send both as form fields',
    send: ({ sandbox }) => sandbox.request.post(PAR).type('form').send(JSON.stringify(pushedRequest())),
  },
]

/** E3, the redirect that refers to the pushed request. */
const CREATION: readonly Mistake[] = [
  {
    does: 'lets the request_uri expire',
    received: 'request_uri expired 31 seconds ago by the sandbox clock',
    allowed: 'it lives 90 seconds',
    mend: 'Push the request when the user is about to leave',
    async send(context) {
      await context.sandbox.clock.freeze()
      const requestUri = await context.rp.obtainRequestUri()
      await context.sandbox.clock.advance(121)
      return ask(context, CREATE, createRequest(requestUri))
    },
  },
  {
    does: 'uses a request_uri twice',
    received: 'request_uri has already been used',
    allowed: 'it serves one decision',
    mend: 'Push a new request for each attempt',
    async send(context) {
      const requestUri = await context.rp.obtainRequestUri()
      await context.rp.create(requestUri)
      return ask(context, CREATE, createRequest(requestUri))
    },
  },
  {
    does: 'sends a request_uri of the live service',
    received: 'begins with urn:agekey:request:, which is that of profile agekey',
    allowed: 'request_uri must begin with urn:svc:request: (profile spec)',
    mend: 'send the new request_uri, unchanged',
    send: async (context) => ask(context, CREATE, createRequest('urn:agekey:request:abc')),
  },
]

/** E4 and E5, the server calls of the Upgrade flow. */
const UPGRADES: readonly Mistake[] = [
  exchange(
    'sends the credentials in the form',
    undefined,
    { client_id: 'ak_test_sandbox', client_secret: 'sk_test_sandbox' },
    {
      received: 'the Authorization header is missing',
      allowed: 'client_secret in the form does not count here',
      mend: 'Send Authorization: Basic base64(client_id:client_secret)',
    },
  ),
  exchange(
    'forgets the base64 of HTTP Basic',
    'Basic ak_test_sandbox:sk_test_sandbox',
    {},
    {
      received: 'Authorization has the credentials as they are',
      allowed: 'it must have their base64',
      mend: 'Send Authorization: Basic base64(client_id:client_secret)',
    },
  ),
  exchange(
    'leaves the secret empty',
    basic('ak_test_sandbox', ''),
    {},
    {
      received: 'with an empty client_secret',
      allowed: 'base64(client_id:client_secret)',
      mend: 'Send Authorization: Basic',
    },
  ),
  exchange(
    'uses another grant',
    basic('ak_test_sandbox', 'sk_test_sandbox'),
    { grant_type: 'client_credentials' },
    {
      received: 'is "client_credentials"',
      allowed: 'grant_type must be authorization_code',
      mend: 'Send grant_type=authorization_code',
    },
  ),
  {
    does: 'exchanges the id_token instead of the code',
    received: 'it is a JWT, such as the id_token',
    allowed: 'the code was not issued to client ak_test_sandbox',
    mend: 'Send the code unchanged',
    async send({ rp }) {
      const { params } = await rp.use()
      return rp.exchange(params['id_token'])
    },
  },
  {
    does: 'exchanges a code too late',
    received: 'the code expired 1 second ago by the sandbox clock',
    allowed: 'it lives 600 seconds',
    mend: 'Exchange the code when the callback arrives',
    async send({ rp, sandbox }) {
      await sandbox.clock.freeze()
      const code = await rp.obtainCode()
      await sandbox.clock.advance(601)
      return rp.exchange(code)
    },
  },
  upgrade('authenticates by HTTP Basic at the upgrade call', () => basic('ak_test_sandbox', 'sk_test_sandbox'), {
    received: 'Authorization is Basic',
    allowed: 'it must be Bearer',
    mend: 'the access_token of the token call',
  }),
  upgrade('sends a token that it never read', () => 'Bearer undefined', {
    received: 'it is the text "undefined" of a variable without a value',
    allowed: 'the access token was not issued here',
    mend: 'exchange its code',
  }),
  upgrade('puts quotes around the token', async ({ rp }) => `Bearer "${await rp.obtainToken()}"`, {
    received: 'Authorization is Bearer without a token, or with blanks, quotes',
    allowed: 'other characters that no token has',
    mend: 'Send Authorization: Bearer and the access_token',
  }),
  upgrade('forgets the word Bearer', async ({ rp }) => rp.obtainToken(), {
    received: 'Authorization names no scheme that is known',
    allowed: 'it must be Bearer',
    mend: 'Send Authorization: Bearer and the access_token',
  }),
  upgrade('sends the client_secret as the access token', () => 'Bearer sk_test_sandbox', {
    received: 'it is a client_secret',
    allowed: 'the access token was not issued here',
    mend: 'exchange its code',
  }),
  {
    does: 'stringifies authorization_details in the JSON body',
    received: 'is JSON inside a string',
    allowed: 'authorization_details must be a JSON array',
    mend: 'Do not stringify the array a second time',
    send: async ({ rp }) => rp.upgrade(await rp.obtainToken(), JSON.stringify([ageSignal()])),
  },
  {
    does: 'sends a form to the upgrade call',
    received: 'not "application/x-www-form-urlencoded"',
    allowed: 'Content-Type must be application/json',
    mend: 'Send { "authorization_details": [...] } as JSON',
    send: async ({ rp, sandbox }) =>
      sandbox.request
        .post(UPGRADE)
        .set('Authorization', `Bearer ${await rp.obtainToken()}`)
        .type('form')
        .send({ authorization_details: JSON.stringify([ageSignal()]) }),
  },
]

export const MISTAKES: readonly Mistake[] = [
  ...ADDRESSES,
  ...AUTHORIZATION,
  ...CLAIMS,
  ...PUSHED,
  ...CREATION,
  ...UPGRADES,
]

export const contextOf = (sandbox: TestSandbox): MistakeContext => ({ sandbox, rp: createRelyingParty(sandbox) })
