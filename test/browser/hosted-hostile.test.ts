import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createSandbox, type Sandbox } from '../../src/server/create-sandbox.ts'
import { connectChromium } from '../support/run.ts'
import { describeWith } from '../support/tools.ts'
import { type RelyingParty, startRelyingParty } from './relying-party.ts'
import { useUrl } from './requests.ts'
import { withPage } from './support.ts'

const HOSTILE = `"><img src=x onerror="window.hacked=1"><script>window.hacked=1</script></title></textarea><!-- '&quot; {client} \u202e\u2028`
/** Its last two characters steer how the text is shown: a page leaves them out. */
const SHOWN = HOSTILE.slice(0, -2)
const SCRIPTED_SVG = `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>document.documentElement.setAttribute('hacked', '1')</script><rect width="9" height="9"/></svg>`

describeWith('chromium', 'a hostile string', () => {
  let browser: Browser
  let sandbox: Sandbox
  let app: RelyingParty
  let folder: string
  beforeAll(async () => {
    ;[browser, app, folder] = await Promise.all([
      connectChromium(),
      startRelyingParty(),
      mkdtemp(join(tmpdir(), 'agekey-sandbox-')),
    ])
    const logo = join(folder, 'logo.svg')
    await writeFile(logo, SCRIPTED_SVG)
    const redirectUris = [`${app.origin}/callback`]
    sandbox = await createSandbox({
      clients: [{ clientId: 'shop <1>/?', clientSecret: 'secret', name: HOSTILE, logo, redirectUris }],
    })
    const persona = { name: 'hostile', title: HOSTILE.slice(0, 100), purpose: HOSTILE, group: 'Own' }
    const response = await fetch(`${sandbox.baseUrl}/_sandbox/personas/hostile`, {
      method: 'PUT',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(persona),
    })
    expect(response.ok).toBe(true)
  })
  afterAll(async () => {
    await browser?.close()
    await sandbox?.close()
    await app?.close()
    await rm(folder, { recursive: true, force: true })
  })

  const use = (changes: Readonly<Record<string, string>> = {}) =>
    useUrl(sandbox, { client_id: 'shop <1>/?', redirect_uri: `${app.origin}/callback`, ...changes })

  /** Whether all of it stayed text. */
  async function isHarmless(page: Page): Promise<boolean> {
    return page.evaluate(
      `window.hacked === undefined && document.querySelectorAll('[onerror], [onload], img[src=x]').length === 0`,
    )
  }

  it('is shown as it is, as the name of a client and as title and purpose of a persona', async () => {
    await withPage(browser, {}, async (page) => {
      await page.goto(use())
      expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(`${SHOWN} wants to check your age`)
      const title = page.getByTestId('persona-hostile').locator('[title]')
      expect([await title.textContent(), await title.getAttribute('title')]).toEqual([HOSTILE.slice(0, 100), HOSTILE])
      expect(await isHarmless(page)).toBe(true)
    })
  })

  it.each([
    ['claims', { claims: JSON.stringify({ age_thresholds: [18], provenance: { allowed: ['/a'] }, [HOSTILE]: 1 }) }],
    ['redirect_uri', { redirect_uri: `https://elsewhere.example/${HOSTILE}` }],
    ['sandbox_persona', { sandbox_persona: HOSTILE }],
    ['sandbox_outcome', { sandbox_outcome: HOSTILE }],
    ['client_id', { client_id: HOSTILE }],
    ['an unknown parameter', { [HOSTILE]: HOSTILE }],
    ['language', { language: HOSTILE }],
    ['theme', { theme: HOSTILE }],
    ['font', { font: HOSTILE }],
  ])('does no harm as %s', async (_, changes) => {
    await withPage(browser, {}, async (page) => {
      await page.goto(use(changes))
      expect(await isHarmless(page)).toBe(true)
    })
  })

  it('goes back unchanged as the state of a posted form', async () => {
    await withPage(browser, {}, async (page) => {
      await page.goto(use({ response_mode: 'form_post', state: HOSTILE }))
      await page.getByTestId('group-own').click()
      await page.getByTestId('persona-hostile').click()
      await page.waitForURL(`${app.origin}/callback`)
      expect(new URLSearchParams(app.received.findLast(({ method }) => method === 'POST')?.body).get('state')).toBe(
        HOSTILE,
      )
    })
  })

  it('runs nothing as the logo of a client, even when opened directly', async () => {
    await withPage(browser, {}, async (page) => {
      await page.goto(use())
      const width = `document.querySelector('.client-logo').decode().then(() => document.querySelector('.client-logo').naturalWidth)`
      expect(await page.evaluate(width)).toBe(9)
      const path = (await page.locator('.client-logo').getAttribute('src')) ?? ''
      await page.goto(new URL(path, page.url()).href)
      expect(await page.evaluate('document.documentElement.hasAttribute("hacked")')).toBe(false)
    })
  })
})
