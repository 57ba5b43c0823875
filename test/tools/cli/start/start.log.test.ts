import { expect, test, vi } from 'vitest'
import { buildCli, jsonLines, WITH_KEYS } from '../built-cli.ts'

const { launch, start } = await buildCli()

const PATIENCE = { timeout: 10_000 }

test('start goes on when its readers have closed stderr and stdout', async () => {
  const args = ['-p', '0', '--log', 'json']
  const { child, ended } = launch([...args, '--base-url', 'https://sandbox.example.com'], {
    env: WITH_KEYS,
  })
  // A warning would be written there.
  child.stderr.destroy()
  const line = await new Promise<string>((resolve) =>
    child.stdout.once('data', (text) => resolve(String(text))),
  )
  const [ready] = jsonLines(line)
  child.stdout.destroy()
  for (let n = 0; n < 2; n++)
    expect((await fetch(`${ready?.['url']}/.well-known/jwks.json`)).status).toBe(200)
  child.kill('SIGTERM')
  expect((await ended).code).toBe(0)
})

test('start keeps at most a MiB for a reader that does not read, and says later how many lines are lost', async () => {
  const { child, output, printed } = await start(['-p', '0', '--log', 'json'], { env: WITH_KEYS })
  const { url }: { url: string } = JSON.parse(output.split('\n')[0] ?? '')
  child.stdout.pause()
  const read = printed.stdout.length
  const path = `/${'x'.repeat(40_000)}`
  const call = async () => expect((await fetch(`${url}${path}`)).status).toBe(404)
  const CALLS = 150
  for (let n = 0; n < CALLS; n++) await call()
  await vi.waitFor(() => expect(printed.stderr).toContain('(its reader does not read)'), PATIENCE)

  child.stdout.resume()
  await vi.waitFor(async () => {
    await call()
    expect(printed.stderr).toContain('log: it is written again')
  }, PATIENCE)
  const missing = Number(/lines that are missing: (\d+)/.exec(printed.stderr)?.[1])
  expect(missing).toBeGreaterThan(CALLS / 2)
  const stdout = () => printed.stdout.slice(read)
  const linesRead = () => jsonLines(stdout().slice(0, stdout().lastIndexOf('\n') + 1)).length
  await vi.waitFor(() => expect(linesRead() + missing).toBeGreaterThanOrEqual(CALLS), PATIENCE)
  // A pipe and a reader buffer some more.
  expect(stdout().length).toBeLessThan(2 * 1024 * 1024)
})
