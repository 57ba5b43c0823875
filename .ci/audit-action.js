// The step "Audit" of action.yml: runs the command with the inputs of the action, says in an annotation how it ended, and names the
// reports as outputs. The command itself writes the summary of the job. Inputs come as variables: INPUT_URL, INPUT_START ...
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { appendFileSync, existsSync, mkdtempSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

const { env } = process
const PROGRAM = join(env.GITHUB_ACTION_PATH, 'dist/bin.js')
/** The reports by the flag that writes them. */
const FILES = { json: 'audit.json', junit: 'audit.junit.xml', sarif: 'audit.sarif' }
const NOTHING_SHOWN = 2
const INTERRUPTED = 130
/** The verdicts that fail a job. */
const FINDINGS = ['let in', 'broke', 'too strict', 'stale']
const MAX_NAMED = 10
/** GitHub shows this many annotations of a kind for each step. */
const MAX_ANNOTATIONS = 10

const problems = inputProblems()
if (problems.length > 0) {
  setOutput('exit-code', NOTHING_SHOWN)
  annotateAll(problems)
  process.exit(NOTHING_SHOWN)
}
const folder = mkdtempSync(join(env.RUNNER_TEMP, 'agekey-audit-'))
const reports = Object.entries(FILES).map(([format, name]) => ({
  format,
  file: join(folder, name),
}))
const { code, errors } = await runAudit([
  'audit',
  ...wordOf('INPUT_URL'),
  ...linesOf('INPUT_FLAGS').flatMap(flagAndValue),
  ...wordOf('INPUT_START').flatMap((command) => ['--start', command]),
  ...linesOf('INPUT_KNOWN').flatMap((entry) => ['--known', entry]),
  ...wordOf('INPUT_FAIL_ON').flatMap((level) => ['--fail-on', level]),
  ...linesOf('INPUT_ONLY').flatMap((pattern) => ['--only', pattern]),
  ...reports.flatMap(({ format, file }) => [`--${format}`, file]),
])
const written = reports.filter(({ file }) => existsSync(file))
setOutput('exit-code', code)
if (written.length > 0) setOutput('reports', folder)
for (const { format, file } of written) setOutput(format, file)
explain()
process.exitCode = code

function inputProblems() {
  const cwd = folderOfApp()
  return [
    ...(statSync(cwd, { throwIfNoEntry: false })?.isDirectory()
      ? []
      : [
          `working-directory: there is no folder ${cwd}; give one of the checkout, or leave it out`,
        ]),
    ...linesOf('INPUT_FLAGS')
      .filter((line) => !line.startsWith('--'))
      .map(
        (line) => `flags: ${JSON.stringify(line)} is no flag; give one a line, as in --timeout 20`,
      ),
  ]
}

function folderOfApp() {
  return env.INPUT_WORKING_DIRECTORY || '.'
}

/** The input as one word of the command line; none when it is empty. */
function wordOf(name) {
  const text = env[name]?.trim() ?? ''
  return text === '' ? [] : [text]
}

function linesOf(name) {
  const lines = (env[name] ?? '').split('\n').map((line) => line.trim())
  return lines.filter((line) => line !== '')
}

/** `--accepted get=/me status=200` is a flag and its value. */
function flagAndValue(line) {
  const [, flag, value] = /^(\S+)\s*(.*)$/.exec(line)
  return value === '' ? [flag] : [flag, value]
}

/** What the command prints goes to the log of the job. */
async function runAudit(args) {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    cwd: folderOfApp(),
    env: { ...env, NO_COLOR: '1' },
    stdio: ['ignore', 'inherit', 'pipe'],
  })
  // A cancelled job gets SIGINT: the command then ends the app and the sandbox.
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill('SIGINT'))
  // The log holds what the app answered and wrote. It must not be read as commands to the runner.
  const token = randomUUID()
  process.stdout.write(`::stop-commands::${token}\n`)
  let stderr = ''
  child.stderr.on('data', (text) => {
    stderr += text
    process.stderr.write(text)
  })
  const code = await new Promise((resolve) => child.on('close', resolve))
  process.stdout.write(`\n::${token}::\n`)
  const errors = stderr
    .split('\n')
    .flatMap((line) => (line.startsWith('error: ') ? [line.slice('error: '.length)] : []))
  return { code: code ?? NOTHING_SHOWN, errors }
}

function explain() {
  if (code === INTERRUPTED)
    return annotate('warning', 'the audit was interrupted; there is no verdict')
  if (!written.some(({ format }) => format === 'json'))
    return annotateAll(errors.length > 0 ? errors : [`the audit ended with code ${code}`])
  const { totals, rows } = JSON.parse(readFileSync(join(folder, FILES.json), 'utf8'))
  const counts = Object.entries(totals).map(([verdict, count]) => `${count} ${verdict}`)
  const summary = `${counts.join(', ')}. The summary of the job says more`
  const named = (verdicts) =>
    namesOf(rows.filter(({ verdict, counted }) => counted && verdicts.includes(verdict)))
  if (code === 0) return annotate('notice', `passed: ${summary}`)
  if (code === 1) return annotate('error', `findings: ${named(FINDINGS)}; ${summary}`)
  if (code === 3)
    return annotate(
      'error',
      `undetermined, so that nothing is shown of ${named(['undetermined'])}; ${summary}`,
    )
  return annotateAll(errors.length > 0 ? errors : [summary])
}

function namesOf(rows) {
  const names = rows.slice(0, MAX_NAMED).map(({ row }) => row)
  return names.join(', ') + (rows.length > MAX_NAMED ? ` and ${rows.length - MAX_NAMED} more` : '')
}

function annotateAll(messages) {
  for (const message of messages.slice(0, MAX_ANNOTATIONS))
    annotate('error', `nothing could be shown: ${message}`)
}

function annotate(kind, message) {
  const text = message.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
  process.stdout.write(`::${kind} title=agekey-sandbox audit::${text}\n`)
}

function setOutput(name, value) {
  appendFileSync(env.GITHUB_OUTPUT, `${name}=${value}\n`)
}
