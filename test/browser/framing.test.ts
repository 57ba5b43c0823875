import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createSandbox, type Sandbox } from '../../src/server/create-sandbox.ts'
import { connectChromium } from '../support/run.ts'
import { describeWith } from '../support/tools.ts'
import { type RelyingParty, startRelyingParty } from './relying-party.ts'
import { useUrl } from './requests.ts'
import { withPage } from './support.ts'

describeWith('chromium', 'A page of another site', () => {
  let browser: Browser
  let sandbox: Sandbox
  let site: RelyingParty
  beforeAll(async () => {
    ;[browser, sandbox, site] = await Promise.all([connectChromium(), createSandbox(), startRelyingParty()])
  })
  afterAll(async () => {
    await browser?.close()
    await sandbox?.close()
    await site?.close()
  })

  /** What a page of another origin shows in a frame: its address and text. */
  async function framed(url: string, from = site.origin) {
    const source = url.replaceAll('&', '&amp;')
    site.serve('/frame', `<!doctype html><title>Site</title><iframe src="${source}"></iframe>`)
    return await withPage(browser, {}, async (page) => {
      await page.goto(`${from}/frame`)
      // A frame that changes its process has no address for a moment.
      await expect.poll(() => page.frames()[1]?.url()).toMatch(/:/)
      const [, frame] = page.frames()
      return { url: frame?.url(), text: await frame?.locator('body').textContent() }
    })
  }

  it.each([
    '/',
    '/_sandbox/console/clock',
    '/_sandbox/console/flows/none',
    '/_sandbox/demo',
    '/_sandbox/act-as/teen-16',
    '/_sandbox/embedding',
    '/v1/oidc/other',
  ])('frames nothing of %s', async (path) => {
    // Another port of this host is another origin of the same site; the address is another site.
    for (const from of [site.origin, site.origin.replace('localhost', '127.0.0.1')]) {
      const { url, text } = await framed(sandbox.baseUrl + path, from)
      expect(url).toMatch(/^chrome-error:/)
      expect(text).not.toContain('Sandbox')
    }
  })

  it('frames the page of E1, and the page that refuses a request', async () => {
    const choice = useUrl(sandbox, { redirect_uri: `${site.origin}/callback` })
    expect((await framed(choice)).text).toContain('wants to check your age')
    const refused = useUrl(sandbox, { redirect_uri: 'https://evil.example/' })
    expect((await framed(refused)).text).toContain('redirect_uri')
  })

  it('sees the home page in its place when the user leaves the framed page of E1', async () => {
    const choice = useUrl(sandbox, { redirect_uri: `${site.origin}/callback` })
    site.serve('/frame', `<!doctype html><title>Site</title><iframe src="${choice.replaceAll('&', '&amp;')}"></iframe>`)
    await withPage(browser, {}, async (page) => {
      await page.goto(`${site.origin}/frame`)
      await page.frameLocator('iframe').getByRole('link', { name: 'Sandbox home' }).click()
      await page.getByTestId('try-it').waitFor()
      expect(page.url()).toBe(`${sandbox.baseUrl}/`)
    })
  })
})
