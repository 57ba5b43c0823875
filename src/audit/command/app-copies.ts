import { randomInt } from 'node:crypto'
import type { SandboxApi } from '../../client/sandbox-api.ts'
import { messageOf } from '../../files/caught.ts'
import { ConfigError } from '../../files/config-error.ts'
import { startStopwatch } from '../../sandbox/clock/clock.ts'
import type { Agent } from '../agent/browser.ts'
import { auditTenantName } from '../drive/audit-tenant.ts'
import { type AppCopies, type AppProgram, type AuditedApp, appAt, type StartFresh } from '../drive/audited-app.ts'
import { chooseAgent } from './choose-agent.ts'
import type { OpenSandbox } from './open-sandbox.ts'
import type { AuditPlan } from './plan.ts'
import { findFreePort, type ProgramHost, type StartLimits, startApp } from './start-app.ts'

/** A copy that is given a wrong reply may take so many times as long to come up as the first one, and at least so many seconds. */
const SLOWER = 3
const MIN_FRESH_SECONDS = 10

/** What one run of the command has. */
export interface RunTools {
  readonly host: ProgramHost & { readonly environment: Readonly<Record<string, string | undefined>> }
  readonly sandbox: OpenSandbox
  readonly plan: AuditPlan
  readonly signal: AbortSignal
}

/** Opens the app of an audit: as it runs, started once, or in copies. Ends all that it started. */
export function createCopies({ host, sandbox, plan, signal }: RunTools) {
  const { start, settings } = plan
  let tenants = 0
  // Drawn, so that no tenant is there that has the name, and two audits of one sandbox do not meet.
  const run = randomInt(36 ** 6).toString(36)
  const stops: (() => Promise<void>)[] = []
  const removals: (() => Promise<void>)[] = []
  let freshSeconds = MIN_FRESH_SECONDS
  let choosing: Promise<Agent> | undefined
  /** The agent, the same one for all copies; `undefined` when there is none. */
  const agent = async () => choosing?.catch(() => undefined)

  async function openTenant() {
    const name = auditTenantName(run, ++tenants)
    const remove = () => sandbox.removeTenant(name).catch(() => {})
    removals.push(remove)
    return { api: await sandbox.openTenant(name), remove, port: await findFreePort() }
  }

  async function launch({ baseUrl }: SandboxApi, port: number, limits: Partial<StartLimits> = {}) {
    if (!start) throw new Error('an app that the audit does not start')
    const started = await startApp(start.of({ baseUrl, port }), { host, place: start.place, signal, ...limits })
    if (!('problem' in started)) stops.push(started.stop)
    return started
  }

  /** Starts a copy that uses a sandbox or tenant. @throws ConfigError with one line */
  async function startProgram(api: SandboxApi, port: number): Promise<AuditedApp> {
    const launched = async () => {
      const started = await launch(api, port)
      if ('problem' in started) throw ConfigError.of(started.problem)
      return started
    }
    let running = await launched()
    return appOn(api, port, {
      record: () => running.log.record(),
      async restart() {
        await running.stop()
        running = await launched()
      },
    })
  }

  async function appOn(api: SandboxApi, port: number, program?: AppProgram): Promise<AuditedApp> {
    const pages = plan.pagesAt(port)
    const chromePath = host.environment['CHROME_PATH'] || undefined
    choosing ??= chooseAgent({ settings, certificate: sandbox.certificate, chromePath, signal }, api, pages)
    return appAt(api, { ...pages, agent: await choosing }, program)
  }

  async function startCopy(): Promise<AuditedApp> {
    const { api, port } = await openTenant()
    return startProgram(api, port)
  }

  async function startFresh(fresh: Parameters<StartFresh>[0], mayRepeat = true): ReturnType<StartFresh> {
    const { api, remove, port } = await openTenant()
    await fresh.prepare(api)
    const limits = { signal: fresh.signal, readySeconds: freshSeconds, mayFail: true }
    const started = await launch(api, port, limits)
    if ('problem' in started) {
      // Another program may have taken the port that was free.
      const isTaken = /EADDRINUSE|address already in use/i.test(started.log.join('\n'))
      if (isTaken && mayRepeat) return startFresh(fresh, false)
      return { sandbox: api, failure: started, log: async () => started.log, close: remove }
    }
    const close = () => started.stop().then(remove)
    return { sandbox: api, app: await appOn(api, port), log: async () => started.log.lines(), close }
  }

  /** Copies, each on a free port and on a tenant of its own, or the one app at its port. @throws ConfigError with one line */
  async function open(count: number, jobs: number): Promise<AppCopies> {
    if (!start?.isCopied) {
      const page = new URL(plan.app.replaceAll('{port}', String(await findFreePort())))
      const port = Number(page.port || (page.protocol === 'https:' ? 443 : 80))
      return { copies: [await (start ? startProgram : appOn)(sandbox.api, port)], visitsEach: jobs }
    }
    // The first alone: what is wrong with all of them is said once.
    const passed = startStopwatch()
    const first = await startCopy()
    freshSeconds = Math.max(MIN_FRESH_SECONDS, (SLOWER * passed()) / 1000)
    const others = Array.from({ length: count - 1 }, startCopy)
    // All of them have come up or failed before the audit ends them.
    const [failed] = (await Promise.allSettled(others)).filter((one) => one.status === 'rejected')
    if (failed)
      throw ConfigError.of(
        `${messageOf(failed.reason)}; the first copy of your app did start: when copies cannot run side by side, give --jobs 1`,
        { cause: failed.reason },
      )
    return { copies: [first, ...(await Promise.all(others))], visitsEach: 1, startFresh: (fresh) => startFresh(fresh) }
  }

  /** Ends the agent and the copies, and removes their tenants. */
  async function close(): Promise<void> {
    await (await agent())?.close()
    await Promise.all(stops.map((stop) => stop()))
    await Promise.all(removals.map((remove) => remove()))
  }
  return { open, agent, close }
}
