import { writeFileSync } from 'node:fs'
import { BUILTIN_CLIENT } from '../../../sandbox/clients/clients.ts'
import { createClock } from '../../../sandbox/clock/clock.ts'
import { messageOf } from '../../../sandbox/files/caught.ts'
import { ConfigError, type FileProblem } from '../../../sandbox/files/config-error.ts'
import { type JUnitSuite, renderJUnit } from '../../../sandbox/files/reports/junit.ts'
import { loadPersonas } from '../../../sandbox/personas/load-personas.ts'
import { parseScenario, readScenarioText } from '../../../sandbox/queue/scenario-file.ts'
import { type Scenario, stepOf, summaryOf } from '../../../sandbox/queue/scenario-schema.ts'
import { connectSandbox } from '../../../server/client/connect-sandbox.ts'
import { createRemoteTransport } from '../../../server/client/remote-transport.ts'
import type { SandboxApi } from '../../../server/client/sandbox-api.ts'
import { loadSettings, type Settings } from '../../../server/config/load-settings.ts'
import {
  CLIENT_ID_VARIABLE,
  CLIENT_SECRET_VARIABLE,
  type Texts,
  URL_VARIABLE,
} from '../../../server/config/text-settings.ts'
import { readTimeout } from '../remote/filter-flags.ts'
import { type AskFlags, checkedUrl } from '../remote/reach-sandbox.ts'
import { type ProcessEnd, STOP_MS, startGroup } from '../start/process-group.ts'
import { createReport } from '../start/report.ts'
import { createFromSettings } from '../start/start.ts'
import { exitWithin, untilSignal } from '../start/until-signal.ts'
import { createRunReport, hasPassed, type RunReport } from './report.ts'
import { runScenario, type ScenarioRun, type StepResult } from './run-scenario.ts'

/** The flags of `run` itself. */
interface RunOptions extends AskFlags {
  readonly timeout?: string
  readonly junit?: string
  readonly command?: readonly string[]
}

const DEFAULT_TIMEOUT_SECONDS = 60

/** The exit code that shells expect after SIGINT. */
const INTERRUPTED = 130
const CLOSING_MS = 500

/**
 * Runs scenario files in order up to the first failing step, in its own sandbox or in the sandbox
 * at `--url`. Reads all files before the first scenario runs. A command may run at the same time.
 * @param options.command the app's own tests: a program and its arguments
 * @returns the exit code: the exit code of a failed command, 1 if a step failed or was not reached,
 * otherwise 0
 * @throws Error for a bad flag, ConfigError for a bad file, SandboxError when the sandbox refuses
 */
export async function run(
  files: readonly string[],
  flags: Texts,
  options: RunOptions,
): Promise<number> {
  const timeoutSeconds = readTimeout(options.timeout, DEFAULT_TIMEOUT_SECONDS)
  const loaded = await loadSettings({ flags })
  const settings: Settings = options.json ? { ...loaded, log: 'json' } : loaded
  // Before a sandbox starts, so that a missing file is not reported as a port in use.
  const texts = readAll(files, (file) => ({ file, text: readScenarioText(file) }))
  const { url, tenant, command: words } = options
  // The sandbox at `--url` lists its personas. The run's own sandbox has not started yet.
  const remote = url === undefined ? undefined : openRemote(url, settings, tenant)
  const known = await (remote?.api.personas.list() ?? loadPersonas(settings.sandbox.personas))
  const personas = known.map(({ name }) => name)
  const scenarios = readAll(texts, ({ file, text }) => ({
    file,
    scenario: parseScenario(text, { file, personas }),
  }))
  const interrupted = untilSignal()
  const stage = remote ?? (await openOwn(settings, tenant))
  let command: AppCommand | undefined
  try {
    const isJson = settings.log === 'json'
    const report = createRunReport(settings.log, { isShared: words !== undefined })
    command = words && (await prepareCommand(words, { stage, report, isJson }))
    const parts = { stage, command, report, timeoutSeconds, interrupted }
    const { runs, isTimedOut, isInterrupted } = await runAll(scenarios, parts)
    const ending = await command?.ending()
    report.end(runs, ending)
    if (options.junit !== undefined) writeJUnit(options.junit, runs)
    if (isInterrupted()) return INTERRUPTED
    if (ending && ending.code !== 0 && !isTimedOut) return ending.code
    return hasPassed(runs) ? 0 : 1
  } finally {
    await command?.stop()
    await stage.leave()
  }
}

