import { readFileSync } from 'node:fs'
import { messageOf } from '../../files/caught.ts'
import { visible } from '../../files/visible.ts'
import type { AuditedRow, AuditReport } from '../../sandbox/outcomes/audit-report.ts'
import type { OutcomeFlow } from '../../sandbox/outcomes/outcome.ts'
import { LAST_AUDIT } from '../../sandbox/outcomes/report/read-report.ts'
import { findLibrary } from '../../sandbox/outcomes/report/remedies.ts'
import { summarise } from '../../sandbox/outcomes/report/totals.ts'
import { DEFAULT_JOBS, DEFAULTS, learnPages, runAudit } from '../audit.ts'
import { type AppCopies, appAt } from '../drive/audited-app.ts'
import type { AuditOptions } from '../options.ts'
import { auditReadings } from '../readings/audit-readings.ts'
import { renderTerminal, type TerminalOptions } from '../report/terminal.ts'
import { type WriteFiles, writeReports } from '../report/write-reports.ts'
import { selectRows } from '../trials/select-rows.ts'
import { createCopies } from './app-copies.ts'
import * as auditFile from './audit-file.ts'
import { createAgentChoice } from './choose-agent.ts'
import { askByHttp, checkOfFound, findVerifications, goodFlows } from './find-verifications.ts'
import { keepReadings, keepRun, readUnsettled, renewRun } from './last-run.ts'
import { listRows } from './list-rows.ts'
import { type OpenSandbox, openSandbox, preflight, type SandboxHost } from './open-sandbox.ts'
import { type AuditPlan, planAudit, portOf } from './plan.ts'
import { budgetWarning, createProgress, type ProgressView } from './progress.ts'
import { type AuditSettings, type GivenFlags, modeOf, readFlags, sameCall, settle } from './settings.ts'
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
  alignColumns(rows: readonly (readonly string[])[]): string[]
  /** Aborted by Ctrl-C, from the first call on. */
  interruption(): AbortSignal
  /** Colours a part of the answer, on a terminal. */
  colour: TerminalOptions['colour']
  writeFiles: WriteFiles
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
  auditFile.requireKnownNames(given)
  const mode = modeOf(given)
  if (mode === 'learn') auditFile.requireNoAuditFile()
  const file = auditFile.readAuditFile()
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

function showRows(settings: AuditSettings, { alignColumns, say, writeFiles }: AuditHost): number {
  const { json, cells, summary } = listRows(settings)
  const render = () => `${JSON.stringify(json, undefined, 2)}\n`
  if (settings.json !== undefined) writeFiles([{ source: '--json', file: settings.json, render }])
  else for (const line of [...alignColumns(cells), '', summary]) say(line)
  return 0
}

/** One run of the command. */
export interface Session {
  readonly host: AuditHost
  /** What the call says, without the file. */
  readonly given: AuditSettings
  readonly file: auditFile.AuditFile | undefined
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
  const { plan, host, again, signal, given } = session
  const { settings, start } = plan
  const { certificate, api } = sandbox
  host.say(`sandbox: ${visible(api.baseUrl)} (${sandbox.isOwn ? 'started for this audit' : 'it runs already'})`)
  await preflight(sandbox, host)
  const chromePath = host.environment['CHROME_PATH'] || undefined
  const agents = createAgentChoice({ settings, certificate, chromePath, signal })
  const copies = start && createCopies({ host, sandbox, plan, start, agents, signal })
  const options: AuditOptions = { ...plan.options, ...(again && { only: again }), signal }
  const { jobs = DEFAULT_JOBS } = options
  const isLearning = modeOf(given) === 'learn'
  async function openApp(): Promise<AppCopies> {
    if (copies && start.isCopied) {
      // As many as visits at the same time, unless there are fewer rows.
      const count = isLearning ? 1 : Math.max(1, Math.min(jobs, selectRows(options).length))
      return { copies: await copies.start(count), visitsEach: 1, startFresh: copies.startFresh }
    }
    const port = portOf(plan) ?? (await findFreePort())
    const program = await copies?.startProgram(port)
    const pages = plan.pagesAt(port)
    return { copies: [appAt(api, { ...pages, agent: await agents.choose(api, pages) }, program)], visitsEach: jobs }
  }
  try {
    return await (isLearning ? learn : judge)(await openApp(), options, { ...session, sandbox })
  } catch (error) {
    // They may be the reason.
    for (const note of agents.notes()) host.say(visible(note))
    throw error
  } finally {
    await agents.close()
    await copies?.close()
  }
}

type Run = Session & { readonly sandbox: OpenSandbox }

