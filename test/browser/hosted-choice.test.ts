import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { USUAL_PERSONAS } from '../../src/hosted/choices/usual-personas.ts'
import { claims } from '../support/requests.ts'
import { describeWith } from '../support/tools.ts'
import { checkAccessibility, smallTargetsOn } from './axe.ts'
import { type RelyingParty, startRelyingParty } from './relying-party.ts'
import { useUrl } from './requests.ts'
import { keepScreenshot, startBrowserAndSandbox, withPage } from './support.ts'

const SIZES = [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
]
const LOOKS = [
  ...SIZES.flatMap((viewport) =>
    ['en', 'de', 'ar'].flatMap((language) =>
      ['light', 'dark'].map((theme) => ({ viewport, language, theme, touch: true })),
    ),
  ),
  // A narrow window of a desk has keys, and a language without blanks has other breaks.
  { viewport: { width: 390, height: 844 }, language: 'fr', theme: 'light', touch: false },
  { viewport: { width: 390, height: 844 }, language: 'ja', theme: 'dark', touch: true },
]
/** Not a usual persona, so that its row stands below theirs. */
const LAST = 'face-estimate-19'

const ASKED = claims({
  verified_after: '2025-01-01',
  allowed_methods: ['id_doc_scan', 'facial_age_estimation'],
  overrides: { facial_age_estimation: { min_age: 21 } },
})

