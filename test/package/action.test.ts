import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { auditReportSchema } from '../../src/audit/report/audit-report.ts'
import { ROOT, readRoot } from '../docs/page.ts'
import { makeScratchFolder } from '../docs/scratch-folder.ts'
import { folderWith } from '../support/folder-with.ts'
import { findFreePort } from '../support/free-port.ts'
import { packageOfRun } from '../support/run.ts'

type Texts = Readonly<Record<string, string>>

type Step = Readonly<
  Partial<Record<'id' | 'if' | 'run' | 'uses', string> & Record<'with' | 'env', Texts>>
>
type Described = Readonly<
  Record<string, Readonly<Record<'description' | 'default' | 'value', string>>>
>
type Action = Readonly<
  Record<'inputs' | 'outputs', Described> & { runs: { using: string; steps: readonly Step[] } }
>
const { inputs, outputs, runs }: Action = parse(readRoot('action.yml'))

/** A checkout of the action with these files; without any its sandbox is not built. */
function checkout(files: Texts = {}, atEnd?: typeof afterAll): string {
  const folder = folderWith(files, atEnd)
  symlinkSync(join(ROOT, '.ci'), join(folder, '.ci'))
  return folder
}

/** A checkout in which a program stands in the place of the sandbox. */
const checkoutWith = (program: string) =>
  checkout({ 'package.json': '{"type": "module"}', 'dist/bin.js': program })

/**
 * What a step finds in a runner of GitHub: the checkout of the action, the working folder and the
 * environment.
 */
type Runner = Readonly<{ action: string; cwd: string; env: Texts }>

/**
 * Runs the steps of the action with bash as GitHub does: after one that fails, only those that
 * always run.
 */
async function use(action: string, given: Texts, { cwd = makeScratchFolder(), env = {} } = {}) {
  const temp = folderWith({ output: '', summary: '' })
  const files = { GITHUB_OUTPUT: join(temp, 'output'), GITHUB_STEP_SUMMARY: join(temp, 'summary') }
  const port = String(await findFreePort())
  const settings = { AGEKEY_SANDBOX_PORT: port, AGEKEY_SANDBOX_STATE_DIR: 'none' }
  const runner = { action, cwd, env: { ...files, RUNNER_TEMP: temp, ...settings, ...env } }
  let code = 0
  let log = ''
  const used: Step[] = []
  for (const step of runs.steps) {
    if (code !== 0 && !step.if?.includes('always()')) continue
    if (step.uses !== undefined) used.push(step)
    if (step.run === undefined) continue
    const ended = await start(step, given, runner).ended
    code = ended.code
    log += ended.log
  }
  const written = readFileSync(files.GITHUB_OUTPUT, 'utf8').matchAll(/^(.+?)=(.*)$/gm)
  const outputs = Object.fromEntries([...written].map(([, name = '', value = '']) => [name, value]))
  return { code, log, used, outputs, summary: readFileSync(files.GITHUB_STEP_SUMMARY, 'utf8') }
}

function start({ run = '', env = {} }: Step, given: Texts, runner: Runner) {
  const filled = (text: string) =>
    text.replaceAll(
      /\$\{\{ inputs\.([a-z-]+) \}\}/g,
      (_, name: string) => given[name] ?? inputs[name]?.default ?? '',
    )
  const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', run], {
    cwd: runner.cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      GITHUB_ACTION_PATH: runner.action,
      ...Object.fromEntries(Object.entries(env).map(([name, text]) => [name, filled(text)])),
      ...runner.env,
    },
  })
  let log = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (log += text))
  const ended = once(child, 'close').then(([code]) => ({ code: Number(code), log }))
  return { child, ended }
}

const annotations = (log: string) =>
  log.split('\n').filter((line) => /^::(?:error|warning|notice) /.test(line))

/** The example app, careless when its check of the nonce is taken out. */
function startOf({ isCareless = false } = {}): string {
  const file = join(makeScratchFolder(), 'app.mjs')
  const code = readRoot('examples/express/app.js')
  const careless = code.replace('    payload.nonce === nonce &&\n', '')
  expect(careless).not.toBe(code)
  writeFileSync(file, isCareless ? careless : code)
  return `export AGE_BASE_URL={base_url} PORT={port}\nexec '${process.execPath}' '${file}'`
}

const url = 'http://localhost:{port}/verify'
const ROW = 'use/id_token.nonce_missing'
const built = checkout({}, afterAll)
cpSync(await packageOfRun(), built, { recursive: true, verbatimSymlinks: true })

