import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createSandbox, type Sandbox } from '../../src/server/create-sandbox.ts'
import { type RelyingParty, startRelyingParty } from './relying-party.ts'
import { describeInBrowser, launchBrowser, withPage } from './support.ts'

const library = readFileSync(createRequire(import.meta.url).resolve('oidc-client/dist/oidc-client.min.js'), 'utf8')

/** An app without a server, as the documentation of oidc-client has it. */
const appPage = (
  sandbox: Sandbox,
  origin: string,
) => `<!doctype html><title>App</title><script src="/oidc-client.js"></script>
<script>
const manager = new Oidc.UserManager({
  authority: '${sandbox.baseUrl}/v1/oidc/use',
  client_id: '${sandbox.client.clientId}',
  redirect_uri: '${origin}/app',
  response_type: 'id_token',
  scope: 'openid',
  loadUserInfo: false,
})
const mode = new URLSearchParams(location.search).get('mode') || undefined
</script>`

describeInBrowser('oidc-client 1.11 in the browser', () => {
  let browser: Browser
  let sandbox: Sandbox
  let app: RelyingParty
  beforeAll(async () => {
    ;[browser, sandbox, app] = await Promise.all([launchBrowser(), createSandbox(), startRelyingParty()])
    app.serve('/oidc-client.js', library, 'text/javascript')
    app.serve('/app', appPage(sandbox, app.origin))
  })
  afterAll(async () => {
    await browser?.close()
    await sandbox?.close()
    await app?.close()
  })

  it.each(['fragment', 'query'])(
    'signs in with the answer in the %s: discovery, signature, nonce and state are right',
    async (mode) => {
      await withPage(browser, {}, async (page) => {
        await page.goto(`${app.origin}/app`)
        const request = { response_mode: mode, extraQueryParams: { claims: '{"age_thresholds":[13,18]}' } }
        await page.evaluate(`manager.signinRedirect(${JSON.stringify(request)})`)
        await page.getByTestId('persona-teen-16').click()
        await page.waitForURL((url) => url.origin === app.origin)
        const profile = await page.evaluate(
          `new Oidc.UserManager({ ...manager.settings, response_mode: '${mode}' }).signinRedirectCallback().then(({ profile }) => profile)`,
        )
        expect(profile).toMatchObject({ age_thresholds: { '13': true, '18': false } })
      })
    },
  )

  it('refuses a token with a foreign signature', async () => {
    await withPage(browser, {}, async (page) => {
      await page.goto(`${app.origin}/app`)
      const request = { extraQueryParams: { claims: '{"age_thresholds":[18]}' } }
      await page.evaluate(`manager.signinRedirect(${JSON.stringify(request)})`)
      await page.getByText('Force an ending').last().click()
      await page.getByTestId('outcome-id_token.signature_bit_flipped').click()
      await page.waitForURL((url) => url.origin === app.origin)
      await expect(page.evaluate('manager.signinRedirectCallback()')).rejects.toThrow(/signature/)
    })
  })
})
