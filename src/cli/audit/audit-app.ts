import { DEFAULT_JOBS, learnPages, runAudit } from '../../audit/audit.ts'
import { type AppCopies, type AuditedApp, appAt } from '../../audit/drive/audited-app.ts'
import type { AuditOptions } from '../../audit/options.ts'
import { selectRows } from '../../audit/plan/select-rows.ts'
import { auditReadings } from '../../audit/readings/audit-readings.ts'
import { ownEnvironment } from '../../config/load-settings.ts'
import { messageOf } from '../../files/caught.ts'
import type { Mask } from '../../sandbox/clients/mask.ts'
import type { AuditedRow, AuditReport } from '../../sandbox/outcomes/audit-report.ts'
import type { OutcomeFlow } from '../../sandbox/outcomes/outcome.ts'
import { LAST_AUDIT } from '../../sandbox/outcomes/report/read-report.ts'
import { summarise } from '../../sandbox/outcomes/report/totals.ts'
import { paint, paintError, print, printError, redrawError, visible } from '../terminal.ts'
import { createCopies } from './app/app-copies.ts'
import { findFreePort } from './app/start-app.ts'
import { createAgentChoice } from './choose-agent.ts'
import { AUDIT_FILE, type AuditFile } from './file/read-audit-file.ts'
import { writeAuditFile } from './file/write-audit-file.ts'
import { keepReadings, keepRun, renewRun } from './last-run.ts'
import type { OpenSandbox } from './open-sandbox.ts'
import { type AuditPlan, needsPort, portOf } from './plan-audit.ts'
import { preflight } from './preflight.ts'
import { createProgress } from './progress.ts'
import type { AuditRequest } from './read-flags.ts'
import { renderTerminal } from './reports/terminal.ts'
import { type ReportContext, writeReports } from './reports/write-reports.ts'

/** One run of the command. */
export interface Session {
  readonly request: AuditRequest
  readonly file: AuditFile | undefined
  readonly plan: AuditPlan
  /** The rows of `--again`. */
  readonly again: readonly string[] | undefined
  /** What is typed to audit the same app again. */
  readonly command: string
  /** Takes the secrets of the settings out of what the app writes. */
  readonly mask: Mask
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal
  /** Writes a line for people: to stderr, when a report goes to stdout. */
  say(line: string): void
}

/**
 * Audits or learns the app, which is started first when the file says how.
 * @returns the exit code
 */
export async function auditApp(sandbox: OpenSandbox, session: Session): Promise<number> {
  const { plan, request, signal, say } = session
  const { baseUrl } = sandbox.api
  say(`sandbox: ${visible(baseUrl)} (${sandbox.isOwn ? 'started for this audit' : 'it runs already'})`)
  await preflight(sandbox)
  const agents = createAgentChoice({ request, sandbox, signal })
  const copies = createCopies({ sandbox, plan, agents, mask: session.mask, signal })
  const port = plan.start?.isCopied ? 0 : needsPort(plan) ? await findFreePort() : portOf(plan.app)
  const { pages, options } = plan.of({ port })
  const limited = { ...options, ...(session.again && { only: session.again }), signal }
  try {
    if (plan.start?.isCopied) {
      const count = request.mode === 'learn' ? 1 : countCopies(limited)
      const { startFresh } = copies
      const all = { copies: await copies.start(count), visitsEach: 1, startFresh }
      return await run(all, limited, { ...session, sandbox })
    }
    const program = plan.start && (await copies.startProgram(port))
    const agent = await agents.choose(sandbox.api, pages)
    const app = appAt(sandbox.api, { ...pages, agent }, program)
    return await run({ copies: [app], visitsEach: limited.jobs ?? DEFAULT_JOBS }, limited, { ...session, sandbox })
  } catch (error) {
    // They may be the reason.
    for (const note of agents.notes()) say(visible(note))
    throw error
  } finally {
    await agents.close()
    await copies.close()
  }
}

/** As many as visits at the same time, unless there are fewer rows. */
const countCopies = (options: AuditOptions): number =>
  Math.max(1, Math.min(options.jobs ?? DEFAULT_JOBS, selectRows(options).length))

