import type { ChildProcess } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify, stripVTControlCharacters } from 'node:util'
import type { ConnectedSandbox } from '../../client/connect-sandbox.ts'
import { createExchangeWithin } from '../../client/exchange.ts'
import type { SandboxApi } from '../../client/sandbox-api.ts'
import { messageOf } from '../../files/caught.ts'
import { ConfigError } from '../../files/config-error.ts'
import { startStopwatch } from '../../sandbox/clock/clock.ts'
import type { Agent } from '../agent/browser.ts'
import { createChromiumAgent, launchChromium } from '../agent/chromium/chromium-agent.ts'
import { createHttpAgent } from '../agent/http-agent.ts'
import { AuditProblem } from '../audit-problem.ts'
import {
  type AppCopies,
  type AuditedApp,
  appAt,
  createDriver,
  type PageSettings,
  type StartFresh,
} from '../drive/driver.ts'
import { auditTenantName } from '../drive/observation.ts'
import { takesABrowser } from '../learn/check-learned.ts'
import { DEFAULTS } from '../options.ts'
import type { TerminalOptions } from '../report/terminal.ts'
import type { WriteFiles } from '../report/write-reports.ts'
import type { AppStart, AuditPlan } from './plan.ts'

/** The sandbox or tenant of an audit, with the base URL for apps. */
export interface OpenSandbox extends ConnectedSandbox {
  /** The certificate, if clients must be told to trust it. */
  readonly certificate?: { readonly pem: string } | undefined
  readonly isOwn: boolean
}

export interface AuditSession {
  readonly host: AuditHost
  readonly sandbox: OpenSandbox
  readonly plan: AuditPlan
  /** The command that audits the same app again. */
  readonly command: string
  readonly signal: AbortSignal
}

/** How much longer a copy with a wrong reply may take to start than the first copy: a factor, and a minimum in seconds. */
const SLOWER = 3
const MIN_FRESH_SECONDS = 10

