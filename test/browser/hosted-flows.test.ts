import { afterEach, expect, test } from 'vitest'
import { describeWith } from '../support/tools.ts'
import { startWorld } from './support.ts'

describeWith('chromium', 'A flow in a browser', () => {
  const world = startWorld()
  afterEach(() => world.sandbox.reset())

  const { use, create } = world
  const outcome = async () => (await world.sandbox.flows.last())?.outcome

  test('A hosted form is sent once for two clicks', async () => {
    const page = await world.open(use())
    const endings = (await page.locator('[data-load] form > a').getAttribute('href')) ?? ''
    for (const address of [use(), endings, await create()]) {
      await page.goto(new URL(address, world.sandbox.baseUrl).href)
      const click = `document.querySelector('button[data-testid=decline], button[data-testid^=outcome]:enabled').click()`
      // The window receives the event last, and prevents the form from being sent.
      const isPrevented = await page.evaluate(`(() => {
        const isPrevented = []
        addEventListener('submit', (event) => isPrevented.push(event.defaultPrevented) && event.preventDefault())
        ${click}; ${click}; dispatchEvent(new Event('pageshow')); ${click}
        return isPrevented
      })()`)
      expect(isPrevented, address).toEqual([false, true, false])
    }
  })

  test.each([true, false])(
    'E1 comes back in a posted form, with scripts %s',
    async (javaScriptEnabled) => {
      const state = `"><b>é</b>\r\n&amp;${javaScriptEnabled}`
      const redirect_uri = `${world.app.origin}/callback?tab=1`
      const page = await world.open(use({ response_mode: 'form_post', state, redirect_uri }), {
        javaScriptEnabled,
      })
      await page.getByTestId('use').click()
      if (!javaScriptEnabled) await page.getByRole('button', { name: 'Continue' }).click()
      await world.answerOn(page)
      const { method, url, body } =
        world.app.received.findLast((one) => one.url.startsWith('/callback')) ?? {}
      expect(method).toBe('POST')
      expect(url).toBe('/callback?tab=1')
      expect(new URLSearchParams(body).get('state')).toBe(state)
    },
  )

  test('E1 is finished by the keyboard alone', async () => {
    const page = await world.open(use())
    // Home link and language come first, as on the screen.
    for (const _ of ['home', 'language', 'use']) await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.dataset.testid')).toBe('use')
    await page.keyboard.press('Enter')
    expect(await world.answerOn(page)).toEqual({
      id_token: expect.stringMatching(/^ey/),
      state: 'state-1',
    })
    expect(new URL(page.url()).search).toBe('')
  })

  test('An ending of a flow is found among the many, which are loaded when their section is opened', async () => {
    const page = await world.open(use())
    await page.getByTestId('endings').click()
    await page.getByLabel('Find an ending').fill('expired')
    await page.keyboard.press('Enter')
    await world.answerOn(page)
    expect(await outcome()).toBe('id_token.expired')
  })
})
