import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { auditReportSchema } from '../../../src/sandbox/outcomes/audit-report.ts'
import { totalsOf } from '../../../src/sandbox/outcomes/report/totals.ts'
import { findFreePort } from '../../support/free-port.ts'
import { startSandbox } from '../../support/sandbox.ts'
import { buildCli } from '../built-cli.ts'
import { auditedRow, auditReport } from './reports/sample-report.ts'
import { startSmallApp } from './small-app.ts'

const { run, launch } = await buildCli()
const EXAMPLE = fileURLToPath(new URL('../../../examples/express/app.js', import.meta.url))

let cwd: string
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'agekey-audit-'))
})
afterEach(() => rmSync(cwd, { recursive: true }))

const write = (text: string) => writeFileSync(join(cwd, 'agekey-audit.yaml'), text)
const read = (name: string) => readFileSync(join(cwd, name), 'utf8')

/** Audits in the folder of the test, with keys in memory. */
const audit = (args: readonly string[], env: Record<string, string> = {}) =>
  run(['audit', '--state-dir', 'none', ...args], { cwd, env })

/** One row that every app refuses that checks the time, so that an audit takes a second. */
const ONE_ROW = ['--only', 'use/id_token.expired']

/** A port for the sandbox of an audit, and an app that uses it. */
async function prepare(options: { careful?: boolean; moody?: boolean } = {}) {
  const port = String(await findFreePort())
  const app = await startSmallApp(`http://localhost:${port}`, options)
  return { app, sandbox: ['--port', port], health: `http://localhost:${port}/_sandbox/health` }
}

describe('An audit', () => {
  test('starts a sandbox, says what it learned and how many rows there are, and ends with 0 for an app that refuses', async () => {
    const { app, sandbox, health } = await prepare()
    const { code, stdout, stderr } = await audit([app.page, ...sandbox, ...ONE_ROW])
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/^rows \d\/\d\n$/) })
    expect(stdout).toMatch(/^sandbox: http:\/\/localhost:\d+ \(started for this audit\)\nlearned:\n {2}use: yes is 200/)
    expect(stdout).toMatch(/\n\npassed: .*\d refused.*\n$/)
    await expect(fetch(health)).rejects.toThrow('fetch failed')
  })

  test('ends with 1 for a finding, and says how the row is run again', async () => {
    const { app, sandbox } = await prepare({ careful: false })
    const { code, stdout } = await audit([app.page, ...sandbox, '--accepted', 'text=Welcome', ...ONE_ROW])
    expect(code).toBe(1)
    expect(stdout).toMatch(/^let in use\/id_token\.expired /m)
    expect(stdout).toContain(
      `One row again: npx agekey-sandbox audit ${app.page} --accepted text=Welcome ${sandbox.join(' ')} --state-dir none --only use/id_token.expired\n`,
    )
    expect(stdout).toContain('To look at the flows in the console, start agekey-sandbox before the audit')
  })

  test('ends with 3 when nothing failed, and a row that counts is undetermined', async () => {
    const { app, sandbox } = await prepare({ moody: true })
    const { code, stdout } = await audit([app.page, ...sandbox, ...ONE_ROW, '--only', 'use/access_denied'])
    expect({ code, stdout }).toEqual({ code: 3, stdout: expect.stringContaining('undetermined 1 flaky') })
  })

  test('ends with 0 for a finding that the file knows, and with 1 for one that it knows and that is gone', async () => {
    const known = 'known:\n  - row: use/id_token.expired\n    because: the clock of this app is wrong\n'
    const careless = await prepare({ careful: false })
    write(`app: ${careless.app.page}\n${known}`)
    const { code, stdout } = await audit([...careless.sandbox, ...ONE_ROW])
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/1 known/) })
    const careful = await prepare()
    write(`app: ${careful.app.page}\n${known}`)
    const gone = await audit([...careful.sandbox, ...ONE_ROW])
    expect(gone).toMatchObject({ code: 1, stdout: expect.stringMatching(/1 stale/) })
  })

  test('uses a sandbox that runs already, whose console has the flows', async () => {
    const running = await startSandbox()
    const app = await startSmallApp(running.baseUrl, { careful: false })
    const sandbox = ['--port', new URL(running.baseUrl).port]
    const { code, stdout, stderr } = await audit([app.page, ...sandbox, ...ONE_ROW])
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.any(String) })
    expect(stdout).toContain(`sandbox: ${running.baseUrl} (it runs already)\n`)
    const [flow = ''] = /http\S+\/flows\/\S+/.exec(stdout) ?? []
    expect((await fetch(flow)).status).toBe(200)
  })

  test('uses a sandbox elsewhere', async () => {
    const controlToken = 'not-a-real-token'
    const running = await startSandbox({ controlToken })
    const app = await startSmallApp(running.baseUrl)
    const { code, stdout } = await audit([app.page, '--url', running.url, '--control-token', controlToken, ...ONE_ROW])
    expect(code).toBe(0)
    expect(stdout).toContain(`sandbox: ${running.baseUrl} (it runs already)\n`)
    expect(stdout).not.toContain(controlToken)
  })

  test('starts the app by the command of the file, on a free port', async () => {
    write(`app: http://localhost:{port}/verify
start:
  run: [${JSON.stringify(process.execPath)}, ${JSON.stringify(EXAMPLE)}]
  env: { PORT: '{port}', AGE_BASE_URL: '{base_url}' }
`)
    const sandbox = ['--port', String(await findFreePort())]
    const { code, stdout } = await audit([...sandbox, ...ONE_ROW, '--json', 'report.json'])
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('welcome you are 18') })
    expect(auditReportSchema.parse(JSON.parse(read('report.json'))).app).toBe('http://localhost:{port}/verify')
  })

  test('starts the app by --start, and takes what --known names for known', async () => {
    const start = `AGE_BASE_URL={base_url} PORT={port} "${process.execPath}" "${EXAMPLE}"`
    const known = 'use/id_token.expired: the clock of this app is wrong'
    const page = 'http://localhost:{port}/verify'
    const sandbox = ['--port', String(await findFreePort())]
    const { code, stdout } = await audit([page, '--start', start, '--known', known, ...sandbox, ...ONE_ROW])
    expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringMatching(/1 stale[\s\S]*--start 'AGE_BASE_URL=/) })
  })

  test('tells an app that a fixed port of its address is its own', async () => {
    const port = await findFreePort()
    write(`app: http://localhost:${port}/verify
start:
  run: '"${process.execPath}" "${EXAMPLE}"'
  env: { PORT: '{port}', AGE_BASE_URL: '{base_url}' }
`)
    expect(await audit(['--port', '0', ...ONE_ROW])).toMatchObject({ code: 0 })
  })
})

