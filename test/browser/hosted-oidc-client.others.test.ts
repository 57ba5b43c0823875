import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { beforeAll, expect, test } from 'vitest'
import { readExample } from '../clients/examples.ts'
import { describeWith } from '../support/tools.ts'
import { startWorld } from './support.ts'

const library = readFileSync(
  createRequire(import.meta.url).resolve('oidc-client/dist/oidc-client.min.js'),
  'utf8',
)

describeWith('chromium', 'oidc-client 1.11 in the browser', () => {
  const world = startWorld()
  beforeAll(() => {
    const addresses = {
      'http://localhost:2435': world.sandbox.baseUrl,
      'http://localhost:3000': world.app.origin,
    }
    const script = readExample('// oidc-client.js', addresses)
    world.app.serve('/oidc-client.js', library, 'text/javascript')
    // An app without a server, as the page on clients shows it.
    const scripts = `<script src="/oidc-client.js"></script><script>${script}</script>`
    world.app.serve('/app', `<!doctype html><title>App</title>${scripts}`)
  })

  /** Begins to sign in, and presses a button of the hosted page. */
  async function signIn(begin: string, button: string) {
    const page = await world.newPage()
    await page.goto(`${world.app.origin}/app`)
    // Not awaited: the page is left.
    await page.evaluate(`void ${begin}`)
    await page.getByTestId(button).click()
    await page.waitForURL((url) => url.origin === world.app.origin)
    return page
  }

  test('oidc-client signs in with the answer in the fragment', async () => {
    const page = await signIn('begin()', 'persona-teen-16')
    expect(await page.evaluate('end()')).toEqual({ '18': false })
  })

  test('oidc-client signs in with the answer in the query', async () => {
    const page = await signIn(
      "manager.signinRedirect({ response_mode: 'query' })",
      'persona-teen-16',
    )
    const profile = await page.evaluate(
      "new Oidc.UserManager({ ...manager.settings, response_mode: 'query' }).signinRedirectCallback().then(({ profile }) => profile)",
    )
    expect(profile).toMatchObject({ age_thresholds: { '18': false } })
  })
})
