import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { createChromiumAgent, launchChromium } from '../../../../src/audit/agent/chromium/chromium-agent.ts'
import { AuditProblem } from '../../../../src/audit/audit-problem.ts'
import { findFreePort } from '../../../support/free-port.ts'
import { chromiumPath, describeWith } from '../../../support/tools.ts'

test.each([
  ['nothing', '/nowhere/chrome'],
  ['another program', '/bin/true'],
])('An audit ends in one line with the remedy when CHROME_PATH names %s', async (_what, chromePath) => {
  const message = `^CHROME_PATH: ${chromePath} does not start as a browser \\(.*\\); name another by CHROME_PATH=/path/to/chrome$`
  const problem = await launchChromium({ chromePath }).catch((error: unknown) => error)
  expect(problem).toBeInstanceOf(AuditProblem)
  expect(problem).toMatchObject({ message: expect.stringMatching(new RegExp(message)) })
})

test('An audit ends in one line with the remedy when nothing listens at the address of --cdp', async () => {
  const cdpUrl = `http://127.0.0.1:${await findFreePort()}`
  await expect(launchChromium({ cdpUrl })).rejects.toThrow(
    `--cdp: no Chromium answers at ${cdpUrl}; start it with --remote-debugging-port=9222, or leave --cdp out`,
  )
})

/** Process ids of the Chromium that this process has started. */
const running = (): string[] =>
  spawnSync('pgrep', ['-P', String(process.pid), 'chrom'], { encoding: 'utf8' })
    .stdout.split('\n')
    .filter(Boolean)

describeWith('chromium', 'Chromium', () => {
  test('A Chromium that an audit has started ends with its agent, also in the middle of a visit', async () => {
    const before = running()
    const agent = createChromiumAgent(await launchChromium({ chromePath: chromiumPath }))
    const started = running().filter((pid) => !before.includes(pid))
    expect(started).not.toEqual([])
    const stopping = new AbortController()
    const url = `http://127.0.0.1:${await findFreePort()}/`
    const options = { sandboxUrl: 'http://sandbox.test', signal: stopping.signal, decide: async () => 'stop' as const }
    const visit = agent.newBrowser().open({ url }, options)
    stopping.abort()
    await agent.close()
    expect(['timed_out', 'unreachable', 'dropped']).toContain((await visit).end)
    expect(running().filter((pid) => started.includes(pid))).toEqual([])
  })
})
