import { expect, test } from 'vitest'
import { renderSetup } from '../../../src/console/setup/setup.ts'
import { createBrowserClient } from '../../support/browser-client.ts'
import { byTestId, tagsOf, textOf } from '../../support/markup.ts'
import { startSandbox } from '../../support/sandbox.ts'
import { frame, settings, WEB_SHOP } from '../views.ts'

const SETUP = '/_sandbox/console/setup'

test('The page Setup lists the endpoints and discovery documents, and leads to the demo app and to the control API', () => {
  const keys = { published: [], signing: '' }
  const page = renderSetup(frame, { settings, clients: [], showsSecrets: true, signingAlg: 'RS256', keys, fields: {} })
  expect(textOf(page)).toContain('E5 POST http://localhost:2435/v1/svc/upgrade Upgrade: add age signals')
  expect(textOf(page)).toContain(
    'E6 GET http://localhost:2435/v1/oidc/use/.well-known/openid-configuration Use discovery',
  )
  const hrefs = tagsOf(page).map(({ attributes }) => attributes['href'])
  const links = ['demo', 'embedding', 'openapi.json'].map((path) => `/t/qa/_sandbox/${path}`)
  expect(hrefs).toEqual(expect.arrayContaining(links))
})

test('The page Setup shows what is registered for each client, and says so in words for the built-in client', async () => {
  const { request } = await startSandbox({ clients: [WEB_SHOP] })
  const { text } = await request.get(SETUP)
  const registered = ['Web shop', 'https://shop.example/callback', 'ES256', 'teen-16']
  for (const part of [...registered, 'AGE_CLIENT_SECRET=the-secret-of-the-shop', 'Any path and any port on localhost'])
    expect(textOf(text)).toContain(part)
  expect(byTestId(text, 'client-ak_test_sandbox')).toHaveLength(1)
})

test('The page Setup shows no secret of the config beyond this machine', async () => {
  const token = 'a-control-token-of-the-test'
  const { request } = await startSandbox({ host: '0.0.0.0', controlToken: token, clients: [WEB_SHOP] })
  const { status, text } = await request.get(SETUP).set('Authorization', `Bearer ${token}`)
  expect([status, text.includes('web-shop'), text.includes(WEB_SHOP.clientSecret)]).toEqual([200, true, false])
})

test('The page Setup leads from each page to the next one', async () => {
  const clients = Array.from({ length: 51 }, (_, n) => ({ ...WEB_SHOP, clientId: `shop-${n}` }))
  const { request } = await startSandbox({ clients })
  const read = async (query = '') => (await request.get(SETUP + query)).text
  const first = await read()
  const second = await read(/href="(\?after=[^"]+)"/.exec(first)?.[1])
  const idsOn = (page: string): string[] => page.match(/(?<=data-testid="client-)[\w-]+/g) ?? []
  expect([idsOn(first).length, new Set([...idsOn(first), ...idsOn(second)]).size]).toEqual([50, 52])
})

test('The page Setup takes the keys through the stages of a rotation, and refuses a stage out of turn', async () => {
  const sandbox = await startSandbox()
  const browser = createBrowserClient(sandbox.url)
  const kids = async () => (await sandbox.request.get('/.well-known/jwks.json')).body.keys.map(kidOf)
  const kidOf = ({ kid }: { kid: string }) => kid
  const before = await kids()
  const tooEarly = await browser.submit(SETUP, { rotate: 'use' })
  expect([tooEarly.status, textOf(tooEarly.text)]).toEqual([409, expect.stringContaining('publish another one first')])
  expect((await browser.submit(SETUP, { rotate: 'rotate' })).status).toBe(400)
  await browser.submit(SETUP, { rotate: 'publish' })
  expect((await kids()).slice(0, before.length)).toEqual(before)
  expect((await kids()).length).toBe(2 * before.length)
  await browser.submit(SETUP, { rotate: 'use' })
  await browser.submit(SETUP, { rotate: 'retire' })
  const after = await kids()
  expect(after.filter((kid: string) => before.includes(kid))).toEqual([])
  const text = textOf((await browser.get(SETUP)).text)
  expect(text).toContain(`${after[0]} RS256 signs`)
  expect(text).toContain('Keys rotated')
})
