import { expect, onTestFinished, test, vi } from 'vitest'
import { findFreePort, startApp } from '../../../src/audit/command/start-app.ts'
import type { AppStart } from '../../../src/audit/command/start-plan.ts'
import { createMask } from '../../../src/sandbox/clients/mask.ts'
import { startGroup } from '../../../src/tools/cli/start/process-group.ts'
import { startWebApp } from '../../support/web-app.ts'

const { signal } = new AbortController()
const host = { startGroup, mask: createMask(['not-a-real-secret']) }
const PLACE = { place: 'agekey-audit.yaml:3: start', signal, host }

/** A server as an argument of node that needs no quotes of a shell. It prints its environment. */
const server = (answer = 'answer.end(process.env.GREETING)', port = 'process.env.PORT') =>
  `require('node:http').createServer((_, answer) => ${answer}).listen(${port}, 'localhost')`
const SERVER = server()

const node = (code: string) => [process.execPath, '-e', code]
const read = async (url: string) => (await fetch(url)).text()
const isGone = (url: string) => expect(fetch(url)).rejects.toThrow('fetch failed')

async function startServer(
  run: AppStart['run'] = node(SERVER),
  changes: Partial<AppStart> = {},
  place = {},
) {
  const port = String(await findFreePort())
  const ready = `http://localhost:${port}/`
  const env = { PORT: port, GREETING: 'hello' }
  const app = await startApp({ run, page: ready, ready, env, ...changes }, { ...PLACE, ...place })
  onTestFinished(() => app.stop())
  return { app, ready }
}

// The parent of the server is a shell that waits for it.
test.each<[string, AppStart['run']]>([
  ['a program', node(SERVER)],
  ['a shell', `"${process.execPath}" -e "${SERVER}"; echo over`],
  ['a program that ignores SIGTERM', node(`process.on('SIGTERM', () => {}); ${SERVER}`)],
])('An app that the audit starts by %s is gone after stop', async (_, run) => {
  const { app, ready } = await startServer(run)
  expect(await read(ready)).toBe('hello')
  await app.stop()
  await isGone(ready)
})

const WAITS = "console.log('waiting for the database'); setInterval(() => {}, 1000)"
const ENDED =
  /^agekey-audit\.yaml:3: start: ".*" ended with code 3 before an answer of http:\/\/localhost:\d+\/; it wrote: no database$/
const ABSENT =
  /^agekey-audit\.yaml:3: start: "agekey-no-such-program" cannot be run \(ENOENT\) before an answer of http:\/\/localhost:\d+\/$/
const LATE =
  'a line of its log like /listening on/ did not come within 1 seconds; it wrote: waiting for the database'

test.each<[string, AppStart['run'], Partial<AppStart>, string | RegExp]>([
  ['ends before it answers', node("console.error('no database\\n'); process.exit(3)"), {}, ENDED],
  [
    'ends in the middle of a line',
    node("process.stderr.write('no database'); process.exit(3)"),
    {},
    ENDED,
  ],
  ['does not exist', ['agekey-no-such-program'], {}, ABSENT],
  [
    'does not come up in time',
    node(WAITS),
    { page: 'http://localhost:9/', ready: /listening on/ },
    LATE,
  ],
])(
  'An app that %s at the start of an audit is told in one line with the log',
  async (_, run, changes, line) => {
    const starting = startServer(run, changes, { readySeconds: changes.ready ? 1 : 60 })
    await expect(starting).rejects.toThrow(line)
  },
)

test('An app is not started by the audit where something answers already: that would be another app', async () => {
  const { url } = await startWebApp((_request, response) => response.end('another app'))
  const ready = `${url}/`
  await expect(startServer(node(SERVER), { ready })).rejects.toThrow(
    `agekey-audit.yaml:3: start: ${ready} answers before the app was started; stop what runs there, or leave out start`,
  )
})

test('An app is stopped when the audit is interrupted while the app starts', async () => {
  const stopping = new AbortController()
  const port = await findFreePort()
  const ready = `http://localhost:${port}/`
  const run = node(server('answer.writeHead(503).end()', String(port)))
  const started = startServer(run, { page: ready, ready }, { signal: stopping.signal })
  const status = async () => (await fetch(ready).catch(() => undefined))?.status
  await expect.poll(status, { timeout: 10_000 }).toBe(503)
  stopping.abort()
  await expect(started).rejects.toThrow('aborted')
  await isGone(ready)
})

test('An app that listens at another port than {port} is reported in one line with the remedy', async () => {
  const other = await findFreePort()
  const code = `${server('answer.end()', String(other))}.on('listening', () => console.log('http://localhost:${other}'))`
  const remedy = "give it to your app, as in env: { PORT: '{port}' }"
  const message = `start: your app listens at port ${other}, not at N, the {port} of this audit; ${remedy}; it wrote: `
  const error = await startServer(node(code)).catch(({ message }) =>
    message.replace(/not at \d+/, 'not at N'),
  )
  expect(error).toBe(`agekey-audit.yaml:3: ${message}http://localhost:${other}`)
})

test('An app that the audit starts is up when a line of its log says so, which shows neither tokens nor secrets', async () => {
  const secrets = [
    'not-a-real-secret',
    'eyJhbGciOiJub25lIn0.e30.c2ln',
    '/cb?code=abc123&state=s',
    'Basic YWs6c2s5ODc2NTQ=',
  ]
  const write = `for (const line of ${JSON.stringify([...secrets, 'listening on it'])}) console.error(line)`
  const { app } = await startServer(node(`${SERVER}; setTimeout(() => { ${write} }, 300)`), {
    ready: /^listening/,
  })
  expect(app.log.lines()).toEqual([
    '***',
    '***',
    '/cb?code=***&state=s',
    'Basic ***',
    'listening on it',
  ])
})

test('The log of an app gives the lines of a while, also one that comes a little late', async () => {
  const { app, ready } = await startServer(
    node(`let n = 0; ${server("{ console.log('visit', ++n); answer.end() }")}`),
  )
  // Output of the first look may still be on its way.
  await vi.waitFor(() => expect(app.log.lines()).toHaveLength(1))
  const stop = app.log.record()
  await read(ready)
  const lines = await stop()
  expect(lines).toEqual([expect.stringMatching(/^visit \d+$/)])
  await read(ready)
  expect(lines).toHaveLength(1)
})
