import type { Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { useUrl } from './requests.ts'
import { describeInBrowser, startBrowserAndSandbox, withPage } from './support.ts'

describeInBrowser('the reasons of a persona’s answers', () => {
  const started = startBrowserAndSandbox()

  /** Opens the reasons of teen-16 on a choice page. */
  async function openReasons(page: Page): Promise<Locator> {
    await page.goto(useUrl(started.sandbox, { language: 'de' }))
    const choice = page.locator('li', { has: page.getByTestId('persona-teen-16') })
    await choice.locator('summary').click()
    return choice.locator('details')
  }

  const REASON = /^18, 21: no\. \S+: needs 18/

  it('stand in their place on the choice page when they are opened, read once', async () => {
    await withPage(started.browser, {}, async (page) => {
      const asked: string[] = []
      page.on('request', (request) => asked.push(new URL(request.url()).pathname))
      const reasons = await openReasons(page)
      const address = page.url()
      const line = reasons.locator('li', { hasText: REASON })
      await line.waitFor()
      expect(await reasons.locator('a').count()).toBe(0)
      await reasons.locator('summary').click()
      await line.waitFor({ state: 'hidden' })
      await reasons.locator('summary').click()
      await line.waitFor()
      expect(page.url()).toBe(address)
      expect(asked.filter((path) => path.endsWith('/why'))).toHaveLength(1)
    })
  })

  it('stand without scripts on a page of their own, which leads back to the same choice', async () => {
    await withPage(started.browser, { javaScriptEnabled: false }, async (page) => {
      const reasons = await openReasons(page)
      await reasons.locator('a').click()
      await page.waitForURL(/\/use\/why\?/)
      await page.locator('[data-reasons] li', { hasText: REASON }).waitFor()
      const id = new URL(page.url()).searchParams.get('transaction')
      await page.getByRole('button', { name: 'Zurück zur Auswahl' }).click()
      await page.getByTestId('persona-teen-16').waitFor()
      expect(await page.locator('input[name=transaction]').first().getAttribute('value')).toBe(id)
      expect(await page.locator('html').getAttribute('lang')).toBe('de')
    })
  })
})