interface LoadedScenario {
  readonly file: string
  readonly scenario: Scenario
}

/** The parts of a run. */
interface RunParts {
  readonly stage: Stage
  readonly command: AppCommand | undefined
  readonly report: RunReport
  readonly timeoutSeconds: number
  /** Resolves when the user interrupts the run. */
  readonly interrupted: Promise<unknown>
}

interface RunsOfAll {
  readonly runs: readonly ScenarioRun[]
  /** Whether no request met a step in time. */
  readonly isTimedOut: boolean
  /** Whether the user has interrupted the run. This may still happen after the last step. */
  isInterrupted(): boolean
}

/** Runs scenarios in order. After a failed step, the remaining scenarios are listed as skipped. */
async function runAll(
  scenarios: readonly LoadedScenario[],
  { stage, command, report, timeoutSeconds, interrupted }: RunParts,
): Promise<RunsOfAll> {
  const runs: ScenarioRun[] = []
  let armed: string | undefined
  let isTimedOut = false
  let isInterrupted = false
  void interrupted.then(() => {
    isInterrupted = true
    return abandon(armed, stage, command)
  })
  for (const { file, scenario } of scenarios) {
    const { name } = scenario
    if (!hasPassed(runs)) {
      runs.push({ name, file, steps: scenario.steps.map(skippedStep) })
      continue
    }
    if (runs.length > 0) await stage.prepare()
    const listener = {
      ...report,
      armed(id: string) {
        armed = id
        if (runs.length === 0) stage.announce()
        report.scenario({ name, file })
        command?.start()
      },
      timedOut() {
        isTimedOut = true
        void command?.stop()
      },
    }
    const limits = { timeoutSeconds, listener, early: command?.early }
    runs.push({ name, file, steps: await runScenario(scenario, stage.api, limits) })
  }
  return { runs, isTimedOut, isInterrupted: () => isInterrupted }
}

/** The sandbox in which scenarios run. */
interface Stage {
  readonly api: SandboxApi
  /** The environment variables with which an app uses the sandbox. */
  environment(): Promise<Readonly<Record<string, string>>>
  /** Prints the URL. Requests may follow immediately, so call it when a scenario is armed. */
  announce(): void
  /** Prepares the sandbox for the next scenario. */
  prepare(): Promise<void>
  leave(): Promise<void>
}

async function openOwn(settings: Settings, tenant: string | undefined): Promise<Stage> {
  const { log, warnings } = settings
  if (tenant !== undefined)
    throw ConfigError.of('--tenant: is for a sandbox at --url; give both or neither')
  const report = createReport(log, createClock().now)
  for (const warning of warnings) report.warning(warning)
  const { warning, defect } = report
  const sandbox = await createFromSettings(settings, { warning, defect })
  const { client, url, baseUrl } = sandbox
  return {
    api: sandbox,
    environment: async () =>
      environmentOf({ ...client, baseUrl, controlToken: settings.sandbox.controlToken }),
    announce: () => report.ready({ client, url, baseUrl }),
    prepare: () => sandbox.reset(),
    leave: () => sandbox.close(),
  }
}

/** Uses the sandbox at `--url`. Others may use it too, so nothing is reset between scenarios. */
function openRemote(
  url: string,
  { sandbox: settings }: Settings,
  tenant: string | undefined,
): Stage {
  const { controlToken } = settings
  const sandbox = connectSandbox(
    checkedUrl(url, '--url'),
    controlToken === undefined ? {} : { controlToken },
  )
  const api = tenant === undefined ? sandbox : sandbox.tenant(tenant)
  return {
    api,
    environment: () => environmentAt(api.baseUrl, settings),
    announce() {},
    prepare: async () => {},
    leave: () => sandbox.close(),
  }
}

/**
 * The environment for a running sandbox. The sandbox itself names the base URL, because `url` may
 * be another address of a container. The client secret comes from the settings of this machine.
 */
