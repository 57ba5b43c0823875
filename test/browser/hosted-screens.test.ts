import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { USUAL_PERSONAS } from '../../src/server/pages/persona-list.ts'
import { ageSignal, claims } from '../support/requests.ts'
import { describeWith } from '../support/tools.ts'
import { createUrl, useUrl } from './requests.ts'
import { DESK, NARROW, startWorld, WITHOUT_SCRIPTS } from './support.ts'

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }

/**
 * Each language once in a window: among them one with other line breaks, and one from right to
 * left.
 */
const SCREENS = [
  ...['en', 'de', 'ar'].map((language) => ({ language, window: DESK })),
  ...['en', 'de', 'ar', 'ja'].map((language) => ({ language, window: PHONE })),
  { language: 'fr', window: NARROW },
]

/** No usual persona, so that its row stands below theirs. */
const LAST = 'face-estimate-19'

const ASKED = claims({
  verified_after: '2025-01-01',
  allowed_methods: ['id_doc_scan', 'facial_age_estimation'],
  overrides: { facial_age_estimation: { min_age: 21 } },
})

/** The parts that are not wholly inside the window. */
const outsideOf = (page: Page, selectors: readonly string[]) =>
  page.evaluate<string[]>(`${JSON.stringify(selectors)}.filter((selector) => {
    const { left, top, right, bottom, width } = document.querySelector(selector).getBoundingClientRect()
    return width === 0 || left < 0 || top < 0 || right > innerWidth || bottom > innerHeight
  })`)

/**
 * Texts that are wider than their place, except names of filters, which the list below shows in
 * full.
 */
