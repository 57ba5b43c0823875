import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import * as z from 'zod'
import { auditReportSchema } from '../../src/sandbox/outcomes/audit-report.ts'
import { makeScratchFolder } from '../docs/scratch-folder.ts'
import { buildPackage } from '../support/built-package.ts'
import { findFreePort } from '../support/free-port.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const WORKFLOWS = readdirSync(join(ROOT, '.github/workflows'))
const EXAMPLE = join(ROOT, 'examples/express/app.js')
const texts = z.record(z.string(), z.string())

const stepSchema = z.strictObject({
  name: z.string(),
  id: z.string().optional(),
  if: z.string().optional(),
  shell: z.string().optional(),
  run: z.string().optional(),
  uses: z.string().optional(),
  with: texts.optional(),
  env: texts.default({}),
})
type Step = z.infer<typeof stepSchema>

const { inputs, outputs, runs } = z
  .object({
    inputs: z.record(z.string(), z.object({ description: z.string(), default: z.string().optional() })),
    outputs: z.record(z.string(), z.object({ description: z.string(), value: z.string() })),
    runs: z.object({ using: z.literal('composite'), steps: z.array(stepSchema) }),
  })
  .parse(parse(readFileSync(join(ROOT, 'action.yml'), 'utf8')))

const workflowSchema = z.object({
  jobs: z.record(
    z.string(),
    z.object({
      steps: z.array(
        z.looseObject({ uses: z.string().optional(), with: z.record(z.string(), z.unknown()).optional() }),
      ),
    }),
  ),
})

/** A checkout of the action whose sandbox is built; with `program` that stands in the place of it. */
async function checkout(program?: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'agekey-action-'))
  const remove = () => rmSync(folder, { recursive: true })
  symlinkSync(join(ROOT, '.ci'), join(folder, '.ci'))
  if (program === undefined) {
    afterAll(remove)
    await buildPackage(folder)
    return folder
  }
  onTestFinished(remove)
  mkdirSync(join(folder, 'dist'))
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}')
  writeFileSync(join(folder, 'dist/bin.js'), program)
  return folder
}