async function environmentAt(url: string, { controlToken, clients = [] }: Settings['sandbox']) {
  const [, name = 'default'] = /\/t\/([^/]+)$/.exec(url) ?? []
  const { call } = createRemoteTransport({ baseUrl: url, token: controlToken })
  const { base_url: baseUrl, clients: known } = await call('getTenant', { params: { name } })
  const [declared] = known
  if (!declared) return environmentOf({ ...BUILTIN_CLIENT, baseUrl, controlToken })
  const clientId = declared.client_id
  const clientSecret = clients.find((client) => client.clientId === clientId)?.clientSecret
  return environmentOf({ baseUrl, clientId, clientSecret, controlToken })
}

interface StagedApp {
  readonly baseUrl: string
  readonly clientId: string
  /** Absent when only the sandbox knows the secret. */
  readonly clientSecret?: string | undefined
  readonly controlToken?: string | undefined
}

function environmentOf({
  baseUrl,
  clientId,
  clientSecret,
  controlToken,
}: StagedApp): Record<string, string> {
  return {
    [URL_VARIABLE]: baseUrl,
    [CLIENT_ID_VARIABLE]: clientId,
    ...(clientSecret === undefined ? {} : { [CLIENT_SECRET_VARIABLE]: clientSecret }),
    ...(controlToken === undefined ? {} : { AGEKEY_SANDBOX_CONTROL_TOKEN: controlToken }),
  }
}

/** The command of the app, which runs during the scenarios. */
interface AppCommand {
  /** Resolves with the reason when the command has ended. */
  readonly early: Promise<string>
  /** Starts the command once, when a scenario is armed. */
  start(): void
  /** How the command ended; `undefined` when it was never started. */
  ending(): Promise<ProcessEnd | undefined>
  /** Ends the command and its child processes. */
  stop(): Promise<void>
}

/**
 * Prepares a command. Its output is passed through; with JSON events on stdout, it goes to stderr.
 * @param words the program and its arguments
 */
async function prepareCommand(
  words: readonly string[],
  { stage, report, isJson }: { stage: Stage; report: RunReport; isJson: boolean },
): Promise<AppCommand> {
  const env = await stage.environment()
  let end = (_reason: string) => {}
  const early = new Promise<string>((resolve) => {
    end = resolve
  })
  let group: ReturnType<typeof startGroup> | undefined
  return {
    early,
    start() {
      if (group) return
      report.commandStarted(words)
      group = startGroup(words, { env, stdio: ['ignore', isJson ? 2 : 1, 2] })
      void group.ended.then((ending) => {
        report.commandEnded(ending)
        end(`the command ${ending.reason}`)
      })
    },
    ending: async () => group?.ended,
    stop: async () => group?.stop(),
  }
}

/** Handles an interrupt. Removes the scenario, because a sandbox at `--url` keeps running. */
async function abandon(
  id: string | undefined,
  { api }: Stage,
  command: AppCommand | undefined,
): Promise<void> {
  process.exitCode = INTERRUPTED
  exitWithin(command ? STOP_MS + CLOSING_MS : CLOSING_MS)
  if (id !== undefined) await api.scenarios.remove(id).catch(() => undefined)
  await command?.stop()
  process.exit()
}

/** Reads all items. @throws ConfigError with the problems of all items */
function readAll<T, R>(items: readonly T[], read: (item: T) => R): R[] {
  const problems: FileProblem[] = []
  const results = items.flatMap((item) => {
    try {
      return [read(item)]
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      problems.push(...error.problems)
      return []
    }
  })
  if (problems.length > 0) throw ConfigError.inFiles(problems)
  return results
}

function skippedStep(declared: Scenario['steps'][number], index: number): StepResult {
  const step = stepOf(declared)
  return { index, kind: step.kind, summary: summaryOf(step), status: 'skipped', seconds: 0 }
}

function writeJUnit(file: string, runs: readonly ScenarioRun[]): void {
  try {
    writeFileSync(file, renderJUnit(runs.map(suiteOf)))
  } catch (cause) {
    throw ConfigError.of(`--junit: ${file} cannot be written: ${messageOf(cause)}`, { cause })
  }
}

/** In JUnit, a scenario is a testsuite and a step is a testcase. */
function suiteOf({ name, file, steps }: ScenarioRun): JUnitSuite {
  const cases = steps.map(({ index, kind, summary, status, seconds, detail }) => ({
    name: `${index + 1} ${kind} ${summary}`,
    classname: name,
    seconds,
    status,
    detail,
  }))
  return { name, file, cases }
}
