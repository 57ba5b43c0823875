import { randomInt } from 'node:crypto'
import type { SandboxApi } from '../../client/sandbox-api.ts'
import { messageOf } from '../../files/caught.ts'
import { ConfigError } from '../../files/config-error.ts'
import { startStopwatch } from '../../sandbox/clock/clock.ts'
import { auditTenantName } from '../drive/audit-tenant.ts'
import { type AppCopies, type AppProgram, type AuditedApp, appAt, type StartFresh } from '../drive/audited-app.ts'
import { createCounter } from '../drive/driver.ts'
import type { AgentChoice } from './choose-agent.ts'
import type { OpenSandbox } from './open-sandbox.ts'
import type { AuditPlan } from './plan.ts'
import { findFreePort, type ProgramHost, startApp, tryStart } from './start-app.ts'

/** What starts copies of an app, and ends all that it started. */
export interface AppCopiesSource {
  readonly startFresh: StartFresh
  /** Starts copies, each on a free port and on a tenant of its own. @throws ConfigError with one line */
  start(count: number): Promise<AppCopies['copies']>
  /** Starts the one copy of an app that uses the sandbox at its base URL. @throws ConfigError with one line */
  startProgram(port: number): Promise<AppProgram>
  /** Ends the copies and removes their tenants. */
  close(): Promise<void>
}

export interface CopySettings {
  readonly host: ProgramHost
  readonly sandbox: OpenSandbox
  readonly plan: Pick<AuditPlan, 'pagesAt'>
  readonly start: NonNullable<AuditPlan['start']>
  readonly agents: AgentChoice
  readonly signal: AbortSignal
}

/** How long a copy may take to come up that is given a wrong reply: so many times as long as one that is not, at least so many seconds. */
const SLOWER = 3
const MIN_FRESH_SECONDS = 10

/** Prepares to start copies of an app. */
export function createCopies({ host, sandbox, plan, start, agents, signal }: CopySettings): AppCopiesSource {
  const nextNumber = createCounter()
  const nextTenant = createCounter()
  // Drawn, so that no tenant is there that has the name, and two audits of one sandbox do not meet.
  const run = randomInt(36 ** 6).toString(36)
  const stops: (() => Promise<void>)[] = []
  const removals: (() => Promise<void>)[] = []
  let freshSeconds = MIN_FRESH_SECONDS

  async function openTenant() {
    const name = auditTenantName(run, nextTenant())
    const remove = () => sandbox.removeTenant(name).catch(() => {})
    removals.push(remove)
    return { api: await sandbox.openTenant(name), remove, port: await findFreePort() }
  }

  async function startProgram({ baseUrl }: SandboxApi, port: number): Promise<AppProgram> {
    const launch = () => startApp(start.of({ baseUrl, port }), { host, place: start.place, signal })
    let running = await launch()
    stops.push(() => running.stop())
    return {
      record: () => running.log.record(),
      async restart() {
        await running.stop()
        running = await launch()
      },
    }
  }

  async function appOn(api: SandboxApi, port: number, program?: AppProgram): Promise<AuditedApp> {
    const pages = plan.pagesAt(port)
    return appAt(api, { ...pages, agent: await agents.choose(api, pages), nextNumber }, program)
  }

  async function startOne(): Promise<AuditedApp> {
    const { api, port } = await openTenant()
    return appOn(api, port, await startProgram(api, port))
  }

  async function tryFresh({ prepare, signal: ending }: Parameters<StartFresh>[0]) {
    const tenant = await openTenant()
    await prepare(tenant.api)
    const how = start.of({ baseUrl: tenant.api.baseUrl, port: tenant.port })
    const limits = { host, place: start.place, signal: ending, readySeconds: freshSeconds, mayFail: true }
    return { ...tenant, started: await tryStart(how, limits) }
  }

  return {
    async startFresh(options) {
      let fresh = await tryFresh(options)
      // Another program may have taken the port that was free.
      if ('problem' in fresh.started && /EADDRINUSE|address already in use/i.test(fresh.started.log.join('\n')))
        fresh = await tryFresh(options)
      const { api, port, remove, started } = fresh
      if ('problem' in started) return { sandbox: api, failure: started, log: async () => started.log, close: remove }
      stops.push(started.stop)
      return {
        sandbox: api,
        app: await appOn(api, port),
        log: async () => started.log.lines(),
        async close() {
          await started.stop()
          await remove()
        },
      }
    },
    async start(count) {
      // The first alone: what is wrong with all of them is said once.
      const passed = startStopwatch()
      const first = await startOne()
      freshSeconds = Math.max(MIN_FRESH_SECONDS, (SLOWER * passed()) / 1000)
      const others = await Promise.allSettled(Array.from({ length: count - 1 }, startOne))
      const failed = others.find((result) => result.status === 'rejected')
      if (failed)
        throw ConfigError.of(
          `${messageOf(failed.reason)}; the first copy of your app did start: when copies cannot run side by side, give --jobs 1`,
          { cause: failed.reason },
        )
      return [first, ...others.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))]
    },
    startProgram: (port) => startProgram(sandbox.api, port),
    async close() {
      await Promise.all(stops.map((stop) => stop()))
      await Promise.all(removals.map((remove) => remove()))
    },
  }
}
