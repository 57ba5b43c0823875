import { expect, onTestFinished, test, vi } from 'vitest'
import { findFreePort } from '../../support/free-port.ts'
import { sendUse } from '../../support/requests.ts'
import { startSandbox } from '../../support/sandbox.ts'
import { run } from '../in-process.ts'

test('wait without a filter ends with 0 as soon as a sandbox that starts later is healthy, also as JSON', async () => {
  const port = await findFreePort()
  const url = `http://127.0.0.1:${port}`
  const ended = run(['wait', '--url', url, '--timeout', '60'])
  await startSandbox({ port })
  expect(await ended).toEqual({ code: 0, stdout: `${url}/_sandbox/health: healthy\n`, stderr: '' })
  const { stdout } = await run(['wait', '--url', url, '--json'])
  expect(JSON.parse(stdout)).toEqual({ url: `${url}/_sandbox/health`, healthy: true })
})

test('wait without a filter ends with 1 and the last reason when nothing is healthy in time', async () => {
  const url = `http://127.0.0.1:${await findFreePort()}`
  const stderr = `error: ${url}/_sandbox/health: nothing listens there; it was not healthy within 0.1 seconds\n`
  expect(await run(['wait', '--url', url, '--timeout', '0.1'])).toEqual({ code: 1, stdout: '', stderr })
  onTestFinished(() => void vi.restoreAllMocks())
  vi.spyOn(performance, 'now').mockImplementation(() => Date.now() * 1000)
  expect((await run(['wait', '--url', url])).stderr).toContain('; it was not healthy within 30 seconds\n')
})

test('wait with a filter ends with the summary of a flow that fits, once the flow has ended', async () => {
  const { url } = await startSandbox()
  const ended = run(['wait', '--url', url, '--persona', 'teen-16', '--flow', 'use', '--timeout', '60'])
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
  expect(await ended).toMatchObject({ code: 0, stdout: expect.stringContaining('f1 use ok: teen-16: 18 no') })
})

test('wait takes a flow that ended before, and with --since only a flow that ends after', async () => {
  const { url } = await startSandbox()
  await sendUse(url, { state: 'one' })
  await sendUse(url, { sandbox_persona: 'teen-16', state: 'two' })
  const { stdout } = await run(['wait', '--url', url, '--state', 'two', '--json'])
  const flow = { id: 'f2', status: 'ok', calls: [{ endpoint: 'E1' }], page: `${url}/_sandbox/console/flows/f2` }
  expect(JSON.parse(stdout)).toMatchObject({ matched: true, flow })
  const late = await run(['wait', '--url', url, '--state', 'two', '--since', 'now', '--timeout', '0.2'])
  const stderr = 'error: no flow with state two ended within 0.2 seconds; no other flow ended meanwhile\n'
  expect(late).toEqual({ code: 1, stdout: '', stderr })
})

test('wait ends with 1 and with what ended meanwhile, when nothing fits in time', async () => {
  const { url } = await startSandbox()
  let isOver = false
  const ended = run(['wait', '--url', url, '--outcome', 'access_denied', '--timeout', '0.4', '--json']).finally(() => {
    isOver = true
  })
  // Flows end all the time: some of them while the command waits.
  while (!isOver) await sendUse(url, { sandbox_persona: 'teen-16' })
  const { code, stdout, stderr } = await ended
  expect(code).toBe(1)
  expect(stderr).toBe('error: no flow with outcome access_denied ended within 0.4 seconds; meanwhile ended:\n')
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
])('wait %s ends with one line on stderr and exit code 1', async (args, line) => {
  const { url } = await startSandbox()
  const { code, stdout, stderr } = await run(['wait', '--url', url, ...args.split(' ')])
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(line)
  expect(stderr.trim().split('\n')).toHaveLength(1)
})
