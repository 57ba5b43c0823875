import { expect, test } from 'vitest'
import { createSandbox } from '../../src/server/create-sandbox.ts'
import { type Changes, createRequest, pushedRequest, useRequest } from '../support/requests.ts'
import { shareSandbox } from '../support/sandbox.ts'

const PREVIEW = 'https://preview.example/cb?a=1'
const IN_CLEAR = 'http://shop.example/cb'
const warnings: string[] = []
const sandbox = await shareSandbox({
  redirectUris: [PREVIEW, IN_CLEAR],
  onWarning: (message) => warnings.push(message),
})
const use = (changes: Changes, path = '') =>
  sandbox.request
    .get(`${path}/v1/oidc/use`)
    .query(useRequest({ sandbox_persona: 'teen-16', ...changes }))

test.each([PREVIEW, IN_CLEAR, 'http://localhost:3000/cb'])(
  'The built-in client is answered at %s',
  async (address) => {
    const { status, headers } = await use({ redirect_uri: address })
    expect(status).toBe(302)
    expect(headers.location).toMatch(
      new RegExp(`^${address.replaceAll(/[?.]/g, String.raw`\$&`)}#`),
    )
  },
)

test('The built-in client of every tenant is answered at the added redirect URIs', async () => {
  const { headers } = await use({ redirect_uri: PREVIEW }, '/t/qa')
  expect(headers.location).toMatch(/^https:\/\/preview\.example\/cb\?a=1#/)
})

test('The flow Create takes an added redirect URI', async () => {
  const pushed = pushedRequest({ redirect_uri: PREVIEW })
  const { status, body } = await sandbox.request
    .post('/v1/oidc/create/par')
    .type('form')
    .send(pushed)
  expect(status).toBe(201)
  const query = createRequest(body.request_uri, {
    redirect_uri: PREVIEW,
    sandbox_persona: 'teen-16',
  })
  const { headers } = await sandbox.request.get('/v1/oidc/create').query(query)
  expect(headers.location).toMatch(/^https:\/\/preview\.example\/cb\?a=1[&#]/)
})

test.each([
  'https://preview.example/cb',
  'https://preview.example/cb?a=1&b=2',
  'https://preview.example/cb/?a=1',
  'HTTPS://preview.example/cb?a=1',
  'https://preview.example:443/cb?a=1',
  'https://shop.example/cb',
])(
  'An added redirect URI is compared character by character: %s is refused',
  async (redirect_uri) => {
    const { status, text } = await use({ redirect_uri })
    expect(status).toBe(400)
    expect(text).toContain(PREVIEW)
  },
)

test('Clients that are declared at run time leave the added redirect URIs as they are', async () => {
  const shop = { clientId: 'shop', clientSecret: 's', redirectUris: ['https://shop.example/'] }
  await sandbox.configure({ clients: [shop] })
  expect((await use({ redirect_uri: PREVIEW })).status).toBe(302)
  await sandbox.configure({ clients: [] })
})

test('An added redirect URI does not belong to other clients', async () => {
  const shop = { clientId: 'shop', clientSecret: 's', redirectUris: ['https://shop.example/'] }
  await sandbox.configure({ clients: [shop] })
  expect((await use({ client_id: 'shop', redirect_uri: PREVIEW })).status).toBe(400)
  await sandbox.configure({ clients: [] })
})

test('The start warns of an added redirect URI that is sent in the clear', () => {
  expect(warnings).toEqual([
    expect.stringContaining(`client ak_test_sandbox: ${IN_CLEAR} sends tokens over the network`),
  ])
})

test('The page Setup shows the added redirect URIs of the built-in client', async () => {
  const { text } = await sandbox.request.get('/_sandbox/console/setup')
  expect(text.replaceAll('<wbr>', '')).toContain(PREVIEW)
})

test('Redirect URIs of a built-in client that is removed are refused', async () => {
  const reason =
    'would be a redirect URI of the built-in client, which builtin_client: false removes'
  const started = createSandbox({ builtinClient: false, redirectUris: [PREVIEW] })
  await expect(started).rejects.toThrow(
    `redirectUris: ${PREVIEW} ${reason}; declare it under redirect_uris of a client`,
  )
})

test.each(['myapp://cb', 'https://a.example/#x', 'localhost:3000'])(
  'The redirect URI %s is refused',
  async (uri) => {
    await expect(createSandbox({ redirectUris: [uri] })).rejects.toThrow(
      'createSandbox: redirectUris[0]: ',
    )
  },
)
