import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { auditReportSchema } from '../../../../src/audit/report/audit-report.ts'
import { auditedRow, auditReport } from '../../../audit/report/sample-report.ts'
import { findFreePort } from '../../../support/free-port.ts'
import { startSandbox } from '../../../support/sandbox.ts'
import { buildCli, type RunOptions } from '../built-cli.ts'
import {
  exampleAfter,
  reportIn,
  startSmallApp,
  tenantsOf,
  useScratchFolder,
  writeStart,
} from './audit-in-process.ts'

const cli = await buildCli()

// About the built command: its first lines, its exit codes, how it ends, and that its flags reach
// the audit.
useScratchFolder()

const read = (name: string) => readFileSync(name, 'utf8')
/** Runs, or starts, a command in the folder of the test. */
const launch = (args: readonly string[], options: RunOptions = {}) =>
  cli.launch(args, { cwd: process.cwd(), ...options })
const run = (args: readonly string[], options?: RunOptions) => launch(args, options).ended

const ONE_ROW = ['--only', 'use/id_token.expired']
const IN_MEMORY = ['--state-dir', 'none']

test('audit ends with 1 for a finding', async () => {
  const port = String(await findFreePort())
  const page = await startSmallApp(`http://localhost:${port}`, { exp: 'ignored' })
  writeFileSync('summary.md', '# Earlier\n')
  const files = ['--json', 'a.json', '--junit', 'a.xml', '--sarif', 'a.sarif', '--markdown', 'a.md']
  const args = [
    'audit',
    page,
    '--accepted',
    'text=Welcome',
    '--port',
    port,
    ...IN_MEMORY,
    ...ONE_ROW,
    ...files,
  ]
  const { code, stdout, stderr } = await run(args, {
    env: { GITHUB_STEP_SUMMARY: join(process.cwd(), 'summary.md') },
  })
  expect({ code, stderr }).toEqual({ code: 1, stderr: 'rows 2/2, 1 let in\n' })
  expect(stdout).toMatch(
    /^sandbox: http:\/\/localhost:\d+ \(started for this audit\)\nlearned:\n {2}use: yes: 200/,
  )
  expect(stdout).toMatch(/^missing expiry \(1 row, must, severity 7\.4\)$/m)
  expect(stdout).toContain(
    `One row again: npx agekey-sandbox audit ${page} --accepted text=Welcome --port ${port} --state-dir none --only use/id_token.expired\n`,
  )
  expect(stdout).toContain(
    'To look at the flows in the console, start agekey-sandbox before the audit',
  )
  await expect(fetch(`http://localhost:${port}/_sandbox/health`)).rejects.toThrow('fetch failed')
  expect(reportIn('a.json').rows).toMatchObject([{ row: 'use/id_token.expired' }])
  expect(read('a.xml')).toMatch(/^<\?xml/)
  expect(JSON.parse(read('a.sarif'))).toMatchObject({ version: '2.1.0' })
  expect(read('a.md')).toContain('let in')
  expect(read('summary.md')).toMatch(/^# Earlier\n[\s\S]*let in/)
}, 180_000)

test('audit --again uses a sandbox elsewhere by its control token', async () => {
  const controlToken = 'not-a-real-token'
  const running = await startSandbox({ controlToken })
  const page = await startSmallApp(running.baseUrl)
  const earlier = ['use/id_token.expired', 'use/access_denied'].map((row) =>
    auditedRow(row, { verdict: 'let in' }),
  )
  mkdirSync('.agekey-audit')
  writeFileSync('.agekey-audit/last.json', JSON.stringify(auditReport(earlier, { app: page })))
  const args = [
    'audit',
    page,
    '--again',
    '--url',
    running.baseUrl,
    '--control-token',
    controlToken,
    '--json',
    '-',
  ]
  const { code, stdout, stderr } = await run(args)
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('learned:') })
  expect(stderr).toContain(`sandbox: ${running.baseUrl} (it runs already)\n`)
  expect(stdout + stderr).not.toContain(controlToken)
  const report = auditReportSchema.parse(JSON.parse(stdout))
  const verdicts = report.rows.map(({ row, verdict }) => `${row} ${verdict}`).toSorted()
  expect(verdicts).toEqual(['use/access_denied refused', 'use/id_token.expired refused'])
  expect(JSON.parse(read('.agekey-audit/last.json'))).toMatchObject({
    exit_code: 0,
    totals: { refused: 2 },
  })
})

