import { expect, test, vi } from 'vitest'
import { streamEvents } from '../../../src/cli/flows/follow.ts'
import { findFreePort } from '../../support/free-port.ts'
import { sendUse } from '../../support/requests.ts'
import { startSandbox } from '../../support/sandbox.ts'
import { startWebApp } from '../../support/web-app.ts'
import { buildCli } from '../built-cli.ts'
import { run } from '../in-process.ts'

const { launch } = await buildCli()

const PATIENCE = { timeout: 15_000 }

test('flows --follow prints each call and its flow, as NDJSON of a filter too, connects again each time, and ends with 0 on Ctrl-C', async () => {
  const port = await findFreePort()
  const first = await startSandbox({ port })
  const { url } = first
  const all = launch(['flows', '--follow', '--url', url])
  const refused = launch(['flows', '--follow', '--url', url, '--json', '--status', 'error'])
  // The command prints nothing once it is connected.
  await vi.waitFor(async () => {
    await fetch(`${url}/.well-known/jwks.json`)
    await sendUse(url, { response_type: 'code' })
    expect(all.printed.stdout).toMatch(/E6 {4} {2}200 {2}GET \/\.well-known\/jwks\.json\n/)
    expect(refused.printed.stdout).toContain('\n')
  }, PATIENCE)
  await sendUse(url, { sandbox_persona: 'teen-16' })
  await vi.waitFor(() => expect(all.printed.stdout).toMatch(/f\d+ +use +E1 +302 +ok +teen-16: 18 no\n/), PATIENCE)
  expect(all.printed.stdout).toMatch(/f\d+ +use +E1 +302 +error +USE-04: /)

  let running = first
  for (const sandbox_persona of ['adult-passport', 'child-12']) {
    await running.close()
    running = await startSandbox({ port })
    await vi.waitFor(async () => {
      await sendUse(url, { sandbox_persona })
      expect(all.printed.stdout).toContain(`${sandbox_persona}: 18 `)
    }, PATIENCE)
  }
  for (const { child } of [all, refused]) child.kill('SIGINT')

  const { code, stdout, stderr } = await all.ended
  expect(code).toBe(0)
  const lost = `warning: ${url}: the connection is lost; trying again\nwarning: ${url}: connected again\n`
  expect(stderr).toBe(lost + lost)
  expect(stdout).not.toContain('\u001b')
  for (const line of (await refused.ended).stdout.trim().split('\n')) {
    const flow = { status: 'error', summary: expect.stringContaining('USE-04') }
    expect(JSON.parse(line)).toMatchObject({ event: 'call', endpoint: 'E1', flow })
  }
})

test('flows --follow ends with one line when no sandbox is there, or a name is unknown', async () => {
  const nothing = await run(['flows', '--follow', '--url', `http://127.0.0.1:${await findFreePort()}`])
  expect(nothing).toMatchObject({ code: 1, stdout: '' })
  expect(nothing.stderr).toMatch(/^error: http:\/\/127\.0\.0\.1:\d+: nothing listens there; start a sandbox/)
  const { url } = await startSandbox()
  expect((await run(['flows', '--follow', '--url', url, '--persona', 'teen'])).stderr).toMatch(
    /there is no persona "teen"/,
  )
})

const CALL = { id: 'f1', at: '2026-01-01T00:00:00Z', endpoint: 'E1', method: 'GET', path: '/prüfung', status: 302 }

test('An event of a sandbox that comes in two pieces, which part a letter, is read whole, with the control token', async () => {
  const bytes = Buffer.from(`event: reset\ndata: {}\n\nevent: call\ndata: ${JSON.stringify(CALL)}\n\n`)
  const place = bytes.indexOf('ü') + 1
  let sendRest = () => {}
  const { url, requests } = await startWebApp((_request, response) => {
    response.write(bytes.subarray(0, place))
    sendRest = () => response.end(bytes.subarray(place))
  })
  const events: unknown[] = []
  for await (const event of streamEvents({ url, controlToken: 'not-a-real-token' }, new AbortController().signal)) {
    events.push(event)
    if (event.kind === 'reset') sendRest()
  }
  expect(events).toEqual([{ kind: 'open' }, { kind: 'reset' }, { kind: 'call', ...CALL, flow: 'f1' }])
  expect(requests).toMatchObject([{ headers: { authorization: 'Bearer not-a-real-token' } }])
})
