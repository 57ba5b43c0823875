import { randomInt } from 'node:crypto'
import { startStopwatch } from '../../sandbox/clock/clock.ts'
import { messageOf } from '../../sandbox/files/caught.ts'
import { ConfigError } from '../../sandbox/files/config-error.ts'
import type { ConnectedSandbox } from '../../server/client/connect-sandbox.ts'
import type { SandboxApi } from '../../server/client/sandbox-api.ts'
import type { Agent } from '../agent/browser.ts'
import { createChromiumAgent } from '../agent/chromium/chromium-agent.ts'
import { launchChromium } from '../agent/chromium/launch-chromium.ts'
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
import { takesABrowser } from '../learn/app-profile.ts'
import { DEFAULTS } from '../options.ts'
import type { AuditPlan } from './plan.ts'
import { type AuditHost, findFreePort, type StartLimits, startApp } from './start-app.ts'

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

/**
 * How much longer a copy with a wrong reply may take to start than the first copy: a factor, and a
 * minimum in seconds.
 */
const SLOWER = 3
const MIN_FRESH_SECONDS = 10

/**
 * Opens the app of an audit: a running one, one that is started, or copies. `close` ends everything
 * that was started.
 */
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

  /**
   * Creates a tenant in which the app works as at the base URL: with the same clients, lifetimes
   * and personas.
   */
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
    const started = await startApp(start.of({ baseUrl, port }), {
      host,
      place: start.place,
      signal,
      ...limits,
    })
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

  async function startFresh(
    fresh: Parameters<StartFresh>[0],
    mayRepeat = true,
  ): ReturnType<StartFresh> {
    const { api, remove, port } = await openTenant()
    await fresh.prepare(api)
    const limits = { signal: fresh.signal, readySeconds: freshSeconds, mayFail: true }
    const { problem, isEnded, log, stop } = await launch(api, port, limits)
    const recorded = log.record()
    /**
     * The log of the visit; if it is empty the whole log, because an app that reads the document at
     * its start may have written then.
     */
    const written = () => recorded().then((lines) => (lines.length > 0 ? lines : log.lines()))
    const close = () => stop().then(remove)
    // Another program may have taken the free port.
    if (problem && mayRepeat && /EADDRINUSE|address already in use/i.test(log.lines().join('\n')))
      return close().then(() => startFresh(fresh, false))
    const shown = problem ? { failure: { problem, isEnded } } : { app: await appOn(api, port) }
    return { sandbox: api, ...shown, log: written, close }
  }

  /**
   * The app at its port, or copies: as many as concurrent visits, or as rows.
   * @throws ConfigError with one line
   */
  async function open(rows: number): Promise<AppCopies> {
    const { jobs = DEFAULTS.jobs } = plan.options
    if (!start?.isCopied) {
      const page = new URL(plan.app.replaceAll('{port}', String(await findFreePort())))
      const port = Number(page.port || (page.protocol === 'https:' ? 443 : 80))
      return {
        copies: [await (start ? startOn({ api: sandbox, port }) : appOn(sandbox, port))],
        visitsEach: jobs,
      }
    }
    // The first copy starts alone, so that a common problem is reported once.
    const passed = startStopwatch()
    const first = await startOn(await openTenant())
    freshSeconds = Math.max(MIN_FRESH_SECONDS, (SLOWER * passed()) / 1000)
    const others = Array.from({ length: Math.min(jobs, rows) - 1 }, async () =>
      startOn(await openTenant()),
    )
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
 * The agent that `--browser` names. `auto` means plain HTTP, unless the running app answers by
 * fragment, or its first page has scripts and leads nowhere without them.
 * @throws AuditProblem in one line when a browser is needed and missing
 */
async function chooseAgent(
  api: SandboxApi,
  pages: Omit<PageSettings, 'agent'>,
  session: AuditSession,
): Promise<Agent> {
  const { plan, sandbox, host, signal } = session
  const {
    cdp,
    headed,
    this_app_is_mine: anyAddress = false,
    timeout = DEFAULTS.timeoutSeconds,
  } = plan.settings
  // Decision: --cdp and --headed choose Chromium without --browser.
  const { browser = cdp || headed ? 'chromium' : 'auto' } = plan.settings
  const http = createHttpAgent({ anyAddress, ca: sandbox.certificate?.pem })
  if (browser === 'http' || (browser === 'auto' && pages.fragment)) return http
  let needsBrowser = false
  if (browser === 'auto') {
    const driver = createDriver(api, { ...pages, agent: http, signal, timeoutSeconds: timeout })
    // Up to the request for the sandbox, which is not sent.
    const {
      end,
      url = '',
      page,
    } = await driver.open({ url: pages.page }, await driver.newBrowser())
    needsBrowser =
      end === 'stopped' &&
      URL.canParse(url) &&
      !/[?&]response_mode=(?:query|form_post)(?:&|$)/.test(url)
    const hasScripts = end === 'page' && /<script\b/i.test(page?.text ?? '')
    if (!needsBrowser && !hasScripts) return http
  }
  try {
    const chromePath = host.environment['CHROME_PATH'] || undefined
    const chromium = await launchChromium({ chromePath, cdpUrl: cdp, headed })
    return createChromiumAgent(chromium, {
      anyAddress,
      anyCertificate: sandbox.certificate !== undefined,
    })
  } catch (error) {
    if (browser === 'chromium' || !(error instanceof AuditProblem && error.remedy)) throw error
    if (needsBrowser) throw new AuditProblem(takesABrowser(error.remedy), { cause: error })
    // The audit then reports what it met without scripts.
    return http
  }
}
