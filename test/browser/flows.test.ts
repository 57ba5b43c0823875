import type { Page } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import type { Changes } from '../support/requests.ts'
import { describeWith } from '../support/tools.ts'
import { loadAxe, violationsOn } from './pages.ts'
import { useUrl } from './requests.ts'
import { DESK, NARROW, startWorld, WITHOUT_SCRIPTS } from './support.ts'

const FLOWS = '/_sandbox/console/flows'

describeWith('chromium', 'The flows of the console', () => {
  const world = startWorld()
  const { open } = world
  beforeEach(() => world.sandbox.reset())

  const newestFlow = async () =>
    (await world.sandbox.flows.last())?.id ?? expect.fail('there is no flow')
  /** Ends a Use flow. @returns its id */
  const endFlow = async (changes: Changes = { sandbox_persona: 'teen-16' }) => {
    await fetch(useUrl(world.sandbox, changes), { redirect: 'manual' })
    return newestFlow()
  }
  /** Begins a Use flow on a page. @returns the page and the id of the flow */
  const beginFlow = async () => {
    const user = await open(useUrl(world.sandbox))
    return { user, id: await newestFlow() }
  }
  const openLive = async (path = '', options = DESK) => {
    const page = await open(FLOWS + path, options)
    await page.getByText('Live', { exact: true }).waitFor()
    return page
  }
  const selected = (page: Page) =>
    page.locator('.flow-row[aria-current]').getAttribute('data-testid')
  const rowsIn = (page: Page) =>
    page
      .locator('.flow-row')
      .evaluateAll((rows) => rows.map((row) => row.getAttribute('data-testid')))

  test('The list of flows has twelve rows at least on a screen of 1280x800', async () => {
    for (let n = 0; n < 14; n += 1) await endFlow()
    const page = await openLive()
    const ends = await page
      .locator('.flow-row')
      .evaluateAll((all) => all.map((it) => it.getBoundingClientRect().bottom))
    expect(ends.filter((bottom) => bottom <= 800).length).toBeGreaterThanOrEqual(12)
  })

  test('A row of the list of flows takes two lines on a phone', async () => {
    await endFlow({ nonce: undefined, state: 's'.repeat(100) })
    const page = await openLive('', NARROW)
    expect((await page.locator('.flow-row').boundingBox())?.height).toBeLessThanOrEqual(66)
  })

  test('The list of flows does not scroll sideways on a phone', async () => {
    await endFlow({ nonce: undefined, state: 's'.repeat(100) })
    const page = await openLive('', NARROW)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
  })

  test('The keys j or k select a flow, which is shown beside the table', async () => {
    await endFlow({ nonce: undefined })
    const middle = await endFlow()
    const newest = await endFlow()
    const page = await openLive()
    const preview = page.locator('[data-flow-preview]')
    expect(await page.locator('[data-keys]').isVisible()).toBe(true)
    await page.keyboard.press('j')
    expect(await selected(page)).toBe(`flow-${newest}`)
    for (const key of ['j', 'j']) await page.keyboard.press(key)
    await preview.locator('.findings').waitFor()
    await loadAxe(page)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      expect(await violationsOn(page), colorScheme).toEqual([])
    }
    await page.keyboard.press('k')
    expect(await selected(page)).toBe(`flow-${middle}`)
    await preview.getByText(`Open Use flow ${middle}`).waitFor()
    expect(await preview.textContent()).toContain('needs 18, has 16')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: `Use flow ${middle}` }).waitFor()
  })

  test('No key moves through the flows while a search is typed', async () => {
    await endFlow()
    const page = await openLive()
    await page.keyboard.press('/')
    await page.keyboard.type('jk')
    expect(await page.locator('#q').inputValue()).toBe('jk')
    expect(await page.locator('.flow-row[aria-current]').count()).toBe(0)
  })

  test('Escape closes the preview of a flow', async () => {
    await endFlow()
    const page = await openLive()
    await page.locator('.flow-row .summary').click()
    await page.locator('[data-flow-preview]:not([hidden])').waitFor()
    await page.keyboard.press('Escape')
    expect(await page.locator('[data-flow-preview]').isVisible()).toBe(false)
  })

  test('New flows are shown on demand', async () => {
    await endFlow()
    const known = await endFlow()
    const page = await openLive()
    await page.keyboard.press('j')
    const before = await page.getByTestId(`flow-${known}`).boundingBox()
    const added = await endFlow()
    await page.getByRole('button', { name: '1 new flow: show' }).waitFor()
    await endFlow()
    await page.getByRole('button', { name: '2 new flows: show' }).waitFor()
    expect(await selected(page)).toBe(`flow-${known}`)
    expect((await rowsIn(page))[0]).toBe(`flow-${known}`)
    expect((await page.getByTestId(`flow-${known}`).boundingBox())?.y).toBe(before?.y)
    await page.getByRole('button', { name: '2 new flows: show' }).click()
    expect((await rowsIn(page)).slice(1, 3)).toEqual([`flow-${added}`, `flow-${known}`])
    expect(await selected(page)).toBe(`flow-${known}`)
  })

  test('The row of a flow in the list changes where it is when the flow goes on', async () => {
    const { user, id } = await beginFlow()
    const page = await openLive()
    const row = page.getByTestId(`flow-${id}`)
    expect(await row.textContent()).toContain('waits for the user')
    await page.keyboard.press('j')
    await user.getByTestId('decline').click({ noWaitAfter: true })
    await row.getByText('declined').waitFor()
    expect(await selected(page)).toBe(`flow-${id}`)
    expect(await row.getAttribute('class')).toContain('declined')
  })

  test('The list of flows is limited to the errors by one click', async () => {
    await endFlow()
    const bad = await endFlow({ nonce: undefined })
    const page = await openLive()
    await page.getByLabel('Errors only').check({ noWaitAfter: true })
    await page.waitForURL(/status=error/)
    expect(await rowsIn(page)).toEqual([`flow-${bad}`])
  })

  test('The row of a flow shows how long ago it was by the clock of the sandbox, on focus the instant', async () => {
    await endFlow()
    await world.sandbox.clock.advance(7_200)
    const page = await openLive()
    const time = page.locator('.flow-row time > :visible')
    expect(await time.allTextContents()).toEqual(['2 h ago'])
    await page.keyboard.press('j')
    expect((await time.allTextContents()).join()).toMatch(/^(?:\d\d-\d\d )?\d\d:\d\d:\d\dZ$/)
  })

  test('The row of a flow counts on how long ago it was, unless the clock of the sandbox is frozen', async () => {
    await endFlow()
    await world.sandbox.clock.freeze()
    await world.sandbox.clock.advance(7_200)
    const page = await openLive()
    await page.evaluate(`(() => {
      const table = document.querySelector('[data-now]')
      const running = table.cloneNode(true)
      running.removeAttribute('data-frozen')
      table.after(running)
      performance.now = () => 864_000_000
    })()`)
    await page.getByText(/^\d+ d ago$/).waitFor()
    expect(await page.locator('[data-ago]').allTextContents()).toEqual(['2 h ago', '10 d ago'])
  })

  test('The page of a flow that waits shows by itself that the flow was answered', async () => {
    await fetch(useUrl(world.sandbox))
    const page = await openLive(`/${await newestFlow()}`)
    await page.locator('#curl-0 summary').click()
    const opened = page.waitForEvent('popup')
    await page.getByTestId('answer-here').click()
    await (await opened).getByTestId('decline').click({ noWaitAfter: true })
    await page.getByRole('heading', { name: /^declined the user went back/ }).waitFor()
    expect(await page.getByTestId('answer-here').count()).toBe(0)
    expect(await page.locator('#curl-0').getAttribute('open')).toBe('')
  })

  test('The list of flows shows neither keys nor a live state without scripts', async () => {
    const page = await open(FLOWS, { ...DESK, ...WITHOUT_SCRIPTS })
    for (const scripted of ['[data-keys]', '[data-live-state]'])
      expect(await page.locator(scripted).isVisible()).toBe(false)
  })
})
