import { readFileSync } from 'node:fs'
import { messageOf } from '../../files/caught.ts'
import type { AuditedRow, AuditReport } from '../../sandbox/outcomes/audit-report.ts'
import type { OutcomeFlow } from '../../sandbox/outcomes/outcome.ts'
import { checksOf } from '../../sandbox/outcomes/report/checks-of.ts'
import { LAST_AUDIT } from '../../sandbox/outcomes/report/read-report.ts'
import { findLibrary } from '../../sandbox/outcomes/report/remedies.ts'
import { summarise } from '../../sandbox/outcomes/report/totals.ts'
import { DEFAULT_JOBS, learnPages, runAudit } from '../audit.ts'
import { type AppCopies, appAt } from '../drive/audited-app.ts'
import type { AuditOptions } from '../options.ts'
import { selectRows } from '../plan/select-rows.ts'
import { auditReadings } from '../readings/audit-readings.ts'
import { createCopies } from './app-copies.ts'
import {
  AUDIT_FILE,
  type AuditFile,
  readAuditFile,
  requireKnownNames,
  requireNoAuditFile,
  writeAuditFile,
} from './audit-file.ts'
import { createAgentChoice } from './choose-agent.ts'
import { askByHttp, type FoundAgain, findVerifications } from './find-verifications.ts'
import { keepReadings, keepRun, readUnsettled, renewRun } from './last-run.ts'
import { listRows } from './list-rows.ts'
import { type OpenSandbox, openSandbox, preflight, type SandboxHost } from './open-sandbox.ts'
import { type AuditPlan, planAudit, portOf } from './plan.ts'
import { createProgress, type ProgressView } from './progress.ts'
import {
  type AuditSettings,
  type GivenFlags,
  modeOf,
  type ReportFormat,
  readFlags,
  sameCall,
  settle,
} from './settings.ts'
import { findFreePort, type ProgramHost } from './start-app.ts'

/** What the command line hands in: an audit neither prints nor starts a server by itself. */
export interface AuditHost extends ProgramHost, SandboxHost {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The flags of the sandbox, as they are typed. */
  readonly words: readonly string[]
  readonly progress: ProgressView
  /** Writes a line of the answer, or beside it when a report goes to standard output. */
  say(line: string): void
  warn(message: string): void
  /** Makes control characters visible. */
  visible(text: string): string
  alignColumns(rows: readonly (readonly string[])[]): string[]
  /** Aborted by Ctrl-C, from the first call on. */
  interruption(): AbortSignal
  /** The report for people. */
  render(report: AuditReport, texts: { console?: string | undefined; command: string }): readonly string[]
  /** Writes the reports that have a target. @throws ConfigError with a line for each file that cannot be written */
  writeReports(report: AuditReport, targets: ReportTargets, context: ReportContext): void
  /** Writes a text to the file of `--json`. */
  writeJson(file: string, text: string): void
}

/** Files that reports are written to; `-` is standard output. `summaryFile` is appended to. */
type ReportTargets = Readonly<Partial<Record<ReportFormat | 'summaryFile', string | undefined>>>

interface ReportContext {
  /** The address of the console: `http://localhost:2435/_sandbox/console`. */
  readonly console?: string | undefined
  /** The code that reads the answers of a flow. */
  source(flow: OutcomeFlow): { readonly file: string; readonly line: number } | undefined
}

/** What shells expect of a program that SIGINT ended. */
const INTERRUPTED = 130

/**
 * Audits the app whose page is at `page`, or that `agekey-audit.yaml` names.
 * @returns the exit code
 * @throws Error with one line, when nothing can be shown
 */
export async function runCommand(page: string | undefined, flags: GivenFlags, host: AuditHost): Promise<number> {
  const given = readFlags(page, flags)
  requireKnownNames(given)
  const mode = modeOf(given)
  if (mode === 'learn') requireNoAuditFile()
  const file = readAuditFile()
  if (mode === 'list') return showRows(settle(given, file?.values), host)
  const plan = planAudit(given, { file, environment: host.environment })
  const again = mode === 'again' ? readUnsettled(plan.app) : undefined
  const signal = host.interruption()
  try {
    const sandbox = await openSandbox(host, given.url)
    const command = sameCall(page, flags, host.words)
    const code = await auditApp(sandbox, { host, given, file, plan, again, command, signal }).finally(sandbox.close)
    return signal.aborted ? INTERRUPTED : code
  } catch (error) {
    if (!signal.aborted) throw error
    host.say('interrupted: nothing was judged yet')
    return INTERRUPTED
  }
}

