import type { Page } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import { describeWith } from '../support/tools.ts'
import { startWorld, WITHOUT_SCRIPTS } from './support.ts'

describeWith('chromium', 'The demo', () => {
  const world = startWorld()
  beforeEach(() => world.sandbox.reset())

  const verdictOn = (page: Page) => page.getByTestId('demo-verdict').textContent()

  /** Begins a Use flow by the form of the demo, and chooses a persona on the hosted page. */
  async function verifyAs(page: Page, persona: string, mode = 'fragment') {
    await page.goto(`${world.sandbox.baseUrl}/_sandbox/demo`)
    await page.selectOption('[name=response_mode]', mode)
    await page.getByTestId('demo-use').click()
    await page.getByTestId(`persona-${persona}`).click()
  }

  test('A visitor of the demo goes through all flows by clicking', async () => {
    const page = await world.newPage()
    await verifyAs(page, 'child-12')
    expect(await verdictOn(page)).toBe('Verified')
    expect(page.url()).toBe(`${world.sandbox.baseUrl}/_sandbox/demo/result`)
    await page.getByTestId('demo-upgrade').click()
    expect(await verdictOn(page)).toBe('The age key is upgraded')
    await verifyAs(page, 'no-age-key')
    expect(await verdictOn(page)).toBe('The visitor wants an age key first')
    await page.getByTestId('demo-create').click()
    await page.selectOption('[name=persona]', 'no-age-key')
    await page.getByTestId('save').click()
    expect(await verdictOn(page)).toBe('The age key is saved')
    await verifyAs(page, 'no-age-key')
    expect(await verdictOn(page)).toBe('Verified')
    expect(await page.locator('.marks').first().textContent()).toContain('21: yes')
  })

  test.each([
    ['form_post', {}],
    ['query', WITHOUT_SCRIPTS],
  ])('The demo receives a callback in mode %s with %o', async (mode, options) => {
    const page = await world.newPage(options)
    await verifyAs(page, 'adult-passport', mode)
    expect(await verdictOn(page)).toBe('Verified')
    expect(page.url()).toBe(`${world.sandbox.baseUrl}/_sandbox/demo/result`)
  })
})
