import { expect, onTestFinished, test } from 'vitest'
import { loadSettings } from '../../../../src/server/config/load-settings.ts'
import { openSandbox, preflight } from '../../../../src/tools/cli/audit/audit-command.ts'
import { findFreePort } from '../../../support/free-port.ts'
import { startSandbox } from '../../../support/sandbox.ts'
import { startWebApp } from '../../../support/web-app.ts'

/** Opens the sandbox of these flags, without the settings of this machine. */
async function open(texts: Record<string, string>, url?: string) {
  const flags = { log: 'silent', 'state-dir': 'none', ...texts }
  const sandbox = await openSandbox(
    await loadSettings({ flags, env: {}, cwd: '/nonexistent' }),
    url,
  )
  onTestFinished(() => sandbox.close())
  return { ...sandbox, look: () => preflight(sandbox) }
}

test('An audit uses the sandbox that runs at the base URL of the settings', async () => {
  const running = await startSandbox()
  const { baseUrl, isOwn, close, next } = await open({ port: new URL(running.baseUrl).port })
  expect({ isOwn, baseUrl }).toEqual({ isOwn: false, baseUrl: running.baseUrl })
  await next({ outcome: 'access_denied' })
  await close()
  expect(await running.expectations.list()).toHaveLength(1)
})

test('An audit starts a sandbox where none runs', async () => {
  const port = String(await findFreePort())
  const { baseUrl, isOwn, close, look } = await open({ port })
  await look()
  expect({ isOwn, baseUrl }).toEqual({ isOwn: true, baseUrl: `http://localhost:${port}` })
  expect((await fetch(`${baseUrl}/_sandbox/health`)).status).toBe(200)
  await close()
  await expect(fetch(`${baseUrl}/_sandbox/health`)).rejects.toThrow('fetch failed')
})

test('An audit starts a sandbox with https by its own certificate', async () => {
  const port = String(await findFreePort())
  const secure = await open({ port, https: 'true' })
  await secure.look()
  expect(secure.baseUrl).toMatch(/^https:/)
  expect(secure.certificate?.pem).toMatch(/^-----BEGIN CERTIFICATE-----/)
})

test('An audit drives a sandbox elsewhere with its control token, under the base URL that the sandbox has', async () => {
  const baseUrl = 'http://sandbox.example'
  const running = await startSandbox({ baseUrl, controlToken: 'not-a-real-token' })
  const opened = await open({ 'control-token': 'not-a-real-token' }, `${running.url}/`)
  expect(opened.baseUrl).toBe(baseUrl)
  await opened.next({ outcome: 'access_denied' })
  expect(await running.expectations.list()).toHaveLength(1)
  const refusal =
    /^--url: http:\/\/127\.0\.0\.1:\d+: .*; give its control token by --control-token$/
  await expect(open({}, running.url)).rejects.toThrow(refusal)
})

test('An audit takes nothing else for a sandbox that listens at its address, or that answers nowhere', async () => {
  const { url } = await startWebApp((_request, response) => response.end('a blog'))
  const { port } = new URL(url)
  const other = 'something answers there, but no agekey-sandbox'
  const stopIt = `${other}; stop it, or choose another address by --port and in your app`
  await expect(open({ port })).rejects.toThrow(`http://localhost:${port}: ${stopIt}`)
  await expect(open({}, url)).rejects.toThrow(
    `--url: ${url}: ${other}; give the base URL of a sandbox`,
  )
  const nowhere = `http://127.0.0.1:${await findFreePort()}`
  const start = 'start a sandbox (npx agekey-sandbox), or leave out --url'
  await expect(open({}, nowhere)).rejects.toThrow(
    `--url: ${nowhere}: nothing answers there; ${start}`,
  )
})

test('An audit refuses a sandbox that this process does not reach or trust, in one line with the remedy', async () => {
  const elsewhere = `http://localhost:${await findFreePort()}`
  const { url, look } = await open({ port: String(await findFreePort()), 'base-url': elsewhere })
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:/)
  const remedy = `\nthe sandbox was started: ${elsewhere} must lead to ${url}`
  const nobody = `connection_refused: ${elsewhere.slice('http://'.length)}: nothing listens there; `
  await expect(look()).rejects.toThrow(new RegExp(`^${nobody}.*${remedy}$`))
  const { port } = new URL((await startSandbox({ https: true })).baseUrl)
  const refusal =
    /^https:\/\/localhost:\d+ cannot be reached: self.signed certificate; .* NODE_EXTRA_CA_CERTS$/
  await expect(open({ port, https: 'true' })).rejects.toThrow(refusal)
})
