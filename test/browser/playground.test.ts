import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { describeWith } from '../support/tools.ts'
import { keepScreenshot, startBrowserAndSandbox, withPage } from './support.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** Everything that axe-core finds with every section open, a line each. */
async function violationsOn(page: Page): Promise<string[]> {
  await page.evaluate('for (const details of document.querySelectorAll("details")) details.open = true')
  await page.addScriptTag({ content: axe })
  return page.evaluate(`axe.run({ runOnly: ${JSON.stringify(RULES)}, resultTypes: ['violations'], preload: false })
    .then(({ violations }) => violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => id + ' ' + target + ' ' + failureSummary)))`)
}

/** Words that begin on one line and end on another. */
async function brokenWordsOn(page: Page): Promise<string[]> {
  return page.evaluate(`[...document.querySelectorAll('.answer-table code, .answer-table .mark, .effect strong')].flatMap((element) => {
    const text = document.createTreeWalker(element, NodeFilter.SHOW_TEXT).nextNode()
    return [...text.data.matchAll(/[^ ]+/g)].filter(({ 0: word, index }) => {
      const range = document.createRange()
      range.setStart(text, index)
      range.setEnd(text, index + word.length)
      return range.getClientRects().length > 1 && !word.includes('-')
    }).map(([word]) => word)
  })`)
}

const PAGES: Readonly<Record<string, string>> = {
  playground: '',
  'playground-changed': `?${new URLSearchParams({
    claims: '{"age_thresholds":[13,16,18,21],"verified_after":"2026-01-01"}',
    change: 'with documents only',
  })}`,
  'playground-refused': `?${new URLSearchParams({ claims: '{"age_treshold":[18]}' })}`,
}

describeWith('chromium', 'the playground', () => {
  const parts = startBrowserAndSandbox()
  const address = (query = '') => `${parts.sandbox.baseUrl}/_sandbox/console/playground${query}`

  const looks = Object.keys(PAGES).flatMap((name) =>
    (['light', 'dark'] as const).flatMap((scheme) =>
      [
        [390, 844],
        [1280, 800],
      ].map(([width = 0, height = 0]) => [name, scheme, width, height] as const),
    ),
  )

  it.each(looks)(
    'as %s in %s at %i x %i has nothing that axe finds, no sideways scrolling and no broken word',
    async (name, colorScheme, width, height) => {
      const options = { colorScheme, viewport: { width, height }, bypassCSP: true }
      await withPage(parts.browser, options, async (page) => {
        await page.goto(address(PAGES[name]))
        await keepScreenshot(page, `${name}-${colorScheme}-${width}`)
        expect(await brokenWordsOn(page)).toEqual([])
        expect(await violationsOn(page)).toEqual([])
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
      })
    },
  )

  it('shows by the keyboard and without scripts what a filter that is left out flips, at an address to share', async () => {
    await withPage(parts.browser, { javaScriptEnabled: false }, async (page) => {
      await page.goto(address())
      await page
        .getByLabel(/^JSON, or the address/)
        .fill('{"age_thresholds":[18],"allowed_methods":["facial_age_estimation"]}')
      await page.getByTestId('evaluate').focus()
      await page.keyboard.press('Enter')
      const passport = page.getByTestId('answer-adult-passport')
      await passport.getByText('18: yes → no').waitFor()
      await page.getByRole('button', { name: /^without allowed_methods/ }).focus()
      await page.keyboard.press('Enter')
      await passport.getByText('18: no → yes').waitFor()
      const shared = page.url()
      await page.goto('about:blank')
      await page.goto(shared)
      expect(await passport.textContent()).toContain('18: no → yes')
    })
  })

  it('keeps claims that would be refused in the field, and says by which rule', async () => {
    await withPage(parts.browser, {}, async (page) => {
      await page.goto(address())
      await page.locator('#claims').fill('{"age_thresholds": ["18"]}')
      await page.getByTestId('evaluate').click()
      await page.getByTestId('findings').getByText('CLM-03').waitFor()
      expect(await page.locator('#claims').inputValue()).toBe('{"age_thresholds": ["18"]}')
    })
  })

  it('copies for the persona whose row was pressed', async () => {
    await withPage(parts.browser, {}, async (page) => {
      await page.goto(address())
      await page.getByRole('button', { name: 'Copy with teen-16' }).click()
      await page.locator('#copy').getByText("sandbox.next({ flow: 'use', persona: 'teen-16' })").waitFor()
      expect(new URL(page.url()).hash).toBe('#copy')
    })
  })
})