test('The action passes an app that refuses, and says so in an annotation, the summary, three reports and its outputs', async () => {
  const only = `\n  ${ROW}\n  use/id_token.expired\n`
  const done = await use(built, { url, start: startOf(), only, 'fail-on': 'may' })
  const summary = expect.stringContaining('2 refused')
  expect(done, done.log).toMatchObject({ code: 0, summary, outputs: { 'exit-code': '0' } })
  const annotation = expect.stringMatching(
    /^::notice title=agekey-sandbox audit::passed: 2 refused/,
  )
  expect(annotations(done.log)).toEqual([annotation])
  const { json = '', junit = '', sarif = '', reports = '' } = done.outputs
  expect(
    auditReportSchema.parse(JSON.parse(readFileSync(json, 'utf8'))).rows.map(({ row }) => row),
  ).toContain(ROW)
  expect(readFileSync(junit, 'utf8')).toContain('failures="0"')
  expect(JSON.parse(readFileSync(sarif, 'utf8'))).toMatchObject({ runs: [{ results: [] }] })
  for (const file of [json, junit, sarif])
    expect(file.slice(0, reports.length + 1)).toBe(`${reports}/`)
})

test('The action fails for a wrong answer that comes in, names it everywhere, and still keeps the reports', async () => {
  const done = await use(built, { url, start: startOf({ isCareless: true }), only: ROW })
  const summary = expect.stringContaining(ROW)
  const used = [{ uses: expect.stringMatching(/^actions\/upload-artifact@/) }]
  expect(done, done.log).toMatchObject({ code: 1, summary, used, outputs: { 'exit-code': '1' } })
  expect(annotations(done.log)).toEqual([
    expect.stringMatching(
      /^::error title=agekey-sandbox audit::findings: use\/id_token\.nonce_missing; 1 let in/,
    ),
  ])
  const { junit = '', sarif = '' } = done.outputs
  expect(readFileSync(junit, 'utf8')).toContain('<failure ')
  expect(JSON.parse(readFileSync(sarif, 'utf8')).runs[0].results).toMatchObject([
    { ruleId: 'nonce' },
  ])
})

test('The action passes with a finding that is known, and takes further flags', async () => {
  const start = startOf({ isCareless: true })
  const known = `${ROW}: the app keeps no nonce: it is old`
  const done = await use(built, {
    url,
    start,
    only: ROW,
    known,
    flags: '--accepted text=Welcome\n--slow',
  })
  expect(done, done.log).toMatchObject({ code: 0, summary: expect.stringContaining('it is old') })
  expect(annotations(done.log)).toEqual([expect.stringMatching(/^::notice .*1 known/)])
})

test.each([
  [{}, 'the address of the app is missing: give the page where a user begins'],
  [{ url, known: ROW }, `--known: "${ROW}" is not a row, a colon and a reason`],
  [{ url, 'fail-on': 'shuld' }, '--fail-on: unknown fail_on "shuld". Did you mean "should"?'],
  [{ url, flags: '--acepted x' }, "unknown option '--acepted'"],
  [{ flags: 'accepted x' }, 'flags: "accepted x" is no flag; give one a line, as in --timeout 20'],
  [{ 'working-directory': 'web' }, 'working-directory: there is no folder web; give one'],
  [
    { url, start: 'echo "::x::%"; exit 3' },
    '--start: "echo \\"::x::%25\\"; exit 3" ended with code 3 before an answer of http:',
  ],
])(
  'The action with the inputs %j ends with 2, its annotation says what came and what to do',
  async (given, message) => {
    const done = await use(built, given)
    expect(done, done.log).toMatchObject({ code: 2, summary: '', outputs: { 'exit-code': '2' } })
    const annotation = `::error title=agekey-sandbox audit::nothing could be shown: ${message}`
    expect(annotations(done.log)).toEqual([expect.stringContaining(annotation)])
  },
)

test('The action reads agekey-audit.yaml in the working directory', async () => {
  const cwd = folderWith({
    'web/agekey-audit.yaml': 'app: http://localhost:3000/verify\nfail_no: must\n',
  })
  const done = await use(built, { 'working-directory': 'web' }, { cwd })
  expect(annotations(done.log)).toEqual([
    expect.stringContaining('agekey-audit.yaml:2: fail_no: unknown key'),
  ])
})

test('The action gives inputs to no shell but the one of start', async () => {
  const cwd = makeScratchFolder()
  const evil = '$(touch pwned)`touch pwned`"; touch pwned; \''
  const given = { url: evil, known: evil, only: evil, flags: `--accepted ${evil}`, 'fail-on': evil }
  expect(await use(built, given, { cwd })).toMatchObject({ code: 2 })
  expect(existsSync(join(cwd, 'pwned'))).toBe(false)
  expect(runs.steps.filter(({ run }) => run?.includes('${{'))).toEqual([])
})

