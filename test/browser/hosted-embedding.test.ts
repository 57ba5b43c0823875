import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createSandbox, type Sandbox } from '../../src/server/create-sandbox.ts'
import { connectChromium } from '../support/run.ts'
import { describeWith } from '../support/tools.ts'
import { type RelyingParty, startRelyingParty } from './relying-party.ts'
import { createUrl, useUrl } from './requests.ts'
import { keepScreenshot, withPage } from './support.ts'

const GET = 'allow="publickey-credentials-get"'
const CREATE = 'allow="publickey-credentials-create"'

/** The visible text of the notice, which also holds hidden text. */
const visibleText = async (notice: Locator) => (await notice.locator('p:visible').allTextContents()).join(' ')

describeWith('chromium', 'in an iframe', () => {
  let browser: Browser
  let sandbox: Sandbox
  let app: RelyingParty
  beforeAll(async () => {
    ;[browser, sandbox, app] = await Promise.all([connectChromium(), createSandbox(), startRelyingParty()])
  })
  afterAll(async () => {
    await browser?.close()
    await sandbox?.close()
    await app?.close()
  })

  const target = () => ({ redirect_uri: `${app.origin}/callback` })
  const callbacks = () => app.received.filter(({ url }) => url.startsWith('/callback'))

  /** The frame of a page of the app that embeds a URL. */
  async function embed(page: Page, url: string, attributes: string) {
    app.serve(
      '/embedding',
      `<!doctype html><title>App</title><iframe width="640" height="760" ${attributes} src="${url.replaceAll('&', '&amp;')}"></iframe>`,
    )
    await page.goto(`${app.origin}/embedding`)
    return page.frameLocator('iframe')
  }

  it.each([
    [
      'Use without the permission',
      () => useUrl(sandbox, target()),
      '',
      `lacks the permission for passkeys, so no age key could work here. Add this attribute to it: ${GET}`,
    ],
    ['Use with it', () => useUrl(sandbox, target()), GET, `has the permission for passkeys: ${GET}`],
    [
      'Create without the permission',
      () => createUrl(sandbox, target()),
      GET,
      `lacks the permission for passkeys, so no age key could work here. Add this attribute to it: ${CREATE}`,
    ],
    ['Create with it', () => createUrl(sandbox, target()), CREATE, `has the permission for passkeys: ${CREATE}`],
  ])('%s says so literally', async (_, url, attributes, message) => {
    await withPage(browser, {}, async (page) => {
      const notice = (await embed(page, await url(), attributes)).getByTestId('iframe')
      await notice.waitFor()
      expect(await visibleText(notice)).toContain(message)
      expect(await visibleText(notice)).not.toContain('Passkeys work here only')
    })
  })

  it.each([
    ['Use', () => useUrl(sandbox, target()), 'persona-teen-16'],
    ['Create', () => createUrl(sandbox, target()), 'save'],
  ])('%s without the permission offers only to go back, also to the number keys', async (_, url, hidden) => {
    await withPage(browser, {}, async (page) => {
      const frame = await embed(page, await url(), '')
      await frame.getByTestId('continue-anyway').waitFor()
      expect(await frame.getByTestId(hidden).count()).toBe(0)
      const buttons = frame.locator('main button:visible')
      expect(await buttons.evaluateAll((all) => all.map((one) => one.getAttribute('data-testid')))).toEqual([
        'continue-anyway',
        'decline',
      ])
      await frame.locator('body').press('1')
      await keepScreenshot(page, `iframe-denied-${hidden}`)
      await frame.getByTestId('decline').click()
      expect(await frame.getByTestId('ended-in-iframe').textContent()).toMatch(/error\s*error_description\s*state/)
    })
  })

  it('Create without the permission saves nothing, even after continue anyway', async () => {
    const heldBefore = (await sandbox.personas.get('no-age-key')).age_key
    await withPage(browser, {}, async (page) => {
      const frame = await embed(page, await createUrl(sandbox, target()), '')
      await frame.getByTestId('continue-anyway').click()
      await frame.getByTestId('save').click()
      expect(await frame.getByTestId('unsaved').textContent()).toContain('No age key was saved')
    })
    expect((await sandbox.personas.get('no-age-key')).age_key).toEqual(heldBefore)
    await withPage(browser, {}, async (page) => {
      const frame = await embed(page, await createUrl(sandbox, target()), CREATE)
      await frame.getByTestId('save').click()
      await frame.getByTestId('ended-in-iframe').waitFor()
      expect(await frame.getByTestId('unsaved').count()).toBe(0)
    })
    expect((await sandbox.personas.get('no-age-key')).age_key).toBeDefined()
  })

  it('after "continue anyway", a Use flow without the permission ends with a message instead of a callback', async () => {
    await withPage(browser, {}, async (page) => {
      const frame = await embed(page, useUrl(sandbox, target()), '')
      await frame.getByTestId('continue-anyway').click()
      await frame.getByTestId('persona-teen-16').click()
      expect(await frame.getByTestId('ended-in-iframe').textContent()).toMatch(/id_token\s*state/)
    })
    expect(callbacks()).toEqual([])
  })

  it('names the permission without scripts', async () => {
    await withPage(browser, { javaScriptEnabled: false }, async (page) => {
      const notice = (await embed(page, useUrl(sandbox, target()), '')).getByTestId('iframe')
      expect(await visibleText(notice)).toContain(GET)
    })
  })

  it.each([true, false])('ends with a message and without a callback, with scripts %s', async (javaScriptEnabled) => {
    await withPage(browser, { javaScriptEnabled }, async (page) => {
      const frame = await embed(page, useUrl(sandbox, target()), GET)
      await frame.getByTestId('persona-adult-passport').click()
      const ending = frame.getByTestId('ended-in-iframe')
      await ending.waitFor()
      const text = await ending.textContent()
      expect(text).toContain(`${app.origin}/callback`)
      expect(text).toMatch(/id_token\s*state/)
      expect(await ending.innerHTML()).not.toMatch(/eyJ|href|state-1/)
      await keepScreenshot(page, `ended-in-iframe-${javaScriptEnabled ? 'scripts' : 'no-scripts'}`)
    })
    expect(callbacks()).toEqual([])
  })

  it.each([
    ['a decision of a script', { sandbox_persona: 'adult-passport' }],
    ['a refusal', { nonce: undefined }],
    ['a posted form', { sandbox_outcome: 'access_denied', response_mode: 'form_post' }],
  ])('ends with a message for %s, too', async (_, changes) => {
    await withPage(browser, {}, async (page) => {
      const frame = await embed(page, useUrl(sandbox, { ...target(), ...changes }), GET)
      await frame.getByTestId('ended-in-iframe').waitFor()
    })
    expect(callbacks()).toEqual([])
  })

  it('opened directly the page says nothing about iframes', async () => {
    await withPage(browser, {}, async (page) => {
      await page.goto(useUrl(sandbox, target()))
      expect(await page.getByTestId('iframe').isVisible()).toBe(false)
      expect(await page.locator('input[name="framed"]').count()).toBe(0)
    })
  })

  it('the page about iframes shows the right and the wrong way side by side', async () => {
    await withPage(browser, {}, async (page) => {
      await page.goto(`${sandbox.baseUrl}/_sandbox/embedding`)
      for (const [testId, message] of [
        ['right', 'has the permission'],
        ['wrong', 'lacks the permission'],
      ] as const) {
        const notice = page.getByTestId(testId).contentFrame().getByTestId('iframe')
        await notice.waitFor()
        expect(await visibleText(notice)).toContain(message)
      }
    })
  })

  it.each([
    [
      'Android',
      'Mozilla/5.0 (Linux; Android 14; Pixel 8 Build/AP1A.240505.004; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/126.0.6478.71 Mobile Safari/537.36',
      'Custom Tabs',
    ],
    [
      'iOS',
      'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148',
      'ASWebAuthenticationSession, SFSafariViewController',
    ],
  ])('a plain web view on %s shows the components to use instead', async (_, userAgent, components) => {
    await withPage(browser, { userAgent }, async (page) => {
      await page.goto(useUrl(sandbox, target()))
      expect(await page.getByTestId('web-view').textContent()).toContain(components)
      expect(await page.getByTestId('use').count()).toBe(0)
      await page.getByTestId('continue-anyway').click()
      await page.getByTestId('use').waitFor()
      expect(await page.getByTestId('web-view').isVisible()).toBe(true)
    })
  })

  it.each([
    [
      'Chrome on Android',
      'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Mobile Safari/537.36',
    ],
    [
      'Safari on iOS',
      'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1',
    ],
  ])('%s is no plain web view', async (_, userAgent) => {
    await withPage(browser, { userAgent }, async (page) => {
      await page.goto(useUrl(sandbox, target()))
      expect(await page.getByTestId('web-view').count()).toBe(0)
    })
  })
})