const run = (app: AppCopies, options: AuditOptions, session: Run): Promise<number> =>
  session.request.mode === 'learn' ? learn(app.copies[0], options, session) : judge(app, options, session)

type Run = Session & { readonly sandbox: OpenSandbox }

async function judge(app: AppCopies, options: AuditOptions, session: Run): Promise<number> {
  const { plan, request, signal, say, sandbox } = session
  const progress = createProgress({ isTerminal: process.stderr.isTTY, redraw: redrawError, line: printError })
  const judged: AuditedRow[] = []
  const observed: AuditOptions = {
    ...options,
    onProgress(news) {
      if (news.stage === 'learned') return sayLearned(news.lines, say)
      // What ends by the interruption is no verdict.
      if (signal.aborted) return
      if (news.stage === 'reading') return progress.reading(news)
      judged.push(news.row)
      progress.row(news)
    },
  }
  const found = await (request.mode === 'readings'
    ? auditReadings(app, { ...observed, failOnReadings: request.failOnReadings })
    : runAudit(app, observed)
  ).finally(progress.end)
  // Decision: the report names the page as it was given. The port of an app that the audit starts is another one each time.
  const report = { ...found, app: plan.app }

  const context = contextOf(sandbox, session)
  const shown = signal.aborted ? { ...report, ...summarise(judged), exit_code: report.exit_code } : report
  const texts = { console: context.console, command: session.command, colour: say === print ? paint : paintError }
  for (const line of ['', ...renderTerminal(shown, texts)]) say(line)
  if (signal.aborted) {
    say('interrupted: this is what was found so far; no report is written')
    return report.exit_code
  }
  if (sandbox.isOwn && report.exit_code !== 0) say(HOW_TO_SEE_FLOWS)
  const isKept = await remember(report, request)
  if (isKept && context.console !== undefined)
    say(`${WHERE_TO_LOOK[request.mode === 'readings' ? 'readings' : 'rows']}: ${context.console}/audit (${LAST_AUDIT})`)
  const summaryFile = ownEnvironment()['GITHUB_STEP_SUMMARY']
  writeReports(report, { ...request.files, summaryFile: summaryFile || undefined }, context)
  return report.exit_code
}

/**
 * Keeps the report of a whole audit for `--again` and for the console, and says whether it did. When the folder cannot be
 * written, that is a warning: the verdicts of the audit stand.
 */
async function remember(report: AuditReport, { mode, only, skip }: AuditRequest): Promise<boolean> {
  try {
    if (mode === 'again') await renewRun(report)
    else if (mode === 'readings') await keepReadings(report)
    else if (only.length + skip.length === 0) await keepRun(report)
    else return false
    return true
  } catch (error) {
    printError(`${paintError('yellow', 'warning:')} ${visible(messageOf(error))}; --again will not know this audit`)
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
async function learn(app: AuditedApp, options: AuditOptions, session: Run): Promise<number> {
  const { plan, request, say } = session
  const { lines, described } = await learnPages(app, options)
  sayLearned(lines, say)
  if (session.signal.aborted) return 0
  writeAuditFile({ app: plan.app, start: request.start, learned: described, accepted: request.accepted })
  say(`${AUDIT_FILE}: written; agekey-sandbox audit in this folder reads it`)
  return 0
}

function sayLearned(lines: readonly string[], say: (line: string) => void): void {
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

function contextOf({ api, isOwn }: OpenSandbox, { file }: Pick<Session, 'file'>): ReportContext {
  return {
    // The flows of a sandbox that ends with the audit cannot be looked at.
    ...(!isOwn && { console: `${api.baseUrl}/_sandbox/console` }),
    source(flow) {
      if (file === undefined) return undefined
      const { use, [PLACES[flow]]: own = use } = file.values
      const [, path, line = '1'] = /^(.+?)(?::(\d+))?$/.exec(own?.source ?? '') ?? []
      if (path === undefined) return { file: AUDIT_FILE, line: file.lineOf('app') }
      return { file: path, line: Number(line) }
    },
  }
}
