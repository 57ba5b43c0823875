import { describe, expect, test } from 'vitest'
import { findFreePort } from '../../../src/cli/audit/app/start-app.ts'
import { claims, useRequest } from '../../support/requests.ts'
import { startSandbox } from '../../support/sandbox.ts'
import { buildCli } from '../built-cli.ts'

const { run, launch, start } = await buildCli()

const visit = (url: string, changes = {}) => {
  const request = useRequest({ claims: claims({ age_thresholds: [18] }), ...changes })
  return fetch(`${url}/v1/oidc/use?${new URLSearchParams(request)}`, { redirect: 'manual' })
}

describe('wait without a filter', () => {
  test('ends with 0 as soon as a sandbox that starts later is healthy', async () => {
    const port = await findFreePort()
    const url = `http://127.0.0.1:${port}`
    const { ended } = launch(['wait', '--url', url, '--timeout', '60'])
    await start(['--port', String(port)])
    expect(await ended).toEqual({ code: 0, stdout: `${url}/_sandbox/health: healthy\n`, stderr: '' })
  })

  test('ends with 1 and the last reason when nothing is healthy in time', async () => {
    const port = await findFreePort()
    const { code, stdout, stderr } = await run(['wait', '--url', `http://127.0.0.1:${port}`, '--timeout', '0.1'])
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toBe(
      `error: http://127.0.0.1:${port}/_sandbox/health: nothing listens there; it was not healthy within 0.1 seconds\n`,
    )
  })

  test('prints JSON with --json', async () => {
    const { url } = await startSandbox()
    const { stdout } = await run(['wait', '--url', url, '--json'])
    expect(JSON.parse(stdout)).toEqual({ url: `${url}/_sandbox/health`, healthy: true })
  })
})

describe('wait with a filter', () => {
  test('ends with the summary of a flow that fits, once it has ended', async () => {
    const { url } = await startSandbox()
    const { ended } = launch(['wait', '--url', url, '--persona', 'teen-16', '--flow', 'use', '--timeout', '60'])
    await visit(url, { sandbox_persona: 'adult-passport' })
    await visit(url, { sandbox_persona: 'teen-16' })
    const { code, stdout, stderr } = await ended
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^f2 use ok: teen-16: 18 no/)
    expect(stdout).toContain(`${url}/_sandbox/console/flows/f2`)
  })

  test('takes a flow that ended before, and with --since only one that ends after', async () => {
    const { url } = await startSandbox()
    await visit(url, { state: 'one' })
    await visit(url, { sandbox_persona: 'teen-16', state: 'two' })
    const { stdout } = await run(['wait', '--url', url, '--state', 'two', '--json'])
    expect(JSON.parse(stdout)).toMatchObject({
      matched: true,
      flow: { id: 'f2', status: 'ok', calls: [{ endpoint: 'E1' }], page: `${url}/_sandbox/console/flows/f2` },
    })
    const late = await run(['wait', '--url', url, '--state', 'two', '--since', 'now', '--timeout', '0.2'])
    expect(late).toMatchObject({ code: 1, stdout: '' })
    expect(late.stderr).toBe('error: no flow with state two ended within 0.2 seconds; no other flow ended meanwhile\n')
  })

  test('ends with 1 and with what ended meanwhile, when nothing fits in time', async () => {
    const { url } = await startSandbox()
    const { ended } = launch(['wait', '--url', url, '--outcome', 'access_denied', '--timeout', '10', '--json'])
    // Flows come until the first one is sure to have ended while the command waits.
    const traffic = setInterval(() => void visit(url, { sandbox_persona: 'teen-16' }), 100)
    const { code, stdout, stderr } = await ended.finally(() => clearInterval(traffic))
    expect(code).toBe(1)
    expect(stderr).toBe('error: no flow with outcome access_denied ended within 10 seconds; meanwhile ended:\n')
    const { matched, filter, seen } = JSON.parse(stdout)
    expect({ matched, filter }).toEqual({ matched: false, filter: { outcome: 'access_denied' } })
    expect(seen[0]).toMatchObject({ persona: 'teen-16', status: 'ok', summary: 'teen-16: 18 no' })
  })

  test.each([
    [['--persona', 'teen'], /^error: .*there is no persona "teen"\. Did you mean "teen-14"/],
    [['--flow', 'usse'], /^error: --flow: there is no flow "usse"\. Did you mean "use"\?$/m],
    [['--status', 'waiting'], /^error: --status: a flow that is waiting has not ended/],
    [['--timeout', 'x'], /^error: --timeout: "x" is not a number of seconds above 0$/m],
    [['--since', '12'], /^error: .*since.*"12"/],
  ])('%j ends with one line on stderr and exit code 1', async (args, line) => {
    const { url } = await startSandbox()
    const { code, stdout, stderr } = await run(['wait', '--url', url, ...args])
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(line)
    expect(stderr.trim().split('\n')).toHaveLength(1)
  })
})

test('healthcheck --json says whether a server is healthy, and why not', async () => {
  const { url } = await startSandbox()
  const { code, stdout } = await run(['healthcheck', '--url', url, '--json'])
  expect({ code, ...JSON.parse(stdout) }).toEqual({ code: 0, url: `${url}/_sandbox/health`, healthy: true })
  const port = await findFreePort()
  const ill = await run(['healthcheck', '--url', `http://127.0.0.1:${port}`, '--json'])
  expect({ ...ill, stdout: JSON.parse(ill.stdout) }).toEqual({
    code: 1,
    stderr: '',
    stdout: {
      url: `http://127.0.0.1:${port}/_sandbox/health`,
      healthy: false,
      reason: expect.stringContaining('nothing listens there'),
    },
  })
})
