import { expect, test } from 'vitest'
import { renderSetup } from '../../../../src/workbench/console/setup/setup.ts'
import { createBrowserClient } from '../../../support/browser-client.ts'
import { byTestId, tagsOf, textOf } from '../../../support/markup.ts'
import { startSandbox } from '../../../support/sandbox.ts'
import { frame, settings, WEB_SHOP } from '../views.ts'

const SETUP = '/_sandbox/console/setup'

test('The page Setup lists the endpoints', () => {
  const keys = { published: [], signing: '' }
  const page = renderSetup(frame, {
    settings,
    clients: [],
    showsSecrets: true,
    signingAlg: 'RS256',
    keys,
    fields: {},
  })
  expect(textOf(page)).toContain(
    'E5 POST http://localhost:2435/v1/svc/upgrade Upgrade: add age signals',
  )
  expect(textOf(page)).toContain(
    'E6 GET http://localhost:2435/v1/oidc/use/.well-known/openid-configuration Use discovery',
  )
})

test('The page Setup leads to the demo app', () => {
  const keys = { published: [], signing: '' }
  const page = renderSetup(frame, {
    settings,
    clients: [],
    showsSecrets: true,
    signingAlg: 'RS256',
    keys,
    fields: {},
  })
  const hrefs = tagsOf(page).map(({ attributes }) => attributes['href'])
  const links = ['demo', 'embedding', 'openapi.json'].map((path) => `/t/qa/_sandbox/${path}`)
  expect(hrefs).toEqual(expect.arrayContaining(links))
})

test('The page Setup shows the registration of each client', async () => {
  const { request } = await startSandbox({ clients: [WEB_SHOP] })
  const { text } = await request.get(SETUP)
  const registered = ['Web shop', 'https://shop.example/callback', 'ES256', 'teen-16']
  for (const part of [
    ...registered,
    'AGE_CLIENT_SECRET=the-secret-of-the-shop',
    'Any path and any port on this machine',
  ])
    expect(textOf(text)).toContain(part)
  expect(byTestId(text, 'client-ak_test_sandbox')).toHaveLength(1)
})

test('The page Setup shows no secret of the config beyond this machine', async () => {
  const token = 'a-control-token-of-the-test'
  const { request } = await startSandbox({
    host: '0.0.0.0',
    controlToken: token,
    clients: [WEB_SHOP],
  })
  const { status, text } = await request.get(SETUP).set('Authorization', `Bearer ${token}`)
  expect(status).toBe(200)
  expect(text).toContain('web-shop')
  expect(text).not.toContain(WEB_SHOP.clientSecret)
})

test('The page Setup takes the keys through the stages of a rotation', async () => {
  const sandbox = await startSandbox()
  const browser = createBrowserClient(sandbox.baseUrl)
  const kids = async () =>
    (await sandbox.request.get('/.well-known/jwks.json')).body.keys.map(kidOf)
  const kidOf = ({ kid }: { kid: string }) => kid
  const before = await kids()
  const tooEarly = await browser.submit(SETUP, { rotate: 'use' })
  expect(tooEarly.status).toBe(409)
  expect(textOf(tooEarly.text)).toContain('publish another one first')
  expect((await browser.submit(SETUP, { rotate: 'rotate' })).status).toBe(400)
  await browser.submit(SETUP, { rotate: 'publish' })
  expect((await kids()).slice(0, before.length)).toEqual(before)
  expect(await kids()).toHaveLength(2 * before.length)
  await browser.submit(SETUP, { rotate: 'use' })
  await browser.submit(SETUP, { rotate: 'retire' })
  const after = await kids()
  expect(after.filter((kid: string) => before.includes(kid))).toEqual([])
  const text = textOf((await browser.get(SETUP)).text)
  expect(text).toContain(`${after[0]} RS256 signs`)
  expect(text).toContain('Keys rotated')
})

test('The page of readings sets one, forgets the usual one, then reads all as usual again', async () => {
  const sandbox = await startSandbox()
  const after = async (fields: Readonly<Record<string, string>>) => {
    await createBrowserClient(sandbox.baseUrl).submit('/_sandbox/console/readings', fields)
    return sandbox.readings()
  }
  expect(await after({ set: 'refused_token_status=403' })).toEqual({
    readings: { refused_token_status: '403' },
  })
  expect(await after({ set: 'typ=absent' })).toEqual({
    readings: { refused_token_status: '403', typ: 'absent' },
  })
  expect(await after({ set: 'refused_token_status=401' })).toEqual({ readings: { typ: 'absent' } })
  expect(await after({ clear: 'true' })).toEqual({ readings: {} })
})

const TENANTS = '/_sandbox/console/tenants'

test('The tenants page makes a tenant', async () => {
  const sandbox = await startSandbox()
  const browser = createBrowserClient(sandbox.baseUrl)
  await browser.submit(TENANTS, { add: 'qa' })
  await sandbox.tenant('qa').next({ persona: 'teen-16' })
})

test('The tenants page resets a tenant', async () => {
  const sandbox = await startSandbox()
  const browser = createBrowserClient(sandbox.baseUrl)
  await browser.submit(TENANTS, { add: 'qa' })
  await sandbox.tenant('qa').next({ persona: 'teen-16' })
  await browser.submit(TENANTS, { reset: 'qa' })
  expect(await sandbox.tenant('qa').expectations.list()).toEqual([])
  expect(textOf((await browser.get(TENANTS)).text)).toContain('2 tenants')
})

test('The tenants page removes a tenant', async () => {
  const sandbox = await startSandbox()
  const browser = createBrowserClient(sandbox.baseUrl)
  await browser.submit(TENANTS, { add: 'qa' })
  await browser.submit(TENANTS, { remove: 'qa' })
  expect(textOf((await browser.get(TENANTS)).text)).toContain('1 tenant ')
})
