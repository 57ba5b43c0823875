import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { findFreePort } from '../../support/free-port.ts'
import { buildCli } from '../built-cli.ts'

const { launch, start } = await buildCli()

const jsonLines = (text: string): Record<string, unknown>[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

/** Starts a server whose output is not read by the test, and waits until it answers. */
async function startUnread({ log = 'json', before = ':' }: { log?: string; before?: string }) {
  const port = await findFreePort()
  const { child, ended } = launch(['-p', String(port), '--log', log, '--state-dir', 'none'], { before })
  const call = (path: string) =>
    fetch(`http://127.0.0.1:${port}${path}`, { headers: { connection: 'close' } }).then(
      ({ status }) => status,
      () => 0,
    )
  await expect.poll(() => call('/_sandbox/health'), { timeout: 10_000 }).toBe(200)
  const stop = () => {
    child.kill('SIGTERM')
    return ended
  }
  return { call, stop }
}

describe('start goes on', () => {
  test.each(['json', 'pretty'])(
    'with --log %s on a full disk, says it once on stderr, and ends by SIGTERM with exit code 0',
    async (log) => {
      const { call, stop } = await startUnread({ log, before: 'exec >/dev/full' })
      for (let n = 0; n < 5; n++) expect(await call('/.well-known/jwks.json')).toBe(200)
      const { code, stderr } = await stop()
      expect(code).toBe(0)
      expect(stderr.trim().split('\n')).toEqual([
        expect.stringMatching(/warning.*log: it cannot be written \(ENOSPC: no space left on device, write\)/),
      ])
    },
  )

  test('when stdout and stderr are on a full disk', async () => {
    const { call, stop } = await startUnread({ before: 'exec >/dev/full 2>/dev/full' })
    expect(await call('/.well-known/jwks.json')).toBe(200)
    expect((await stop()).code).toBe(0)
  })

  test('when stderr was closed by its reader', async () => {
    const { child, ended } = launch(['-p', '0', '--log', 'json', '--base-url', 'https://sandbox.example.com'])
    child.stderr.destroy()
    const line = await new Promise<string>((resolve) => child.stdout.once('data', (text) => resolve(String(text))))
    expect(jsonLines(line)[0]).toMatchObject({ event: 'ready' })
    child.kill('SIGTERM')
    expect((await ended).code).toBe(0)
  })

  test('with a log file that begins with the line that says it is ready', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'agekey-log-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const file = join(folder, 'log')
    const { call, stop } = await startUnread({ before: `exec >'${file}'` })
    await call('/.well-known/jwks.json')
    await stop()
    const events = jsonLines(readFileSync(file, 'utf8')).map(({ event }) => event)
    expect(events[0]).toBe('ready')
    expect(events.slice(1).every((event) => event === 'call')).toBe(true)
  })
})

test('A reader that does not read costs at most a MiB: further lines are dropped, counted, and said when it reads again', async () => {
  const { child, output } = await start(['-p', '0', '--log', 'json', '--state-dir', 'none'])
  const { url }: { url: string } = JSON.parse(output.split('\n')[0] ?? '')
  let [stdout, stderr] = ['', '']
  child.stdout.removeAllListeners('data')
  child.stdout.pause()
  child.stderr.on('data', (text) => {
    stderr += text
  })
  const path = `/${'x'.repeat(40_000)}`
  const call = async () => expect((await fetch(`${url}${path}`)).status).toBe(404)
  const CALLS = 150
  for (let n = 0; n < CALLS; n++) await call()
  await expect.poll(() => stderr).toContain('log: it cannot be written (its reader does not read)')

  child.stdout.on('data', (text) => {
    stdout += text
  })
  child.stdout.resume()
  await expect.poll(async () => call().then(() => stderr)).toContain('log: it is written again')
  const missing = Number(/lines that are missing: (\d+)/.exec(stderr)?.[1])
  const lines = jsonLines(stdout.slice(0, stdout.lastIndexOf('\n') + 1))
  expect(missing).toBeGreaterThan(CALLS / 2)
  expect(lines.length + missing).toBeGreaterThanOrEqual(CALLS)
  // What a pipe and a reader take before anything waits comes on top.
  expect(stdout.length).toBeLessThan(2 * 1024 * 1024)
})
