import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { auditReportSchema } from '../../../src/sandbox/outcomes/audit-report.ts'
import { findFreePort } from '../../support/free-port.ts'
import { startSandbox } from '../../support/sandbox.ts'
import { buildCli } from '../built-cli.ts'

const { run, launch } = await buildCli()
const EXAMPLE = fileURLToPath(new URL('../../../examples/express/app.js', import.meta.url))

let cwd: string
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'agekey-copies-'))
})
afterEach(() => rmSync(cwd, { recursive: true }))

const audit = (args: readonly string[]) => run(['audit', '--state-dir', 'none', ...args], { cwd })
const write = (name: string, text: string) => writeFileSync(join(cwd, name), text)
const readReport = () => auditReportSchema.parse(JSON.parse(readFileSync(join(cwd, 'report.json'), 'utf8')))

/** How each copy of the Express example is started, with what is run before it. */
function writeCopies({ before = '' } = {}): void {
  write('app.mjs', `${before}\nawait import(${JSON.stringify(EXAMPLE)})\n`)
  write(
    'agekey-audit.yaml',
    `app: http://localhost:{port}/verify
start:
  run: [${JSON.stringify(process.execPath)}, app.mjs]
  env: { PORT: '{port}', AGE_BASE_URL: '{base_url}' }
`,
  )
}

/** Takes down which copies there were. */
const NOTE_START = `import { appendFileSync } from 'node:fs'
appendFileSync('starts.txt', process.pid + ' ' + process.env.PORT + ' ' + process.env.AGE_BASE_URL + '\\n')`

