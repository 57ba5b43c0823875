import { randomInt } from 'node:crypto'
import { auditTenantName } from '../../../audit/drive/audit-tenant.ts'
import type { AppCopies, AppProgram, AuditedApp, StartFresh } from '../../../audit/drive/audited-app.ts'
import { appAt } from '../../../audit/drive/audited-app.ts'
import { createCounter } from '../../../audit/drive/driver.ts'
import { messageOf } from '../../../files/caught.ts'
import { ConfigError } from '../../../files/config-error.ts'
import type { Mask } from '../../../sandbox/clients/mask.ts'
import { startStopwatch } from '../../../sandbox/clock/clock.ts'
import type { AgentChoice } from '../choose-agent.ts'
import type { OpenSandbox } from '../open-sandbox.ts'
import type { AuditPlan } from '../plan-audit.ts'
import { findFreePort, type RunningApp, startApp, tryStart } from './start-app.ts'

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
  readonly sandbox: OpenSandbox
  readonly plan: AuditPlan
  readonly agents: AgentChoice
  readonly mask: Mask
  readonly signal: AbortSignal
}

/** How long a copy may take to come up that is given a wrong reply: so many times as long as one that is not, at least so many seconds. */
const SLOWER = 3
const MIN_FRESH_SECONDS = 10

/** Prepares to start copies of the app whose start the plan says. */
export function createCopies(settings: CopySettings): AppCopiesSource {
  const { sandbox, plan } = settings
  const nextNumber = createCounter()
  const nextTenant = createCounter()
  // Drawn, so that no tenant is there that has the name, and two audits of one sandbox do not meet.
  const run = randomInt(36 ** 6).toString(36)
  const programs: { stop(): Promise<void> }[] = []
  let freshSeconds = MIN_FRESH_SECONDS
  const tenants: string[] = []

  async function startProgram(baseUrl: string, port: number): Promise<AppProgram> {
    const program = await start(baseUrl, port, settings)
    programs.push(program)
    return program
  }

  async function startOne(): Promise<AuditedApp> {
    const name = auditTenantName(run, nextTenant())
    tenants.push(name)
    const api = await sandbox.openTenant(name)
    const port = await findFreePort()
    const program = await startProgram(api.baseUrl, port)
    const { pages } = plan.of({ port })
    return appAt(api, { ...pages, agent: await settings.agents.choose(api, pages), nextNumber }, program)
  }

  async function startOnTenant(limits: Parameters<StartFresh>[0]) {
    const name = auditTenantName(run, nextTenant())
    tenants.push(name)
    const api = await sandbox.openTenant(name)
    await limits.prepare(api)
    const port = await findFreePort()
    if (!plan.start) throw new Error('the plan says how the app is started')
    const { place } = plan.start
    const started = await tryStart(plan.start.of({ baseUrl: api.baseUrl, port }), {
      place,
      mask: settings.mask,
      signal: limits.signal,
      readySeconds: freshSeconds,
      mayFail: true,
    })
    return { name, api, port, started }
  }

  const startFresh: StartFresh = async (options) => {
    let fresh = await startOnTenant(options)
    // Another program may have taken the port that was free.
    if ('problem' in fresh.started && /EADDRINUSE|address already in use/i.test(fresh.started.log.join('\n')))
      fresh = await startOnTenant(options)
    const { name, api, port, started } = fresh
    const remove = () => sandbox.removeTenant(name).catch(() => {})
    if ('problem' in started) return { sandbox: api, failure: started, log: async () => started.log, close: remove }
    programs.push(started)
    const { pages } = plan.of({ port })
    return {
      sandbox: api,
      app: appAt(api, { ...pages, agent: await settings.agents.choose(api, pages), nextNumber }),
      log: async () => [...started.log.lines()],
      async close() {
        await started.stop()
        await remove()
      },
    }
  }

  return {
    startFresh,
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
    startProgram: (port) => startProgram(sandbox.api.baseUrl, port),
    async close() {
      await Promise.all(programs.map((program) => program.stop()))
      await Promise.allSettled(tenants.map((name) => sandbox.removeTenant(name)))
    },
  }
}

interface Restartable extends AppProgram {
  stop(): Promise<void>
}

/** Starts the program of an app at a port. @throws ConfigError with one line when it does not come up */
async function start(
  baseUrl: string,
  port: number,
  { plan: { start: how }, mask, signal }: Pick<CopySettings, 'plan' | 'mask' | 'signal'>,
): Promise<Restartable> {
  if (!how) throw new Error('the plan says how the app is started')
  const launch = () => startApp(how.of({ baseUrl, port }), { place: how.place, mask, signal })
  let running: RunningApp = await launch()
  return {
    record: () => running.log.record(),
    stop: () => running.stop(),
    async restart() {
      await running.stop()
      running = await launch()
    },
  }
}