function showRows(settings: AuditSettings, { alignColumns, say, writeJson }: AuditHost): number {
  const { json, cells, summary } = listRows(settings)
  if (settings.json !== undefined) writeJson(settings.json, `${JSON.stringify(json, undefined, 2)}\n`)
  else for (const line of [...alignColumns(cells), '', summary]) say(line)
  return 0
}

/** One run of the command. */
export interface Session {
  readonly host: AuditHost
  /** What the call says, without the file. */
  readonly given: AuditSettings
  readonly file: AuditFile | undefined
  readonly plan: AuditPlan
  /** The rows of `--again`. */
  readonly again: readonly string[] | undefined
  /** What is typed to audit the same app again. */
  readonly command: string
  readonly signal: AbortSignal
}

/**
 * Audits or learns the app, which is started first when the file says how.
 * @returns the exit code
 */
export async function auditApp(sandbox: OpenSandbox, session: Session): Promise<number> {
  const { plan, host, again, signal } = session
  const { settings, start } = plan
  const { certificate, api } = sandbox
  host.say(`sandbox: ${host.visible(api.baseUrl)} (${sandbox.isOwn ? 'started for this audit' : 'it runs already'})`)
  await preflight(sandbox, host)
  const chromePath = host.environment['CHROME_PATH'] || undefined
  const agents = createAgentChoice({ settings, certificate, chromePath, signal })
  const copies = start && createCopies({ host, sandbox, plan, start, agents, signal })
  const options: AuditOptions = { ...plan.options, ...(again && { only: again }), signal }
  const { jobs = DEFAULT_JOBS } = options
  try {
    if (copies && start.isCopied) {
      // As many as visits at the same time, unless there are fewer rows.
      const count = modeOf(settings) === 'learn' ? 1 : Math.max(1, Math.min(jobs, selectRows(options).length))
      const app = { copies: await copies.start(count), visitsEach: 1, startFresh: copies.startFresh }
      return await run(app, options, { ...session, sandbox })
    }
    const port = portOf(plan) ?? (await findFreePort())
    const program = await copies?.startProgram(port)
    const pages = plan.pagesAt(port)
    const app = appAt(api, { ...pages, agent: await agents.choose(api, pages) }, program)
    return await run({ copies: [app], visitsEach: jobs }, options, { ...session, sandbox })
  } catch (error) {
    // They may be the reason.
    for (const note of agents.notes()) host.say(host.visible(note))
    throw error
  } finally {
    await agents.close()
    await copies?.close()
  }
}

type Run = Session & { readonly sandbox: OpenSandbox }

const run = (app: AppCopies, options: AuditOptions, session: Run): Promise<number> =>
  modeOf(session.given) === 'learn' ? learn(app, options, session) : judge(app, options, session)

async function judge(app: AppCopies, options: AuditOptions, session: Run): Promise<number> {
  const { plan, given, host, signal, sandbox, command } = session
  const { say } = host
  const mode = modeOf(given)
  const progress = createProgress(host.progress)
  const judged: AuditedRow[] = []
  const observed: AuditOptions = {
    ...options,
    onProgress(news) {
      if (news.stage === 'learned') return sayLearned(news.lines, host)
      // What ends by the interruption is no verdict.
      if (signal.aborted) return
      if (news.stage === 'row') judged.push(news.row)
      progress.show(news)
    },
  }
  const found = await (mode === 'readings'
    ? auditReadings(app, { ...observed, failOnReadings: given.fail_on_readings ?? false })
    : runAudit(app, observed)
  ).finally(progress.end)
  // Decision: the report names the page as it was given. The port of an app that the audit starts is another one each time.
  const library = findLibrary(readHere)
  const report = { ...found, app: plan.app, checks: checksOf(found.rows, { library }) }
  // The flows of a sandbox that ends with the audit cannot be looked at.
  const console = sandbox.isOwn ? undefined : `${sandbox.api.baseUrl}/_sandbox/console`
  const shown = signal.aborted ? { ...report, ...summarise(judged, { library }), exit_code: report.exit_code } : report
  for (const line of ['', ...host.render(shown, { console, command })]) say(line)
  if (signal.aborted) {
    say('interrupted: this is what was found so far; no report is written')
    return report.exit_code
  }
  const foundAgain = await findAgain(app, report, session)
  if (foundAgain) say(host.visible(`verifications can be found again: ${foundAgain.verdict}: ${foundAgain.evidence}`))
  if (sandbox.isOwn && report.exit_code !== 0) say(HOW_TO_SEE_FLOWS)
  if ((await remember(report, session)) && console !== undefined)
    say(`${WHERE_TO_LOOK[mode === 'readings' ? 'readings' : 'rows']}: ${console}/audit (${LAST_AUDIT})`)
  const summaryFile = host.environment['GITHUB_STEP_SUMMARY'] || undefined
  host.writeReports(report, { ...given, summaryFile }, { console, source: (flow) => placeOf(flow, session.file) })
  return report.exit_code || (foundAgain?.verdict === 'missing' ? 1 : 0)
}

