import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { createSandbox, type Sandbox } from '../../src/server/create-sandbox.ts'
import { connectChromium } from '../support/run.ts'
import { describeWith } from '../support/tools.ts'
import { useUrl } from './requests.ts'
import { withPage } from './support.ts'

describeWith('chromium', 'the console', () => {
  let browser: Browser
  let sandbox: Sandbox
  beforeAll(async () => {
    ;[browser, sandbox] = await Promise.all([connectChromium(), createSandbox()])
  })
  beforeEach(() => sandbox.reset())
  afterAll(async () => {
    await browser?.close()
    await sandbox?.close()
  })

  const address = (path: string) => `${sandbox.baseUrl}/_sandbox/console/${path}`
  /** Runs a Use flow to its end; a query parameter decides it. */
  const runFlow = () => fetch(useUrl(sandbox, { sandbox_persona: 'teen-16' }), { redirect: 'manual' })

  it('shows a new flow by itself', async () => {
    await withPage(browser, {}, async (page) => {
      await page.goto(address('flows'))
      await page.getByText('Live', { exact: true }).waitFor()
      expect(await page.getByTestId('no-flows').isVisible()).toBe(true)
      await runFlow()
      const [flow] = await sandbox.flows.list()
      await page.getByTestId(`flow-${flow?.id}`).waitFor()
      expect(await page.getByTestId('no-flows').count()).toBe(0)
      expect(await page.locator('#timeline').textContent()).toContain('teen-16')
    })
  })

  it('keeps a section open when the flow goes on', async () => {
    await withPage(browser, {}, async (page) => {
      const waiting = await browser.newPage()
      await waiting.goto(useUrl(sandbox))
      const [flow] = await sandbox.flows.list()
      await page.goto(address(`flows/${flow?.id}`))
      await page.locator('#curl-0 summary').click()
      await waiting.getByTestId('decline').click({ noWaitAfter: true })
      await page.getByTestId('verdict').waitFor()
      expect(await page.locator('#curl-0').getAttribute('open')).toBe('')
      await waiting.close()
    })
  })

  it('works without scripts by reloading', async () => {
    await withPage(browser, { javaScriptEnabled: false }, async (page) => {
      await page.goto(address('flows'))
      expect(await page.locator('[data-live-state]').isVisible()).toBe(false)
      await runFlow()
      await page.reload()
      await page.locator('.flow-row a').click()
      expect(await page.locator('h1').textContent()).toMatch(/^Use flow f\d+$/)
    })
  })

  it('moves the clock, queues a decision and acts as a persona by the keyboard alone', async () => {
    await withPage(browser, {}, async (page) => {
      await page.goto(address('clock'))
      await page.getByTestId('advance-86400').focus()
      await page.keyboard.press('Enter')
      await page.getByText('86400 s').waitFor()
      await page.goto(address('expectations?flow=use&outcome=access_denied'))
      await page.getByLabel('How many requests').focus()
      await page.keyboard.press('Enter')
      await page.getByText('1 decision waiting').waitFor()
      expect(await sandbox.expectations.list()).toMatchObject([{ flow: 'use', outcome: 'access_denied' }])
      await page.goto(address('personas?q=teen-16'))
      await page
        .getByRole('button', { name: /^Act as/ })
        .first()
        .focus()
      await page.keyboard.press('Enter')
      await page.getByTestId('acting').waitFor()
      const cookies = (await page.context().cookies()).map(({ name, value }) => [name, value])
      expect(cookies).toContainEqual(['agekey_sandbox_persona', 'teen-16'])
    })
  })

  it('sends requests only to the sandbox', async () => {
    await withPage(browser, {}, async (page) => {
      const asked: string[] = []
      page.on('request', (request) => asked.push(new URL(request.url()).origin))
      for (const path of ['flows', 'personas', 'outcomes', 'expectations', 'clock', 'readings', 'rules', 'tenants']) {
        await page.goto(address(path))
      }
      expect([...new Set(asked)]).toEqual([sandbox.baseUrl])
    })
  })
})