/** Opens the app of an audit: a running one, one that is started, or copies. `close` ends everything that was started. */
export function createCopies(session: AuditSession) {
  const { host, sandbox, plan, signal } = session
  const { start } = plan
  // Random, so that the name is free, and two audits of one sandbox do not meet.
  const run = randomInt(36 ** 6).toString(36)
  const tenants: string[] = []
  const stops: (() => Promise<void>)[] = []
  let freshSeconds = MIN_FRESH_SECONDS
  let choosing: Promise<Agent> | undefined
  /** The agent, shared by all copies; `undefined` when there is none. */
  const agent = async () => choosing?.catch(() => undefined)
  const remove = (tenant: string) => sandbox.removeTenant(tenant).catch(() => {})

  /** Creates a tenant in which the app works as at the base URL: with the same clients, lifetimes and personas. */
  async function openTenant() {
    const name = auditTenantName(run, tenants.length + 1)
    tenants.push(name)
    const tenant = sandbox.tenant(name)
    // A declared tenant is never pushed out.
    await tenant.configure({})
    const [wanted, there] = await Promise.all([sandbox.personas.list(), tenant.personas.list()])
    const known = new Set(there.map((persona) => JSON.stringify(persona)))
    const missing = wanted.filter((persona) => !known.has(JSON.stringify(persona)))
    if (missing.length > 0) await tenant.personas.putAll(missing)
    const baseUrl = `${sandbox.baseUrl.replace(/\/t\/[^/]+$/, '')}/t/${name}`
    return { api: { ...tenant, baseUrl }, remove: () => remove(name), port: await findFreePort() }
  }

  async function launch({ baseUrl }: SandboxApi, port: number, limits: Partial<StartLimits> = {}) {
    if (!start) throw new Error('an app that the audit does not start')
    const started = await startApp(start.of({ baseUrl, port }), { host, place: start.place, signal, ...limits })
    stops.push(started.stop)
    return started
  }

  async function appOn(api: SandboxApi, port: number): Promise<AuditedApp> {
    const pages = plan.pagesAt(port)
    choosing ??= chooseAgent(api, pages, session)
    return appAt(api, { ...pages, agent: await choosing })
  }

  /** Starts the app on a sandbox or tenant. @throws ConfigError with one line */
  async function startOn({ api, port }: { api: SandboxApi; port: number }): Promise<AuditedApp> {
    let running = await launch(api, port)
    const restart = async () => {
      await running.stop()
      running = await launch(api, port)
    }
    return { ...(await appOn(api, port)), program: { record: () => running.log.record(), restart } }
  }

  async function startFresh(fresh: Parameters<StartFresh>[0], mayRepeat = true): ReturnType<StartFresh> {
    const { api, remove, port } = await openTenant()
    await fresh.prepare(api)
    const limits = { signal: fresh.signal, readySeconds: freshSeconds, mayFail: true }
    const { problem, isEnded, log, stop } = await launch(api, port, limits)
    const recorded = log.record()
    /** The log of the visit; if it is empty the whole log, because an app that reads the document at its start may have written then. */
    const written = () => recorded().then((lines) => (lines.length > 0 ? lines : log.lines()))
    const close = () => stop().then(remove)
    // Another program may have taken the free port.
    if (problem && mayRepeat && /EADDRINUSE|address already in use/i.test(log.lines().join('\n')))
      return close().then(() => startFresh(fresh, false))
    const shown = problem ? { failure: { problem, isEnded } } : { app: await appOn(api, port) }
    return { sandbox: api, ...shown, log: written, close }
  }

  /** The app at its port, or copies: as many as concurrent visits, or as rows. @throws ConfigError with one line */
  async function open(rows: number): Promise<AppCopies> {
    const { jobs = DEFAULTS.jobs } = plan.options
    if (!start?.isCopied) {
      const page = new URL(plan.app.replaceAll('{port}', String(await findFreePort())))
      const port = Number(page.port || (page.protocol === 'https:' ? 443 : 80))
      return { copies: [await (start ? startOn({ api: sandbox, port }) : appOn(sandbox, port))], visitsEach: jobs }
    }
    // The first copy starts alone, so that a common problem is reported once.
    const passed = startStopwatch()
    const first = await startOn(await openTenant())
    freshSeconds = Math.max(MIN_FRESH_SECONDS, (SLOWER * passed()) / 1000)
    const others = Array.from({ length: Math.min(jobs, rows) - 1 }, async () => startOn(await openTenant()))
    // The audit ends the copies only after all have started or failed.
    const [failed] = (await Promise.allSettled(others)).filter((one) => one.status === 'rejected')
    if (failed)
      throw ConfigError.of(
        `${messageOf(failed.reason)}; the first copy of your app did start: when copies cannot run side by side, give --jobs 1`,
        { cause: failed.reason },
      )
    return { copies: [first, ...(await Promise.all(others))], visitsEach: 1, startFresh }
  }

  async function close(): Promise<void> {
    await (await agent())?.close()
    await Promise.all(stops.map((stop) => stop()))
    await Promise.all(tenants.map(remove))
  }
  return { open, agent, close }
}

/**
 * The agent that `--browser` names. `auto` means plain HTTP, unless the running app answers by fragment, or its first page has scripts
 * and leads nowhere without them.
 * @throws AuditProblem in one line when a browser is needed and missing
 */
async function chooseAgent(api: SandboxApi, pages: Omit<PageSettings, 'agent'>, session: AuditSession): Promise<Agent> {
  const { plan, sandbox, host, signal } = session
  const { cdp, headed, this_app_is_mine: anyAddress = false, timeout = DEFAULTS.timeoutSeconds } = plan.settings
  // Decision: --cdp and --headed choose Chromium without --browser.
  const { browser = cdp || headed ? 'chromium' : 'auto' } = plan.settings
  const http = createHttpAgent({ anyAddress, ca: sandbox.certificate?.pem })
  if (browser === 'http' || (browser === 'auto' && pages.fragment)) return http
  let needsBrowser = false
  if (browser === 'auto') {
    const driver = createDriver(api, { ...pages, agent: http, signal, timeoutSeconds: timeout })
    // Up to the request for the sandbox, which is not sent.
    const { end, url = '', page } = await driver.open({ url: pages.page }, await driver.newBrowser())
    needsBrowser = end === 'stopped' && URL.canParse(url) && !/[?&]response_mode=(?:query|form_post)(?:&|$)/.test(url)
    const hasScripts = end === 'page' && /<script\b/i.test(page?.text ?? '')
    if (!needsBrowser && !hasScripts) return http
  }
  try {
    const chromePath = host.environment['CHROME_PATH'] || undefined
    const chromium = await launchChromium({ chromePath, cdpUrl: cdp, headed })
    return createChromiumAgent(chromium, { anyAddress, anyCertificate: sandbox.certificate !== undefined })
  } catch (error) {
    if (browser === 'chromium' || !(error instanceof AuditProblem && error.remedy)) throw error
    if (needsBrowser) throw new AuditProblem(takesABrowser(error.remedy), { cause: error })
    // The audit then reports what it met without scripts.
    return http
  }
}

