import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { describeWith } from '../support/tools.ts'
import { useUrl } from './requests.ts'
import { startBrowserAndSandbox, withPage } from './support.ts'

/** Words that stand on two lines. A hyphen, a slash and a `<wbr>` may end a line; random tokens are longer than any word, and JSON is no prose. */
const brokenWordsOn = (page: Page) =>
  page.evaluate<string[]>(`(() => {
    const broken = []
    for (const element of document.querySelectorAll('main .name, main .whole, main h1, main h2, main h3, main th, main td, main label, main .tag, main .mark, main p, main code')) {
      const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
      for (let text = texts.nextNode(); text; text = texts.nextNode()) {
        if (text.parentElement.closest('pre') || text.data.startsWith('{') || !text.parentElement.checkVisibility()) continue
        for (const { 0: word, index } of text.data.matchAll(/[\\p{L}\\p{N}]+/gu)) {
          if (word.length > 24) continue
          const range = document.createRange()
          range.setStart(text, index)
          range.setEnd(text, index + word.length)
          const lines = new Set([...range.getClientRects()].filter(({ width }) => width > 0).map(({ top }) => Math.round(top)))
          if (lines.size > 1) broken.push(word + ' in ' + element.textContent.slice(0, 60))
        }
      }
    }
    return broken
  })()`)

const CONSOLE = '/_sandbox/console'

describeWith('chromium', 'a page of the console', () => {
  const world = startBrowserAndSandbox()
  const address = (path: string) => `${world.sandbox.baseUrl}${path}`

  it.each([
    `${CONSOLE}/outcomes?level=must`,
    `${CONSOLE}/outcomes/use/id_token.signature_bit_flipped`,
    `${CONSOLE}/expectations`,
    `${CONSOLE}/scenarios`,
    `${CONSOLE}/clients`,
    `${CONSOLE}/rules`,
    `${CONSOLE}/clock`,
    `${CONSOLE}/tenants`,
    `${CONSOLE}/personas`,
    `${CONSOLE}/flows`,
    `${CONSOLE}/flows/f1`,
    `${CONSOLE}/playground`,
    `${CONSOLE}/audit`,
    `${CONSOLE}/coverage`,
    '/_sandbox/demo',
    '/',
  ])('%s breaks no word inside at 390 px, and does not scroll sideways', async (path) => {
    await world.sandbox.next({ outcome: 'id_token.signature_bit_flipped', match: { state: 'a-state' } })
    const asked = { sandbox_persona: 'teen-16', sandbox_outcome: 'id_token.signature_bit_flipped' }
    await fetch(useUrl(world.sandbox, asked), { redirect: 'manual' })
    await withPage(world.browser, { viewport: { width: 390, height: 844 } }, async (page) => {
      await page.goto(address(path))
      expect(await brokenWordsOn(page)).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
    })
  })

  it('ticks on the clock page, stands still when the clock is frozen, and shows local time beside UTC', async () => {
    await world.sandbox.clock.set('2030-01-31T12:00:00Z')
    await withPage(world.browser, { timezoneId: 'Asia/Tokyo' }, async (page) => {
      await page.goto(address(`${CONSOLE}/clock`))
      const now = page.getByTestId('now')
      const before = await now.textContent()
      await page
        .locator('time[data-clock]')
        .filter({ hasNotText: before ?? '' })
        .waitFor()
      expect(await now.textContent()).toMatch(/^2030-01-31 12:00:\d\dZ$/)
      expect(await page.locator('#local-now').textContent()).toMatch(/Jan 31, 2030.* 9:00:\d\d\sPM \(Asia\/Tokyo\)/)
      await page.getByTestId('freeze').click()
      await page.getByText('Let it run').waitFor()
      expect(await now.locator('time').getAttribute('data-clock')).toBe('frozen')
      await page.goto(address(`${CONSOLE}/personas?q=adult-passport`))
      expect(await page.locator('time').first().getAttribute('title')).toContain('(Asia/Tokyo)')
    })
    await world.sandbox.clock.reset()
  })

  it('shows UTC on the clock page without scripts', async () => {
    await withPage(world.browser, { javaScriptEnabled: false, timezoneId: 'Asia/Tokyo' }, async (page) => {
      await page.goto(address(`${CONSOLE}/clock`))
      expect(await page.getByTestId('now').textContent()).toMatch(/Z$/)
      expect(await page.locator('#local-now').isVisible()).toBe(false)
    })
  })

  it('shows at least ten outcomes on one screen of 1280x800', async () => {
    await withPage(world.browser, { viewport: { width: 1280, height: 800 } }, async (page) => {
      await page.goto(address(`${CONSOLE}/outcomes?q=id_token`))
      const seen = `[...document.querySelectorAll('tbody tr')].filter((row) => row.getBoundingClientRect().bottom <= 800).length`
      expect(await page.evaluate(seen)).toBeGreaterThanOrEqual(10)
    })
  })

  it('shows the next step of a scenario by itself', async () => {
    await withPage(world.browser, {}, async (page) => {
      await page.goto(address(`${CONSOLE}/scenarios`))
      await page.getByTestId('arm').click()
      await page.getByText('0 of 2 steps').waitFor()
      await page.getByText('Live', { exact: true }).waitFor()
      await fetch(useUrl(world.sandbox), { redirect: 'manual' })
      await page.getByText('1 of 2 steps').waitFor()
      await page.getByRole('button', { name: /^Remove A teen/ }).click()
      await page.getByTestId('no-scenarios').waitFor()
    })
  })
})
