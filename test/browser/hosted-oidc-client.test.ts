import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createSandbox, type Sandbox } from '../../src/server/create-sandbox.ts'
import { readExample } from '../clients/examples.ts'
import { connectChromium } from '../support/run.ts'
import { describeWith } from '../support/tools.ts'
import { type RelyingParty, startRelyingParty } from './relying-party.ts'
import { withPage } from './support.ts'

const library = readFileSync(createRequire(import.meta.url).resolve('oidc-client/dist/oidc-client.min.js'), 'utf8')

/** An app without a server, as the page on clients has it. */
function appPage(sandbox: Sandbox, origin: string): string {
  const addresses = { 'http://localhost:2435': sandbox.baseUrl, 'http://localhost:3000': origin }
  const script = readExample('js', '// oidc-client.js', addresses)
  return `<!doctype html><title>App</title><script src="/oidc-client.js"></script><script>${script}</script>`
}

describeWith('chromium', 'oidc-client 1.11 in the browser', () => {
  let browser: Browser
  let sandbox: Sandbox
  let app: RelyingParty
  beforeAll(async () => {
    ;[browser, sandbox, app] = await Promise.all([connectChromium(), createSandbox(), startRelyingParty()])
    app.serve('/oidc-client.js', library, 'text/javascript')
    app.serve('/app', appPage(sandbox, app.origin))
  })
  afterAll(async () => {
    await browser?.close()
    await sandbox?.close()
    await app?.close()
  })

  it('signs in with the answer in the fragment: discovery, signature, nonce and state are right', async () => {
    await withPage(browser, {}, async (page) => {
      await page.goto(`${app.origin}/app`)
      await page.evaluate('begin()')
      await page.getByTestId('persona-teen-16').click()
      await page.waitForURL((url) => url.origin === app.origin)
      expect(await page.evaluate('end()')).toEqual({ '18': false })
    })
  })

  it('signs in with the answer in the query', async () => {
    await withPage(browser, {}, async (page) => {
      await page.goto(`${app.origin}/app`)
      await page.evaluate("manager.signinRedirect({ response_mode: 'query' })")
      await page.getByTestId('persona-teen-16').click()
      await page.waitForURL((url) => url.origin === app.origin)
      const profile = await page.evaluate(
        "new Oidc.UserManager({ ...manager.settings, response_mode: 'query' }).signinRedirectCallback().then(({ profile }) => profile)",
      )
      expect(profile).toMatchObject({ age_thresholds: { '18': false } })
    })
  })

  it.each([
    ['id_token.signature_bit_flipped', /signature/],
    ['id_token.nonce_other', /nonce/],
  ])('refuses %s for that reason', async (outcome, reason) => {
    await withPage(browser, {}, async (page) => {
      await page.goto(`${app.origin}/app`)
      await page.evaluate('begin()')
      await page.getByText('Force an ending').last().click()
      await page.getByTestId(`outcome-${outcome}`).click()
      await page.waitForURL((url) => url.origin === app.origin)
      await expect(page.evaluate('end()')).rejects.toThrow(reason)
    })
  })
})
