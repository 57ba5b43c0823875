import { startStopwatch } from '../../sandbox/clock/clock.ts'
import { messageOf } from '../../sandbox/files/caught.ts'
import { ConfigError } from '../../sandbox/files/config-error.ts'
import type { SandboxApi } from '../../server/client/sandbox-api.ts'
import type { Agent } from '../agent/browser.ts'
import {
  type AppCopies,
  type AuditedApp,
  appAt,
  type FreshCopy,
  type StartFresh,
} from '../drive/driver.ts'
import { DEFAULTS } from '../options.ts'
import type { AuditSession } from './audit-session.ts'
import { type AuditTenants, createAuditTenants } from './audit-tenants.ts'
import { chooseAgent } from './choose-agent.ts'
import { findFreePort, type StartedApp, type StartLimits, startApp } from './start-app.ts'

/**
 * The time limit for the start of a fresh copy: this factor times the start of the first copy, but
 * at least `MIN_FRESH_SECONDS`.
 */
const SLOWER = 3
const MIN_FRESH_SECONDS = 10

/** The app of an audit: a running app, an app that the audit starts, or several started copies. */
export interface AppOfAudit {
  /**
   * Opens the app: one copy for each concurrent visit if the app can be copied, otherwise one copy.
   * @param rows maximum number of copies
   * @throws ConfigError with one line
   */
  open(rows: number): Promise<AppCopies>
  /** The agent of all copies; `undefined` before its start, or if the start failed. */
  agent(): Promise<Agent | undefined>
  /** Ends everything that was started. */
  close(): Promise<void>
}

/** Everything that an audit has started. */
interface Started {
  readonly session: AuditSession
  readonly tenants: AuditTenants
  readonly stops: (() => Promise<void>)[]
  agent: Promise<Agent> | undefined
  /** Seconds that a fresh copy may take to start. */
  freshSeconds: number
}

export function createCopies(session: AuditSession): AppOfAudit {
  const { start } = session.plan
  const tenants = createAuditTenants(session.sandbox)
  const started: Started = {
    session,
    tenants,
    stops: [],
    agent: undefined,
    freshSeconds: MIN_FRESH_SECONDS,
  }
  const agent = async () => started.agent?.catch(() => undefined)
  return {
    open: async (rows) => (start?.isCopied ? openCopies(started, rows) : openOne(started)),
    agent,
    async close() {
      await (await agent())?.close()
      await Promise.all(started.stops.map((stop) => stop()))
      await tenants.close()
    },
  }
}

async function openOne(started: Started): Promise<AppCopies> {
  const { plan, sandbox } = started.session
  const { jobs = DEFAULTS.jobs } = plan.options
  const page = new URL(plan.app.replaceAll('{port}', String(await findFreePort())))
  const port = Number(page.port || (page.protocol === 'https:' ? 443 : 80))
  const app = plan.start
    ? await startOn(sandbox, port, started)
    : await appOn(sandbox, port, started)
  return { copies: [app], visitsEach: jobs }
}

async function openCopies(started: Started, rows: number): Promise<AppCopies> {
  const { tenants, session } = started
  const { jobs = DEFAULTS.jobs } = session.plan.options
  const openCopy = async () => {
    const { api } = await tenants.open()
    return startOn(api, await findFreePort(), started)
  }
  // The first copy starts alone. A problem that all copies have is reported once.
  const passed = startStopwatch()
  const first = await openCopy()
  started.freshSeconds = Math.max(MIN_FRESH_SECONDS, (SLOWER * passed()) / 1000)
  const others = Array.from({ length: Math.min(jobs, rows) - 1 }, openCopy)
  // Waits until all copies have started or failed, so that `close` can end them all.
  const [failed] = (await Promise.allSettled(others)).filter((one) => one.status === 'rejected')
  if (failed)
    throw ConfigError.of(
      `${messageOf(failed.reason)}; the first copy of your app did start: when copies cannot run side by side, give --jobs 1`,
      { cause: failed.reason },
    )
  return {
    copies: [first, ...(await Promise.all(others))],
    visitsEach: 1,
    startFresh: (fresh) => startFresh(fresh, started),
  }
}

/** Starts a copy of the app that uses this sandbox or tenant. @throws ConfigError with one line */
async function startOn(api: SandboxApi, port: number, started: Started): Promise<AuditedApp> {
  let running = await launch(api, port, started)
  const restart = async () => {
    await running.stop()
    running = await launch(api, port, started)
  }
  const app = await appOn(api, port, started)
  return { ...app, program: { record: () => running.log.record(), restart } }
}

/** Runs the command of the app. */
async function launch(
  { baseUrl }: SandboxApi,
  port: number,
  { session, stops, ...limits }: Pick<Started, 'session' | 'stops'> & Partial<StartLimits>,
): Promise<StartedApp> {
  const { host, plan, signal } = session
  const { start } = plan
  if (!start) throw new Error('an app that the audit does not start')
  const app = await startApp(start.of({ baseUrl, port }), {
    host,
    place: start.place,
    signal,
    ...limits,
  })
  stops.push(app.stop)
  return app
}

async function appOn(api: SandboxApi, port: number, started: Started): Promise<AuditedApp> {
  const pages = started.session.plan.pagesAt(port)
  started.agent ??= chooseAgent(api, pages, started.session)
  return appAt(api, { ...pages, agent: await started.agent })
}

/** Starts a fresh copy of the app on a new tenant. */
async function startFresh(
  fresh: Parameters<StartFresh>[0],
  started: Started,
  mayRepeat = true,
): Promise<FreshCopy> {
  const { session, stops, tenants, freshSeconds } = started
  const { api, remove } = await tenants.open()
  const port = await findFreePort()
  await fresh.prepare(api)
  const { problem, isEnded, log, stop } = await launch(api, port, {
    session,
    stops,
    signal: fresh.signal,
    readySeconds: freshSeconds,
    mayFail: true,
  })
  const recorded = log.record()
  const close = async () => {
    await stop()
    await remove()
  }
  // Another program may have taken the free port.
  if (problem && mayRepeat && /EADDRINUSE|address already in use/i.test(log.lines().join('\n'))) {
    await close()
    return startFresh(fresh, started, false)
  }
  const shown = problem
    ? { failure: { problem, isEnded } }
    : { app: await appOn(api, port, started) }
  return {
    sandbox: api,
    ...shown,
    // The app may have read the document at its start, and may have written nothing since.
    log: async () => {
      const lines = await recorded()
      return lines.length > 0 ? lines : log.lines()
    },
    close,
  }
}
