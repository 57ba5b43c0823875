import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { describeWith } from '../support/tools.ts'
import { keepScreenshot, startWorld } from './support.ts'

const DARK_TEXT = 'rgb(29, 23, 51)'
const LIGHT_TEXT = 'rgb(236, 233, 246)'
const USE = '[data-testid=use]'

describeWith('chromium', 'A parameter of the hosted screens', () => {
  const world = startWorld()
  const { newPage, use, create } = world

  const style = (page: Page, selector: string, property: string): Promise<string> =>
    page.evaluate(
      `getComputedStyle(document.querySelector(${JSON.stringify(selector)})).${property}`,
    )
  const langOf = (page: Page) => page.locator('html').getAttribute('lang')

  test.each([
    { theme: 'light', inLight: DARK_TEXT, inDark: DARK_TEXT },
    { theme: 'dark', inLight: LIGHT_TEXT, inDark: LIGHT_TEXT },
    { theme: 'system', inLight: DARK_TEXT, inDark: LIGHT_TEXT },
  ])(
    'theme=$theme has its colours whatever the device prefers',
    async ({ theme, inLight, inDark }) => {
      const page = await newPage()
      for (const address of [use({ theme }), await create({ theme })]) {
        await page.goto(address)
        await page.emulateMedia({ colorScheme: 'light' })
        expect(await style(page, 'body', 'color')).toBe(inLight)
        await page.emulateMedia({ colorScheme: 'dark' })
        expect(await style(page, 'body', 'color')).toBe(inDark)
      }
    },
  )

  test.each([
    [
      ['primary_color', 'teal', USE, 'backgroundColor', 'rgb(0, 128, 128)'],
      ['text_color', 'maroon', 'h1', 'color', 'rgb(128, 0, 0)'],
      ['background_color', 'ivory', '.card', 'backgroundColor', 'rgb(255, 255, 240)'],
      ['text_align', 'center', '.screen', 'textAlign', 'center'],
      ['button_radius', '0', USE, 'borderRadius', '0px'],
      ['gradient', 'true', '.band', 'backgroundImage', 'linear-gradient('],
      ['font', 'DejaVu Serif', 'body', 'fontFamily', '"DejaVu Serif", system-ui'],
    ],
    [
      ['primary_color', '#ff0', USE, 'color', 'rgb(0, 0, 0)'],
      ['secondary_color', '#004400', '.band', 'backgroundColor', 'rgb(0, 68, 0)'],
      ['text_align', 'right', '.screen', 'textAlign', 'right'],
      ['button_radius', '32', USE, 'borderRadius', '32px'],
      ['gradient', 'false', '.band', 'backgroundImage', 'none'],
    ],
  ])('Appearance parameters force the light theme: %j', async (...rows) => {
    const page = await newPage({ colorScheme: 'dark' })
    await page.goto(use({ theme: 'dark', ...Object.fromEntries(rows) }))
    for (const [, , selector = '', property = '', effect = ''] of [
      ...rows,
      ['', '', ':root', 'colorScheme', 'light'],
    ])
      expect((await style(page, selector, property)).slice(0, effect.length), property).toBe(effect)
  })

  test('A font that the device lacks is advice on the page', async () => {
    const page = await newPage()
    await page.goto(use({ font: 'No Such Font Anywhere', state: 'font', nonce: 'font' }))
    const finding = page.locator('.finding')
    expect(await finding.isVisible()).toBe(true)
    expect(await finding.textContent()).toContain('this device has no font "No Such Font Anywhere"')
    expect(await page.locator('a[href="#advice-title"]').isVisible()).toBe(true)
    await keepScreenshot(page, 'font-missing')
    await page.getByTestId('persona-teen-16').click()
    await world.answerOn(page)
    const calls = (await world.sandbox.flows.last())?.calls ?? []
    expect(calls.map(({ findings }) => findings.map(({ rule }) => rule))).toEqual([[], ['USE-22']])
  })

  test('A font of the device is no advice on the page', async () => {
    const page = await newPage()
    const finding = page.locator('.finding')
    const isMissing: boolean[] = []
    for (const font of [
      'DejaVu Serif',
      'Liberation Serif',
      'Noto Serif',
      'Times New Roman',
      'Arial',
    ]) {
      await page.goto(use({ font }))
      isMissing.push(await finding.isVisible())
    }
    expect(isMissing).toContain(false)
  })

  test('The menu of languages is remembered in this browser', async () => {
    const page = await newPage({ locale: 'ja-JP' })
    await page.goto(use())
    expect(await langOf(page)).toBe('ja')
    await page.getByTestId('language').selectOption('fr')
    await page.getByRole('button', { name: 'Utiliser ma clé d’âge' }).waitFor()
    for (const address of [use(), await create()]) {
      await page.goto(address)
      expect(await langOf(page)).toBe('fr')
    }
  })

  test('The menu of languages does not submit while the arrow keys move through it', async () => {
    const page = await newPage()
    await page.goto(use({ primary_color: '#c00' }))
    await page.getByTestId('language').focus()
    await page.keyboard.press('ArrowDown')
    expect(await langOf(page)).toBe('en')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.waitForURL(/language$/)
    expect(await langOf(page)).toBe('de')
  })

  test('The menu of languages keeps the appearance', async () => {
    const page = await newPage()
    await page.goto(use({ primary_color: '#c00' }))
    await page.getByTestId('language').focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.waitForURL(/language$/)
    expect(await style(page, USE, 'backgroundColor')).toBe('rgb(204, 0, 0)')
  })
})