/** What the command line provides: an audit itself neither prints nor starts a program. */
export interface AuditHost extends Pick<TerminalOptions, 'colour'> {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Replaces the last line of the terminal; an empty text removes it. Absent without a terminal. */
  readonly redraw: ((text: string) => void) | undefined
  /** Writes a line that is not part of the result. */
  note(line: string): void
  /** Writes a line of the result; to stderr when a report goes to standard output. */
  say(line: string): void
  warn(message: string): void
  writeFiles: WriteFiles
  /** Starts a program; `stop` ends it and the programs that it started. */
  startGroup(run: AppStart['run'], options: Pick<AppStart, 'env'>): StartedGroup
  /** Masks secrets in the output of an app. */
  mask(text: string): string
}

interface StartedGroup {
  readonly child: Pick<ChildProcess, 'stdin' | 'stdout' | 'stderr'>
  readonly ended: Promise<{ readonly reason: string }>
  stop(): Promise<void>
}

export interface StartLimits {
  readonly host: Pick<AuditHost, 'startGroup' | 'mask'>
  /** Begins messages: `agekey-audit.yaml:3: start`. */
  readonly place: string
  readonly signal: AbortSignal
  readonly readySeconds?: number
  /** An app that answers 500 is up too; with `mayFail`, an app that does not start is no error. */
  readonly mayFail?: boolean
}

const BETWEEN_LOOKS_MS = 100
const LOOK_SECONDS = 2
/** Milliseconds for which an app may answer only at another port before that counts as a mistake. */
const OTHER_PORT_MS = 2000

/**
 * Starts the app and waits until it is up; `stop` ends it. With `mayFail`, `problem` is a line about why it did not start, and `isEnded`
 * tells whether it ended.
 * @throws ConfigError with one line when it does not start, or something answers before the start
 */
