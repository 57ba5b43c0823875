import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { createSandbox, type Sandbox } from '../../src/server/create-sandbox.ts'
import { connectChromium } from '../support/run.ts'
import { describeWith } from '../support/tools.ts'
import { keepScreenshot, withPage } from './support.ts'

describeWith('chromium', 'the demo', () => {
  let browser: Browser
  let sandbox: Sandbox
  beforeAll(async () => {
    ;[browser, sandbox] = await Promise.all([connectChromium(), createSandbox()])
  })
  beforeEach(() => sandbox.reset())
  afterAll(async () => {
    await browser?.close()
    await sandbox?.close()
  })

  /** Starts a Use flow with the form of the demo and chooses a persona on the hosted page. */
  async function verifyAs(page: Page, persona: string, mode = 'fragment') {
    await page.goto(`${sandbox.baseUrl}/_sandbox/demo`)
    await page.selectOption('[name=response_mode]', mode)
    await page.getByTestId('demo-use').click()
    await page.getByTestId(`persona-${persona}`).click()
    return page.getByTestId('demo-verdict').textContent()
  }

  it('goes through Use, Upgrade and Create by clicking', async () => {
    await withPage(browser, {}, async (page) => {
      expect(await verifyAs(page, 'child-12')).toBe('Verified')
      await keepScreenshot(page, 'demo-verified')
      await page.getByTestId('demo-upgrade').click()
      expect(await page.getByTestId('demo-verdict').textContent()).toBe('The age key is upgraded')
      await keepScreenshot(page, 'demo-upgraded')
      await verifyAs(page, 'no-age-key')
      expect(await page.getByTestId('demo-verdict').textContent()).toBe('The visitor wants an age key first')
      await page.getByTestId('demo-create').click()
      await page.selectOption('[name=persona]', 'no-age-key')
      await page.getByTestId('save').click()
      expect(await page.getByTestId('demo-verdict').textContent()).toBe('The age key is saved')
      expect(await verifyAs(page, 'no-age-key')).toBe('Verified')
      expect(await page.locator('.marks').first().textContent()).toContain('21: yes')
    })
  })

  it.each(['fragment', 'query', 'form_post'])(
    'receives a callback in mode %s, and keeps no token in the address',
    async (mode) => {
      await withPage(browser, {}, async (page) => {
        expect(await verifyAs(page, 'adult-passport', mode)).toBe('Verified')
        expect(page.url()).toBe(`${sandbox.baseUrl}/_sandbox/demo/result`)
      })
    },
  )

  it.each(['query', 'form_post'])('works without scripts in mode %s', async (mode) => {
    await withPage(browser, { javaScriptEnabled: false }, async (page) => {
      await page.goto(`${sandbox.baseUrl}/_sandbox/demo`)
      await page.selectOption('[name=response_mode]', mode)
      await page.getByTestId('demo-use').click()
      await page.getByTestId('persona-adult-passport').click()
      if (mode === 'form_post') await page.locator('form[data-submit] button').click()
      expect(await page.getByTestId('demo-verdict').textContent()).toBe('Verified')
    })
  })

  it('names the modes that work without scripts', async () => {
    await withPage(browser, { javaScriptEnabled: false }, async (page) => {
      await page.goto(`${sandbox.baseUrl}/_sandbox/demo/callback`)
      expect(await page.locator('main').textContent()).toContain('choose the response mode query or form_post')
    })
  })
})