const cutTextsOn = (page: Page): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll('main b, main small, main code, main h1, main h2, main button, main summary')]
    .filter((one) => one.checkVisibility() && !one.matches('summary > code'))
    .filter((one) => getComputedStyle(one).display !== 'inline' && one.scrollWidth > one.clientWidth + 1)
    .map((one) => one.outerHTML)`)

describeWith('chromium', 'A hosted screen', () => {
  const world = startWorld()

  test.each(SCREENS)(
    'The choice page and the create page in $language show all that is usual without scrolling: $window',
    async ({ language, window }) => {
      const page = await world.newPage(window)
      const last = { name: 'agekey_sandbox_last_persona', value: LAST, url: world.sandbox.baseUrl }
      await page.context().addCookies([last])
      const asked = { can_create: 'true', scope: 'openid svc.upgrade', claims: ASKED, language }
      const personas = [...USUAL_PERSONAS, LAST].map((name) => `persona-${name}`)
      const signals = JSON.stringify(Array.from({ length: 4 }, () => ageSignal()))
      const created = await createUrl(
        world.sandbox,
        { language },
        { authorization_details: signals },
      )
      const screens = [
        {
          address: useUrl(world.sandbox, asked),
          parts: ['.thresholds', '.question summary'],
          ids: ['find-persona', 'use', 'outcome-code_issued', 'create', 'decline', ...personas],
        },
        {
          address: created,
          parts: ['.signals li:nth-child(4)', '#persona'],
          ids: ['save', 'save-new', 'decline'],
        },
      ]
      for (const { address, parts, ids } of screens) {
        await page.goto(address)
        expect(
          await outsideOf(page, ['h1', ...parts, ...ids.map((id) => `[data-testid="${id}"]`)]),
        ).toEqual([])
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(
          window.viewport.width,
        )
        expect(await cutTextsOn(page)).toEqual([])
      }
    },
  )

  test.each([{}, WITHOUT_SCRIPTS])(
    'Each ordered outcome takes one click in the first window, with scripts or without: %o',
    async (scripts) => {
      const asked = { can_create: 'true', scope: 'openid svc.upgrade' }
      for (const [outcome, testId] of [
        ['code_issued', 'outcome-code_issued'],
        ['create_requested', 'create'],
        ['access_denied', 'decline'],
      ] as const) {
        const page = await world.open(world.use(asked), { ...PHONE, ...scripts })
        expect(await outsideOf(page, [`[data-testid="${testId}"]`])).toEqual([])
        expect(await page.getByTestId(testId).textContent()).toContain(outcome)
        await page.getByTestId(testId).click()
        await world.answerOn(page)
        expect((await world.sandbox.flows.last())?.outcome).toBe(outcome)
      }
      const page = await world.open(await world.create(), { ...PHONE, ...scripts })
      expect(await outsideOf(page, ['[data-testid="outcome-request_uri.expired"]'])).toEqual([])
      await page.getByTestId('outcome-request_uri.expired').click()
      expect(await world.answerOn(page)).toMatchObject({ error: 'invalid_request_uri' })
    },
  )

  test('A search for an ending moves no field', async () => {
    const page = await world.open(useUrl(world.sandbox), { viewport: { width: 1280, height: 720 } })
    await page.getByTestId('endings').click()
    await page.locator('#outcome-list').waitFor()
    const tops = `['#with-persona', '#find-outcome-list'].map((field) => document.querySelector(field).getBoundingClientRect().top + scrollY)`
    const before = await page.evaluate<number[]>(tops)
    await page.getByTestId('find-outcome').fill('id_token.exp')
    expect(new Set(before)).toHaveProperty('size', 1)
    expect(await page.evaluate(tops)).toEqual(before)
  })

  test('A search for an ending counts what it shows', async () => {
    const page = await world.open(useUrl(world.sandbox), { viewport: { width: 1280, height: 720 } })
    await page.getByTestId('endings').click()
    await page.locator('#outcome-list').waitFor()
    await page.getByTestId('find-outcome').fill('id_token.exp')
    const group = page.locator('#outcome-list details').filter({ hasText: 'ID token' }).first()
    const shown = await group.locator('li:visible').count()
    expect(await group.locator('.count').textContent()).toBe(String(shown))
  })

  test('A search for a persona leaves no hole beside the opened endings', async () => {
    const page = await world.open(useUrl(world.sandbox), { viewport: { width: 1280, height: 720 } })
    await page.getByTestId('endings').click()
    await page.locator('#outcome-list').waitFor()
    await page.getByTestId('find-persona').fill('adult-passport')
    const gap = `document.querySelector('.desk-more').getBoundingClientRect().top - document.querySelector('.people').getBoundingClientRect().bottom`
    expect(await page.evaluate(gap)).toBeLessThan(24)
  })
  test('The opened endings fit 1,500 pixels', async () => {
    const page = await world.open(useUrl(world.sandbox), { viewport: { width: 1280, height: 720 } })
    await page.getByTestId('endings').click()
    await page.locator('#outcome-list').waitFor()
    expect(await page.evaluate('document.documentElement.scrollHeight')).toBeLessThanOrEqual(1_500)
  })

  test('Each ending holds what it says within its borders', async () => {
    const page = await world.open(useUrl(world.sandbox), { viewport: { width: 1280, height: 720 } })
    await page.getByTestId('endings').click()
    await page.locator('#outcome-list').waitFor()
    const overfull = `[...document.querySelectorAll('#outcome-list details')].flatMap((group) => {
      group.open = true
      return [...group.querySelectorAll('button')].flatMap((one) => one.scrollWidth > one.clientWidth ? one.value : [])
    })`
    expect(await page.evaluate(overfull)).toEqual([])
  })

  test.each([DESK, PHONE])(
    'The choice page breaks no title inside a word, with thirty ages: %o',
    async (window) => {
      const ages = Array.from({ length: 30 }, (_, age) => age)
      const page = await world.open(
        useUrl(world.sandbox, { claims: claims({ age_thresholds: ages }) }),
        window,
      )
      const lines = `[...document.querySelectorAll('.usual button > b')].map((title) => title.getClientRects().length > 0
      && title.getBoundingClientRect().height / parseFloat(getComputedStyle(title).lineHeight))`
      const counts = await page.evaluate<number[]>(lines)
      expect(counts).toHaveLength(USUAL_PERSONAS.length)
      expect(Math.max(...counts)).toBeLessThan(2.5)
    },
  )

  test('An Arabic choice page has its keys beside the titles', async () => {
    const page = await world.open(useUrl(world.sandbox, { language: 'ar' }), DESK)
    await page.locator('kbd').first().waitFor()
    const covered = `[...document.querySelectorAll('.usual button:has(kbd)')].filter((row) => {
      const [key, title] = [row.querySelector('kbd'), row.querySelector('b')].map((one) => one.getBoundingClientRect())
      return key.left < title.right
    }).length`
    expect(await page.evaluate(covered)).toBe(0)
  })

  test('An Arabic choice page has a marker that points to the left', async () => {
    const page = await world.open(useUrl(world.sandbox, { language: 'ar' }), DESK)
    await page.locator('kbd').first().waitFor()
    expect(
      await page.evaluate(
        `getComputedStyle(document.querySelector('summary'), '::before').content`,
      ),
    ).toMatch('◂')
    expect(
      await page.evaluate(`getComputedStyle(document.querySelector('.rows small')).unicodeBidi`),
    ).toBe('normal')
  })

  test('The rows of all groups of personas stand in the same columns', async () => {
    const page = await world.open(useUrl(world.sandbox), DESK)
    await page.getByTestId('find-persona').fill('a')
    const names = `[...document.querySelectorAll('.meta code')].filter((name) => name.checkVisibility()).map((name) => name.getBoundingClientRect().left)`
    expect(new Set(await page.evaluate<number[]>(names))).toHaveProperty('size', 1)
  })

  test('The keys of the choice page are explained while there is a row', async () => {
    const page = await world.open(useUrl(world.sandbox), DESK)
    await page.getByTestId('find-persona').fill('a')
    expect(await page.locator('.keys').isVisible()).toBe(true)
    await page.getByTestId('find-persona').fill('zzz')
    expect(await page.locator('.keys').isVisible()).toBe(false)
  })

  test('What a field says while it is empty has the colour of a hint', async () => {
    const page = await world.open(useUrl(world.sandbox), DESK)
    const colours = `[getComputedStyle(document.querySelector('#find-persona-list'), '::placeholder'), getComputedStyle(document.querySelector('.hint'))].map(({ color }) => color)`
    expect(new Set(await page.evaluate<string[]>(colours))).toHaveProperty('size', 1)
  })

  test.each(['en', 'de'])(
    'A phone without scripts shows no hole beside a button, and no label in two lines: %s',
    async (language) => {
      const page = await world.open(await createUrl(world.sandbox, { language }), {
        ...PHONE,
        ...WITHOUT_SCRIPTS,
      })
      const { width = 0 } = (await page.getByTestId('decline').boundingBox()) ?? {}
      expect(width).toBe((await page.getByTestId('save').boundingBox())?.width)
      expect((await page.locator('.language button').boundingBox())?.height).toBe(44)
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
    },
  )

  test('A touch screen has no keys on the choice page', async () => {
    const page = await world.open(useUrl(world.sandbox), PHONE)
    expect(await page.getByRole('button', { name: 'Turn keys off' }).isVisible()).toBe(false)
    expect(await page.locator('kbd').first().isVisible()).toBe(false)
  })

  test('A touch screen has the menu of languages on top', async () => {
    const page = await world.open(useUrl(world.sandbox), PHONE)
    expect((await page.getByTestId('language').boundingBox())?.y).toBeLessThan(200)
  })

  test('The create page says that a key is replaced only of a persona who has one, also without scripts', async () => {
    const page = await world.open(await createUrl(world.sandbox), WITHOUT_SCRIPTS)
    const hint = page.locator('#persona-hint')
    await page.locator('#persona').selectOption('no-age-key')
    expect(await hint.isVisible()).toBe(false)
    await page.locator('#persona').selectOption('adult-passport')
    expect(await hint.isVisible()).toBe(true)
  })

  test('The choice page moves nothing when the browser prefers reduced motion', async () => {
    const page = await world.open(useUrl(world.sandbox), { reducedMotion: 'reduce' })
    const moving = `[...document.querySelectorAll('*')].filter((one) => getComputedStyle(one).transitionDuration !== '0s').length`
    expect(await page.evaluate(moving)).toBe(0)
  })
})
