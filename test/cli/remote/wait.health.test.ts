import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folderWith } from '../../support/folder-with.ts'
import { findFreePort } from '../../support/free-port.ts'
import { startSandbox } from '../../support/sandbox.ts'
import { startWebApp } from '../../support/web-app.ts'
import { run } from '../in-process.ts'

const look = (...args: string[]) => run(['wait', '--timeout', '0', ...args])
const healthy = (url: string) => ({ code: 0, stdout: `${url}/_sandbox/health: healthy\n`, stderr: '' })

test('wait --timeout 0, or healthcheck, ends with 0 for a sandbox that runs, found by --url or by the same settings', async () => {
  const { url } = await startSandbox({ basePath: '/age' })
  expect(await look('--url', url)).toEqual(healthy(url))
  const settings = { AGEKEY_SANDBOX_HOST: '0.0.0.0', AGEKEY_SANDBOX_BASE_PATH: '/age' }
  const env = { AGEKEY_SANDBOX_PORT: new URL(url).port, ...settings }
  expect(await run(['healthcheck'], { env })).toEqual(healthy(`${url}/age`))
  const { stdout } = await look('--url', url, '--json')
  expect(JSON.parse(stdout)).toEqual({ url: `${url}/_sandbox/health`, healthy: true })
})

test('wait trusts the certificate in the state folder of the settings, and no other one', async () => {
  const stateDir = folderWith()
  const { url, baseUrl } = await startSandbox({ https: true, stateDir })
  const { port } = new URL(url)
  for (const address of [url, baseUrl])
    expect(await look('--url', address, '--state-dir', stateDir)).toEqual(healthy(address))
  const byFlags = await look('--https', '-p', port, '--state-dir', stateDir)
  expect(byFlags).toEqual(healthy(`https://127.0.0.1:${port}`))
  const [cert, key] = ['tls-certificate.pem', 'tls-key.pem'].map((name) => join(stateDir, name))
  expect(await look('--https-cert', `${cert}`, '--https-key', `${key}`, '-p', port)).toEqual(byFlags)
  // A server in memory can be no other one at its own address.
  expect(await look('--https', '-p', port, '--state-dir', 'none')).toMatchObject({ code: 0 })
  const stderr = expect.stringContaining('self-signed certificate')
  expect(await look('--url', url, '--state-dir', folderWith())).toMatchObject({ code: 1, stderr })
})

test('wait --timeout 0 ends with 1 when nothing listens, also as JSON', async () => {
  const url = `http://127.0.0.1:${await findFreePort()}`
  const reason = `${url}/_sandbox/health: nothing listens there`
  expect(await look('--url', url)).toEqual({ code: 1, stdout: '', stderr: `error: ${reason}\n` })
  const { stdout, ...rest } = await look('--url', url, '--json')
  expect(rest).toEqual({ code: 1, stderr: '' })
  expect(JSON.parse(stdout)).toEqual({ url: `${url}/_sandbox/health`, healthy: false, reason })
})

test.each([
  ['--url OTHER', 'something answers, but no agekey-sandbox'],
  ['--url nowhere', '--url: "nowhere"'],
  ['--port 0', '--url: needed'],
])('wait --timeout 0 %s ends with 1: no sandbox is there, or no address follows from that', async (args, line) => {
  const { url } = await startWebApp((_request, response) => response.end('{"status":"ok"}'))
  const stderr = expect.stringContaining(line)
  expect(await look(...args.replace('OTHER', url).split(' '))).toMatchObject({ code: 1, stderr })
})
