import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { folderWith } from '../support/folder-with.ts'
import { describeWith } from '../support/tools.ts'
import { startWorld } from './support.ts'

const HOSTILE = `"><img src=x onerror="window.hacked=1"><script>window.hacked=1</script></title></textarea><!-- '&quot; {client} \u202e\u2028`
/** Its last two characters control how text is displayed; a page leaves them out. */
const SHOWN = HOSTILE.slice(0, -2)
const SCRIPTED_SVG = `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>document.documentElement.setAttribute('hacked', '1')</script><rect width="9" height="9"/></svg>`

describeWith('chromium', 'A hostile string', () => {
  const logo = join(folderWith({ 'logo.svg': SCRIPTED_SVG }, afterAll), 'logo.svg')
  const shop = { clientId: 'shop <1>/?', clientSecret: 'secret', name: HOSTILE, logo }
  const world = startWorld((app) => ({
    clients: [{ ...shop, redirectUris: [`${app.origin}/callback`] }],
  }))
  beforeAll(() =>
    world.sandbox.personas.put({
      name: 'hostile',
      title: HOSTILE.slice(0, 100),
      purpose: HOSTILE,
      group: 'Own',
    }),
  )

  const open = (changes: Readonly<Record<string, string>> = {}) =>
    world.open(world.use({ client_id: 'shop <1>/?', ...changes }))
  /** Whether everything stayed text. */
  const isHarmless = (page: Page): Promise<boolean> =>
    page.evaluate(
      `window.hacked === undefined && document.querySelectorAll('[onerror], [onload], img[src=x]').length === 0`,
    )

  test('A hostile string is shown as text', async () => {
    const page = await open()
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(
      `${SHOWN} wants to check your age`,
    )
    const title = page.getByTestId('persona-hostile').locator('[title]')
    expect(await title.textContent()).toEqual(HOSTILE.slice(0, 100))
    expect(await title.getAttribute('title')).toEqual(HOSTILE)
    expect(await isHarmless(page)).toBe(true)
  })

  test.each([
    [
      'claims',
      {
        claims: JSON.stringify({
          age_thresholds: [18],
          provenance: { allowed: ['/a'] },
          [HOSTILE]: 1,
        }),
      },
    ],
    ['redirect_uri', { redirect_uri: `https://elsewhere.example/${HOSTILE}` }],
    ['sandbox_persona', { sandbox_persona: HOSTILE }],
    ['sandbox_outcome', { sandbox_outcome: HOSTILE }],
    ['client_id', { client_id: HOSTILE }],
    ['the name and value of an unknown parameter', { [HOSTILE]: HOSTILE }],
    ['language, theme and font', { language: HOSTILE, theme: HOSTILE, font: HOSTILE }],
  ])('A hostile string does no harm as %s', async (_, changes) => {
    expect(await isHarmless(await open(changes))).toBe(true)
  })

  test('The logo of a client runs no script, even when it is opened directly', async () => {
    const page = await open()
    const width = `document.querySelector('.client-logo').decode().then(() => document.querySelector('.client-logo').naturalWidth)`
    expect(await page.evaluate(width)).toBe(9)
    await page.goto(
      new URL((await page.locator('.client-logo').getAttribute('src')) ?? '', page.url()).href,
    )
    expect(await page.evaluate('document.documentElement.hasAttribute("hacked")')).toBe(false)
  })
})
