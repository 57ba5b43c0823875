import { describe, expect, it, test } from 'vitest'
import { renderHome } from '../../../src/console/home/home.ts'
import type { RenderedPage } from '../../../src/http/html/layout.ts'
import { byTestId, decodeReferences, tagsOf, textOf } from '../../support/markup.ts'
import { useRequest } from '../../support/requests.ts'
import { startSandbox } from '../../support/sandbox.ts'
import { frame, home } from '../views.ts'

/** The texts of the snippets, in order. */
const snippets = (page: RenderedPage) =>
  [...page.html.matchAll(/<pre><code>([^<]*)<\/code>/g)].map(([, text = '']) => decodeReferences(text))

describe('the home page', () => {
  it('has an .env block to paste', () => {
    expect(snippets(renderHome(frame, home))[0]).toBe(
      [
        'AGE_BASE_URL=http://localhost:2435',
        'AGE_CLIENT_ID=ak_test_sandbox',
        'AGE_CLIENT_SECRET=sk_test_sandbox',
        'AGE_ISSUER=http://localhost:2435/v1/oidc/use',
        'AGE_JWKS_URI=http://localhost:2435/.well-known/jwks.json',
      ].join('\n'),
    )
  })

  it('has three curl calls, quoted for a shell', () => {
    const client = { clientId: "it's", clientSecret: 'sk' }
    const [, health, expectation, par] = snippets(renderHome(frame, { ...home, client }))
    expect(health).toBe("curl 'http://localhost:2435/_sandbox/health'")
    expect(expectation).toContain(`--json '{"flow":"use","persona":"teen-16"}'`)
    expect(par).toContain(String.raw`--data-urlencode 'client_id=it'\''s'`)
    expect(par).toContain("curl 'http://localhost:2435/v1/oidc/create/par'")
  })

  it('lists the endpoints, the discovery documents and the personas it has', () => {
    const text = textOf(renderHome(frame, home))
    expect(text).toContain('E5 POST http://localhost:2435/v1/svc/upgrade Upgrade: add age signals')
    expect(text).toContain('Use discovery http://localhost:2435/v1/oidc/use/.well-known/openid-configuration')
    expect(text).toContain('24 test personas')
  })

  it('leads to the demo, the console and the pages of the control API', () => {
    const page = renderHome(frame, home)
    expect(byTestId(page, 'try-it')[0]?.attributes['href']).toBe('/t/qa/_sandbox/demo')
    const links = tagsOf(page).map(({ attributes }) => attributes['href'])
    expect(links).toContain('/t/qa/_sandbox/console/personas')
    expect(links).toContain('/t/qa/_sandbox/embedding')
    expect(links).toContain('/t/qa/_sandbox/openapi.json')
  })

  it('explains what an age key is, where the choice page links to', () => {
    expect(tagsOf(renderHome(frame, home)).map(({ attributes }) => attributes['id'])).toContain('age-keys')
  })
})

test('the home page shows the last flows with their reasons, but not beyond this machine', async () => {
  const here = await startSandbox()
  await here.request.get('/v1/oidc/use').query(useRequest({ nonce: undefined }))
  const [flow] = await here.flows.list()
  const { text } = await here.request.get('/')
  expect(tagsOf(text).map(({ attributes }) => attributes['href'])).toContain(`/_sandbox/console/flows/${flow?.id}`)
  expect(textOf(text)).toContain('nonce is missing')
  const open = await startSandbox({ host: '0.0.0.0' })
  await open.request.get('/v1/oidc/use').query(useRequest({ nonce: undefined }))
  expect(textOf((await open.request.get('/')).text)).not.toContain('nonce is missing')
})