/** Asks each copy of the app for the verifications of the right answers that it took. */
async function findAgain(
  { copies }: AppCopies,
  { rows }: AuditReport,
  { plan: { question, settings }, sandbox: { certificate: ca } }: Run,
): Promise<FoundAgain | undefined> {
  const [app] = copies
  if (!question) return undefined
  const flows = rows.flatMap((row) => (row.verdict === 'accepted' ? row.flows : []))
  const ask = askByHttp(
    { ...question, url: new URL(question.url, app.page).href },
    { timeoutSeconds: settings.timeout, ca },
  )
  return findVerifications(app.sandbox, ask, { flows, age: settings.age })
}

/**
 * Keeps the report of a whole audit for `--again` and for the console, and says whether it did. When the folder cannot be
 * written, that is a warning: the verdicts of the audit stand.
 */
async function remember(report: AuditReport, { given, host }: Run): Promise<boolean> {
  const mode = modeOf(given)
  if (mode === 'run' && (given.only ?? given.skip) !== undefined) return false
  try {
    await { again: renewRun, readings: keepReadings, run: keepRun, list: keepRun, learn: keepRun }[mode](report)
    return true
  } catch (error) {
    host.warn(`${messageOf(error)}; --again will not know this audit`)
    return false
  }
}

const WHERE_TO_LOOK = {
  rows: 'All verdicts by family, with their flows',
  readings: 'What was found, with the flows',
} as const

const HOW_TO_SEE_FLOWS =
  'To look at the flows in the console, start agekey-sandbox before the audit: those of this one ended with it'

/** Learns, and judges nothing. */
async function learn({ copies: [app] }: AppCopies, options: AuditOptions, { plan, given, host, signal }: Run) {
  const { lines, described } = await learnPages(app, options)
  sayLearned(lines, host)
  if (signal.aborted) return 0
  writeAuditFile({ app: plan.app, learned: described, given })
  host.say(`${AUDIT_FILE}: written; agekey-sandbox audit in this folder reads it`)
  return 0
}

function sayLearned(lines: readonly string[], { say, visible }: AuditHost): void {
  say('learned:')
  for (const line of lines) say(`  ${visible(line)}`)
}

/** Where a flow of each call belongs in the file. */
const PLACES: Readonly<Record<OutcomeFlow, 'use' | 'create' | 'upgrade'>> = {
  use: 'use',
  discovery: 'use',
  jwks: 'use',
  create: 'create',
  par: 'create',
  token: 'upgrade',
  upgrade: 'upgrade',
}

function placeOf(flow: OutcomeFlow, file: AuditFile | undefined) {
  if (file === undefined) return undefined
  const { use, [PLACES[flow]]: own = use } = file.values
  const [, path, line = '1'] = /^(.+?)(?::(\d+))?$/.exec(own?.source ?? '') ?? []
  return path === undefined ? { file: AUDIT_FILE, line: file.lineOf('app') } : { file: path, line: Number(line) }
}

/** A file of the folder that the audit was started in, if there is one that can be read. */
function readHere(name: string): string | undefined {
  try {
    return readFileSync(name, 'utf8')
  } catch {
    return undefined
  }
}
