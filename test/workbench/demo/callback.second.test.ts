import { expect, test } from 'vitest'
import { createBrowserClient } from '../../support/browser-client.ts'
import { textOf } from '../../support/markup.ts'
import { shareSandbox } from '../../support/sandbox.ts'

const DEMO = '/_sandbox/demo'
const sandbox = await shareSandbox()

/** A browser that sends a Use request by the demo, and can send its callback again. */
function openDemo() {
  const browser = createBrowserClient(sandbox.baseUrl)
  const pathOf = (location = '') => location.replace(sandbox.baseUrl, '')
  return {
    browser,
    /** Sends the request as the persona. @returns the path of the callback, which is not opened */
    async callbackOf(persona: string) {
      const fields = { claims: '{"age_thresholds":[18]}', response_mode: 'query' }
      const { headers } = await browser.submit(`${DEMO}/use`, fields)
      const request = `${pathOf(headers.location)}&sandbox_persona=${persona}`
      return pathOf((await browser.get(request)).headers.location)
    },
    result: async () => textOf((await browser.get(`${DEMO}/result`)).text),
  }
}

test('The demo shows the first of two callbacks with one state', async () => {
  const { browser, callbackOf, result } = openDemo()
  await browser.get(await callbackOf('adult-passport'))
  const first = await result()
  expect(first).toContain('18: yes')
  await browser.get(`${DEMO}/callback?error=access_denied`)
  expect(await result()).toBe(first)
})

test('The demo shows the second of two flows of one browser', async () => {
  const { browser, callbackOf, result } = openDemo()
  await browser.get(await callbackOf('adult-passport'))
  await browser.get(await callbackOf('teen-16'))
  expect(await result()).toContain('18: no')
})

test('The demo refuses the callback of a flow that a second one has replaced', async () => {
  const { browser, callbackOf, result } = openDemo()
  const first = await callbackOf('adult-passport')
  await callbackOf('adult-passport')
  await browser.get(first)
  expect(await result()).toContain('The shop does not trust this callback')
})