const starts = () =>
  readFileSync(join(cwd, 'starts.txt'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split(' '))
    .map(([pid = '', port = '', baseUrl = '']) => ({ pid: Number(pid), port, baseUrl }))

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

const tenantsSchema = z.object({ tenants: z.array(z.object({ name: z.string() })) })

/** The names of the tenants of a sandbox. */
async function tenantsOf(baseUrl: string): Promise<string[]> {
  const answer = await fetch(`${baseUrl}/_sandbox/tenants`)
  return tenantsSchema.parse(await answer.json()).tenants.map(({ name }) => name)
}

describe('Copies of an app', () => {
  test('divide the rows among them, each on a port and a tenant of its own, and leave nothing behind', async () => {
    const sandbox = await startSandbox()
    writeCopies({ before: NOTE_START })
    const rows = ['--only', 'use/id_token.ex*', '--only', 'par/par.5*', '--jobs', '3']
    const { code, stderr } = await audit(['--url', sandbox.url, ...rows, '--json', 'report.json'])
    expect({ code, stderr }).toMatchObject({ code: 0 })
    const copies = starts()
    expect(copies).toHaveLength(3)
    expect(new Set(copies.map(({ port }) => port)).size).toBe(3)
    expect(new Set(copies.map(({ baseUrl }) => baseUrl)).size).toBe(3)
    for (const { baseUrl } of copies)
      expect(baseUrl).toMatch(new RegExp(`^${sandbox.baseUrl}/t/audit-[a-z0-9]+-[123]$`))
    const { rows: judged } = readReport()
    expect(judged.filter(({ verdict }) => !['refused', 'observed', 'accepted'].includes(verdict))).toEqual([])
    // The app writes why it refused.
    const expired = judged.find(({ row }) => row === 'use/id_token.expired')
    expect(expired?.log?.join('\n')).toMatch(/JWTExpired/)
    expect(await tenantsOf(sandbox.baseUrl)).toEqual(['default'])
    expect((await sandbox.flows.list()).length).toBe(0)
    for (const { pid } of copies) expect(isAlive(pid)).toBe(false)
  }, 60_000)

  test('are fewer than jobs when there are fewer rows', async () => {
    writeCopies({ before: NOTE_START })
    expect(await audit(['--port', '0', '--only', 'use/id_token.expired'])).toMatchObject({ code: 0 })
    expect(starts()).toHaveLength(1)
  })

  test('that die are started again once: only what that copy refused is void, and the report says so', async () => {
    // It ends itself at the 20th answer.
    writeCopies({
      before: `${NOTE_START}
import { existsSync, writeFileSync } from 'node:fs'
const isFirst = !existsSync('first.txt')
if (isFirst) writeFileSync('first.txt', '')
import http from 'node:http'
const { emit } = http.Server.prototype
let answers = 0
http.Server.prototype.emit = function (name, request, ...rest) {
  if (isFirst && name === 'request' && request.url.startsWith('/callback') && ++answers > 20) process.exit(7)
  return emit.call(this, name, request, ...rest)
}`,
    })
    const rows = ['--only', 'use/id_token.a*', '--only', 'use/id_token.i*', '--jobs', '2']
    const { code, stdout } = await audit(['--port', '0', ...rows, '--json', 'report.json'])
    const { rows: judged, notes } = readReport()
    expect(notes).toEqual([
      expect.stringMatching(
        /^after row \d+ copy 1 of your app no longer lets adult-passport in: nothing: .*; what it refused since the last good flow does not count; it was started again$/,
      ),
    ])
    expect({ code, stdout }).toMatchObject({ code: 3 })
    expect(starts()).toHaveLength(3)
    expect(judged.filter(({ reason }) => reason === 'control_lost').length).toBeGreaterThan(0)
    expect(judged.filter(({ verdict }) => verdict === 'refused').length).toBeGreaterThan(5)
    expect(judged.filter(({ verdict }) => verdict === 'broke')).toEqual([])
  }, 60_000)

  test('that ignore {base_url} are one line with the remedy', async () => {
    const sandbox = await startSandbox()
    writeCopies({ before: `process.env.AGE_BASE_URL = ${JSON.stringify(sandbox.baseUrl)}` })
    const { code, stderr } = await audit(['--url', sandbox.url, '--only', 'use/id_token.expired'])
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(
        /^error: GET \/verify goes to http:\S+\/v1\/oidc\/use, not to this sandbox; set your app's base URL to http:\S+\/t\/audit-\w+-1; in start that is \{base_url\}\n$/,
      ),
    })
    expect(await tenantsOf(sandbox.baseUrl)).toEqual(['default'])
  })

  test('that cannot run side by side are one line with the remedy', async () => {
    const port = await findFreePort()
    writeCopies({ before: `import { createServer } from 'node:net'\ncreateServer().listen(${port}, 'localhost')` })
    const { code, stderr } = await audit(['--port', '0', '--only', 'use/id_token.ex*', '--jobs', '2'])
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(
        /^error: agekey-audit\.yaml:2: start: ".*" ended with code 1 before http:\S+ answered; it wrote: .*EADDRINUSE.*; the first copy of your app did start: when copies cannot run side by side, give --jobs 1\n$/,
      ),
    })
  })
})

describe('An audit that is ended half-way', () => {
  test.each(['SIGINT', 'SIGTERM', 'SIGKILL'] as const)('by %s leaves no program behind', async (signal) => {
    const sandbox = await startSandbox()
    writeCopies({ before: NOTE_START })
    const { child, ended } = launch(['audit', '--url', sandbox.url, '--jobs', '2'], { cwd })
    await new Promise<void>((resolve) => {
      child.stderr.on('data', (text) => /^rows /m.test(String(text)) && resolve())
      void ended.then(() => resolve())
    })
    const copies = starts()
    expect(copies).toHaveLength(2)
    for (const { pid } of copies) expect(isAlive(pid)).toBe(true)
    child.kill(signal)
    await ended
    await expect.poll(() => copies.filter(({ pid }) => isAlive(pid)), { timeout: 10_000 }).toEqual([])
    for (const { port } of copies) await expect(fetch(`http://localhost:${port}/`)).rejects.toThrow('fetch failed')
    expect(existsSync(join(cwd, 'starts.txt'))).toBe(true)
    if (signal === 'SIGKILL') return
    expect(await tenantsOf(sandbox.baseUrl)).toEqual(['default'])
    expect(await sandbox.expectations.list()).toEqual([])
    const personas = await sandbox.personas.list()
    expect(personas.filter(({ name }) => name.startsWith('audit-'))).toEqual([])
  })
})
