import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { describeWith } from '../support/tools.ts'
import { startBrowserAndSandbox, withPage } from './support.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Everything that axe-core finds, a line each. */
const violationsOn = (page: Page): Promise<string[]> =>
  page.evaluate(`axe.run({ resultTypes: ['violations'], preload: false }).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => id + ' ' + target + ' ' + failureSummary)))`)

const PAGES = ['docs', 'docs/readme', 'docs/agents', 'docs/rules', 'docs/search?q=redirect_uri']

const SIZES = [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
]

describeWith('chromium', 'a page of the documents', () => {
  const running = startBrowserAndSandbox()

  it.each(PAGES)('%s has no finding of axe and no sideways scrolling, at both sizes, light and dark', async (path) => {
    for (const viewport of SIZES) {
      for (const colorScheme of ['light', 'dark'] as const) {
        await withPage(running.browser, { viewport, colorScheme }, async (page) => {
          const refused: string[] = []
          page.on('console', (message) => refused.push(message.text()))
          await page.goto(`${running.sandbox.url}/_sandbox/${path}`)
          expect(refused).toEqual([])
          expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
          await page.evaluate(axe)
          expect(await violationsOn(page), `${path} at ${viewport.width}, ${colorScheme}`).toEqual([])
        })
      }
    }
  })

  it('is found by a word that is typed and Enter, and opens at its section', async () => {
    await withPage(running.browser, {}, async (page) => {
      await page.goto(`${running.sandbox.url}/_sandbox/docs/readme`)
      await page.getByRole('searchbox').fill('PAR-07')
      await page.keyboard.press('Enter')
      await page.waitForURL('**/docs/search?q=PAR-07')
      await page.locator('.doc-found a').first().click()
      await page.waitForURL('**/docs/rules#*')
      const anchor = new URL(page.url()).hash
      expect(await page.locator(`h2${anchor}`).isVisible()).toBe(true)
    })
  })
})
