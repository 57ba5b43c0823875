import { createServer } from 'node:http'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openSandbox } from '../../../src/cli/audit/open-sandbox.ts'
import { loadSettings } from '../../../src/config/load-settings.ts'
import { findFreePort } from '../../support/free-port.ts'
import { startSandbox } from '../../support/sandbox.ts'

/** The settings that flags give, without those of this machine. */
const settingsOf = (flags: Record<string, string>) => {
  const silent = { log: 'silent', 'state-dir': 'none', ...flags }
  return loadSettings({ flags: silent, env: {}, cwd: '/nonexistent' })
}

async function open(flags: Record<string, string>, url?: string) {
  const sandbox = await openSandbox(await settingsOf(flags), url)
  onTestFinished(() => sandbox.close())
  return sandbox
}

describe('The sandbox of an audit', () => {
  test('is the one that runs at the base URL of the settings, and goes on afterwards', async () => {
    const running = await startSandbox()
    const { api, isOwn, close } = await open({ port: new URL(running.baseUrl).port })
    expect({ isOwn, baseUrl: api.baseUrl }).toEqual({ isOwn: false, baseUrl: running.baseUrl })
    await api.next({ outcome: 'access_denied' })
    expect(await running.expectations.list()).toHaveLength(1)
    await close()
    expect(await running.expectations.list()).toHaveLength(1)
  })

  test('is started where none runs, and ends with the audit', async () => {
    const port = String(await findFreePort())
    const { api, isOwn, close } = await open({ port })
    expect({ isOwn, baseUrl: api.baseUrl }).toEqual({ isOwn: true, baseUrl: `http://localhost:${port}` })
    expect((await fetch(`${api.baseUrl}/_sandbox/health`)).status).toBe(200)
    await close()
    await expect(fetch(`${api.baseUrl}/_sandbox/health`)).rejects.toThrow('fetch failed')
  })

  test('elsewhere is driven with the control token, under the base URL that it has itself', async () => {
    const controlToken = 'not-a-real-token'
    const running = await startSandbox({ baseUrl: 'http://sandbox.example', controlToken })
    const { api } = await open({ 'control-token': controlToken }, `${running.url}/`)
    expect(api.baseUrl).toBe('http://sandbox.example')
    await api.next({ outcome: 'access_denied' })
    expect(await running.expectations.list()).toHaveLength(1)
  })

  test('elsewhere that asks for another control token is refused in one line', async () => {
    const running = await startSandbox({ baseUrl: 'http://sandbox.example', controlToken: 'not-a-real-token' })
    await expect(open({}, running.url)).rejects.toThrow(
      /^--url: http:\/\/127\.0\.0\.1:\d+: .*; give its control token by --control-token$/,
    )
  })

  test('is not taken to be whatever else listens at its address', async () => {
    const server = createServer((_, response) => response.end('a blog'))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const address = server.address()
    const port = String(typeof address === 'object' && address ? address.port : 0)
    await expect(open({ port })).rejects.toThrow(
      `http://localhost:${port}: something answers there, but no agekey-sandbox; stop it, or choose another address by --port and in your app`,
    )
    await expect(open({}, `http://127.0.0.1:${port}`)).rejects.toThrow(
      `--url: http://127.0.0.1:${port}: something answers there, but no agekey-sandbox; give the base URL of a sandbox`,
    )
  })

  test('elsewhere that is not there is one line', async () => {
    const port = await findFreePort()
    await expect(open({}, `http://127.0.0.1:${port}`)).rejects.toThrow(
      `--url: http://127.0.0.1:${port}: nothing answers there; start a sandbox (npx agekey-sandbox), or leave out --url`,
    )
  })

  test('that is started must be reached by its base URL', async () => {
    const elsewhere = `http://localhost:${await findFreePort()}`
    await expect(open({ port: String(await findFreePort()), 'base-url': elsewhere })).rejects.toThrow(
      new RegExp(
        `^${elsewhere}: nothing answers there, although a sandbox was started; its base URL must lead to http://127.0.0.1:`,
      ),
    )
  })

  test('that is started with https is trusted by its own certificate', async () => {
    const { api, certificate } = await open({ port: String(await findFreePort()), https: 'true' })
    expect(api.baseUrl).toMatch(/^https:/)
    expect(certificate).toMatch(/^-----BEGIN CERTIFICATE-----/)
  })

  test('that runs with a certificate that this process does not trust is one line with the remedy', async () => {
    const running = await startSandbox({ https: true })
    const port = new URL(running.baseUrl).port
    await expect(open({ port, https: 'true' })).rejects.toThrow(
      /^https:\/\/localhost:\d+: its certificate is not trusted \(DEPTH_ZERO_SELF_SIGNED_CERT\); name the file that agekey-sandbox printed for it in NODE_EXTRA_CA_CERTS$/,
    )
  })
})
