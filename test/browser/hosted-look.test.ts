import { expect, it } from 'vitest'
import { describeWith } from '../support/tools.ts'
import { checkAccessibility, smallTargetsOn } from './axe.ts'
import { createUrl, useUrl, whyUrl } from './requests.ts'
import { keepScreenshot, startBrowserAndSandbox, withPage } from './support.ts'

const COLOURED = {
  primary_color: 'gold',
  secondary_color: '#b00',
  background_color: '#fffaf0',
  text_color: '#777',
  text_align: 'center',
  button_radius: '24',
  gradient: 'true',
  font: 'DejaVu Serif',
}
const WEB_VIEW =
  'Mozilla/5.0 (Linux; Android 14; Pixel 8 Build/AP1A; wv) AppleWebKit/537.36 Version/4.0 Chrome/126 Mobile Safari/537.36'

describeWith('chromium', 'a hosted page', () => {
  const started = startBrowserAndSandbox()

  const PAGES: Readonly<Record<string, (theme: string) => string | Promise<string>>> = {
    choose: (theme) =>
      useUrl(started.sandbox, { theme, can_create: 'true', scope: 'openid svc.upgrade', theme_colour: 'red' }),
    'choose-arabic': (theme) => useUrl(started.sandbox, { theme, language: 'ar' }),
    'choose-coloured': () => useUrl(started.sandbox, COLOURED),
    'choose-dark-background': () => useUrl(started.sandbox, { background_color: '#222', primary_color: 'navy' }),
    create: (theme) => createUrl(started.sandbox, { theme }),
    'choose-web-view': (theme) => useUrl(started.sandbox, { theme, can_create: 'true', theme_colour: 'red' }),
    'create-web-view': (theme) => createUrl(started.sandbox, { theme, language: 'de' }),
    why: (theme) => whyUrl(started.sandbox, 'teen-16', { theme }),
    closed: (theme) => useUrl(started.sandbox, { theme, sandbox_outcome: 'no_answer' }),
    error: () => useUrl(started.sandbox, { redirect_uri: 'https://elsewhere.example/' }),
    embedding: () => `${started.sandbox.baseUrl}/_sandbox/embedding`,
  }
  const LOOKS = Object.keys(PAGES).flatMap((name) => ['light', 'dark'].map((theme) => ({ name, theme })))

  it.each(LOOKS)(
    '$name, $theme: at 320 and 1280 px axe-core finds nothing, targets are large, nothing scrolls sideways',
    async ({ name, theme }) => {
      const colorScheme = theme === 'dark' ? 'dark' : 'light'
      const userAgent = name.endsWith('-web-view') ? { userAgent: WEB_VIEW } : {}
      await withPage(started.browser, { colorScheme, bypassCSP: true, ...userAgent }, async (page) => {
        await page.goto((await PAGES[name]?.(theme)) ?? '')
        for (const width of [1280, 320]) {
          await page.setViewportSize({ width, height: 800 })
          await keepScreenshot(page, `${name}-${theme}-${width}`)
          // The closed sections are checked too, with what they load.
          await page.evaluate(`for (const details of document.querySelectorAll('details')) details.open = true`)
          expect(await checkAccessibility(page)).toEqual([])
          expect(await smallTargetsOn(page)).toEqual([])
          expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
          if (width === 1280) await keepScreenshot(page, `${name}-${theme}-${width}-open`)
          await page.evaluate(`for (const details of document.querySelectorAll('details')) details.open = false`)
        }
      })
    },
  )

  it.each(['choose', 'create'])('%s loads only from the sandbox', async (name) => {
    await withPage(started.browser, {}, async (page) => {
      const origins = new Set<string>()
      page.on('request', (request) => origins.add(new URL(request.url()).origin))
      await page.goto((await PAGES[name]?.('light')) ?? '', { waitUntil: 'networkidle' })
      expect([...origins]).toEqual([started.sandbox.baseUrl])
    })
  })

  it.each(['choose', 'create', 'error', 'embedding'])(
    '%s breaks no line of its content security policy',
    async (name) => {
      await withPage(started.browser, {}, async (page) => {
        const messages: string[] = []
        page.on('console', (message) => messages.push(message.text()))
        page.on('pageerror', (error) => messages.push(error.message))
        const response = await page.goto((await PAGES[name]?.('light')) ?? '')
        expect(response?.headers()['content-security-policy']).not.toMatch(/unsafe|\*|data:/)
        expect(messages.filter((message) => !/status of 400/.test(message))).toEqual([])
      })
    },
  )

  it('moves nothing when the browser prefers reduced motion', async () => {
    await withPage(started.browser, { reducedMotion: 'reduce' }, async (page) => {
      await page.goto(useUrl(started.sandbox))
      const moving = `[...document.querySelectorAll('*')].filter((one) => getComputedStyle(one).transitionDuration !== '0s').length`
      expect(await page.evaluate(moving)).toBe(0)
    })
  })
})
