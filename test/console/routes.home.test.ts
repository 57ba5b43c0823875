import { expect, test } from 'vitest'
import { createBrowserClient } from '../support/browser-client.ts'
import { byTestId, decodeReferences, tagsOf, textOf } from '../support/markup.ts'
import { useRequest } from '../support/requests.ts'
import { shareSandbox, startSandbox } from '../support/sandbox.ts'
import { WEB_SHOP } from './views.ts'

const sandbox = await shareSandbox()
const read = async (path = '/') => (await sandbox.request.get(path)).text

test('The home page is the list of flows, with an .env block to paste above the list until the first flow has come', async () => {
  const empty = await read()
  const [, environment = ''] = /<pre><code>([^<]*)<\/code>/.exec(empty) ?? []
  expect(decodeReferences(environment).split('\n')).toEqual([
    `AGE_BASE_URL=${sandbox.baseUrl}`,
    'AGE_CLIENT_ID=ak_test_sandbox',
    'AGE_CLIENT_SECRET=sk_test_sandbox',
    `AGE_ISSUER=${sandbox.baseUrl}/v1/oidc/use`,
    `AGE_JWKS_URI=${sandbox.baseUrl}/.well-known/jwks.json`,
  ])
  expect(byTestId(empty, 'try-it')[0]?.attributes['href']).toBe('/_sandbox/demo')
  expect(byTestId(empty, 'no-flows')).toHaveLength(1)
  expect(byTestId(await read('/?q=nothing'), 'try-it')).toEqual([])
  await sandbox.request.get('/v1/oidc/use').query(useRequest({ sandbox_persona: 'teen-16' }))
  const page = await read()
  expect([byTestId(page, 'flow-f1').length, byTestId(page, 'try-it').length]).toEqual([1, 0])
  // The choice page links to it.
  expect(tagsOf(page).map(({ attributes }) => attributes['id'])).toContain('age-keys')
})

test('The home page leads by six entries to every page of the console', async () => {
  const entries = [...(await read()).matchAll(/<nav class="menu"[^>]*>(.*?)<\/nav>/gs)].flatMap(([, menu = '']) =>
    tagsOf(menu).flatMap(({ attributes }) => attributes['href'] ?? []),
  )
  const names = ['console/flows', 'console/personas', 'console/force', 'console/audit', 'console/setup', 'docs']
  expect(entries).toEqual(names.map((name) => `/_sandbox/${name}`))
})

test('Beyond this machine the home page shows neither flows nor the secret of the config, unless the browser has signed in', async () => {
  const readHome = async (options: Parameters<typeof startSandbox>[0]) => {
    const { request, url } = await startSandbox({ clients: [WEB_SHOP], builtinClient: false, ...options })
    const [redirect_uri] = WEB_SHOP.redirectUris
    const before = (await request.get('/')).text
    await request.get('/v1/oidc/use').query(useRequest({ nonce: undefined, client_id: 'web-shop', redirect_uri }))
    const browser = createBrowserClient(url)
    const after = (await browser.get('/')).text
    await browser.submit('/_sandbox/console/sign-in', { token: 'a-token-of-the-test' })
    return [before, after, (await browser.get('/')).text].map(textOf)
  }
  const here = await readHome({})
  const beyond = await readHome({ host: '0.0.0.0', controlToken: 'a-token-of-the-test' })
  const shows = (text: string) => [...here, ...beyond].map((page) => page.includes(text))
  expect(shows(WEB_SHOP.clientSecret)).toEqual([true, false, false, false, false, false])
  expect(shows('nonce is missing')).toEqual([false, true, true, false, false, true])
})
