import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { createSandbox, type Sandbox } from '../../src/server/create-sandbox.ts'
import { connectChromium } from '../support/run.ts'
import { describeWith } from '../support/tools.ts'
import { type RelyingParty, startRelyingParty } from './relying-party.ts'
import { createUrl, useUrl } from './requests.ts'
import { withPage } from './support.ts'

describeWith('chromium', 'a flow in a browser', () => {
  let browser: Browser
  let sandbox: Sandbox
  let app: RelyingParty
  beforeAll(async () => {
    ;[browser, sandbox, app] = await Promise.all([connectChromium(), createSandbox(), startRelyingParty()])
  })
  afterEach(() => sandbox.reset())
  afterAll(async () => {
    await browser?.close()
    await sandbox?.close()
    await app?.close()
  })

  const use = (changes: Readonly<Record<string, string | undefined>> = {}) =>
    useUrl(sandbox, { redirect_uri: `${app.origin}/callback`, ...changes })
  const create = (changes: Readonly<Record<string, string | undefined>> = {}) =>
    createUrl(sandbox, { redirect_uri: `${app.origin}/callback`, ...changes })
  const inPage = <T>(run: (page: Page) => Promise<T>, options: BrowserContextOptions = {}) =>
    withPage(browser, options, run)

  const back = (page: Page) => page.waitForURL((url) => url.origin === app.origin)
  const fragmentOf = (page: Page) => Object.fromEntries(new URLSearchParams(new URL(page.url()).hash.slice(1)))
  const queryOf = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams)

  it.each([true, false])('E1 comes back in the fragment, with scripts %s', (javaScriptEnabled) =>
    inPage(
      async (page) => {
        await page.goto(use())
        await page.getByTestId('persona-teen-16').click()
        await back(page)
        expect(fragmentOf(page)).toEqual({ id_token: expect.stringMatching(/^ey/), state: 'state-1' })
      },
      { javaScriptEnabled },
    ),
  )

  it('E1 comes back in the query', () =>
    inPage(async (page) => {
      await page.goto(use({ response_mode: 'query' }))
      await page.getByTestId('decline').click()
      await back(page)
      expect(queryOf(page)).toMatchObject({ error: 'access_denied', state: 'state-1' })
    }))

  it.each([true, false])('E1 comes back in a posted form, with scripts %s', (javaScriptEnabled) =>
    inPage(
      async (page) => {
        const state = `"><b>é</b>\r\n&amp;${javaScriptEnabled}`
        await page.goto(use({ response_mode: 'form_post', state, redirect_uri: `${app.origin}/callback?tab=1` }))
        await page.getByTestId('use').click()
        if (!javaScriptEnabled) await page.getByRole('button', { name: 'Continue' }).click()
        await back(page)
        const { method, url, body } = app.received.findLast((one) => one.url.startsWith('/callback')) ?? {}
        expect([method, url]).toEqual(['POST', '/callback?tab=1'])
        expect(new URLSearchParams(body).get('state')).toBe(state)
      },
      { javaScriptEnabled },
    ),
  )

  it('E3 saves the age key for the selected persona', () =>
    inPage(async (page) => {
      await page.goto(await create())
      await page.getByLabel('Whose age key is it?').selectOption('no-age-key')
      await page.getByTestId('save').click()
      await back(page)
      expect(queryOf(page)).toEqual({ state: 'state-1' })
      await page.goto(use({ sandbox_persona: 'no-age-key' }))
      expect(fragmentOf(page)).toHaveProperty('id_token')
    }))

  it('E3 offers a new age key from then on', () =>
    inPage(async (page) => {
      await page.goto(use())
      const personas = page.locator('[data-testid^="persona-"]')
      const before = await personas.count()
      await page.goto(await create())
      await page.getByTestId('save-new').click()
      await back(page)
      await page.goto(use())
      expect(await personas.count()).toBe(before + 1)
    }))

  it('E3 can be declined', () =>
    inPage(async (page) => {
      await page.goto(await create())
      await page.getByTestId('decline').click()
      await back(page)
      expect(queryOf(page)).toMatchObject({ error: 'access_denied', state: 'state-1' })
    }))

  it('is finished by the keyboard alone', () =>
    inPage(async (page) => {
      await page.goto(use())
      // The way home and the language come first, as on the screen.
      for (const _ of ['home', 'language', 'use']) await page.keyboard.press('Tab')
      expect(await page.evaluate('document.activeElement.dataset.testid')).toBe('use')
      await page.keyboard.press('Enter')
      await back(page)
      expect(fragmentOf(page)).toHaveProperty('id_token')
    }))

  it('takes a number key for a persona in the open, but not as it is written into a field', () =>
    inPage(async (page) => {
      await page.goto(use())
      await page.getByLabel('Find a persona').press('3')
      expect(new URL(page.url()).origin, 'a digit in a field is text').toBe(sandbox.baseUrl)
      await page.getByLabel('Find a persona').fill('')
      await page.getByRole('heading', { level: 1 }).click()
      await page.keyboard.press('3')
      await back(page)
      await expect(sandbox.flows.last()).resolves.toMatchObject({ persona: 'child-12' })
    }))

  it('ignores its keys when they are switched off, also on the next page, until they are switched on again', () =>
    inPage(async (page) => {
      await page.goto(use())
      await page.getByRole('button', { name: 'Turn keys off' }).click()
      await page.goto(use())
      expect(await page.locator('kbd').count()).toBe(0)
      await page.keyboard.press('/')
      await page.keyboard.press('1')
      expect(new URL(page.url()).origin).toBe(sandbox.baseUrl)
      await page.getByRole('button', { name: 'Turn keys on' }).click()
      await page.getByRole('heading', { level: 1 }).click()
      await page.keyboard.press('1')
      await back(page)
    }))

  it('hides the keys on a touch screen, and shows the menu of languages', () =>
    inPage(
      async (page) => {
        await page.goto(use())
        expect(await page.getByRole('button', { name: 'Turn keys off' }).isVisible()).toBe(false)
        expect(await page.locator('kbd').first().isVisible()).toBe(false)
        expect((await page.getByTestId('language').boundingBox())?.y).toBeLessThan(200)
      },
      { viewport: { width: 360, height: 780 }, hasTouch: true, isMobile: true },
    ))

  it('hides search and keys where no script makes them work', () =>
    inPage(
      async (page) => {
        await page.goto(use())
        expect(await page.getByLabel('Find a persona').isVisible()).toBe(false)
        expect(await page.getByText('Turn keys off').isVisible()).toBe(false)
      },
      { javaScriptEnabled: false },
    ))

  it('finds an ending among the many, which are loaded when they are opened', () =>
    inPage(async (page) => {
      await page.goto(use())
      await page.getByTestId('endings').click()
      await page.getByLabel('Find an ending').fill('expired')
      await page.keyboard.press('Enter')
      await back(page)
      await expect(sandbox.flows.last()).resolves.toMatchObject({ outcome: 'id_token.expired' })
    }))

  it('forces an ending without scripts on a page of its own', () =>
    inPage(
      async (page) => {
        await page.goto(use())
        await page.getByTestId('endings').click()
        await page.getByRole('link', { name: /Show all \d+ endings/ }).click()
        await page.getByTestId('outcome-id_token.expired').click()
        await back(page)
        await expect(sandbox.flows.last()).resolves.toMatchObject({ outcome: 'id_token.expired' })
      },
      { javaScriptEnabled: false },
    ))

  it('advances the clock by 91 seconds while it waits, more than the lifetime of a request_uri', () =>
    inPage(async (page) => {
      const request = await create()
      await page.goto(request)
      await page.getByTestId('endings').click()
      await page.getByTestId('advance').click()
      await page.waitForURL(/clock/)
      expect(await page.getByTestId('advance').isVisible(), 'the endings stay open').toBe(true)
      await page.goto(request)
      await back(page)
      expect(queryOf(page)).toMatchObject({ error: 'invalid_request_uri', state: 'state-1' })
    }))

  it('shows after the back button that the request is over: a request has one answer', () =>
    inPage(async (page) => {
      await page.goto(use())
      await page.getByTestId('use').click()
      await back(page)
      const callbacks = () => app.received.filter(({ url }) => url.startsWith('/callback')).length
      const before = callbacks()
      await page.goBack()
      await page.getByTestId('persona-teen-16').click()
      await page.getByRole('heading', { name: 'This request is over' }).waitFor()
      expect(await page.getByTestId('error-description').textContent()).toContain('answered already')
      expect(callbacks()).toBe(before)
    }))

  it('takes a double click as one click', () =>
    inPage(async (page) => {
      await page.goto(use({ response_mode: 'query' }))
      await page.getByTestId('persona-teen-16').dblclick()
      await back(page)
      expect(queryOf(page)).toHaveProperty('id_token')
    }))

  it('keeps the appearance of the request when it is shown again', () =>
    inPage(async (page) => {
      await page.goto(use({ primary_color: '#c00', theme: 'dark' }))
      await page.getByTestId('language').selectOption('de')
      await page.getByRole('button', { name: 'Meinen Altersschlüssel verwenden' }).waitFor()
      const colour = `getComputedStyle(document.querySelector('[data-testid=use]')).backgroundColor`
      expect(await page.evaluate(colour)).toBe('rgb(204, 0, 0)')
    }))
})
