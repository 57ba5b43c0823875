import { expect, it } from 'vitest'
import { CONSOLE_PAGES } from '../../src/http/html/console-page.ts'
import { describeWith } from '../support/tools.ts'
import { useUrl } from './requests.ts'
import { startBrowserAndSandbox, withPage } from './support.ts'

const PAGES = ['/', '/_sandbox/demo', '/_sandbox/docs', ...CONSOLE_PAGES.map(({ path }) => `/_sandbox/console/${path}`)]

describeWith('chromium', 'the frame of the console', () => {
  const world = startBrowserAndSandbox()

  const heightAt = (width: number, path: string) =>
    withPage(world.browser, { viewport: { width, height: 800 } }, async (page) => {
      await page.goto(`${world.sandbox.baseUrl}${path}`)
      return page.evaluate<number>('document.querySelector("header.top").getBoundingClientRect().height')
    })

  it.each(PAGES)('%s has a header of at most 120 px at 1280, and 135 px at 390, whatever is set', async (path) => {
    await world.sandbox.clock.reset()
    await world.sandbox.expectations.clear()
    expect(await heightAt(1280, path)).toBeLessThanOrEqual(120)
    expect(await heightAt(390, path)).toBeLessThanOrEqual(135)
    await world.sandbox.clock.advance(93_600)
    for (const persona of ['teen-16', 'child-12']) await world.sandbox.next({ persona })
    expect(await heightAt(1280, path)).toBeLessThanOrEqual(120)
    expect(await heightAt(390, path)).toBeLessThanOrEqual(135)
  })

  it('folds the menu at 390 px, and opens and closes it by the keyboard, without scripts too', async () => {
    const options = { viewport: { width: 390, height: 844 }, javaScriptEnabled: false }
    await withPage(world.browser, options, async (page) => {
      await page.goto(`${world.sandbox.baseUrl}/_sandbox/console/clock`)
      const entry = page.getByRole('link', { name: 'Personas' })
      expect(await entry.isVisible()).toBe(false)
      await page.getByRole('button', { name: 'Menu' }).focus()
      await page.keyboard.press('Enter')
      await entry.waitFor()
      await page.keyboard.press('Escape')
      await entry.waitFor({ state: 'hidden' })
      await page.keyboard.press('Enter')
      await entry.focus()
      await page.keyboard.press('Enter')
      await page.waitForURL('**/personas')
    })
  })

  it.each([390, 1280])('takes a mode back at %i px and stays on its page', async (width) => {
    await world.sandbox.clock.advance(86_400)
    await withPage(world.browser, { viewport: { width, height: 800 } }, async (page) => {
      const address = `${world.sandbox.baseUrl}/_sandbox/console/outcomes?q=nonce`
      await page.goto(address)
      if (width === 390) await page.getByRole('button', { name: /set/ }).click()
      await page.getByRole('button', { name: 'Clock: Back to real time' }).click()
      await page.getByTestId('mode-clock').waitFor({ state: 'detached' })
      expect(page.url()).toBe(address)
    })
    expect((await world.sandbox.clock.state()).advanced_seconds).toBe(0)
  })

  it('brings the strip up to date when a flow has used a decision up', async () => {
    await world.sandbox.expectations.clear()
    await world.sandbox.next({ persona: 'teen-16' })
    await withPage(world.browser, { viewport: { width: 1280, height: 800 } }, async (page) => {
      await page.goto(`${world.sandbox.baseUrl}/_sandbox/console/flows`)
      await page.getByText('Live', { exact: true }).waitFor()
      await page.getByTestId('mode-expectations').waitFor()
      await fetch(useUrl(world.sandbox), { redirect: 'manual' })
      await page.getByTestId('mode-expectations').waitFor({ state: 'detached' })
    })
  })
})
