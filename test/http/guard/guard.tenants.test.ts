import { expect, test } from 'vitest'
import { useRequest } from '../../support/requests.ts'
import { startSandbox } from '../../support/sandbox.ts'

const IMAGE = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'no-cors', 'Sec-Fetch-Dest': 'image' }
const FRAME = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'iframe' }
const WINDOW = { 'Sec-Fetch-Site': 'same-site', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' }
const KEYS = '/.well-known/jwks.json'

test.each<[what: string, path: string, headers: Record<string, string>]>([
  ['an image', KEYS, IMAGE],
  ['a hidden frame', '/v1/oidc/use', FRAME],
  ['fetch', KEYS, { Origin: 'https://evil.example' }],
  ['a foreign name of this machine', KEYS, { Host: 'evil.example' }],
])('A page of another site makes no tenant by %s, and reads one that there is', async (_what, path, headers) => {
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
  const send = (host: string) => request.post('/_sandbox/demo/use').set({ Host: host }).type('form').send('claims=1')
  expect([(await send('evil.example')).status, (await send('localhost')).status]).toEqual([403, 303])
})
