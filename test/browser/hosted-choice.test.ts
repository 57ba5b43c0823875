import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { Changes } from '../support/requests.ts'
import { describeWith } from '../support/tools.ts'
import { startWorld, WITHOUT_SCRIPTS } from './support.ts'

describeWith('chromium', 'The choice page', () => {
  const world = startWorld()

  const open = (changes: Changes = {}, options = {}) => world.open(world.use(changes), options)
  /** Waits until the app has its answer. @returns the persona of the flow */
  const personaOfAnswer = async (page: Page) => {
    await world.answerOn(page)
    return (await world.sandbox.flows.last())?.persona
  }

  test('A persona far down the choice page is found by typing its name', async () => {
    const page = await open()
    await page.keyboard.press('/')
    await page.keyboard.type('stale')
    await page.keyboard.press('Enter')
    expect(await personaOfAnswer(page)).toBe('stale-verification')
  })

  test('A search for personas opens the groups with matches', async () => {
    const page = await open()
    const search = page.getByTestId('find-persona')
    const shown = async (...ids: string[]) =>
      Promise.all(ids.map((id) => page.getByTestId(id).isVisible()))
    expect(await shown('persona-adult-face')).toEqual([false])
    await search.fill('face')
    expect(await shown('persona-adult-face', 'persona-teen-16', 'group-birthdays')).toEqual([
      true,
      false,
      false,
    ])
    await search.fill('adult-face')
    expect(await page.locator('#persona-list [data-first] > button').getAttribute('value')).toBe(
      'adult-face',
    )
    // By purpose, by reason, and by the age in the name, not by the requested ages.
    for (const [text, found, other] of [
      ['advance the clock tomorrow', 'persona-turns-18-tomorrow', 'persona-adult-passport'],
      ['email_age_estimation: is', 'persona-adult-email', 'persona-adult-passport'],
      ['18', 'persona-turned-18-today', 'persona-turned-21-today'],
    ] as const) {
      await search.fill(text)
      expect(await shown(found, other), text).toEqual([true, false])
    }
    await search.press('Escape')
    expect(await search.inputValue()).toBe('')
    expect(await shown('persona-adult-face', 'persona-teen-16')).toEqual([false, true])
  })

  test('A search without a match names the nearest personas, each of which is a search', async () => {
    const page = await open()
    const search = page.getByTestId('find-persona')
    await search.fill('adlt-pasport')
    const status = page.locator('[data-filter="persona-list"] [role=status]')
    expect(await status.textContent()).toMatch(/^Nothing matches\. Nearest:\s*adult-passport/)
    await search.press('Enter')
    expect(new URL(page.url()).pathname).toBe('/v1/oidc/use')
    await status.getByRole('button', { name: 'adult-passport' }).click()
    expect(await page.getByTestId('persona-adult-passport').isVisible()).toBe(true)
    await search.fill('qqqq')
    expect(await status.textContent()).toBe('Nothing matches.')
  })

  test('A search for an ending among the personas leads to the endings', async () => {
    const page = await open()
    const way = page
      .locator('[data-filter="persona-list"]')
      .getByRole('link', { name: 'Force an ending' })
    await page.getByTestId('find-persona').fill('teen')
    expect(await way.isVisible()).toBe(false)
    await page.getByTestId('find-persona').fill('server_error')
    await way.click()
    expect(new URL(page.url()).hash).toBe('#endings-title')
    expect(await page.locator('#endings-title').isVisible()).toBe(true)
  })

  test('A folded group of personas opens without scripts', async () => {
    const page = await open({}, WITHOUT_SCRIPTS)
    expect(await page.getByLabel('Find a persona').isVisible()).toBe(false)
    expect(await page.getByText('Turn keys off').isVisible()).toBe(false)
    await page.getByTestId('group-edge').click()
    await page.getByTestId('persona-stale-verification').click()
    expect(await personaOfAnswer(page)).toBe('stale-verification')
  })

  test('A number key takes a persona in the open, also the last one that was used, but is text in a field', async () => {
    const page = await open()
    await page.getByTestId('find-persona').fill('senior-72')
    await page.getByTestId('persona-senior-72').click()
    await personaOfAnswer(page)
    await page.goto(world.use())
    expect(await page.getByTestId('persona-senior-72').textContent()).toContain('last used here')
    await page.getByLabel('Find a persona').press('3')
    expect(new URL(page.url()).origin, 'a digit in a field is text').toBe(world.sandbox.baseUrl)
    await page.getByLabel('Find a persona').fill('senior')
    await page.getByRole('heading', { level: 1 }).click()
    // A row that the search hides.
    await page.keyboard.press('1')
    await page.getByLabel('Find a persona').fill('')
    await page.getByRole('heading', { level: 1 }).click()
    await page.keyboard.press('7')
    expect(await personaOfAnswer(page)).toBe('senior-72')
  })

  test('Keys of the choice page that are switched off stay so until they are switched on again', async () => {
    const page = await open()
    await page.getByRole('button', { name: 'Turn keys off' }).click()
    await page.goto(page.url())
    expect(await page.locator('kbd').count()).toBe(0)
    await page.keyboard.press('/')
    await page.keyboard.press('1')
    expect(new URL(page.url()).origin).toBe(world.sandbox.baseUrl)
    await page.getByRole('button', { name: 'Turn keys on' }).click()
    await page.getByRole('heading', { level: 1 }).click()
    await page.keyboard.press('1')
    await personaOfAnswer(page)
  })

  test('The reasons of an answer on the choice page are read once', async () => {
    const page = await open({ language: 'de' })
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    const row = page.locator('li', { has: page.getByTestId('persona-teen-16') })
    const link = row.getByRole('link')
    const line = row.locator('li', { hasText: /^18, 21: no\. \S+: needs 18/ })
    await link.click()
    await line.waitFor()
    expect(await link.getAttribute('aria-expanded')).toBe('true')
    await link.click()
    await line.waitFor({ state: 'hidden' })
    expect(await link.getAttribute('aria-expanded')).toBe('false')
    await link.click()
    await line.waitFor()
    expect(new URL(page.url()).pathname).toBe('/v1/oidc/use')
    expect(asked.filter((path) => path.endsWith('/why'))).toHaveLength(1)
  })
})