/** The example app, which takes a while to end by itself. */
const SLOW_TO_STOP = `import { writeFileSync } from 'node:fs'
process.on('SIGTERM', () => setTimeout(() => { writeFileSync('stopped.txt', 'by itself'); process.exit() }, 200))
await import(${JSON.stringify(EXAMPLE)})
`

describe('Ctrl-C', () => {
  test('ends an audit with 130, says what was found so far, and stops sandbox and app', async () => {
    const appPort = await findFreePort()
    const port = await findFreePort()
    writeFileSync(join(cwd, 'app.mjs'), SLOW_TO_STOP)
    write(`app: http://localhost:${appPort}/verify
start:
  run: '"${process.execPath}" app.mjs'
  env: { PORT: '{port}', AGE_BASE_URL: '{base_url}' }
`)
    const args = ['audit', '--port', String(port), '--state-dir', 'none', '--junit', 'audit.xml', '--jobs', '1']
    const { child, ended } = launch(args, { cwd })
    await new Promise<void>((resolve) => {
      child.stderr.on('data', (text) => /^rows /m.test(String(text)) && resolve())
      void ended.then(() => resolve())
    })
    // By npx it comes twice: from the terminal, and from npm.
    child.kill('SIGINT')
    setTimeout(() => child.kill('SIGINT'), 50)
    const { code, stdout } = await ended
    expect(code).toBe(130)
    expect(stdout).toMatch(/\d+ refused/)
    // What the interruption ended is no verdict.
    expect(stdout).not.toContain('timed_out')
    expect(stdout).toMatch(/\ninterrupted: this is what was found so far; no report is written\n$/)
    expect(existsSync(join(cwd, 'audit.xml'))).toBe(false)
    expect(read('stopped.txt')).toBe('by itself')
    await expect(fetch(`http://localhost:${appPort}/`)).rejects.toThrow('fetch failed')
    await expect(fetch(`http://localhost:${port}/`)).rejects.toThrow('fetch failed')
  })

  test('ends with 130 also while the app is still to come up', async () => {
    write(`app: http://localhost:{port}/\nstart: { run: sleep 100 }\n`)
    const { child, ended } = launch(['audit', '--port', '0', '--state-dir', 'none'], { cwd })
    await new Promise<void>((resolve) => child.stdout.once('data', () => resolve()))
    child.kill('SIGINT')
    expect(await ended).toMatchObject({
      code: 130,
      stdout: expect.stringMatching(/\ninterrupted: nothing was judged yet\n$/),
      stderr: '',
    })
  })
})

