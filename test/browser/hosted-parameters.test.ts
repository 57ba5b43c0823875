import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { describeWith } from '../support/tools.ts'
import { createUrl, useUrl } from './requests.ts'
import { keepScreenshot, startBrowserAndSandbox, withPage } from './support.ts'

const DARK_TEXT = 'rgb(29, 23, 51)'
const LIGHT_TEXT = 'rgb(236, 233, 246)'

describeWith('chromium', 'a parameter of the hosted screens', () => {
  const started = startBrowserAndSandbox()

  const style = (page: Page, selector: string, property: string): Promise<string> =>
    page.evaluate(`getComputedStyle(document.querySelector(${JSON.stringify(selector)})).${property}`)
  const USE = '[data-testid=use]'

  it.each([
    { theme: undefined, device: 'dark', text: DARK_TEXT },
    { theme: 'light', device: 'dark', text: DARK_TEXT },
    { theme: 'dark', device: 'light', text: LIGHT_TEXT },
    { theme: 'system', device: 'light', text: DARK_TEXT },
    { theme: 'system', device: 'dark', text: LIGHT_TEXT },
    { theme: 'sepia', device: 'dark', text: DARK_TEXT },
  ] as const)('theme $theme on a $device device, E1 and E3', async ({ theme, device, text }) => {
    await withPage(started.browser, { colorScheme: device }, async (page) => {
      await page.goto(useUrl(started.sandbox, { theme }))
      expect(await style(page, 'body', 'color')).toBe(text)
      await page.goto(await createUrl(started.sandbox, { theme }))
      expect(await style(page, 'body', 'color')).toBe(text)
    })
  })

  it.each([
    {
      parameter: 'primary_color',
      value: 'teal',
      selector: USE,
      property: 'backgroundColor',
      effect: 'rgb(0, 128, 128)',
    },
    { parameter: 'primary_color', value: '#ff0', selector: USE, property: 'color', effect: 'rgb(0, 0, 0)' },
    {
      parameter: 'secondary_color',
      value: '#004400',
      selector: '.band',
      property: 'backgroundColor',
      effect: 'rgb(0, 68, 0)',
    },
    { parameter: 'text_color', value: 'maroon', selector: 'h1', property: 'color', effect: 'rgb(128, 0, 0)' },
    {
      parameter: 'background_color',
      value: 'ivory',
      selector: '.card',
      property: 'backgroundColor',
      effect: 'rgb(255, 255, 240)',
    },
    { parameter: 'text_align', value: 'center', selector: '.screen', property: 'textAlign', effect: 'center' },
    { parameter: 'text_align', value: 'right', selector: '.screen', property: 'textAlign', effect: 'right' },
    { parameter: 'button_radius', value: '0', selector: USE, property: 'borderRadius', effect: '0px' },
    { parameter: 'button_radius', value: '32', selector: USE, property: 'borderRadius', effect: '32px' },
    {
      parameter: 'gradient',
      value: 'true',
      selector: '.band',
      property: 'backgroundImage',
      effect: /^linear-gradient/,
    },
    { parameter: 'gradient', value: 'false', selector: '.band', property: 'backgroundImage', effect: 'none' },
    {
      parameter: 'font',
      value: 'DejaVu Serif',
      selector: 'body',
      property: 'fontFamily',
      effect: /^"DejaVu Serif", system-ui/,
    },
  ])(
    '$parameter=$value shows, and forces the light theme',
    async ({ parameter, value, selector, property, effect }) => {
      await withPage(started.browser, { colorScheme: 'dark' }, async (page) => {
        await page.goto(useUrl(started.sandbox, { theme: 'dark', [parameter]: value }))
        expect(await style(page, selector, property)).toEqual(
          typeof effect === 'string' ? effect : expect.stringMatching(effect),
        )
        expect(await style(page, ':root', 'colorScheme')).toBe('light')
      })
    },
  )

  it.each([
    ['primary_color', 'url(https://evil.example)'],
    ['text_align', 'justify'],
    ['button_radius', '33'],
    ['gradient', 'yes'],
    ['font', 'A; } * { color: red'],
  ])('%s=%s has no effect, and the page says so', async (parameter, value) => {
    await withPage(started.browser, {}, async (page) => {
      await page.goto(useUrl(started.sandbox, { theme: 'dark', [parameter]: value }))
      expect(await style(page, ':root', 'colorScheme')).toBe('dark')
      expect(await page.locator('.finding').textContent()).toContain('USE-16')
    })
  })

  it('font that the device lacks is advice on the page, and of the choice in the journal', async () => {
    await withPage(started.browser, {}, async (page) => {
      await page.goto(useUrl(started.sandbox, { font: 'No Such Font Anywhere' }))
      const finding = page.locator('.finding')
      expect(await finding.isVisible()).toBe(true)
      expect(await finding.textContent()).toContain('this device has no font "No Such Font Anywhere"')
      expect(await page.locator('a[href="#advice-title"]').isVisible()).toBe(true)
      await keepScreenshot(page, 'font-missing')
      await page.route('http://localhost:3000/**', (route) => route.fulfill({ body: 'app' }))
      await page.getByTestId('persona-teen-16').click()
      await page.waitForURL('http://localhost:3000/**')
    })
    const calls = (await started.sandbox.flows.last())?.calls ?? []
    expect(calls.map(({ findings }) => findings.map(({ rule }) => rule))).toEqual([[], ['USE-22']])
  })

  it('font that the device has is no advice', async () => {
    const common = ['DejaVu Serif', 'Liberation Serif', 'Noto Serif', 'Times New Roman', 'Arial']
    await withPage(started.browser, {}, async (page) => {
      const found: string[] = []
      for (const font of common) {
        await page.goto(useUrl(started.sandbox, { font }))
        if (!(await page.locator('.finding').isVisible())) found.push(font)
      }
      expect(found).not.toEqual([])
    })
  })

  it.each([
    [undefined, 1],
    ['true', 1],
    ['false', 0],
    ['no', 1],
  ])('learn_more=%s leaves %i link to learn more', async (learnMore, links) => {
    await withPage(started.browser, {}, async (page) => {
      await page.goto(useUrl(started.sandbox, { learn_more: learnMore }))
      expect(await page.getByTestId('learn-more').count()).toBe(links)
    })
  })

  it('language, the previous choice and the browser decide in this order, and the menu remembers', async () => {
    await withPage(started.browser, { locale: 'ja-JP' }, async (page) => {
      const lang = () => page.locator('html').getAttribute('lang')
      await page.goto(useUrl(started.sandbox))
      expect(await lang()).toBe('ja')
      await page.getByTestId('language').selectOption('fr')
      await page.getByRole('button', { name: 'Utiliser ma clé d’âge' }).waitFor()
      await page.goto(useUrl(started.sandbox))
      expect(await lang()).toBe('fr')
      await page.goto(useUrl(started.sandbox, { language: 'pt-BR' }))
      expect(await lang()).toBe('pt')
      await page.goto(useUrl(started.sandbox, { language: 'tlh' }))
      expect(await lang()).toBe('fr')
      await page.goto(await createUrl(started.sandbox))
      expect(await lang()).toBe('fr')
    })
  })

  it('the menu works without scripts, and its choice outranks the language of the request on this page', async () => {
    await withPage(started.browser, { javaScriptEnabled: false }, async (page) => {
      await page.goto(useUrl(started.sandbox, { language: 'de' }))
      await page.getByTestId('language').selectOption('ar')
      await page.getByRole('button', { name: 'Sprache wechseln' }).click()
      expect(await page.locator('html').getAttribute('dir')).toBe('rtl')
      await page.getByText('فرض نهاية').last().click()
      await page.getByTestId('advance').click()
      expect(await page.locator('html').getAttribute('lang')).toBe('ar')
    })
  })

  it('the menu does not submit while the arrow keys move through it', async () => {
    await withPage(started.browser, {}, async (page) => {
      await page.goto(useUrl(started.sandbox))
      await page.getByTestId('language').focus()
      await page.keyboard.press('ArrowDown')
      expect(await page.locator('html').getAttribute('lang')).toBe('en')
      await page.keyboard.press('Tab')
      await page.keyboard.press('Enter')
      await page.waitForURL(/language$/)
      expect(await page.locator('html').getAttribute('lang')).toBe('de')
    })
  })
})