export async function startApp(
  { run, env, page, ready }: AppStart,
  { place, signal, host, readySeconds = 60, mayFail = false }: StartLimits,
) {
  const address = typeof ready === 'string' ? ready : page
  if ((await statusOf(address)) !== undefined)
    throw ConfigError.of(
      `${place}: ${address} answers before the app was started; stop what runs there, or leave out start`,
    )
  signal.throwIfAborted()
  const { child, ended, stop } = host.startGroup(run, { env })
  const log = createAppLog(child, host)
  child.stdin?.end()
  let reason: string | undefined
  void ended.then((ending) => {
    reason = ending.reason
  })
  const passed = startStopwatch()

  /** `up`, why the app will not start, or `undefined` while it still may. */
  async function look(): Promise<string | undefined> {
    const status = await statusOf(address)
    const isSaid = typeof ready === 'string' || log.lines().some((line) => ready.test(line))
    if (isSaid && status !== undefined && (mayFail || status < 500)) return 'up'
    const sign = isSaid ? `an answer of ${address}` : `a line of its log like ${ready}`
    if (reason !== undefined) {
      // Its last lines may still be on their way.
      await wait(BETWEEN_LOOKS_MS)
      return `${JSON.stringify([run].flat().join(' '))} ${reason} before ${sign}`
    }
    const other = passed() > OTHER_PORT_MS && status === undefined ? await findOtherPort(log, page) : undefined
    if (other !== undefined)
      return `your app listens at port ${other}, not at ${new URL(page).port}, the {port} of this audit; give it to your app, as in env: { PORT: '{port}' }`
    const met = isSaid && status !== undefined ? `: it answered ${status}` : ''
    return passed() > readySeconds * 1000 ? `${sign} did not come within ${readySeconds} seconds${met}` : undefined
  }

  try {
    let met = await look()
    for (; met === undefined; met = await look()) await wait(BETWEEN_LOOKS_MS, undefined, { signal })
    const problem = met === 'up' ? undefined : `${place}: ${met}${lastWords(log)}`
    if (problem !== undefined && !mayFail) throw ConfigError.of(problem)
    return { log, stop, problem, isEnded: reason !== undefined }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Another port of this machine that the log names and that answers. */
async function findOtherPort(log: AppLog, page: string): Promise<string | undefined> {
  const { port: own, protocol, pathname } = new URL(page)
  const named = log.lines().flatMap((line) => [...line.matchAll(NAMED_PORT)].map(([, port = '']) => port))
  for (const port of new Set(named)) {
    if (port === own || Number(port) > 65_535) continue
    if ((await statusOf(`${protocol}//localhost:${port}${pathname}`)) !== undefined) return port
  }
  return undefined
}

const NAMED_PORT = /(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1?\]|\bport):? ?(\d{2,5})\b/gi

const exchange = createExchangeWithin(LOOK_SECONDS, { anyCertificate: true })

/** The status of a URL; `undefined` without an answer. */
async function statusOf(url: string): Promise<number | undefined> {
  const answer = await exchange({ method: 'GET', url: new URL(url), headers: {} })
  return answer.failure ? undefined : answer.status
}

export async function findFreePort(): Promise<number> {
  const server = createServer().listen(0)
  await once(server, 'listening')
  const address = server.address()
  await promisify(server.close.bind(server))()
  return typeof address === 'object' && address ? address.port : 0
}

const MAX_LINES = 500
const MAX_CHARACTERS = 300
/** Output that an app wrote before it answered may arrive after the answer. */
const LATE_MS = 20

type AppLog = ReturnType<typeof createAppLog>

/** The output of an app, line by line, with secrets masked. */
function createAppLog({ stdout, stderr }: Pick<ChildProcess, 'stdout' | 'stderr'>, { mask }: Pick<AuditHost, 'mask'>) {
  const kept: string[] = []
  let count = 0
  const keep = (line: string) => {
    const text = withoutTokens(mask(stripVTControlCharacters(line).trimEnd()))
    kept.push(text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS - 1)}…` : text)
    count += 1
    if (kept.length > MAX_LINES) kept.shift()
  }
  for (const stream of [stdout, stderr]) if (stream) createInterface({ input: stream }).on('line', keep)
  return {
    lines: (): readonly string[] => [...kept],
    /** Collects the coming lines; the returned function ends that and returns them. */
    record() {
      const start = count
      return async (): Promise<readonly string[]> => {
        await wait(LATE_MS)
        return count === start ? [] : kept.slice(start - count)
      }
    },
  }
}

const STACK = /^\s+at |^\s+File "|^goroutine |^\s*$/
const ERROR = /^(?:Uncaught )?[\w.$]*(?:Error|Exception)\b.*:|^panic:/

/** The last error in the log, or its last lines without stacks, for a message; empty when there is none. */
function lastWords(log: AppLog): string {
  const all = log.lines().filter((line) => !STACK.test(line))
  // Lines that Node and Python write behind the message, and that say less.
  const error = all.findLast((line) => ERROR.test(line))
  const words = error === undefined ? all.slice(-3) : [error]
  return words.length === 0 ? '' : `; it wrote: ${words.map((line) => line.trim()).join(' | ')}`
}

/** JSON Web Tokens, values of parameters that carry a token or a code, and the value of an `Authorization` header. */
const withoutTokens = (line: string) =>
  line
    .replaceAll(/\beyJ[\w-]+(?:\.[\w-]*)*/g, '***')
    .replaceAll(/\b(id_token|code|access_token|client_secret|password)=[^&\s"']+/gi, '$1=***')
    .replaceAll(/\b(Bearer|Basic) [\w+/=.~-]{8,}/gi, '$1 ***')
