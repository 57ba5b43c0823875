import { expect, test, vi } from 'vitest'
import { streamEvents } from '../../../src/tools/cli/flows.ts'
import { findFreePort } from '../../support/free-port.ts'
import { sendUse } from '../../support/requests.ts'
import { startSandbox } from '../../support/sandbox.ts'
import { startWebApp } from '../../support/web-app.ts'
import { buildCli } from './built-cli.ts'
import { run } from './in-process.ts'

test('flows lists the flows of a filter', async () => {
  const { url } = await startSandbox()
  const flows = (...args: string[]) => run(['flows', ...args, '--url', url])
  const misplaced = await run(['flows', '--url', `${url}/v1/oidc/use`])
  expect(misplaced.stderr).toMatch(
    /^error: \/v1\/oidc\/use\/\S+ is not served here\. Give the base URL: http:\S+\n$/,
  )
  expect(await flows()).toEqual({ code: 0, stdout: 'no flow yet\n', stderr: '' })
  expect((await flows('f99', '--as', 'har')).stderr).toMatch(
    /^error: flow: there is none with the id "f99".*yet$/m,
  )
  for (const persona of ['teen-16', 'adult-passport'])
    await sendUse(url, { sandbox_persona: persona })
  expect((await flows()).stdout).toMatch(
    /^\S+ \S+ {2}f2 use ok: adult-passport.*\n\S+ \S+ {2}f1 use ok: teen-16.*\n$/,
  )
  expect(JSON.parse((await flows('--json', '--limit', '1')).stdout).flows).toMatchObject([
    { id: 'f2' },
  ])
  for (const filter of [
    ['--persona', 'teen-16'],
    ['--query', 'TEEN-16 verified'],
  ])
    expect(JSON.parse((await flows('--json', ...filter)).stdout)).toMatchObject({
      flows: [{ id: 'f1' }],
    })
  expect((await flows('--client', 'shop')).stdout).toBe(
    'no flow with client_id shop; there is no client "shop". Known are ak_test_sandbox.\n',
  )
  expect((await flows('--client', 'ak_test_sandbox', '--state', 'none')).stdout).toBe(
    'no flow with client_id ak_test_sandbox and state none\n',
  )
  expect((await flows('last')).stdout).toMatch(/^f2 use ok: adult-passport/)
  await sendUse(url, { client_id: 'nobody', sandbox_persona: undefined })
  expect((await flows('f3', '--as', 'scenario')).stderr).toMatch(
    / makes no scenario, .*; take --as vitest$/m,
  )
  const script = await flows('last', '--as', 'curl', '--persona', 'teen-16')
  expect(script.stdout).toMatch(/^#!.*\n# Flow f1 /)
  expect((await flows('f99', '--as', 'har')).stderr).toMatch(/"f99".*the newest one here is f3$/m)
})

test.each([
  ['f1 --as vites', '--as: there is no format "vites". Did you mean "vitest"?'],
  ['--as har', '--as: name a flow, for example f12 or last'],
  ['newest', 'flows: "newest" is not the id of a flow; give one like f12, or last'],
  // Refused before a sandbox is asked.
  ['--follow --limit 5', '--follow: it prints calls as they come; leave limit out\n'],
  ['--limit x', '--limit: "x" is not a whole number from 1 to 2000'],
])('flows %s is refused in one line', async (args, message) => {
  const result = await run(['flows', ...args.split(' ')])
  expect(result).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining(`error: ${message}`),
  })
})

const { launch } = await buildCli()

const PATIENCE = { timeout: 15_000 }

test('flows --follow prints each call with its flow', async () => {
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
  await vi.waitFor(
    () => expect(all.printed.stdout).toMatch(/f\d+ +use +E1 +302 +ok +teen-16: 18 no\n/),
    PATIENCE,
  )
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
  const nothing = await run([
    'flows',
    '--follow',
    '--url',
    `http://127.0.0.1:${await findFreePort()}`,
  ])
  expect(nothing).toMatchObject({ code: 1, stdout: '' })
  expect(nothing.stderr).toMatch(
    /^error: http:\/\/127\.0\.0\.1:\d+: nothing listens there; start a sandbox/,
  )
  const { url } = await startSandbox()
  expect((await run(['flows', '--follow', '--url', url, '--persona', 'teen'])).stderr).toMatch(
    /there is no persona "teen"/,
  )
})

const CALL = {
  id: 'f1',
  at: '2026-01-01T00:00:00Z',
  endpoint: 'E1',
  method: 'GET',
  path: '/prüfung',
  status: 302,
}

test('An event of a sandbox that comes in two pieces, which part a letter, is read whole, with the control token', async () => {
  const bytes = Buffer.from(
    `event: reset\ndata: {}\n\nevent: call\ndata: ${JSON.stringify(CALL)}\n\n`,
  )
  const place = bytes.indexOf('ü') + 1
  let sendRest = () => {}
  const { url, requests } = await startWebApp((_request, response) => {
    response.write(bytes.subarray(0, place))
    sendRest = () => response.end(bytes.subarray(place))
  })
  const events: unknown[] = []
  for await (const event of streamEvents(
    { url, controlToken: 'not-a-real-token' },
    new AbortController().signal,
  )) {
    events.push(event)
    if (event.kind === 'reset') sendRest()
  }
  expect(events).toEqual([{ kind: 'open' }, { kind: 'reset' }, { kind: 'call', ...CALL }])
  expect(requests).toMatchObject([{ headers: { authorization: 'Bearer not-a-real-token' } }])
})