/** Waits for a line of a running program. */
const lineOf = (stream: NodeJS.ReadableStream, pattern: RegExp) =>
  new Promise<void>((resolve) =>
    stream.on('data', (text) => pattern.test(String(text)) && resolve()),
  )

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** The command takes a while to end by itself. */
const SLOW_END = `import { appendFileSync } from 'node:fs'
const note = (text) => appendFileSync('copies.txt', process.pid + ' ' + text + '\\n')
note('begins')
process.on('SIGTERM', () => setTimeout(() => { note('ends by itself'); process.exit() }, 200))`

/** Starts two copies of the Express example and waits for the first rows. */
async function launchCopies() {
  const sandbox = await startSandbox()
  writeStart(exampleAfter(SLOW_END))
  const args = ['audit', '--url', sandbox.baseUrl, '--jobs', '2', '--junit', 'audit.xml']
  const { child, ended } = launch(args)
  await Promise.race([lineOf(child.stderr, /^rows /m), ended])
  const copies = read('copies.txt').trim().split('\n').map(Number.parseFloat)
  expect(copies.map(isAlive)).toEqual([true, true])
  return { sandbox, child, ended, copies }
}

test('Ctrl-C ends an audit with 130', async () => {
  const { sandbox, child, ended, copies } = await launchCopies()
  // By npx the signal comes twice: from the terminal, and from npm.
  child.kill('SIGINT')
  setTimeout(() => child.kill('SIGINT'), 50)
  const { code, stdout } = await ended
  expect(code).toBe(130)
  expect(stdout).toMatch(/\d+ refused/)
  // A visit that was interrupted has no verdict.
  expect(stdout).not.toContain('timed_out')
  expect(stdout).toMatch(/\ninterrupted: this is what was found so far; no report is written\n$/)
  expect(existsSync('audit.xml')).toBe(false)
  expect(copies.map(isAlive)).toEqual([false, false])
  expect(read('copies.txt').match(/ends by itself/g)).toHaveLength(2)
  expect(await tenantsOf(sandbox)).toEqual(['default'])
  expect(await sandbox.expectations.list()).toEqual([])
  expect((await sandbox.personas.list()).filter(({ name }) => name.startsWith('audit-'))).toEqual(
    [],
  )
}, 180_000)

test('An audit that is killed leaves no program behind', async () => {
  const { child, ended, copies } = await launchCopies()
  child.kill('SIGKILL')
  await ended
  await expect.poll(() => copies.filter(isAlive), { timeout: 10_000 }).toEqual([])
}, 180_000)

test('Ctrl-C ends an audit with 130 while the app is still to come up', async () => {
  writeFileSync('agekey-audit.yaml', 'app: http://localhost:{port}/\nstart: { run: sleep 100 }\n')
  const { child, ended } = launch(['audit', '--port', '0', ...IN_MEMORY])
  await lineOf(child.stdout, /^sandbox: /)
  child.kill('SIGINT')
  const stdout = expect.stringMatching(/\ninterrupted: nothing was judged yet\n$/)
  expect(await ended).toEqual({ code: 130, stdout, stderr: '' })
})

const MISTAKES = `error: agekey-audit.yaml:3: known[0].row: there is no row use/id_token.kid_emty. Did you mean use/id_token.kid_empty?
error: agekey-audit.yaml:5: fail_no: unknown key. Did you mean "fail_on"?
`

test('audit ends with 2 when agekey-audit.yaml has mistakes', async () => {
  const known = 'known:\n  - row: use/id_token.kid_emty\n    because: it is old'
  writeFileSync('agekey-audit.yaml', `app: http://localhost:3000/verify\n${known}\nfail_no: must\n`)
  expect(await run(['audit'])).toEqual({ code: 2, stdout: '', stderr: MISTAKES })
})
