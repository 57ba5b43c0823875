import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createSandbox, type Sandbox } from '../../src/server/create-sandbox.ts'
import { connectChromium } from '../support/run.ts'
import { describeWith } from '../support/tools.ts'
import { type RelyingParty, startRelyingParty } from './relying-party.ts'
import { useUrl } from './requests.ts'
import { keepScreenshot, withPage } from './support.ts'

const TOKEN = 'not-a-real-token'

describeWith('chromium', 'beyond this machine', () => {
  let browser: Browser
  let sandbox: Sandbox
  let app: RelyingParty
  beforeAll(async () => {
    const options = { host: '0.0.0.0', controlToken: TOKEN }
    ;[browser, sandbox, app] = await Promise.all([connectChromium(), createSandbox(options), startRelyingParty()])
  })
  afterAll(async () => {
    await browser?.close()
    await sandbox?.close()
    await app?.close()
  })

  /** The page of E1, opened by a link of the app, with its section of forced endings. */
  async function comeFrom(page: Page, origin: string, theme = 'light') {
    const url = useUrl(sandbox, { redirect_uri: `${app.origin}/callback`, theme })
    app.serve('/link', `<!doctype html><title>App</title><a href="${url.replaceAll('&', '&amp;')}">Verify my age</a>`)
    await page.goto(`${origin}/link`)
    await page.getByRole('link').click()
    await page.locator('details.endings summary').click()
  }

  it('a hosted page says where the control token is asked for, and then moves the clock', async () => {
    for (const origin of [app.origin, app.origin.replace('localhost', '127.0.0.1')]) {
      await withPage(browser, {}, async (page) => {
        await comeFrom(page, origin)
        expect(await page.getByTestId('advance').count()).toBe(0)
        const opened = page.waitForEvent('popup')
        await page.getByTestId('driving-bar').getByRole('link').click()
        const console = await opened
        await console.getByLabel('Control token').fill(TOKEN)
        await console.getByRole('button', { name: 'Sign in' }).click()
        await console.getByRole('heading', { level: 1 }).waitFor()
        await page.getByTestId('driving-again').click()
        await page.locator('details.endings:not([open]) summary').click()
        await page.getByTestId('advance').click()
        await page.getByTestId('sandbox-time').waitFor()
      })
    }
    expect((await sandbox.clock.state()).advanced_seconds).toBe(182)
  })

  it.each([
    ['light', { width: 1280, height: 900 }],
    ['dark', { width: 1280, height: 900 }],
    ['light', { width: 375, height: 800 }],
    ['dark', { width: 375, height: 800 }],
  ])('shows that sentence in the %s theme at %o without a scroll bar across', async (theme, viewport) => {
    await withPage(browser, { viewport }, async (page) => {
      await comeFrom(page, app.origin, theme)
      expect(await page.getByTestId('driving-bar').isVisible()).toBe(true)
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(viewport.width)
      await keepScreenshot(page, `driving-${theme}-${viewport.width}`)
    })
  })
})
