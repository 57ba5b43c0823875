import { createServer, request as requestHttp } from 'node:http'
import { expect, test } from 'vitest'
import { listenOnFreePort } from '../support/listen-on-free-port.ts'
import { describeWith } from '../support/tools.ts'
import { keepScreenshot, NARROW, startWorld } from './support.ts'

/**
 * Starts a development server that passes every call on under the host of its target:
 * `changeOrigin` of Vite and webpack.
 */
async function startProxy(target: string): Promise<string> {
  const server = createServer((incoming, outgoing) => {
    const { method, url, headers } = incoming
    const options = { method, headers: { ...headers, host: new URL(target).host } }
    const passed = requestHttp(new URL(url ?? '/', target), options, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    incoming.pipe(passed)
  })
  return `http://${await listenOnFreePort(server)}`
}

describeWith('chromium', 'At an address that the sandbox does not know', () => {
  const world = startWorld()
  const pathOf = (url: string) => url.slice(world.sandbox.baseUrl.length)

  test.each([
    ['en', 'The sandbox does not know the address of this page'],
    ['ar', 'لا تعرف بيئة الاختبار عنوان هذه الصفحة'],
  ])(
    'A script shows the line of the choice page in %s, although the proxy hides the address',
    async (language, text) => {
      const proxy = await startProxy(world.sandbox.baseUrl)
      const page = await world.open(proxy + pathOf(world.use({ language })), NARROW)
      const line = page.getByTestId('unknown-address')
      await line.waitFor({ state: 'visible' })
      expect(await line.textContent()).toContain(text)
      expect(await line.textContent()).toContain(`--base-url ${proxy}`)
      await keepScreenshot(page, `unknown-address-${language}`)
    },
  )

  test('The refused click names the base URL to set', async () => {
    const proxy = await startProxy(world.sandbox.baseUrl)
    const page = await world.open(proxy + pathOf(world.use()))
    await page.getByTestId('persona-adult-passport').click()
    const description = await page.getByTestId('error-description').textContent()
    expect(description).toContain(`start it with --base-url ${proxy}`)
  })

  test('At the address of the sandbox the line stays hidden', async () => {
    const page = await world.open(world.use())
    await page.getByTestId('use').waitFor()
    expect(await page.getByTestId('unknown-address').isVisible()).toBe(false)
  })
})
