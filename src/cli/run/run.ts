import { writeFileSync } from 'node:fs'
import { connectSandbox } from '../../client/connect-sandbox.ts'
import type { SandboxApi } from '../../client/sandbox-api.ts'
import { loadSettings, type Settings } from '../../config/load-settings.ts'
import type { Texts } from '../../config/text-settings.ts'
import { messageOf } from '../../files/caught.ts'
import { ConfigError, type FileProblem } from '../../files/config-error.ts'
import { packageVersion } from '../../package-root.ts'
import { createClock } from '../../sandbox/clock/clock.ts'
import { readScenarioFile } from '../../sandbox/scenarios/scenario-file.ts'
import { type Scenario, stepOf, summaryOf } from '../../sandbox/scenarios/scenario-schema.ts'
import { createFromSettings } from '../create-from-settings.ts'
import { renderJUnit } from '../junit.ts'
import { readTimeout } from '../remote/read-timeout.ts'
import { createReport } from '../start/report.ts'
import { exitWithin, untilSignal } from '../start/until-signal.ts'
import { type ScenarioRun, suiteOf } from './junit.ts'
import { createRunReport, hasPassed } from './report.ts'
import { runScenario, type StepResult } from './run-scenario.ts'

/** The flags of `run` itself. */
export interface RunOptions {
  readonly url?: string
  readonly tenant?: string
  readonly timeout?: string
  readonly junit?: string
}

const DEFAULT_TIMEOUT_SECONDS = 60

/** What shells expect of a program that SIGINT ended. */
const INTERRUPTED = 130
const CLOSING_MS = 500

/** The sandbox that scenarios run in. */
interface Stage {
  readonly api: SandboxApi
  /** Prints the address, once. Requests may follow at once, so a scenario is armed by then. */
  announce(): void
  /** What the next scenario begins with. */
  prepare(): Promise<void>
  leave(): Promise<void>
}

/**
 * Runs scenario files one after the other, in a sandbox of its own or in the one at `--url`, up to the first step that
 * fails. Every file is read before the first one runs.
 * @returns whether all passed
 * @throws Error for a bad flag, ConfigError for a bad file, SandboxError when the sandbox refuses
 */
export async function run(files: readonly string[], flags: Texts, options: RunOptions): Promise<boolean> {
  const timeoutSeconds = readTimeout(options.timeout, DEFAULT_TIMEOUT_SECONDS)
  const settings = await loadSettings({ flags })
  const interrupted = untilSignal()
  const stage =
    options.url === undefined ? await openOwn(settings, options) : openRemote(options.url, settings, options)
  try {
    const personas = (await stage.api.personas.list()).map(({ name }) => name)
    const report = createRunReport(settings.log)
    const scenarios = readAll(files, personas)
    const runs: ScenarioRun[] = []
    let armed: string | undefined
    void interrupted.then(() => abandon(armed, stage))
    for (const { file, scenario } of scenarios) {
      const { name } = scenario
      if (!hasPassed(runs)) {
        runs.push({ name, file, steps: scenario.steps.map(skippedStep) })
        continue
      }
      if (runs.length > 0) await stage.prepare()
      const listener = {
        ...report,
        armed: (id: string) => {
          armed = id
          if (runs.length === 0) stage.announce()
          report.scenario({ name, file })
        },
      }
      runs.push({ name, file, steps: await runScenario(scenario, stage.api, { timeoutSeconds, listener }) })
    }
    report.end(runs)
    if (options.junit !== undefined) writeJUnit(options.junit, runs)
    return hasPassed(runs)
  } finally {
    await stage.leave()
  }
}

async function openOwn(settings: Settings, { tenant }: RunOptions): Promise<Stage> {
  const { log, warnings } = settings
  if (tenant !== undefined) throw ConfigError.of('--tenant: is for a sandbox at --url; give both or neither')
  const report = createReport(log, createClock().now)
  for (const warning of warnings) report.warning(warning)
  const { warning, defect } = report
  const sandbox = await createFromSettings(settings, { warning, defect })
  const { client, url, baseUrl } = sandbox
  return {
    api: sandbox,
    announce: () => report.ready({ ...client, url, baseUrl, version: packageVersion() }),
    prepare: () => sandbox.reset(),
    leave: () => sandbox.close(),
  }
}

/** The user interrupts the run: a sandbox that goes on must not keep the scenario. */
async function abandon(id: string | undefined, { api }: Stage): Promise<void> {
  process.exitCode = INTERRUPTED
  exitWithin(CLOSING_MS)
  if (id !== undefined) await api.scenarios.remove(id).catch(() => undefined)
  process.exit()
}

/** What stands there belongs to others too: nothing is reset between scenarios. */
function openRemote(url: string, { sandbox: { controlToken } }: Settings, { tenant }: RunOptions): Stage {
  if (!URL.canParse(url)) throw ConfigError.of(`--url: ${JSON.stringify(url)} is not a URL like http://127.0.0.1:2435`)
  const sandbox = connectSandbox(url, controlToken === undefined ? {} : { controlToken })
  const api = tenant === undefined ? sandbox : sandbox.tenant(tenant)
  return { api, announce() {}, prepare: async () => {}, leave: () => sandbox.close() }
}

function readAll(files: readonly string[], personas: readonly string[]): { file: string; scenario: Scenario }[] {
  const problems: FileProblem[] = []
  const scenarios = files.flatMap((file) => {
    try {
      return [{ file, scenario: readScenarioFile(file, { personas }) }]
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      problems.push(...error.problems)
      return []
    }
  })
  if (problems.length > 0) throw ConfigError.inFiles(problems)
  return scenarios
}

function skippedStep(declared: Scenario['steps'][number], index: number): StepResult {
  const step = stepOf(declared)
  return { index, kind: step.kind, summary: summaryOf(step), status: 'skipped', seconds: 0 }
}

function writeJUnit(file: string, runs: readonly ScenarioRun[]): void {
  try {
    writeFileSync(file, renderJUnit(runs.map(suiteOf)))
  } catch (cause) {
    throw ConfigError.of(`--junit: ${file} cannot be written: ${messageOf(cause)}`, {
      cause,
    })
  }
}