async function judge(app: AppCopies, options: AuditOptions, session: Run): Promise<number> {
  const { plan, given, host, signal, sandbox, command, file } = session
  const { say } = host
  const mode = modeOf(given)
  const progress = createProgress(host.progress)
  const judged: AuditedRow[] = []
  const find = mode === 'readings' ? undefined : await prepareFind(app, session)
  const observed: AuditOptions = {
    ...options,
    onProgress(news) {
      if (news.stage === 'learned') return sayLearned(news.lines, host)
      if (news.stage === 'planned') {
        const jobs = app.copies.length * app.visitsEach
        const warning = budgetWarning({ ...news, jobs }, options.budgetSeconds ?? DEFAULTS.budgetSeconds)
        if (warning !== undefined) say(warning)
        return
      }
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
  const rows = signal.aborted ? judged : found.rows
  const verifications = signal.aborted ? undefined : await find?.(rows)
  const summary = summarise(rows, { readings: found.readings, library: findLibrary(readHere), verifications })
  // Decision: the report names the page as it was given. The port of an app that the audit starts is another one each time.
  const report = { ...found, app: plan.app, ...summary }
  // The flows of a sandbox that ends with the audit cannot be looked at.
  const console = sandbox.isOwn ? undefined : `${sandbox.api.baseUrl}/_sandbox/console`
  for (const line of ['', ...renderTerminal(report, { console, command, colour: host.colour })]) say(line)
  if (signal.aborted) {
    say('interrupted: this is what was found so far; no report is written')
    return report.exit_code
  }
  if (sandbox.isOwn && report.exit_code !== 0)
    say('To look at the flows in the console, start agekey-sandbox before the audit: those of this one ended with it')
  const what = mode === 'readings' ? 'What was found, with the flows' : 'All verdicts by family, with their flows'
  if ((await remember(report, session)) && console !== undefined) say(`${what}: ${console}/audit (${LAST_AUDIT})`)
  const summaryFile = host.environment['GITHUB_STEP_SUMMARY'] || undefined
  const source = (flow: OutcomeFlow) => placeOf(flow, file)
  writeReports(report, given, { console, source, summaryFile, writeFiles: host.writeFiles })
  return report.exit_code
}

/** What asks each copy of the app, after the audit, for the verifications of the right answers that it took. */
async function prepareFind({ copies }: AppCopies, { plan: { question, settings }, sandbox: { certificate: ca } }: Run) {
  if (!question) return undefined
  const places = await Promise.all(
    copies.map(async ({ sandbox, page }) => {
      const [newest] = await sandbox.flows.list({ audit: 'also', limit: 1 })
      const request = { ...question, url: new URL(question.url, page).href }
      return { sandbox, after: newest?.id, ask: askByHttp(request, { timeoutSeconds: settings.timeout, ca }) }
    }),
  )
  return async (rows: AuditReport['rows']) => {
    const asked = places.map(async ({ sandbox, after, ask }) => {
      return { sandbox, ask, flows: await goodFlows(sandbox, { rows, after }) }
    })
    return checkOfFound(await findVerifications(await Promise.all(asked), settings.age ?? 'every'))
  }
}

/**
 * Keeps the report of a whole audit for `--again` and for the console, and says whether it did. When the folder cannot be
 * written, that is a warning: the verdicts of the audit stand.
 */
async function remember(report: AuditReport, { given, host }: Run): Promise<boolean> {
  const mode = modeOf(given)
  if (mode === 'run' && (given.only ?? given.skip) !== undefined) return false
  try {
    await (mode === 'again' ? renewRun : mode === 'readings' ? keepReadings : keepRun)(report)
    return true
  } catch (error) {
    host.warn(`${messageOf(error)}; --again will not know this audit`)
    return false
  }
}

/** Learns, and judges nothing. */
async function learn({ copies: [app] }: AppCopies, options: AuditOptions, { plan, given, host, signal }: Run) {
  const { lines, described } = await learnPages(app, options)
  sayLearned(lines, host)
  if (signal.aborted) return 0
  auditFile.writeAuditFile({ app: plan.app, learned: described, given })
  host.say(`${auditFile.AUDIT_FILE}: written; agekey-sandbox audit in this folder reads it`)
  return 0
}

function sayLearned(lines: readonly string[], { say }: AuditHost): void {
  for (const line of ['learned:', ...lines.map((text) => `  ${visible(text)}`)]) say(line)
}

/** Where the file says which code reads the answers of a call, or names the app. */
function placeOf(flow: OutcomeFlow, file: auditFile.AuditFile | undefined) {
  if (file === undefined) return undefined
  const { use, create = use, upgrade = use } = file.values
  const own = /^(?:create|par)$/.test(flow) ? create : /^(?:token|upgrade)$/.test(flow) ? upgrade : use
  const [, path, line = '1'] = /^(.+?)(?::(\d+))?$/.exec(own?.source ?? '') ?? []
  return path === undefined
    ? { file: auditFile.AUDIT_FILE, line: file.lineOf('app') }
    : { file: path, line: Number(line) }
}

/** A file of the folder that the audit was started in, if there is one that can be read. */
function readHere(name: string): string | undefined {
  try {
    return readFileSync(name, 'utf8')
  } catch {
    return undefined
  }
}