describe('Reports', () => {
  test('are written to the files that are named, and to the summary of a job', async () => {
    const { app, sandbox } = await prepare()
    const files = ['--json', 'a.json', '--junit', 'a.xml', '--sarif', 'a.sarif', '--markdown', 'a.md']
    const summary = join(cwd, 'summary.md')
    writeFileSync(summary, '# Earlier\n')
    const { code } = await audit([app.page, ...sandbox, ...ONE_ROW, ...files], { GITHUB_STEP_SUMMARY: summary })
    expect(code).toBe(0)
    expect(auditReportSchema.parse(JSON.parse(read('a.json'))).rows.map(({ row }) => row)).toEqual([
      'use/id_token.expired',
    ])
    expect(read('a.xml')).toMatch(/^<\?xml/)
    expect(JSON.parse(read('a.sarif'))).toMatchObject({ version: '2.1.0' })
    expect(read('a.md')).toContain('refused')
    expect(read('summary.md')).toMatch(/^# Earlier\n[\s\S]*refused/)
  })

  test('may go to standard output, where nothing else is written then', async () => {
    const { app, sandbox } = await prepare()
    const { code, stdout, stderr } = await audit([app.page, ...sandbox, ...ONE_ROW, '--json', '-'])
    expect(code).toBe(0)
    expect(auditReportSchema.parse(JSON.parse(stdout)).app).toBe(app.page)
    expect(stderr).toContain('learned:')
  })

  test('point at the line of the file that names the app, or at the code that reads the answers', async () => {
    const { app, sandbox } = await prepare({ careful: false })
    const places = async () => {
      expect((await audit([...sandbox, ...ONE_ROW, '--sarif', 'a.sarif'])).code).toBe(1)
      const [finding] = JSON.parse(read('a.sarif')).runs[0].results
      const { artifactLocation, region } = finding.locations[0].physicalLocation
      return { uri: artifactLocation.uri, line: region.startLine }
    }
    write(`fail_on: must\napp: ${app.page}\n`)
    expect(await places()).toEqual({ uri: 'agekey-audit.yaml', line: 2 })
    write(`app: ${app.page}\nuse: { source: src/verify.ts:12 }\n`)
    expect(await places()).toEqual({ uri: 'src/verify.ts', line: 12 })
  })
})

describe('--again', () => {
  test('looks at what failed or was undetermined in the last whole audit', async () => {
    const { app, sandbox } = await prepare({ careful: false })
    const whole = ['--skip', 'flow:create', '--skip', 'flow:par']
    expect((await audit([app.page, ...sandbox, '--jobs', '8', '--json', 'a.json'])).code).toBe(1)
    const first = auditReportSchema.parse(JSON.parse(read('a.json')))
    const failed = first.rows.filter(({ verdict }) => !GOOD.includes(verdict)).map(({ row }) => row)
    expect(failed).toContain('use/id_token.expired')
    expect(JSON.parse(read('.agekey-audit/last.json'))).toEqual(first)
    expect(statSync(join(cwd, '.agekey-audit/last.json')).mode & 0o777).toBe(0o600)
    expect(read('.agekey-audit/.gitignore')).toBe('*\n')

    // An audit of some rows says nothing about the others.
    await audit([app.page, ...sandbox, ...ONE_ROW])
    const rest = ['--skip', 'flow:use', ...whole]
    expect(await audit([app.page, ...sandbox, '--again', ...rest])).toMatchObject({ code: 2 })
    expect((await audit([app.page, ...sandbox, '--again', '--jobs', '8', '--json', 'b.json'])).code).toBe(1)
    const second = auditReportSchema.parse(JSON.parse(read('b.json')))
    expect(second.rows.map(({ row }) => row).toSorted()).toEqual(failed.toSorted())

    const kept = auditReportSchema.parse(JSON.parse(read('.agekey-audit/last.json')))
    expect(kept.rows.map(({ row }) => row)).toEqual(first.rows.map(({ row }) => row))
    const again = new Map(second.rows.map((row) => [row.row, row]))
    expect(kept.rows).toEqual(first.rows.map((row) => again.get(row.row) ?? row))
    expect({ totals: kept.totals, exit: kept.exit_code }).toEqual({ totals: totalsOf(kept.rows), exit: 1 })
    expect(kept.notes).toEqual([
      `${failed.length} of ${first.rows.length} rows were run again; the others are of audits before`,
    ])
  }, 60_000)

  test('is not needed where nothing can be written: an audit there ends as everywhere, with a warning', async () => {
    const { app, sandbox } = await prepare()
    writeFileSync(join(cwd, '.agekey-audit'), 'a file where the folder would be')
    // A file of reports is written all the same.
    const result = await audit([app.page, ...sandbox, '--jobs', '8', '--fail-on', 'none', '--junit', 'a.xml'])
    expect(result).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(
        /\nwarning: \.agekey-audit\/last\.json: cannot be written \(it is not a folder\); --again will not know this audit\n$/,
      ),
    })
    expect(read('a.xml')).toMatch(/^<\?xml/)
  }, 60_000)

  test.each([
    [
      'without an audit before',
      undefined,
      /^error: --again: there is no last audit in this folder; run it without --again first\n$/,
    ],
    [
      'after that of another app',
      auditReport([], { app: 'http://localhost:1/' }),
      /^error: --again: the last audit was of http:\/\/localhost:1\/, not of http:\/\/localhost:9\/; run it without --again first\n$/,
    ],
    [
      'when nothing is left',
      auditReport([auditedRow('use/verified', { verdict: 'accepted' })], { app: 'http://localhost:9/' }),
      /^error: --again: in the last audit of http:\/\/localhost:9\/ nothing failed or was undetermined; run it without --again\n$/,
    ],
    [
      'after a file that is broken',
      'x',
      /^error: --again: \.agekey-audit\/last\.json is not JSON: Unexpected token .*; run the audit without --again first\n$/,
    ],
    [
      'after a file of an earlier version, which held verdicts alone',
      { app: 'http://localhost:9/', rows: [{ row: 'use/verified', verdict: 'accepted' }] },
      /^error: --again: \.agekey-audit\/last\.json holds verdicts alone, as an earlier version kept them, and not the whole report; run the audit without --again first\n$/,
    ],
    [
      'after a file of another shape',
      { ...auditReport([]), seconds: 'x' },
      /^error: --again: \.agekey-audit\/last\.json is no report of agekey-sandbox audit: seconds: expected a number, found the text "x"; run the audit without --again first\n$/,
    ],
  ])('%s is one line and exit code 2', async (_, last, line) => {
    if (last !== undefined) {
      mkdirSync(join(cwd, '.agekey-audit'))
      writeFileSync(join(cwd, '.agekey-audit/last.json'), typeof last === 'string' ? last : JSON.stringify(last))
    }
    expect(await audit(['http://localhost:9/', '--again'])).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(line),
    })
  })
})

