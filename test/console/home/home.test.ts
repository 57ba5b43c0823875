import { expect, test } from 'vitest'
import { renderHome } from '../../../src/console/home/home.ts'
import { byTestId, decodeReferences, tagsOf, textOf } from '../../support/markup.ts'
import { useRequest } from '../../support/requests.ts'
import { startSandbox } from '../../support/sandbox.ts'
import { frame, home, WEB_SHOP } from '../views.ts'

test('The home page has an .env block to paste, and three curl calls that are quoted for a shell', () => {
  const client = { clientId: "it's", clientSecret: 'sk' }
  const { html } = renderHome(frame, { ...home, client })
  const snippets = [...html.matchAll(/<pre><code>([^<]*)<\/code>/g)].map(([, text = '']) => decodeReferences(text))
  const [environment, health, expectation, par] = snippets
  expect(environment?.split('\n')).toEqual([
    'AGE_BASE_URL=http://localhost:2435',
    "AGE_CLIENT_ID=it's",
    'AGE_CLIENT_SECRET=sk',
    'AGE_ISSUER=http://localhost:2435/v1/oidc/use',
    'AGE_JWKS_URI=http://localhost:2435/.well-known/jwks.json',
  ])
  expect(health).toBe("curl 'http://localhost:2435/_sandbox/health'")
  expect(expectation).toContain(`--json '{"flow":"use","persona":"teen-16"}'`)
  expect(par).toContain(String.raw`--data-urlencode 'client_id=it'\''s'`)
  expect(par).toContain("curl 'http://localhost:2435/v1/oidc/create/par'")
})

test('The home page lists endpoints, discovery documents and personas, and leads to demo, console and control API', () => {
  const page = renderHome(frame, home)
  const text = textOf(page)
  expect(text).toContain('E5 POST http://localhost:2435/v1/svc/upgrade Upgrade: add age signals')
  expect(text).toContain('Use discovery http://localhost:2435/v1/oidc/use/.well-known/openid-configuration')
  expect(text).toContain('24 test personas')
  expect(byTestId(page, 'try-it')[0]?.attributes['href']).toBe('/t/qa/_sandbox/demo')
  const tags = tagsOf(page).map(({ attributes }) => attributes)
  const links = ['console/personas', 'embedding', 'openapi.json'].map((path) => `/t/qa/_sandbox/${path}`)
  expect(tags.map(({ href }) => href)).toEqual(expect.arrayContaining(links))
  // The choice page links to it.
  expect(tags.map(({ id }) => id)).toContain('age-keys')
})

test('The home page shows the last flows with their reasons and the secret of the config, but not beyond this machine', async () => {
  const readHome = async (options: Parameters<typeof startSandbox>[0]) => {
    const { request } = await startSandbox({ clients: [WEB_SHOP], builtinClient: false, ...options })
    const [redirect_uri] = WEB_SHOP.redirectUris
    await request.get('/v1/oidc/use').query(useRequest({ nonce: undefined, client_id: 'web-shop', redirect_uri }))
    return (await request.get('/')).text
  }
  const here = await readHome({})
  expect(tagsOf(here).map(({ attributes }) => attributes['href'])).toContain('/_sandbox/console/flows/f1')
  const beyond = await readHome({ host: '0.0.0.0' })
  for (const text of ['nonce is missing', WEB_SHOP.clientSecret])
    expect([here, beyond].map((page) => textOf(page).includes(text))).toEqual([true, false])
})
