import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { folderWith } from '../../../support/folder-with.ts'
import { findFreePort } from '../../../support/free-port.ts'
import { sendUse } from '../../../support/requests.ts'
import { startSandbox } from '../../../support/sandbox.ts'
import { startWebApp } from '../../../support/web-app.ts'
import { run } from '../in-process.ts'

const look = (...args: string[]) => run(['wait', '--timeout', '0', ...args])
const healthy = (url: string) => ({
  code: 0,
  stdout: `${url}/_sandbox/health: healthy\n`,
  stderr: '',
})

test('wait without a filter ends with 0 as soon as a sandbox that starts later is healthy', async () => {
  const port = await findFreePort()
  const url = `http://127.0.0.1:${port}`
  const ended = run(['wait', '--url', url, '--timeout', '60'])
  await startSandbox({ port })
  expect(await ended).toEqual(healthy(url))
})

test('wait ends with the last reason when nothing is healthy in time', async () => {
  const url = `http://127.0.0.1:${await findFreePort()}`
  const stderr = `error: ${url}/_sandbox/health: nothing listens there; it was not healthy within 0.1 seconds\n`
  expect(await run(['wait', '--url', url, '--timeout', '0.1'])).toEqual({
    code: 1,
    stdout: '',
    stderr,
  })
})

test('wait waits 30 seconds by default', async () => {
  const url = `http://127.0.0.1:${await findFreePort()}`
  onTestFinished(() => void vi.restoreAllMocks())
  vi.spyOn(performance, 'now').mockImplementation(() => Date.now() * 1000)
  expect((await run(['wait', '--url', url])).stderr).toContain(
    '; it was not healthy within 30 seconds\n',
  )
})

test('wait with a filter ends with the summary of a flow that fits, once the flow has ended', async () => {
  const { url } = await startSandbox()
  const ended = run([
    'wait',
    '--url',
    url,
    '--persona',
    'teen-16',
    '--flow',
    'use',
    '--timeout',
    '60',
  ])
  await sendUse(url, { sandbox_persona: 'adult-passport' })
  await sendUse(url, { sandbox_persona: 'teen-16' })
  const { code, stdout, stderr } = await ended
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(/^f2 use ok: teen-16: 18 no/)
  expect(stdout).toContain(`${url}/_sandbox/console/flows/f2`)
})

test('wait with a filter goes on waiting when the sandbox is started again meanwhile', async () => {
  const port = await findFreePort()
  const { url, calls, close } = await startSandbox({ port })
  const ended = run(['wait', '--url', url, '--persona', 'teen-16', '--timeout', '60'])
  await expect.poll(() => calls.map(({ path }) => path)).toContain('/_sandbox/flows')
  await close()
  await startSandbox({ port })
  await sendUse(url, { sandbox_persona: 'teen-16' })
  expect(await ended).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('f1 use ok: teen-16: 18 no'),
  })
})

test('wait finds a flow that ended before', async () => {
  const { url } = await startSandbox()
  await sendUse(url, { state: 'one' })
  await sendUse(url, { sandbox_persona: 'teen-16', state: 'two' })
  const { stdout } = await run(['wait', '--url', url, '--state', 'two', '--json'])
  const flow = {
    id: 'f2',
    status: 'ok',
    calls: [{ endpoint: 'E1' }],
    page: `${url}/_sandbox/console/flows/f2`,
  }
  expect(JSON.parse(stdout)).toMatchObject({ matched: true, flow })
})

test('wait --since finds only a flow that ends after', async () => {
  const { url } = await startSandbox()
  await sendUse(url, { state: 'one' })
  await sendUse(url, { sandbox_persona: 'teen-16', state: 'two' })
  const late = await run([
    'wait',
    '--url',
    url,
    '--state',
    'two',
    '--since',
    'now',
    '--timeout',
    '0.2',
  ])
  const stderr =
    'error: no flow with state two ended within 0.2 seconds; no other flow ended meanwhile\n'
  expect(late).toEqual({ code: 1, stdout: '', stderr })
})

test('wait names the flows that ended meanwhile when nothing fits in time', async () => {
  const { url } = await startSandbox()
  let isOver = false
  const ended = run([
    'wait',
    '--url',
    url,
    '--outcome',
    'access_denied',
    '--timeout',
    '0.4',
    '--json',
  ]).finally(() => {
    isOver = true
  })
  // Flows end all the time, some of them while the command waits.
  while (!isOver) await sendUse(url, { sandbox_persona: 'teen-16' })
  const { code, stdout, stderr } = await ended
  expect(code).toBe(1)
  expect(stderr).toBe(
    'error: no flow with outcome access_denied ended within 0.4 seconds; meanwhile ended:\n',
  )
  const { matched, filter, seen } = JSON.parse(stdout)
  expect({ matched, filter }).toEqual({ matched: false, filter: { outcome: 'access_denied' } })
  expect(seen[0]).toMatchObject({ persona: 'teen-16', status: 'ok', summary: 'teen-16: 18 no' })
})

test.each([
  ['--persona teen', /^error: .*there is no persona "teen"\. Did you mean "teen-14"/],
  ['--flow usse', /^error: --flow: there is no flow "usse"\. Did you mean "use"\?$/m],
  ['--status waiting', /^error: --status: a flow that is waiting has not ended/],
  ['--timeout x', /^error: --timeout: "x" is not a number of seconds from 0 up$/m],
  ['--since 12', /^error: .*since.*"12"/],
])('wait %s ends with one line on stderr', async (args, line) => {
  const { url } = await startSandbox()
  const { code, stdout, stderr } = await run(['wait', '--url', url, ...args.split(' ')])
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(line)
  expect(stderr.trim().split('\n')).toHaveLength(1)
})

test('wait --timeout 0, or healthcheck, ends with 0 for a sandbox that runs, found by --url or by the same settings', async () => {
  const { url, baseUrl } = await startSandbox({ basePath: '/age' })
  expect(await look('--url', url)).toEqual(healthy(url))
  const settings = { AGEKEY_SANDBOX_HOST: '0.0.0.0', AGEKEY_SANDBOX_BASE_PATH: '/age' }
  const env = { AGEKEY_SANDBOX_PORT: new URL(url).port, ...settings }
  expect(await run(['healthcheck'], { env })).toEqual(healthy(baseUrl))
  const { stdout } = await look('--url', url, '--json')
  expect(JSON.parse(stdout)).toEqual({ url: `${url}/_sandbox/health`, healthy: true })
})

test('wait trusts the certificate in the state folder of the settings', async () => {
  const stateDir = folderWith()
  const { url, baseUrl } = await startSandbox({ https: true, stateDir })
  const { port } = new URL(url)
  for (const address of [url, baseUrl])
    expect(await look('--url', address, '--state-dir', stateDir)).toEqual(healthy(address))
  const byFlags = await look('--https', '-p', port, '--state-dir', stateDir)
  expect(byFlags).toEqual(healthy(baseUrl))
  const [cert, key] = ['tls-certificate.pem', 'tls-key.pem'].map((name) => join(stateDir, name))
  expect(await look('--https-cert', `${cert}`, '--https-key', `${key}`, '-p', port)).toEqual(
    byFlags,
  )
  // No other server can listen at its own address.
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
])(
  'wait --timeout 0 %s ends with 1: no sandbox is there, or no address follows from that',
  async (args, line) => {
    const { url } = await startWebApp((_request, response) => response.end('{"status":"ok"}'))
    const stderr = expect.stringContaining(line)
    expect(await look(...args.replace('OTHER', url).split(' '))).toMatchObject({ code: 1, stderr })
  },
)
