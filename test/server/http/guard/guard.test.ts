import { expect, test } from 'vitest'
import { useRequest } from '../../../support/requests.ts'
import { shareSandbox, startSandbox } from '../../../support/sandbox.ts'

const sandbox = await shareSandbox({ baseUrl: 'http://age.localhost' })
const resetClock = (headers: Readonly<Record<string, string>>) =>
  sandbox.request.post('/_sandbox/clock').set(headers).send('{"reset":true}')
const JSON_TYPE = { 'Content-Type': 'application/json' }
const EVIL = { ...JSON_TYPE, Origin: 'https://evil.example' }

test.each([
  ['from a foreign Origin', 403, EVIL],
  ['from an Origin of null', 403, { ...JSON_TYPE, Origin: 'null' }],
  ['from another port of this machine', 403, { ...JSON_TYPE, Origin: 'http://localhost:9' }],
  [
    'from a foreign Origin that claims to be same-origin',
    403,
    { ...EVIL, 'Sec-Fetch-Site': 'same-origin' },
  ],
  ['with Sec-Fetch-Site cross-site', 403, { ...JSON_TYPE, 'Sec-Fetch-Site': 'cross-site' }],
  ['with Sec-Fetch-Site same-site', 403, { ...JSON_TYPE, 'Sec-Fetch-Site': 'same-site' }],
  ...['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', ''].map(
    (type) =>
      [`with a body as "${type}", which a form can send`, 415, { 'Content-Type': type }] as const,
  ),
] as const)('A call %s cannot drive the sandbox: %i', async (_which, status, headers) => {
  await sandbox.clock.advance(5)
  await resetClock(headers).expect(status)
  expect((await sandbox.clock.state()).advanced_seconds).toBe(5)
})

test('The pages of the sandbox itself may drive the sandbox', async () => {
  const { origin } = new URL(sandbox.baseUrl)
  await resetClock({ ...JSON_TYPE, Origin: origin, 'Sec-Fetch-Site': 'same-origin' }).expect(200)
})

test('A program may drive the sandbox', async () => {
  await resetClock(JSON_TYPE).expect(200)
})

const REBOUND = [
  'evil.example',
  'evil.example:2435',
  '127.0.0.1.evil.example',
  'localhost.evil.example',
  '0.0.0.0',
]
test.each(REBOUND)(
  'The host name %j, made to resolve to this machine (DNS rebinding), may not even read',
  async (Host) => {
    for (const path of ['flows', 'openapi.json'])
      await sandbox.request.get(`/_sandbox/${path}`).set({ Host }).expect(403)
  },
)

test.each([
  ...['localhost', 'localhost:1', '127.0.0.1', '[::1]:80', 'age.localhost'],
  ...['qa.localhost:9', '127.9.9.9', 'localhost.:2435', '[::ffff:127.0.0.1]'],
])('The host name %j of this machine may drive the sandbox', async (Host) => {
  await sandbox.request.get('/_sandbox/flows').set({ Host }).expect(200)
})

test('The control API is off beyond this machine without a token', async () => {
  const warnings: string[] = []
  const options = { host: '0.0.0.0', onWarning: (message: string) => warnings.push(message) }
  await startSandbox({ ...options, controlToken: 'open-sesame' })
  const { request } = await startSandbox(options)
  expect(warnings).toEqual([expect.stringContaining('the option controlToken')])
  expect((await request.get('/_sandbox/flows').expect(403)).body).toMatchObject({
    error: 'access_denied',
  })
})

test('The service is open beyond this machine without a token', async () => {
  const warnings: string[] = []
  const options = { host: '0.0.0.0', onWarning: (message: string) => warnings.push(message) }
  const { request } = await startSandbox(options)
  for (const path of ['/_sandbox/health', '/.well-known/jwks.json'])
    await request.get(path).expect(200)
})

test('A wrong token is refused on loopback, where none is needed', async () => {
  const { request } = await startSandbox({ controlToken: 'open-sesame' })
  await request.get('/_sandbox/flows').expect(200)
  await request.get('/_sandbox/flows').set('Authorization', 'Bearer wrong').expect(401)
})

const IMAGE = {
  'Sec-Fetch-Site': 'cross-site',
  'Sec-Fetch-Mode': 'no-cors',
  'Sec-Fetch-Dest': 'image',
}
const FRAME = {
  'Sec-Fetch-Site': 'cross-site',
  'Sec-Fetch-Mode': 'navigate',
  'Sec-Fetch-Dest': 'iframe',
}
const WINDOW = {
  'Sec-Fetch-Site': 'same-site',
  'Sec-Fetch-Mode': 'navigate',
  'Sec-Fetch-Dest': 'document',
}
const KEYS = '/.well-known/jwks.json'

test.each<[what: string, path: string, headers: Record<string, string>]>([
  ['an image', KEYS, IMAGE],
  ['a hidden frame', '/v1/oidc/use', FRAME],
  ['fetch', KEYS, { Origin: 'https://evil.example' }],
  ['a foreign name of this machine', KEYS, { Host: 'evil.example' }],
])('A page of another site makes no tenant by %s', async (_what, path, headers) => {
  const { request } = await startSandbox()
  const { text } = await request.get(`/t/z1${path}`).set(headers).expect(404)
  expect(text).toContain('PUT http')
  expect((await request.get('/_sandbox/tenants').expect(200)).body.tenants).toHaveLength(1)
  await request.put('/_sandbox/tenants/z1').send({}).expect(201)
  if (path === KEYS) await request.get(`/t/z1${path}`).set(headers).expect(200)
})

test('A redirect of the window by an app makes its tenant, as a call by a server does', async () => {
  const { request } = await startSandbox()
  await request.get('/t/visited/v1/oidc/use').set(WINDOW).query(useRequest()).expect(200)
  await request.get(`/t/called${KEYS}`).expect(200)
  expect((await request.get('/_sandbox/tenants')).body.tenants).toHaveLength(3)
})

test('The demo takes no form under a foreign name of this machine', async () => {
  const { request } = await startSandbox()
  const send = (host: string) =>
    request.post('/_sandbox/demo/use').set({ Host: host }).type('form').send('claims=1')
  expect((await send('evil.example')).status).toBe(403)
  expect((await send('localhost')).status).toBe(303)
})
