import { describe, expect, it } from 'vitest'
import { renderHome } from '../../src/console/home-page.ts'
import type { RenderedPage } from '../../src/http/html/layout.ts'
import { homeView } from '../hosted/views.ts'
import { byTestId, decodeReferences, tagsOf, textOf } from '../support/markup.ts'

/** The texts of the snippets, in order. */
const snippets = (page: RenderedPage) =>
  [...page.html.matchAll(/<pre><code>([^<]*)<\/code>/g)].map(([, text = '']) => decodeReferences(text))

describe('the home page', () => {
  it('has an .env block to paste', () => {
    expect(snippets(renderHome(homeView()))[0]).toBe(
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
    const [, health, expectation, par] = snippets(renderHome(homeView({ client })))
    expect(health).toBe("curl 'http://localhost:2435/_sandbox/health'")
    expect(expectation).toContain(`--json '{"flow":"use","persona":"teen-16"}'`)
    expect(par).toContain(String.raw`--data-urlencode 'client_id=it'\''s'`)
    expect(par).toContain("curl 'http://localhost:2435/v1/oidc/create/par'")
  })

  it('lists the endpoints, the discovery documents and the personas it has', () => {
    const text = textOf(renderHome(homeView()))
    expect(text).toContain('E5 POST http://localhost:2435/v1/svc/upgrade Upgrade: adds age signals')
    expect(text).toContain('Discovery, Use http://localhost:2435/v1/oidc/use/.well-known/openid-configuration')
    expect(text).toContain('24 test personas')
  })

  it('starts a Use flow and leads to the console, when there is somewhere to go', () => {
    const page = renderHome(homeView())
    expect(byTestId(page, 'try-it')[0]?.attributes['href']).toBe(
      'http://localhost:2435/v1/oidc/use?scope=openid&state=home',
    )
    const links = tagsOf(page).map(({ attributes }) => attributes['href'])
    expect(links).toContain('/_sandbox/console/personas')
    expect(links).toContain('/_sandbox/embedding')
  })

  it('leaves out what it was not given', () => {
    const { tryItUrl: _, ...rest } = homeView({ consolePages: [] })
    const page = renderHome(rest)
    expect(byTestId(page, 'try-it')).toEqual([])
    expect(tagsOf(page).map(({ name }) => name)).not.toContain('nav')
  })

  it('explains what an age key is, where the choice page links to', () => {
    expect(tagsOf(renderHome(homeView())).map(({ attributes }) => attributes['id'])).toContain('age-keys')
  })
})
