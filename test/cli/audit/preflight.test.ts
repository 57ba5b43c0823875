import { expect, onTestFinished, test } from 'vitest'
import { openSandbox } from '../../../src/cli/audit/open-sandbox.ts'
import { preflight } from '../../../src/cli/audit/preflight.ts'
import { loadSettings } from '../../../src/config/load-settings.ts'
import { findFreePort } from '../../support/free-port.ts'
import { startSandbox } from '../../support/sandbox.ts'

async function open(url: string | undefined, flags: Record<string, string> = {}) {
  const texts = { log: 'silent', 'state-dir': 'none', port: '0', ...flags }
  const sandbox = await openSandbox(await loadSettings({ flags: texts, env: {}, cwd: '/nonexistent' }), url)
  onTestFinished(() => sandbox.close())
  return sandbox
}

test('An audit may begin with a sandbox that has just been started, also with https', async () => {
  await preflight(await open(undefined))
  await preflight(await open(undefined, { https: 'true' }))
})

test.each([
  ['is ahead', { advance: 3600 }, 'is 3600 seconds ahead'],
  ['stands still', { freeze: true }, 'stands still'],
])('An audit does not begin while the clock of the sandbox %s: expired would mean two things', async (_, move, how) => {
  const running = await startSandbox()
  if ('advance' in move) await running.clock.advance(move.advance)
  else await running.clock.freeze()
  const remedy = `set it back in the console, or by POST ${running.baseUrl}/_sandbox/clock with {"reset": true}`
  const problem = `the clock of the sandbox ${how}, so that what is expired for it is not for your app`
  await expect(preflight(await open(running.url))).rejects.toThrow(`${running.baseUrl}: ${problem}; ${remedy}`)
  await running.clock.reset()
  await preflight(await open(running.url))
})

test('An audit does not begin where doctor finds a problem', async () => {
  const running = await startSandbox({ baseUrl: `http://localhost:${await findFreePort()}` })
  const problem = new RegExp(`^connection_refused: .*${new URL(running.baseUrl).port}.*; `)
  await expect(preflight(await open(running.url))).rejects.toThrow(problem)
})
