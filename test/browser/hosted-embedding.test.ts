import type { Locator, Page } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import { describeWith } from '../support/tools.ts'
import { keepScreenshot, startWorld, WITHOUT_SCRIPTS } from './support.ts'

const GET = 'allow="publickey-credentials-get"'
const CREATE = 'allow="publickey-credentials-create"'

/** The visible text of the notice, which also holds hidden text. */
const visibleText = async (notice: Locator) =>
  (await notice.locator('p:visible').allTextContents()).join(' ')

describeWith('chromium', 'In an iframe', () => {
  const world = startWorld()
  beforeEach(() => world.sandbox.reset())

  const { use, create } = world
  const callbacks = () => world.app.received.filter(({ url }) => url.startsWith('/callback'))

  /** Opens a page of the app that embeds these URLs. */
  async function frame(
    page: Page,
    addresses: readonly string[],
    { attributes = '', from = world.app.origin } = {},
  ) {
    const frames = addresses.map(
      (url) => `<iframe ${attributes} src="${url.replaceAll('&', '&amp;')}"></iframe>`,
    )
    world.app.serve('/embedding', `<!doctype html><title>App</title>${frames.join('')}`)
    await page.goto(`${from}/embedding`)
  }
  /** The frame of a page of the app that embeds a URL. */
  async function embed(page: Page, url: string, attributes: string) {
    await frame(page, [url], { attributes: `width="640" height="760" ${attributes}` })
    return page.frameLocator('iframe')
  }

  test.each([
    ['Use', use, GET, 'persona-teen-16'],
    ['Create', create, CREATE, 'save'],
  ])('In an iframe %s without permission offers only to go back', async (...row) => {
    const [, url, permission, hidden] = row
    const page = await world.newPage()
    // The permission of the other flow does not help.
    const frame = await embed(page, await url(), permission === GET ? '' : GET)
    const notice = frame.getByTestId('iframe')
    await notice.waitFor()
    const text = await visibleText(notice)
    expect(text).toContain(
      `lacks the permission for passkeys, so no age key could work here. Add this attribute to it: ${permission}`,
    )
    expect(text).not.toContain('Passkeys work here only')
    await frame.getByTestId('continue-anyway').waitFor()
    expect(await frame.getByTestId(hidden).count()).toBe(0)
    const buttons = frame.locator('main button:visible')
    const ids = await buttons.evaluateAll((all) =>
      all.map((one) => one.getAttribute('data-testid')),
    )
    expect(ids).toEqual(['continue-anyway', 'decline'])
    await frame.locator('body').press('1')
    await keepScreenshot(page, `iframe-denied-${hidden}`)
    await frame.getByTestId('decline').click()
    expect(await frame.getByTestId('ended-in-iframe').textContent()).toMatch(
      /error\s*error_description\s*state/,
    )
  })

  test('In an iframe without the permission a flow ends with a message', async () => {
    const used = await embed(await world.newPage(), use(), '')
    await used.getByTestId('continue-anyway').click()
    await used.getByTestId('persona-teen-16').click()
    expect(await used.getByTestId('ended-in-iframe').textContent()).toMatch(/id_token\s*state/)
    expect(callbacks()).toEqual([])
  })

  test('In an iframe without the permission Create saves nothing', async () => {
    const isSaved = async () =>
      (await world.sandbox.personas.get('no-age-key')).age_key !== undefined
    const denied = await embed(await world.newPage(), await create(), '')
    await denied.getByTestId('continue-anyway').click()
    await denied.getByTestId('save').click()
    expect(await denied.getByTestId('unsaved').textContent()).toContain('No age key was saved')
    expect(await isSaved()).toBe(false)
  })

  test('In an iframe with the permission Create saves an age key', async () => {
    const isSaved = async () =>
      (await world.sandbox.personas.get('no-age-key')).age_key !== undefined
    const allowed = await embed(await world.newPage(), await create(), CREATE)
    const notice = allowed.getByTestId('iframe')
    await notice.waitFor()
    expect(await visibleText(notice)).toContain(`has the permission for passkeys: ${CREATE}`)
    await allowed.getByTestId('save').click()
    await allowed.getByTestId('ended-in-iframe').waitFor()
    expect(await allowed.getByTestId('unsaved').count()).toBe(0)
    expect(await isSaved()).toBe(true)
  })

  test.each([true, false])(
    'A framed flow ends with a message and no callback, with scripts %s',
    async (hasScripts) => {
      const page = await world.newPage(hasScripts ? {} : WITHOUT_SCRIPTS)
      const frame = await embed(page, use(), GET)
      const named = hasScripts ? `has the permission for passkeys: ${GET}` : GET
      expect(await visibleText(frame.getByTestId('iframe'))).toContain(named)
      await frame.getByTestId('persona-adult-passport').click()
      const ending = frame.getByTestId('ended-in-iframe')
      await ending.waitFor()
      const text = await ending.textContent()
      expect(text).toContain(`${world.app.origin}/callback`)
      expect(text).toMatch(/id_token\s*state/)
      expect(await ending.innerHTML()).not.toMatch(/eyJ|href|state-1/)
      await keepScreenshot(page, `ended-in-iframe-${hasScripts ? 'scripts' : 'no-scripts'}`)
      expect(callbacks()).toEqual([])
    },
  )

  test('A hosted page that is opened directly says nothing about iframes', async () => {
    const page = await world.open(use())
    expect(await page.getByTestId('iframe').isVisible()).toBe(false)
    expect(await page.locator('input[name="framed"]').count()).toBe(0)
  })

  test('The page about iframes shows the right way beside the wrong one', async () => {
    const page = await world.open('/_sandbox/embedding')
    for (const [testId, message] of [
      ['right', 'has the permission'],
      ['wrong', 'lacks the permission'],
    ] as const) {
      const notice = page.getByTestId(testId).contentFrame().getByTestId('iframe')
      await notice.waitFor()
      expect(await visibleText(notice)).toContain(message)
    }
  })

  // Another port of this host is another origin of the same site; the IP address is another site.
  test.each(['localhost', '127.0.0.1'])(
    'A page at %s frames nothing but pages that a user answers',
    async (host) => {
      const consolePaths = [
        'console/force',
        'console/flows/none',
        'demo',
        'act-as/teen-16',
        'embedding',
      ]
      const paths = ['/', '/v1/oidc/other', ...consolePaths.map((path) => `/_sandbox/${path}`)]
      const closed = paths.map((path) => world.sandbox.baseUrl + path)
      const refused = use({ redirect_uri: 'https://evil.example/' })
      const page = await world.newPage()
      await frame(page, [...closed, use(), refused], {
        from: world.app.origin.replace('localhost', host),
      })
      const urls = () => page.frames().map((one) => one.url().replace(/^chrome-error:.*/, 'closed'))
      await expect.poll(urls).toEqual([page.url(), ...closed.map(() => 'closed'), use(), refused])
      const texts = await Promise.all(page.frames().map((one) => one.locator('body').textContent()))
      expect(texts.slice(1, -2).filter((text) => text?.includes('Sandbox'))).toEqual([])
      expect(texts.at(-2)).toContain('wants to check your age')
      expect(texts.at(-1)).toContain('redirect_uri')
    },
  )

  test('The home page takes the place of the app when the user leaves the framed page of E1', async () => {
    const page = await world.newPage()
    await (await embed(page, use(), '')).getByRole('link', { name: 'Sandbox home' }).click()
    await page.waitForURL(`${world.sandbox.baseUrl}/`)
  })
})