describe('--learn', () => {
  test('writes agekey-audit.yaml, by which the next call needs no address; it overwrites none', async () => {
    // One sandbox for all calls: the app keeps its key set.
    const running = await startSandbox()
    const app = await startSmallApp(running.baseUrl)
    const sandbox = ['--url', running.url]
    const { code, stdout } = await audit([app.page, ...sandbox, '--learn', '--accepted', 'text=Welcome'])
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('agekey-audit.yaml: written; ') })
    expect(read('agekey-audit.yaml')).toMatch(/^# yes: .*\n(?:# no: .*\n)+use:\n {2}accepted: text=Welcome\n/m)
    // Two good flows, two denials and two minors, and not every row of the catalogue.
    expect(app.callbacks()).toBeLessThan(30)
    expect(await audit([...sandbox, ...ONE_ROW])).toMatchObject({ code: 0 })

    const before = read('agekey-audit.yaml')
    expect(await audit([app.page, ...sandbox, '--learn'])).toEqual({
      code: 2,
      stdout: '',
      stderr: 'error: agekey-audit.yaml: is there already and stays as it is; move it away first\n',
    })
    expect(read('agekey-audit.yaml')).toBe(before)
  })
})

describe('--list', () => {
  test('shows rows with level and reference, most severe first, and needs no app', async () => {
    const { code, stdout, stderr } = await audit(['--list', '--only', 'use/id_token.*', '--skip', 'use/id_token.a*'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^use\/id_token\.expired {2,}must {2,}.*OpenID Connect Core 1\.0 section 3\.1\.3\.7/m)
    expect(stdout).not.toContain('use/id_token.a')
    expect(stdout).not.toMatch(/^create\//m)
    expect(stdout).toMatch(/\n\n\d+ rows, judged by catalogue \d\.\d\n$/)
  })

  test('prints JSON, and says which rows a version of the catalogue does not count', async () => {
    const { rows, catalogue } = JSON.parse((await audit(['--list', '--json', '-', '--catalogue', '0.1'])).stdout)
    expect(catalogue).toBe('0.1')
    expect(rows).toContainEqual({
      row: 'use/id_token.expired',
      family: expect.any(String),
      level: 'must',
      severity: expect.any(Number),
      summary: expect.any(String),
      refs: expect.any(Array),
      cwe: expect.arrayContaining([expect.stringMatching(/^CWE-\d+$/)]),
      since: '0.1',
      counted: true,
    })
    type Row = { since: string; counted: boolean }
    expect(rows.filter(({ since, counted }: Row) => counted !== (since === '0.1'))).toEqual([])
  })
})

describe('What cannot be audited is one line and exit code 2:', () => {
  test.each([
    ['no app', [], /the address of the app is missing: give the page/],
    ['an unknown flag', ['--xyz'], /unknown option '--xyz'; agekey-sandbox audit --help lists them/],
    ['a flag without its value', ['--accepted'], /--accepted: the value is missing; it takes <rule>: /],
    [
      'two pages',
      ['http://localhost:1/', 'http://localhost:2/'],
      /unexpected argument "http:\/\/localhost:2\/"; usage: agekey-sandbox audit \[options\] \[url\]/,
    ],
    ['a bad number', ['http://localhost:1/', '--jobs', 'many'], /--jobs: "many" is not a whole number from 1 to 32/],
    ['a bad setting', ['http://localhost:1/', '--port', 'http'], /--port: "http" is not a port/],
    [
      'an app beyond this machine',
      ['https://shop.example.com/'],
      /https:\/\/shop\.example\.com\/ is beyond this machine .*--this-app-is-mine/,
    ],
    [
      'an app that is not there',
      ['http://localhost:9/verify', '--port', '0'],
      /http:\/\/localhost:9\/verify: nothing answers; start your app first/,
    ],
    [
      'no sandbox at --url',
      ['http://localhost:1/', '--url', 'http://127.0.0.1:9'],
      /--url: http:\/\/127\.0\.0\.1:9: nothing answers there/,
    ],
  ])('%s', async (_, args, line) => {
    const { code, stderr } = await audit(args)
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(new RegExp(`^error: ${line.source}.*\n$`)),
    })
  })

  test('mistakes in the file, with their lines', async () => {
    write(
      'app: http://localhost:3000/verify\nknown:\n  - row: use/id_token.kid_emty\n    because: it is old\nfail_no: must\n',
    )
    expect(await audit([])).toEqual({
      code: 2,
      stdout: '',
      stderr: `error: agekey-audit.yaml:3: known: there is no row use/id_token.kid_emty. Did you mean use/id_token.kid_empty?
error: agekey-audit.yaml:5: fail_no: unknown key. Did you mean "fail_on"?
`,
    })
  })

  test('an app that does not start', async () => {
    write(`app: http://localhost:{port}/\nstart:\n  run: echo no database; exit 3\n`)
    const { code, stderr } = await audit(['--port', '0'])
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(
        /^error: agekey-audit\.yaml:2: start: "echo no database; exit 3" ended with code 3 before http:\/\/localhost:\d+\/ answered; it wrote: no database\n$/,
      ),
    })
  })
})

test('audit --help explains flags, exit codes and examples', async () => {
  const { code, stdout, stderr } = await run(['audit', '--help'])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  for (const text of ['--accepted <rule>', '--this-app-is-mine', 'Exit codes: 0 ', 'Examples:', '--port <number>'])
    expect(stdout).toContain(text)
})

/** Verdicts that `--again` leaves out. */
const GOOD: readonly string[] = ['refused', 'accepted', 'observed', 'not for this app', 'known']
