import { expect, test } from 'vitest'
import { describeWith } from '../support/tools.ts'
import { startWorld } from './support.ts'

describeWith('chromium', 'A page of another site', () => {
  const world = startWorld()

  /** A page of another site that frames these addresses. */
  async function frame(addresses: readonly string[], from = world.app.origin) {
    const frames = addresses.map((address) => `<iframe src="${address.replaceAll('&', '&amp;')}"></iframe>`)
    world.app.serve('/frame', `<!doctype html><title>Site</title>${frames.join('')}`)
    const page = await world.newPage()
    await page.goto(`${from}/frame`)
    return page
  }

  // Another port of this host is another origin of the same site; the address is another site.
  test.each(['localhost', '127.0.0.1'])(
    'A page at %s frames nothing but the pages that a user answers',
    async (host) => {
      const closed = [
        '/',
        '/_sandbox/console/clock',
        '/_sandbox/console/flows/none',
        '/_sandbox/demo',
        '/_sandbox/act-as/teen-16',
        '/_sandbox/embedding',
        '/v1/oidc/other',
      ]
      const addresses = closed.map((path) => world.sandbox.baseUrl + path)
      const refused = world.use({ redirect_uri: 'https://evil.example/' })
      const page = await frame([...addresses, world.use(), refused], world.app.origin.replace('localhost', host))
      const urls = () => page.frames().map((one) => one.url().replace(/^chrome-error:.*/, 'closed'))
      await expect.poll(urls).toEqual([page.url(), ...closed.map(() => 'closed'), world.use(), refused])
      const texts = await Promise.all(page.frames().map((one) => one.locator('body').textContent()))
      expect(texts.slice(1, -2).filter((text) => text?.includes('Sandbox'))).toEqual([])
      expect(texts.at(-2)).toContain('wants to check your age')
      expect(texts.at(-1)).toContain('redirect_uri')
    },
  )

  test('The home page takes the place of the site when the user leaves the framed page of E1', async () => {
    const page = await frame([world.use()])
    await page.frameLocator('iframe').getByRole('link', { name: 'Sandbox home' }).click()
    await page.getByTestId('try-it').waitFor()
    expect(page.url()).toBe(`${world.sandbox.baseUrl}/`)
  })
})
