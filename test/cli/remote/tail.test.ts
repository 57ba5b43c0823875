import type { ChildProcess } from 'node:child_process'
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

/** Starts `tail` and gives what it has printed; it is up when a call of the key set has come through. */
async function startTail(url: string, args: readonly string[] = []) {
  const { child, ended } = launch(['tail', '--url', url, ...args])
  const printed = collect(child)
  return { child, ended, printed }
}

function collect(child: ChildProcess): { text: string } {
  const printed = { text: '' }
  child.stdout?.on('data', (chunk) => {
    printed.text += String(chunk)
  })
  return printed
}

const PATIENCE = { timeout: 30_000, interval: 200 }

/** Calls until the command has printed what fits: it says nothing when its connection stands. */
const until = (printed: { text: string }, pattern: RegExp, call: () => Promise<unknown>) =>
  expect
    .poll(async () => {
      await call().catch(() => undefined)
      return printed.text
    }, PATIENCE)
    .toMatch(pattern)

describe('tail', () => {
  test('prints each call with what became of its flow, and ends with 0 on Ctrl-C', async () => {
    const { url } = await startSandbox()
    const { child, ended, printed } = await startTail(url)
    await until(printed, /E6 {4} {2}200 {2}GET \/\.well-known\/jwks\.json\n/, () =>
      fetch(`${url}/.well-known/jwks.json`),
    )
    await visit(url, { sandbox_persona: 'teen-16' })
    await visit(url, { response_type: 'code' })
    await expect.poll(() => printed.text, PATIENCE).toMatch(/f1 +use +E1 +302 +ok +teen-16: 18 no\n/)
    await expect.poll(() => printed.text, PATIENCE).toMatch(/f2 +use +E1 +302 +error +USE-04: /)
    child.kill('SIGINT')
    expect(await ended).toMatchObject({ code: 0, stderr: '' })
    expect(printed.text).not.toContain('\u001b')
  })

  test('prints NDJSON with --json, and with a filter only what fits', async () => {
    const { url } = await startSandbox()
    const { child, ended, printed } = await startTail(url, ['--json', '--status', 'error'])
    await until(printed, /\n/, async () => {
      await visit(url, { sandbox_persona: 'teen-16' })
      await visit(url, { response_type: 'code' })
    })
    child.kill('SIGINT')
    const lines = (await ended).stdout.trim().split('\n')
    for (const line of lines) {
      expect(JSON.parse(line)).toMatchObject({
        event: 'call',
        endpoint: 'E1',
        flow: { status: 'error', summary: expect.stringContaining('USE-04') },
      })
    }
  })

  test('connects again when the sandbox was stopped and started', async () => {
    const port = await findFreePort()
    const url = `http://127.0.0.1:${port}`
    const first = await start(['--port', String(port), '--log', 'json'])
    const { child, ended, printed } = await startTail(url)
    await until(printed, /f\d+ /, () => visit(url, { sandbox_persona: 'teen-16' }))
    first.child.kill('SIGTERM')
    await first.ended
    await start(['--port', String(port), '--log', 'json'])
    const before = printed.text.length
    await expect
      .poll(async () => {
        await visit(url, { sandbox_persona: 'adult-passport' }).catch(() => undefined)
        return printed.text.slice(before)
      }, PATIENCE)
      .toContain('adult-passport: 18 yes')
    child.kill('SIGINT')
    const { code, stderr } = await ended
    expect(code).toBe(0)
    expect(stderr).toContain('connected again')
  })

  test('ends with one line when no sandbox is there, or a name is unknown', async () => {
    const port = await findFreePort()
    const nothing = await run(['tail', '--url', `http://127.0.0.1:${port}`])
    expect(nothing).toMatchObject({ code: 1, stdout: '' })
    expect(nothing.stderr).toMatch(/^error: http:\/\/127\.0\.0\.1:\d+: nothing listens there; start a sandbox/)
    const { url } = await startSandbox()
    expect((await run(['tail', '--url', url, '--persona', 'teen'])).stderr).toMatch(/there is no persona "teen"/)
  })
})