/** Texts of the page that are wider than their place, but for the names of filters, which are whole in the list below. */
const cutTextsOn = (page: Page): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll('main b, main small, main code, main h1, main h2, main button, main summary')]
    .filter((one) => one.checkVisibility() && !one.matches('summary > code'))
    .filter((one) => getComputedStyle(one).display !== 'inline' && one.scrollWidth > one.clientWidth + 1)
    .map((one) => one.outerHTML)`)

describeWith('chromium', 'the choice page', () => {
  const started = startBrowserAndSandbox()
  let app: RelyingParty
  beforeAll(async () => {
    app = await startRelyingParty()
  })
  afterAll(() => app?.close())

  const openForApp = (page: Page) => page.goto(useUrl(started.sandbox, { redirect_uri: `${app.origin}/callback` }))
  const back = (page: Page) => page.waitForURL((url) => url.origin === app.origin)

  const openAll = async (page: Page, changes: Readonly<Record<string, string>>) => {
    const value = { name: 'agekey_sandbox_last_persona', value: LAST, url: started.sandbox.baseUrl }
    await page.context().addCookies([value])
    await page.goto(
      useUrl(started.sandbox, { can_create: 'true', scope: 'openid svc.upgrade', claims: ASKED, ...changes }),
    )
  }

  it.each(LOOKS)(
    '$viewport.width x $viewport.height, $language, $theme, touch $touch: shows all that is usual without scrolling',
    async ({ viewport, language, theme, touch }) => {
      const isPhone = touch && viewport.width < 500
      const options = { viewport, hasTouch: isPhone, isMobile: isPhone, bypassCSP: true }
      await withPage(started.browser, options, async (page) => {
        await openAll(page, { language, theme })
        const shown = {
          client: page.getByRole('heading', { level: 1 }),
          thresholds: page.locator('.thresholds'),
          filters: page.locator('.question summary'),
          search: page.getByTestId('find-persona'),
          ...Object.fromEntries(
            ['use', 'outcome-code_issued', 'create', 'decline'].map((id) => [id, page.getByTestId(id)]),
          ),
          ...Object.fromEntries([...USUAL_PERSONAS, LAST].map((name) => [name, page.getByTestId(`persona-${name}`)])),
        }
        for (const [name, part] of Object.entries(shown)) {
          const box = await part.boundingBox()
          expect(box, name).not.toBeNull()
          const { x = -1, y = -1, width = 0, height = 0 } = box ?? {}
          expect(Math.min(x, y), `${name} begins in the window`).toBeGreaterThanOrEqual(0)
          expect(x + width, `${name} ends in the window, across`).toBeLessThanOrEqual(viewport.width)
          expect(y + height, `${name} ends in the window, down`).toBeLessThanOrEqual(viewport.height)
        }
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(viewport.width)
        expect(await cutTextsOn(page)).toEqual([])
        expect(await smallTargetsOn(page)).toEqual([])
        expect(await checkAccessibility(page)).toEqual([])
        await keepScreenshot(page, `choice-${language}-${theme}-${viewport.width}`)
      })
    },
  )

  it.each(SIZES)('breaks no title inside a word at $width px, with thirty ages', async (viewport) => {
    await withPage(started.browser, { viewport }, async (page) => {
      const ages = Array.from({ length: 30 }, (_, age) => age)
      await page.goto(useUrl(started.sandbox, { claims: claims({ age_thresholds: ages }) }))
      const lines = `[...document.querySelectorAll('.usual button > b')].map((title) => title.getClientRects().length > 0
        && title.getBoundingClientRect().height / parseFloat(getComputedStyle(title).lineHeight))`
      const counts = await page.evaluate<number[]>(lines)
      expect(counts.length).toBe(USUAL_PERSONAS.length)
      expect(Math.max(...counts)).toBeLessThan(2.5)
    })
  })

  it.each([
    ['adult-passport', /^18 yes.*id_doc_scan: is \d+$/],
    ['teen-16', /^18 no.*id_doc_scan: is 16, needs 18$/],
    ['no-age-key', /^ends with access_denied.*has nothing to answer with$/],
  ])('says of %s what it answers to 18, and why', async (name, line) => {
    await withPage(started.browser, {}, async (page) => {
      await page.goto(useUrl(started.sandbox, { claims: claims({ age_thresholds: [18] }) }))
      const row = page.getByTestId(`persona-${name}`)
      const said = await row.locator('.answers, small').allTextContents()
      expect(said.map((text) => text.trim()).join(' ')).toMatch(line)
    })
  })

  it('takes a persona far down the list by four keys and its name', async () => {
    await withPage(started.browser, {}, async (page) => {
      await openForApp(page)
      await page.keyboard.press('/')
      await page.keyboard.type('stale')
      await page.keyboard.press('Enter')
      await back(page)
    })
    expect(await started.sandbox.flows.last()).toMatchObject({ persona: 'stale-verification' })
  })

  it('opens the groups that have matches, prefers a whole name, and closes them when the search is cleared', async () => {
    await withPage(started.browser, {}, async (page) => {
      await page.goto(useUrl(started.sandbox))
      const search = page.getByTestId('find-persona')
      const face = page.getByTestId('persona-adult-face')
      expect(await face.isVisible()).toBe(false)
      await search.fill('face')
      expect(await face.isVisible()).toBe(true)
      expect(await page.getByTestId('persona-teen-16').isVisible()).toBe(false)
      expect(await page.getByTestId('group-birthdays').isVisible()).toBe(false)
      await search.fill('adult-face')
      const first = page.locator('#persona-list [data-first] > button')
      expect(await first.getAttribute('value')).toBe('adult-face')
      await search.press('Escape')
      expect(await search.inputValue()).toBe('')
      expect(await face.isVisible()).toBe(false)
      expect(await page.getByTestId('persona-teen-16').isVisible()).toBe(true)
    })
  })

  it('finds a persona by its purpose and by its reason, which the folded rows hold too', async () => {
    await withPage(started.browser, {}, async (page) => {
      await page.goto(useUrl(started.sandbox))
      await page.getByTestId('find-persona').fill('advance the clock tomorrow')
      expect(await page.getByTestId('persona-turns-18-tomorrow').isVisible()).toBe(true)
      await page.getByTestId('find-persona').fill('email_age_estimation: is')
      expect(await page.getByTestId('persona-adult-email').isVisible()).toBe(true)
    })
  })

  it('finds by an age only the personas that are named after it, not every one that is asked for it', async () => {
    await withPage(started.browser, {}, async (page) => {
      await page.goto(useUrl(started.sandbox))
      await page.getByTestId('find-persona').fill('18')
      expect(await page.getByTestId('persona-turned-18-today').isVisible()).toBe(true)
      expect(await page.getByTestId('persona-turned-21-today').isVisible()).toBe(false)
    })
  })

  it('says that nothing matches, with the nearest names, each of which searches for itself', async () => {
    await withPage(started.browser, {}, async (page) => {
      await page.goto(useUrl(started.sandbox))
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
  })

  it('opens a folded group without scripts, whose buttons choose', async () => {
    await withPage(started.browser, { javaScriptEnabled: false }, async (page) => {
      await openForApp(page)
      await page.getByTestId('group-edge').click()
      await page.getByTestId('persona-stale-verification').click()
      await back(page)
    })
    expect(await started.sandbox.flows.last()).toMatchObject({ persona: 'stale-verification' })
  })

  it('marks the persona that was used last, when the page is opened again', async () => {
    await withPage(started.browser, {}, async (page) => {
      await openForApp(page)
      await page.getByTestId('find-persona').fill('senior-72')
      await page.getByTestId('persona-senior-72').click()
      await back(page)
      await openForApp(page)
      expect(await page.getByTestId('persona-senior-72').textContent()).toContain('last used here')
      await page.keyboard.press('7')
      await back(page)
    })
    expect(await started.sandbox.flows.last()).toMatchObject({ persona: 'senior-72' })
  })
})
