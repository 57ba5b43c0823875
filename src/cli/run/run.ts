import { writeFileSync } from 'node:fs'
import { loadSettings, type Settings } from '../../config/load-settings.ts'
import type { Texts } from '../../config/text-settings.ts'
import { messageOf } from '../../files/caught.ts'
import { ConfigError, type FileProblem } from '../../files/config-error.ts'
import { type JUnitSuite, renderJUnit } from '../../files/reports/junit.ts'
import { parseScenario, readScenarioText } from '../../sandbox/queue/scenario-file.ts'
import { type Scenario, stepOf, summaryOf } from '../../sandbox/queue/scenario-schema.ts'
import { readTimeout } from '../remote/filter-flags.ts'
import type { SandboxAddress } from '../remote/reach-sandbox.ts'
import { type ProcessEnd, STOP_MS, startGroup } from '../start/process-group.ts'
import { exitWithin, untilSignal } from '../start/until-signal.ts'
import { createRunReport, hasPassed, type RunReport } from './report.ts'
import { type EarlyEnd, runScenario, type ScenarioRun, type StepResult } from './run-scenario.ts'
import { openStage, personasOnStage, type Stage } from './stage.ts'

/** The flags of `run` itself. */
interface RunOptions extends SandboxAddress {
  readonly timeout?: string
  readonly junit?: string
  readonly json?: boolean
  readonly command?: readonly string[]
}

const DEFAULT_TIMEOUT_SECONDS = 60

/** The exit code that shells expect after SIGINT. */
const INTERRUPTED = 130
const CLOSING_MS = 500

/**
 * Runs scenario files one after the other, in a sandbox of its own or in the one at `--url`, up to the first failing step. All files are
 * read before the first one runs. A command may run meanwhile.
 * @param options.command the app's own tests: a program and its arguments
 * @returns the exit code: that of the command when it failed, otherwise 1 when a step failed or was not reached
 * @throws Error for a bad flag, ConfigError for a bad file, SandboxError when the sandbox refuses
 */
export async function run(files: readonly string[], flags: Texts, options: RunOptions): Promise<number> {
  const timeoutSeconds = readTimeout(options.timeout, DEFAULT_TIMEOUT_SECONDS)
  const loaded = await loadSettings({ flags })
  const settings: Settings = options.json ? { ...loaded, log: 'json' } : loaded
  // A missing or wrong file must not be reported as a port in use.
  const texts = readAll(files, (file) => ({ file, text: readScenarioText(file) }))
  const personas = await personasOnStage(settings, options)
  const scenarios = readAll(texts, ({ file, text }) => ({ file, scenario: parseScenario(text, { file, personas }) }))
  const interrupted = untilSignal()
  const stage = await openStage(settings, options)
  let command: AppCommand | undefined
  try {
    const report = createRunReport(settings.log, { isShared: options.command !== undefined })
    const isJson = settings.log === 'json'
    command = options.command && (await prepareCommand(options.command, { stage, report, isJson }))
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
        armed: (id: string) => {
          armed = id
          if (runs.length === 0) stage.announce()
          report.scenario({ name, file })
          command?.start()
        },
        timedOut: () => {
          isTimedOut = true
          void command?.stop()
        },
      }
      const steps = await runScenario(scenario, stage.api, { timeoutSeconds, listener, early: command?.early })
      runs.push({ name, file, steps })
    }
    const ending = await command?.ending()
    report.end(runs, ending)
    if (options.junit !== undefined) writeJUnit(options.junit, runs)
    if (isInterrupted) return INTERRUPTED
    if (ending && ending.code !== 0 && !isTimedOut) return ending.code
    return hasPassed(runs) ? 0 : 1
  } finally {
    await command?.stop()
    await stage.leave()
  }
}

/** The app's own command, which runs during the scenarios. */
interface AppCommand {
  /** Ends the wait of a scenario. */
  readonly early: EarlyEnd
  /** Starts the command once, when a scenario is armed. */
  start(): void
  /** How the command ended; `undefined` when it was never started. */
  ending(): Promise<ProcessEnd | undefined>
  /** Ends the command with the programs that it started. */
  stop(): Promise<void>
}

/**
 * Prepares a command. Its output is passed through, and goes to stderr when events are on stdout.
 * @param words the program and its arguments
 */
async function prepareCommand(
  words: readonly string[],
  { stage, report, isJson }: { stage: Stage; report: RunReport; isJson: boolean },
): Promise<AppCommand> {
  const env = await stage.environment()
  let end = () => {}
  const happened = new Promise<void>((resolve) => {
    end = resolve
  })
  let group: ReturnType<typeof startGroup> | undefined
  let reason: string | undefined
  return {
    early: {
      happened,
      get reason() {
        return reason
      },
    },
    start() {
      if (group) return
      report.commandStarted(words)
      group = startGroup(words, { env, stdio: ['ignore', isJson ? 2 : 1, 2] })
      void group.ended.then((ending) => {
        report.commandEnded(ending)
        reason = `the command ${ending.reason}`
        end()
      })
    },
    ending: async () => group?.ended,
    stop: async () => group?.stop(),
  }
}

/** The user interrupts the run. A sandbox that keeps running must not keep the scenario. */
async function abandon(id: string | undefined, { api }: Stage, command: AppCommand | undefined): Promise<void> {
  process.exitCode = INTERRUPTED
  exitWithin(command ? STOP_MS + CLOSING_MS : CLOSING_MS)
  if (id !== undefined) await api.scenarios.remove(id).catch(() => undefined)
  await command?.stop()
  process.exit()
}

/** Reads all items. @throws ConfigError with the problems of all */
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

/** For JUnit a scenario is a testsuite, a step a testcase. */
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
