import { createServer } from 'node:http'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type AppStart, findFreePort, startApp } from '../../../../src/cli/audit/app/start-app.ts'
import { createMask } from '../../../../src/sandbox/clients/mask.ts'

const PLACE = {
  place: 'agekey-audit.yaml:3: start',
  signal: new AbortController().signal,
  mask: createMask(['not-a-real-secret']),
}

/** A server that says what its environment has; as an argument of node it needs no quotes of a shell. */
const SERVER =
  "require('node:http').createServer((_, answer) => answer.end(process.env.GREETING)).listen(process.env.PORT, 'localhost')"

const read = async (url: string) => (await fetch(url)).text()

async function startServer(changes: Partial<AppStart> = {}) {
  const port = String(await findFreePort())
  const ready = `http://localhost:${port}/`
  const env = { PORT: port, GREETING: 'hello' }
  const app = await startApp({ run: [process.execPath, '-e', SERVER], page: ready, ready, env, ...changes }, PLACE)
  onTestFinished(() => app.stop())
  return { app, ready }
}

describe('An app that the audit starts', () => {
  test('answers, with the environment of the file, when the start is over', async () => {
    const { ready } = await startServer()
    expect(await read(ready)).toBe('hello')
  })

  test('is gone after stop, with the programs that it started', async () => {
    // A shell that waits for the server is the parent of it.
    const run = `"${process.execPath}" -e "${SERVER}"; echo over`
    const { app, ready } = await startServer({ run })
    expect(await read(ready)).toBe('hello')
    await app.stop()
    await expect(fetch(ready)).rejects.toThrow('fetch failed')
  })

  test('is gone after stop when it ignores SIGTERM', async () => {
    const { app, ready } = await startServer({
      run: [process.execPath, '-e', `process.on('SIGTERM', () => {}); ${SERVER}`],
    })
    await app.stop()
    await expect(fetch(ready)).rejects.toThrow('fetch failed')
  })

  test('that ends before it answers is one line with its last words', async () => {
    const run = [process.execPath, '-e', "console.error('no database\\n'); process.exit(3)"]
    await expect(startServer({ run })).rejects.toThrow(
      /^agekey-audit\.yaml:3: start: ".*" ended with code 3 before http:\/\/localhost:\d+\/ answered; it wrote: no database$/,
    )
  })

  test('whose command does not exist is one line', async () => {
    await expect(startServer({ run: ['agekey-no-such-program'] })).rejects.toThrow(
      /^agekey-audit\.yaml:3: start: "agekey-no-such-program" cannot be run \(ENOENT\) before http:\/\/localhost:\d+\/ answered$/,
    )
  })

  test('is not started where something answers already: that would be another app', async () => {
    const port = await findFreePort()
    const server = createServer((_, response) => response.end('another app'))
    await new Promise<void>((resolve) => server.listen(port, 'localhost', resolve))
    onTestFinished(() => void server.close())
    await expect(startServer({ ready: `http://localhost:${port}/` })).rejects.toThrow(
      `agekey-audit.yaml:3: start: http://localhost:${port}/ answers before the app was started; stop what runs there, or leave out start`,
    )
  })

  test('is stopped when the audit is interrupted while it starts', async () => {
    const stopping = new AbortController()
    const port = await findFreePort()
    const ready = `http://localhost:${port}/`
    const run = [
      process.execPath,
      '-e',
      `require('node:http').createServer((_, answer) => answer.writeHead(503).end()).listen(${port}, 'localhost')`,
    ]
    const started = startApp({ run, page: ready, ready, env: {} }, { ...PLACE, signal: stopping.signal })
    await expect
      .poll(
        () =>
          fetch(ready).then(
            ({ status }) => status,
            () => 0,
          ),
        { timeout: 10_000 },
      )
      .toBe(503)
    stopping.abort()
    await expect(started).rejects.toThrow('aborted')
    await expect(fetch(ready)).rejects.toThrow('fetch failed')
  })

  test('is up when a line of its log says so and its page answers', async () => {
    const run = [process.execPath, '-e', `${SERVER}; setTimeout(() => console.log('listening on it'), 300)`]
    const { app } = await startServer({ run, ready: /^listening/ })
    expect(app.log.lines()).toEqual(['listening on it'])
  })

  test('that listens at another port than {port} is one line with the remedy', async () => {
    const other = await findFreePort()
    const run = [
      process.execPath,
      '-e',
      `require('node:http').createServer((_, answer) => answer.end()).listen(${other}, 'localhost', () => console.log('http://localhost:${other}'))`,
    ]
    await expect(startServer({ run })).rejects.toThrow(
      new RegExp(
        `^agekey-audit\\.yaml:3: start: your app listens at port ${other}, not at \\d+, the \\{port\\} of this audit; give it to your app, as in env: \\{ PORT: '\\{port\\}' \\}; it wrote: http://localhost:${other}$`,
      ),
    )
  })

  test('that does not come up in time is one line with what it wrote', async () => {
    const run = [process.execPath, '-e', "console.log('waiting for the database'); setInterval(() => {}, 1000)"]
    const started = startApp(
      { run, page: 'http://localhost:9/', ready: /listening on/, env: {} },
      { ...PLACE, readySeconds: 1 },
    )
    await expect(started).rejects.toThrow(
      /^agekey-audit\.yaml:3: start: a line of its log like \/listening on\/ did not come within 1 seconds; it wrote: waiting for the database$/,
    )
  })
})

describe('The log of an app', () => {
  test('shows neither tokens nor secrets', async () => {
    const secret = 'not-a-real-secret'
    const lines = [
      `secret ${secret}`,
      'got eyJhbGciOiJub25lIn0.e30.c2ln',
      'GET /callback?code=abc123&state=s',
      'Basic YWs6c2s5ODc2NTQ=',
    ]
    const run = [
      process.execPath,
      '-e',
      `${SERVER}; for (const line of ${JSON.stringify(lines).replaceAll('"', "'")}) console.error(line)`,
    ]
    const { app } = await startServer({ run })
    await expect.poll(() => app.log.lines().length).toBe(4)
    expect(app.log.lines()).toEqual(['secret ***', 'got ***', 'GET /callback?code=***&state=s', 'Basic ***'])
  })

  test('gives the lines of a while, also one that comes a little late', async () => {
    const { app, ready } = await startServer({
      run: [
        process.execPath,
        '-e',
        "let n = 0; require('node:http').createServer((_, answer) => { console.log('visit', ++n); answer.end() }).listen(process.env.PORT, 'localhost')",
      ],
    })
    const stop = app.log.record()
    await read(ready)
    const lines = await stop()
    expect(lines).toEqual([expect.stringMatching(/^visit \d+$/)])
    await read(ready)
    expect(lines).toHaveLength(1)
  })
})
