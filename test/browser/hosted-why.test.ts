import type { Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { describeWith } from '../support/tools.ts'
import { useUrl } from './requests.ts'
import { startBrowserAndSandbox, withPage } from './support.ts'

describeWith('chromium', 'the reasons of a persona’s answers', () => {
  const started = startBrowserAndSandbox()

  /** Asks for the reasons of teen-16 on a choice page; the row in which they appear. */
  async function openReasons(page: Page): Promise<Locator> {
    await page.goto(useUrl(started.sandbox, { language: 'de' }))
    const row = page.locator('li', { has: page.getByTestId('persona-teen-16') })
    await row.getByRole('link').click()
    return row
  }

  const REASON = /^18, 21: no\. \S+: needs 18/

  it('stand in their place on the choice page when they are opened, read once', async () => {
    await withPage(started.browser, {}, async (page) => {
      const asked: string[] = []
      page.on('request', (request) => asked.push(new URL(request.url()).pathname))
      const row = await openReasons(page)
      const line = row.locator('li', { hasText: REASON })
      const link = row.getByRole('link')
      await line.waitFor()
      expect(await link.getAttribute('aria-expanded')).toBe('true')
      await link.click()
      await line.waitFor({ state: 'hidden' })
      expect(await link.getAttribute('aria-expanded')).toBe('false')
      await link.click()
      await line.waitFor()
      expect(new URL(page.url()).pathname).toBe('/v1/oidc/use')
      expect(asked.filter((path) => path.endsWith('/why'))).toHaveLength(1)
    })
  })

  it('stand without scripts on a page of their own, which leads back to the same choice', async () => {
    await withPage(started.browser, { javaScriptEnabled: false }, async (page) => {
      await openReasons(page)
      await page.waitForURL(/\/use\/why\?/)
      await page.locator('[data-part] li', { hasText: REASON }).waitFor()
      const id = new URL(page.url()).searchParams.get('transaction')
      await page.getByRole('button', { name: 'Zurück zur Auswahl' }).click()
      await page.getByTestId('persona-teen-16').waitFor()
      expect(await page.locator('input[name=transaction]').first().getAttribute('value')).toBe(id)
      expect(await page.locator('html').getAttribute('lang')).toBe('de')
    })
  })
})
