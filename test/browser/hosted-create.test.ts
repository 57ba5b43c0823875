import { expect, it } from 'vitest'
import { ageSignal } from '../support/requests.ts'
import { describeWith } from '../support/tools.ts'
import { checkAccessibility, smallTargetsOn } from './axe.ts'
import { createUrl } from './requests.ts'
import { keepScreenshot, startBrowserAndSandbox, withPage } from './support.ts'

const SIZES = [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
]
const LOOKS = SIZES.flatMap((viewport) =>
  [
    ['en', 'light'],
    ['de', 'dark'],
    ['ar', 'light'],
  ].flatMap(([language = '', theme = '']) => [1, 4].map((signals) => ({ viewport, language, theme, signals }))),
)

describeWith('chromium', 'the create page', () => {
  const started = startBrowserAndSandbox()

  it.each(LOOKS)(
    '$viewport.width x $viewport.height, $language, $theme, signals: $signals: shows what is saved, for whom, and every button',
    async ({ viewport, language, theme, signals }) => {
      const isPhone = viewport.width < 500
      const options = { viewport, hasTouch: isPhone, isMobile: isPhone, bypassCSP: true }
      await withPage(started.browser, options, async (page) => {
        const details = JSON.stringify(Array.from({ length: signals }, () => ageSignal()))
        await page.goto(await createUrl(started.sandbox, { language, theme }, { authorization_details: details }))
        const shown = [
          page.getByRole('heading', { level: 1 }),
          page.locator('.signals'),
          page.locator('#persona'),
          ...['save', 'save-new', 'decline'].map((id) => page.getByTestId(id)),
        ]
        for (const part of shown) {
          const { x = -1, y = -1, width = 0, height = 0 } = (await part.boundingBox()) ?? {}
          expect(Math.min(x, y)).toBeGreaterThanOrEqual(0)
          expect([x + width <= viewport.width, y + height <= viewport.height], String(part)).toEqual([true, true])
        }
        expect(await page.locator('.signals li').count()).toBe(signals)
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(viewport.width)
        expect(await smallTargetsOn(page)).toEqual([])
        expect(await checkAccessibility(page)).toEqual([])
        await keepScreenshot(page, `create-${language}-${theme}-${viewport.width}-${signals}`)
      })
    },
  )
})
