import { decodeJwt } from 'jose'
import { chromium } from 'playwright-core'
import { expect, test } from 'vitest'
import { startRelyingParty } from '../browser/relying-party.ts'
import { withPage } from '../browser/support.ts'
import { CHROMIUM_ARGS } from '../support/chromium-args.ts'
import { useRequest } from '../support/requests.ts'
import { startSandbox } from '../support/sandbox.ts'
import { chromiumPath, describeWith } from '../support/tools.ts'

describeWith('chromium', 'A sandbox under the live host name', () => {
  test('A sandbox under the live host name answers Chromium on port 443, and issues tokens in its name', async () => {
    const sandbox = await startSandbox({ https: true, baseUrl: 'https://age.example' })
    const { host } = new URL(sandbox.url)
    const browser = await chromium.launch({
      executablePath: chromiumPath ?? '',
      args: [...CHROMIUM_ARGS, `--host-resolver-rules=MAP age.example:443 ${host}`],
    })
    const app = await startRelyingParty()
    try {
      await withPage(browser, { ignoreHTTPSErrors: true }, async (page) => {
        const request = useRequest({ redirect_uri: `${app.origin}/callback` })
        await page.goto(`https://age.example/v1/oidc/use?${new URLSearchParams(request)}`)
        await page.getByTestId('persona-teen-16').click()
        await page.waitForURL((url) => url.origin === app.origin)
        const answer = new URLSearchParams(new URL(page.url()).hash.slice(1))
        expect(decodeJwt(answer.get('id_token') ?? '')).toMatchObject({
          iss: 'https://age.example/v1/oidc/use',
        })
      })
    } finally {
      await browser.close()
      await app.close()
    }
  })
})
