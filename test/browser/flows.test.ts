import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { beforeEach, expect, it } from 'vitest'
import { describeWith } from '../support/tools.ts'
import { useUrl } from './requests.ts'
import { keepScreenshot, startBrowserAndSandbox, withPage } from './support.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const DESK = { width: 1280, height: 800 }
const PHONE = { width: 390, height: 844 }

describeWith('chromium', 'the flows of the console', () => {
  const run = startBrowserAndSandbox()
  beforeEach(() => run.sandbox.reset())

  const address = (path = '') => `${run.sandbox.baseUrl}/_sandbox/console/flows${path}`
  /** Ends a Use flow and gives its id. */
  const endFlow = async (changes: Parameters<typeof useUrl>[1] = { sandbox_persona: 'teen-16' }) => {
    await fetch(useUrl(run.sandbox, changes), { redirect: 'manual' })
    const [flow] = await run.sandbox.flows.list({ limit: 1 })
    return flow?.id ?? ''
  }
  const endFlows = async (count: number) => {
    const ids: string[] = []
    for (let n = 0; n < count; n += 1) ids.unshift(await endFlow())
    return ids
  }
  const openList = async (page: Page, search = '') => {
    await page.goto(address(search))
    await page.getByText('Live', { exact: true }).waitFor()
  }
  const selected = (page: Page) => page.locator('.flow-row[aria-current]').getAttribute('data-testid')
  const rowsIn = (page: Page) =>
    page.locator('.flow-row').evaluateAll((rows) => rows.map((row) => row.getAttribute('data-testid')))

  it('stand in twelve rows at least on a screen of 1280x800, below a header of 120 px at most', async () => {
    await endFlows(14)
    await withPage(run.browser, { viewport: DESK }, async (page) => {
      await openList(page)
      const seen = await page
        .locator('.flow-row')
        .evaluateAll((rows) => rows.filter((row) => row.getBoundingClientRect().bottom <= 800).length)
      expect(seen).toBeGreaterThanOrEqual(12)
      const header = await page.locator('header.top').boundingBox()
      expect(header?.height).toBeLessThanOrEqual(120)
    })
  })

  it('take two lines each on a phone, and nothing scrolls sideways', async () => {
    await endFlow({ nonce: undefined, state: 's'.repeat(100) })
    await withPage(run.browser, { viewport: PHONE }, async (page) => {
      await openList(page)
      expect((await page.locator('.flow-row').boundingBox())?.height).toBeLessThanOrEqual(66)
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width)
    })
  })

  it('are passed through by j and k, shown beside the table, and opened by Enter', async () => {
    const [newest, middle] = await endFlows(3)
    await withPage(run.browser, { viewport: DESK }, async (page) => {
      await openList(page)
      expect(await page.locator('[data-keys]').isVisible()).toBe(true)
      await page.keyboard.press('j')
      expect(await selected(page)).toBe(`flow-${newest}`)
      await page.keyboard.press('j')
      await page.keyboard.press('j')
      await page.keyboard.press('k')
      expect(await selected(page)).toBe(`flow-${middle}`)
      const preview = page.locator('[data-flow-preview]')
      await preview.getByText(`Open Use flow ${middle}`).waitFor()
      expect(await preview.textContent()).toContain('needs 18, has 16')
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: `Use flow ${middle}` }).waitFor()
    })
  })

  it('are not moved through while a search is typed, and Escape closes the preview', async () => {
    await endFlow()
    await withPage(run.browser, { viewport: DESK }, async (page) => {
      await openList(page)
      await page.keyboard.press('/')
      await page.keyboard.type('jk')
      expect(await page.locator('#q').inputValue()).toBe('jk')
      expect(await page.locator('.flow-row[aria-current]').count()).toBe(0)
      await page.locator('.flow-row .summary').click()
      await page.locator('[data-flow-preview]:not([hidden])').waitFor()
      await page.keyboard.press('Escape')
      expect(await page.locator('[data-flow-preview]').isVisible()).toBe(false)
    })
  })

  it('come in without moving the row that is read, and are shown on demand', async () => {
    const [known] = await endFlows(2)
    await withPage(run.browser, { viewport: DESK }, async (page) => {
      await openList(page)
      await page.keyboard.press('j')
      const before = await page.getByTestId(`flow-${known}`).boundingBox()
      const added = await endFlow()
      await page.getByRole('button', { name: '1 new flow: show' }).waitFor()
      await endFlow()
      await page.getByRole('button', { name: '2 new flows: show' }).waitFor()
      expect(await page.getByTestId(`flow-${added}`).count()).toBe(0)
      expect(await selected(page)).toBe(`flow-${known}`)
      const rows = await rowsIn(page)
      expect(rows[0]).toBe(`flow-${known}`)
      expect((await page.getByTestId(`flow-${known}`).boundingBox())?.y).toBe(before?.y)
      await page.getByRole('button', { name: '2 new flows: show' }).click()
      expect((await rowsIn(page)).slice(1, 3)).toEqual([`flow-${added}`, `flow-${known}`])
      expect(await selected(page)).toBe(`flow-${known}`)
    })
  })

  it('stand side by side when two are picked, also after one of them went on', async () => {
    await withPage(run.browser, { viewport: DESK }, async (page) => {
      const user = await page.context().newPage()
      await user.goto(useUrl(run.sandbox))
      const older = await endFlow()
      const [, waiting] = await run.sandbox.flows.list({ limit: 2 })
      await openList(page)
      const compare = page.getByRole('button', { name: 'Compare two flows' })
      expect(await compare.isVisible()).toBe(false)
      for (const id of [older, waiting?.id])
        await page.getByRole('checkbox', { name: `Compare ${id}`, exact: true }).check()
      expect(await page.locator('.flow-row[aria-current]').count()).toBe(0)
      await user.getByRole('button', { name: 'teen-16' }).click({ noWaitAfter: true })
      await page.getByTestId(`flow-${waiting?.id}`).getByText('ok').waitFor()
      await compare.click()
      await page.getByRole('heading', { name: `${waiting?.id} and ${older} side by side` }).waitFor()
    })
  })

  it('change where they are when they go on', async () => {
    await withPage(run.browser, { viewport: DESK }, async (page) => {
      const user = await page.context().newPage()
      await user.goto(useUrl(run.sandbox))
      const [waiting] = await run.sandbox.flows.list({ limit: 1 })
      await openList(page)
      const row = page.getByTestId(`flow-${waiting?.id}`)
      expect(await row.textContent()).toContain('waits for the user')
      await page.keyboard.press('j')
      await user.getByTestId('decline').click({ noWaitAfter: true })
      await row.getByText('declined').waitFor()
      expect(await selected(page)).toBe(`flow-${waiting?.id}`)
      expect(await row.getAttribute('class')).toContain('error')
    })
  })

  it('are limited to the errors by one click, and found by free text', async () => {
    const good = await endFlow()
    const bad = await endFlow({ nonce: undefined })
    await withPage(run.browser, { viewport: DESK }, async (page) => {
      await openList(page)
      await page.getByLabel('Errors only').check({ noWaitAfter: true })
      await page.waitForURL(/status=error/)
      expect(await rowsIn(page)).toEqual([`flow-${bad}`])
      await page.getByRole('link', { name: 'Show every flow' }).click()
      await page.locator('#q').fill('TEEN-16')
      await page.keyboard.press('Enter')
      await page.waitForURL(/q=TEEN-16/)
      expect(await rowsIn(page)).toEqual([`flow-${good}`])
    })
  })

  it('show the time of the sandbox on focus, and how long ago it was by its clock', async () => {
    await endFlow()
    await run.sandbox.clock.advance(7_200)
    await withPage(run.browser, { viewport: DESK }, async (page) => {
      await openList(page)
      const time = page.locator('.flow-row time')
      expect(await time.locator(':scope > :visible').allTextContents()).toEqual(['2 h ago'])
      await page.keyboard.press('j')
      expect((await time.locator(':scope > :visible').allTextContents()).join()).toMatch(
        /^(?:\d\d-\d\d )?\d\d:\d\d:\d\dZ$/,
      )
    })
  })

  it('are answered in this browser, and their page says so by itself', async () => {
    await withPage(run.browser, { viewport: DESK }, async (page) => {
      await fetch(useUrl(run.sandbox))
      const [waiting] = await run.sandbox.flows.list({ limit: 1 })
      await page.goto(address(`/${waiting?.id}`))
      await page.getByText('Live', { exact: true }).waitFor()
      const opened = page.waitForEvent('popup')
      await page.getByTestId('answer-here').click()
      const user = await opened
      await user.getByTestId('decline').click({ noWaitAfter: true })
      await page.getByRole('heading', { name: /^error declined/ }).waitFor()
      expect(await page.getByTestId('answer-here').count()).toBe(0)
    })
  })

  it('are found, opened and run again without scripts', async () => {
    const id = await endFlow()
    await withPage(run.browser, { viewport: DESK, javaScriptEnabled: false }, async (page) => {
      await page.goto(address())
      expect(await page.locator('[data-keys]').isVisible()).toBe(false)
      await page.locator('#q').fill('teen-16')
      await page.getByRole('button', { name: 'Show' }).click()
      await page.locator('.flow-row a').click()
      await page.getByRole('heading', { name: `Use flow ${id}` }).waitFor()
      expect(await page.getByTestId('run-again').getAttribute('href')).toContain('/v1/oidc/use?')
    })
  })

  it.each(['light', 'dark'] as const)(
    'have nothing that axe finds with the preview open, in %s',
    async (colorScheme) => {
      await endFlow()
      await endFlow({ nonce: undefined })
      await endFlow({ sandbox_persona: 'no-age-key', can_create: 'true' })
      await withPage(run.browser, { viewport: DESK, colorScheme, bypassCSP: true }, async (page) => {
        await openList(page)
        await page.keyboard.press('j')
        await page.keyboard.press('j')
        await page.locator('[data-flow-preview] .findings').waitFor()
        await keepScreenshot(page, `console-flows-preview-${colorScheme}`)
        await page.addScriptTag({ content: axe })
        const found = await page.evaluate(`axe.run({ resultTypes: ['violations'], preload: false })
        .then(({ violations }) => violations.map(({ id, nodes }) => id + ' ' + nodes[0].target))`)
        expect(found).toEqual([])
      })
    },
  )
})