/** What a step finds in a runner of GitHub. */
interface Runner {
  readonly action: string
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

/** Runs the steps of the action with bash as GitHub does: after one that fails, only those that always run. */
async function use(
  action: string,
  given: Readonly<Record<string, string>>,
  { cwd = makeScratchFolder(), env = {} } = {},
) {
  const temp = makeScratchFolder()
  const files = { GITHUB_OUTPUT: join(temp, 'output'), GITHUB_STEP_SUMMARY: join(temp, 'summary') }
  for (const file of Object.values(files)) writeFileSync(file, '')
  const port = String(await findFreePort())
  const settings = { AGEKEY_SANDBOX_PORT: port, AGEKEY_SANDBOX_STATE_DIR: 'none' }
  const runner = { action, cwd, env: { ...files, RUNNER_TEMP: temp, ...settings, ...env } }
  const stepOutputs = () => Object.fromEntries(readFileSync(files.GITHUB_OUTPUT, 'utf8').trim().split('\n').map(toPair))
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
  return { code, log, used, outputs: stepOutputs(), summary: readFileSync(files.GITHUB_STEP_SUMMARY, 'utf8') }
}

function start({ run = '', env }: Pick<Step, 'run' | 'env'>, given: Readonly<Record<string, string>>, runner: Runner) {
  const filled = (text: string) =>
    text.replaceAll(/\$\{\{ inputs\.([a-z-]+) \}\}/g, (_, name: string) => given[name] ?? inputs[name]?.default ?? '')
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

const toPair = (line: string): [string, string] => {
  const [name = '', ...value] = line.split('=')
  return [name, value.join('=')]
}

const annotations = (log: string) => log.split('\n').filter((line) => /^::(?:error|warning|notice) /.test(line))

/** The example app, careless when its check of the nonce is taken out. */
function startOf({ isCareless = false } = {}): string {
  const file = join(makeScratchFolder(), 'app.mjs')
  const code = readFileSync(EXAMPLE, 'utf8')
  const careless = code.replace('    payload.nonce === nonce &&\n', '')
  expect(careless).not.toBe(code)
  writeFileSync(file, isCareless ? careless : code)
  return `export AGE_BASE_URL={base_url} PORT={port}\nexec '${process.execPath}' '${file}'`
}

const URL_OF_APP = 'http://localhost:{port}/verify'
const ROW = 'use/id_token.nonce_missing'
const built = await checkout()

describe('The action', () => {
  test('passes an app that refuses, and says so in an annotation, the summary, three reports and its outputs', async () => {
    const only = `\n  ${ROW}\n  use/id_token.expired\n`
    const done = await use(built, { url: URL_OF_APP, start: startOf(), only, 'fail-on': 'may' })
    expect(done, done.log).toMatchObject({ code: 0 })
    expect(annotations(done.log)).toEqual([
      expect.stringMatching(/^::notice title=agekey-sandbox audit::passed: 2 refused/),
    ])
    expect(done.summary).toContain('2 refused')
    expect(done.outputs).toMatchObject({ 'exit-code': '0' })
    const { json = '', junit = '', sarif = '', reports = '' } = done.outputs
    expect(auditReportSchema.parse(JSON.parse(readFileSync(json, 'utf8'))).rows.map(({ row }) => row)).toContain(ROW)
    expect(readFileSync(junit, 'utf8')).toContain('failures="0"')
    expect(JSON.parse(readFileSync(sarif, 'utf8'))).toMatchObject({ runs: [{ results: [] }] })
    for (const file of [json, junit, sarif]) expect(file.startsWith(`${reports}/`)).toBe(true)
  })

  test('fails for a wrong answer that comes in, names it everywhere, and still keeps the reports', async () => {
    const done = await use(built, { url: URL_OF_APP, start: startOf({ isCareless: true }), only: ROW })
    expect(done, done.log).toMatchObject({ code: 1, outputs: { 'exit-code': '1' } })
    expect(annotations(done.log)).toEqual([
      expect.stringMatching(/^::error title=agekey-sandbox audit::findings: use\/id_token\.nonce_missing; 1 let in/),
    ])
    expect(done.summary).toContain(ROW)
    const { junit = '', sarif = '' } = done.outputs
    expect(readFileSync(junit, 'utf8')).toContain('<failure ')
    expect(JSON.parse(readFileSync(sarif, 'utf8')).runs[0].results).toMatchObject([{ ruleId: ROW }])
    expect(done.used.map(({ uses }) => uses)).toEqual([expect.stringMatching(/^actions\/upload-artifact@/)])
  })

  test('passes with a finding that is known, and takes further flags', async () => {
    const start = startOf({ isCareless: true })
    const known = `${ROW}: the app keeps no nonce: it is old`
    const flags = '--accepted text=Welcome\n--slow'
    const done = await use(built, { url: URL_OF_APP, start, only: ROW, known, flags })
    expect(done, done.log).toMatchObject({ code: 0, summary: expect.stringContaining('it is old') })
    expect(annotations(done.log)).toEqual([expect.stringMatching(/^::notice .*1 known/)])
  })

  test.each([
    ['without url and file', {}, 'the address of the app is missing: give the page where a user begins'],
    [
      'with a url that is none',
      { url: 'localhost' },
      '"localhost" is not an address like http://localhost:3000/verify',
    ],
    ['with an unknown row in only', { url: URL_OF_APP, only: 'use/nonce' }, '--only: "use/nonce" names no row'],
    [
      'with a known row without reason',
      { url: URL_OF_APP, known: ROW },
      `--known: "${ROW}" is not a row, a colon and a reason`,
    ],
    ['with an unknown row in known', { url: URL_OF_APP, known: 'use/nonce: x' }, '--known: there is no row use/nonce.'],
    [
      'with an unknown level',
      { url: URL_OF_APP, 'fail-on': 'shuld' },
      '--fail-on: there is no level "shuld". Did you mean "should"?',
    ],
    ['with an unknown flag', { url: URL_OF_APP, flags: '--acepted x' }, "unknown option '--acepted'"],
    [
      'with a flag that is none',
      { flags: 'accepted x' },
      'flags: "accepted x" is no flag; give one a line, as in --timeout 20',
    ],
    [
      'with a folder that is not there',
      { 'working-directory': 'web' },
      'working-directory: there is no folder web; give one',
    ],
    [
      'with a start that fails',
      { url: URL_OF_APP, start: 'echo "::add-mask::100%"; exit 3' },
      '--start: "echo \\"::add-mask::100%25\\"; exit 3" ended with code 3 before http://localhost:',
    ],
  ])('%s ends with 2, and says in an annotation what was received and what to do', async (_, given, message) => {
    const done = await use(built, given)
    expect(done, done.log).toMatchObject({ code: 2, summary: '', outputs: { 'exit-code': '2' } })
    const lines = annotations(done.log)
    expect(lines[0]).toContain(`::error title=agekey-sandbox audit::nothing could be shown: ${message}`)
    expect(lines).toHaveLength(1)
  })

  test('reads agekey-audit.yaml in the working directory', async () => {
    const cwd = makeScratchFolder()
    mkdirSync(join(cwd, 'web'))
    writeFileSync(join(cwd, 'web/agekey-audit.yaml'), 'app: http://localhost:3000/verify\nfail_no: must\n')
    const done = await use(built, { 'working-directory': 'web' }, { cwd })
    expect(annotations(done.log)).toEqual([expect.stringContaining('agekey-audit.yaml:2: fail_no: unknown key')])
  })

  test('gives inputs to no shell but the one of start', async () => {
    const cwd = makeScratchFolder()
    const evil = '$(touch pwned)`touch pwned`"; touch pwned; \''
    const given = { url: evil, known: evil, only: evil, flags: `--accepted ${evil}`, 'fail-on': evil }
    expect(await use(built, given, { cwd })).toMatchObject({ code: 2 })
    expect(existsSync(join(cwd, 'pwned'))).toBe(false)
    expect(runs.steps.filter(({ run }) => run?.includes('${{'))).toEqual([])
  })
})

/** A program that writes a report with these rows and ends. */
const ending = (code: number, rows: readonly object[], totals: object) => `import { writeFileSync } from 'node:fs'
writeFileSync(process.argv[process.argv.indexOf('--json') + 1], ${JSON.stringify(JSON.stringify({ rows, totals }))})
console.log('::error::of the app')
process.exitCode = ${code}`

describe('The action, however the command ends,', () => {
  test.each([
    [
      3,
      [{ row: 'use/a', verdict: 'undetermined', counted: true }],
      { undetermined: 1 },
      /^::error .*::undetermined.* of use\/a;/,
    ],
    [2, [], {}, /^::error .*::nothing could be shown: /],
    [130, [], {}, /^::warning .*interrupted/],
  ])('with code %d explains it, and lets the app say nothing to the runner', async (code, rows, totals, annotation) => {
    const done = await use(await checkout(ending(code, rows, totals)), { url: URL_OF_APP })
    expect(done, done.log).toMatchObject({ code, outputs: { 'exit-code': String(code) } })
    const [, token = ''] = /^::stop-commands::(\S+)$/m.exec(done.log) ?? []
    const [, heard = ''] = done.log.split(`\n::${token}::\n`)
    expect(annotations(heard)).toEqual([expect.stringMatching(annotation)])
    expect(heard).not.toContain('of the app')
  })

  test('names ten findings that count and says how many more there are', async () => {
    const rows = Array.from({ length: 12 }, (_, index) => ({
      row: `use/${index}`,
      verdict: 'let in',
      counted: index > 0,
    }))
    const { log } = await use(await checkout(ending(1, rows, { 'let in': 12 })), { url: URL_OF_APP })
    expect(log).toMatch(/::findings: use\/1, .*use\/10 and 1 more; 12 let in/)
  })

  test('passes the SIGINT of a cancelled job on, so that the command ends the app', async () => {
    const program = `process.on('SIGINT', () => { console.log('ended the app'); process.exit(130) })
      setInterval(() => {}, 1000)
      console.log('running')`
    const audit = runs.steps.find(({ id }) => id === 'audit')
    const temp = makeScratchFolder()
    const env = { RUNNER_TEMP: temp, GITHUB_OUTPUT: join(temp, 'output') }
    const { child, ended } = start(audit ?? { env: {} }, {}, { action: await checkout(program), cwd: temp, env })
    await new Promise<void>((resolve) => {
      child.stdout.on('data', (text) => /^running$/m.test(String(text)) && resolve())
    })
    child.kill('SIGINT')
    expect(await ended).toMatchObject({ code: 130, log: expect.stringContaining('ended the app') })
  })
})

describe('The sandbox of the action', () => {
  /** An npm that builds, or fails. */
  function fakeNpm(script: string) {
    const bin = makeScratchFolder()
    writeFileSync(join(bin, 'npm'), `#!/bin/sh\necho "npm $*"\n${script}\n`)
    chmodSync(join(bin, 'npm'), 0o755)
    return { PATH: `${bin}:${process.env['PATH']}` }
  }
  const unbuilt = async () => {
    const folder = await checkout('process.exitCode = 2')
    rmSync(join(folder, 'dist'), { recursive: true })
    return folder
  }

  test('is built from the commit of the action, without scripts of packages', async () => {
    const build = 'case "$*" in "run bundle") mkdir dist && echo "process.exitCode = 130" > dist/bin.js;; esac'
    const { code, log } = await use(await unbuilt(), { url: URL_OF_APP }, { env: fakeNpm(build) })
    expect(log).toMatch(/^npm ci --ignore-scripts .*\nnpm run bundle\n/)
    expect(code).toBe(130)
  })

  test('that cannot be built is an annotation with the remedy', async () => {
    const { code, log } = await use(await unbuilt(), { url: URL_OF_APP }, { env: fakeNpm('exit 1') })
    expect(code).toBe(2)
    expect(annotations(log)).toEqual([
      expect.stringContaining('it takes Node 20.19 or later (actions/setup-node before this step)'),
    ])
  })
})

describe('The files around the action', () => {
  test('use every other action at a commit, with its version behind it', () => {
    const pages = ['action.yml', ...WORKFLOWS.map((name) => `.github/workflows/${name}`)].map((name) =>
      readFileSync(join(ROOT, name), 'utf8'),
    )
    const actions = pages.flatMap((text) => [...text.matchAll(/uses: (?!\.\/)(.*)/g)].map(([, used]) => used))
    expect(actions.length).toBeGreaterThan(4)
    expect(actions.filter((used = '') => !/^\S+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(used))).toEqual([])
  })

  test('keep the reports also when the audit fails, under the outputs that there are', () => {
    const keep = runs.steps.find(({ uses }) => uses !== undefined)
    expect(keep?.if).toBe(`\${{ always() && steps.audit.outputs.reports != '' }}`)
    expect(keep?.with?.['path']).toBe(`\${{ steps.audit.outputs.reports }}`)
    for (const [name, { value }] of Object.entries(outputs)) expect(value).toBe(`\${{ steps.audit.outputs.${name} }}`)
  })

  test('audit the example app in a workflow of this repository, by inputs that there are', () => {
    const { jobs } = workflowSchema.parse(parse(readFileSync(join(ROOT, '.github/workflows/ci.yml'), 'utf8')))
    const step = Object.values(jobs)
      .flatMap(({ steps }) => steps)
      .find(({ uses }) => uses === './')
    expect(step?.with?.['start']).toContain('node examples/express/app.js')
    expect(Object.keys(step?.with ?? {}).filter((name) => !(name in inputs))).toEqual([])
  })
})