/** A program that writes a report with these rows and ends. */
const ending = (
  code: number,
  rows: readonly object[],
  totals: object,
) => `import { writeFileSync } from 'node:fs'
writeFileSync(process.argv[process.argv.indexOf('--json') + 1], ${JSON.stringify(JSON.stringify({ rows, totals }))})
console.log('::error::of the app')
process.exitCode = ${code}`

const OPEN = { row: 'use/a', verdict: 'undetermined', counted: true }

test.each([
  [3, [OPEN], { undetermined: 1 }, /^::error .*::undetermined.* of use\/a;/],
  [2, [], {}, /^::error .*::nothing could be shown: /],
  [130, [], {}, /^::warning .*interrupted/],
])(
  'The action explains the code %d, and the app says nothing to the runner',
  async (code, rows, totals, annotation) => {
    const done = await use(checkoutWith(ending(code, rows, totals)), { url })
    expect(done, done.log).toMatchObject({ code, outputs: { 'exit-code': String(code) } })
    const [, token = ''] = /^::stop-commands::(\S+)$/m.exec(done.log) ?? []
    const [, heard = ''] = done.log.split(`\n::${token}::\n`)
    expect(annotations(heard)).toEqual([expect.stringMatching(annotation)])
    expect(heard).not.toContain('of the app')
  },
)

test('The action names ten findings that count and says how many more there are', async () => {
  const rows = Array.from({ length: 12 }, (_, index) => ({
    ...OPEN,
    row: `use/${index}`,
    counted: index > 0,
  }))
  const letIn = rows.map((row) => ({ ...row, verdict: 'let in' }))
  const { log } = await use(checkoutWith(ending(1, letIn, { 'let in': 12 })), { url })
  expect(log).toMatch(/::findings: use\/1, .*use\/10 and 1 more; 12 let in/)
})

test('The action passes the SIGINT of a cancelled job on, so that the command ends the app', async () => {
  const program = `process.on('SIGINT', () => { console.log('ended the app'); process.exit(130) })
    setInterval(() => {}, 1000)
    console.log('running')`
  const audit = runs.steps.find(({ id }) => id === 'audit')
  const temp = folderWith()
  const env = { RUNNER_TEMP: temp, GITHUB_OUTPUT: join(temp, 'output') }
  const { child, ended } = start(audit ?? {}, {}, { action: checkoutWith(program), cwd: temp, env })
  await new Promise<void>((resolve) => {
    child.stdout.on('data', (text) => /^running$/m.test(String(text)) && resolve())
  })
  child.kill('SIGINT')
  expect(await ended).toMatchObject({ code: 130, log: expect.stringContaining('ended the app') })
})

const BUILD =
  'case "$*" in "run bundle") mkdir dist && echo "process.exitCode = 130" > dist/bin.js;; esac'
const REMEDY = /^::error .*it takes Node 20\.19 or later \(actions\/setup-node before this step\)/m

test.each([
  [
    'is built from its commit without scripts of packages',
    BUILD,
    130,
    /^npm ci --ignore-scripts .*\nnpm run bundle\n/,
  ],
  ['that cannot be built is an annotation with the remedy', 'exit 1', 2, REMEDY],
])('The sandbox of the action %s', async (_what, script, code, said) => {
  const bin = makeScratchFolder()
  writeFileSync(join(bin, 'npm'), `#!/bin/sh\necho "npm $*"\n${script}\n`, { mode: 0o755 })
  const done = await use(checkout(), { url }, { env: { PATH: `${bin}:${process.env['PATH']}` } })
  expect(done).toMatchObject({ code, log: expect.stringMatching(said) })
})

test('The action explains its inputs and outputs, and keeps the reports also when the audit fails', () => {
  const reports = 'steps.audit.outputs.reports'
  const kept = { if: `\${{ always() && ${reports} != '' }}`, with: { path: `\${{ ${reports} }}` } }
  expect(runs.steps.find(({ uses }) => uses !== undefined)).toMatchObject(kept)
  expect(runs.using).toBe('composite')
  for (const { description } of Object.values({ ...inputs, ...outputs }))
    expect(description).toMatch(/^[A-Z0-9]/)
  for (const [name, { value }] of Object.entries(outputs))
    expect(value).toBe(`\${{ steps.audit.outputs.${name} }}`)
})

test('A workflow of this repository audits the example app, by inputs of the action that there are', () => {
  const { jobs }: { jobs: Record<string, { steps: readonly Step[] }> } = parse(
    readRoot('.github/workflows/ci.yml'),
  )
  const steps = Object.values(jobs).flatMap((job) => job.steps)
  const given = steps.find(({ uses }) => uses === './')?.with ?? {}
  expect(given['start']).toContain('node examples/express/app.js')
  expect(Object.keys(given).filter((name) => !(name in inputs))).toEqual([])
})
