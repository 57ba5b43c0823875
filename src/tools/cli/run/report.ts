import type { StepProgress } from '../../../sandbox/queue/queued.ts'
import type { LogMode } from '../../../server/config/settings.ts'
import { visible } from '../../../service/text/visible.ts'
import type { ProcessEnd } from '../start/process-group.ts'
import { paint, print, printText } from '../terminal.ts'
import type { ScenarioRun, StepResult } from './run-scenario.ts'

/** The output of a run while it happens. */
export interface RunReport {
  /** A scenario begins. */
  scenario(begun: Pick<ScenarioRun, 'name' | 'file'>): void
  /** A step is awaited. May be called several times for one step. */
  current(step: StepProgress): void
  /** A step has ended. */
  ended(step: StepResult): void
  /** The app's own command has started. */
  commandStarted(command: readonly string[]): void
  /** The app's own command has ended. */
  commandEnded(ending: ProcessEnd): void
  /** The run is over. @param ending of the command, if there was one */
  end(runs: readonly ScenarioRun[], ending?: ProcessEnd): void
}

const silent: RunReport = {
  scenario() {},
  current() {},
  ended() {},
  commandStarted() {},
  commandEnded() {},
  end() {},
}

/**
 * Creates the report for a log mode.
 * @param options.isShared whether a command writes to the same terminal
 */
export function createRunReport(
  mode: LogMode,
  { isShared }: { readonly isShared: boolean },
): RunReport {
  if (mode === 'silent') return silent
  return mode === 'json' ? createJsonRunReport() : createPrettyRunReport(isShared)
}

/** Whether every step of every scenario passed. */
export const hasPassed = (runs: readonly ScenarioRun[]) =>
  runs.every(({ steps }) => steps.every(({ status }) => status === 'passed'))

const isGood = (runs: readonly ScenarioRun[], ending: ProcessEnd | undefined) =>
  hasPassed(runs) && (ending?.code ?? 0) === 0

function createJsonRunReport(): RunReport {
  let waitingFor = -1
  const emit = (event: string, members: object) => print(JSON.stringify({ event, ...members }))
  return {
    scenario: ({ name, file }) => emit('scenario', { name, file }),
    current({ index, kind, summary }) {
      if (waitingFor !== index) emit('waiting', { step: index + 1, kind, summary })
      waitingFor = index
    },
    ended({ index, ...step }) {
      waitingFor = -1
      emit('step', { step: index + 1, ...step })
    },
    commandStarted: (command) => emit('command', { status: 'started', command }),
    commandEnded: ({ reason, code }) => emit('command', { status: 'ended', reason, code }),
    end: (runs, ending) => emit('end', { passed: isGood(runs, ending) }),
  }
}

function createPrettyRunReport(isShared: boolean): RunReport {
  const waiting = isShared ? { clear() {}, show() {} } : createWaitingLine()
  return {
    scenario: ({ name, file }) =>
      print(`${paint('bold', visible(name))} ${paint('dim', visible(file))}`),
    current: (step) => waiting.show(step),
    ended(step) {
      waiting.clear()
      print(stepLine(step))
      for (const line of explain(step)) print(`      ${visible(line)}`)
    },
    commandStarted: (command) => print(`  ${paint('dim', `$ ${visible(command.join(' '))}`)}`),
    commandEnded({ reason, code }) {
      print(`  ${code === 0 ? paint('green', '✓') : paint('red', '✗')} the command ${reason}`)
    },
    end(runs, ending) {
      const steps = runs.flatMap((run) => run.steps)
      const count = (status: StepResult['status']) =>
        steps.filter((step) => step.status === status).length
      const verdict = isGood(runs, ending) ? paint('green', 'passed') : paint('red', 'failed')
      const parts = (['passed', 'failed', 'skipped'] as const).map(
        (status) => `${count(status)} ${status}`,
      )
      print(
        `\n${verdict}: ${runs.length} scenario${runs.length === 1 ? '' : 's'}, steps ${parts.join(', ')}`,
      )
    },
  }
}

const COLORS = { passed: 'green', failed: 'red', skipped: 'dim' } as const
const MARKS = { passed: '✓', failed: '✗', skipped: '-' } as const

function stepLine({ index, kind, summary, status, seconds }: StepResult): string {
  const time = status === 'skipped' ? '' : paint('dim', ` ${seconds.toFixed(1)} s`)
  return `  ${paint(COLORS[status], MARKS[status])} ${index + 1} ${kind} ${visible(summary)}${time}`
}

/** Expected and received values by path, otherwise the reason in one line. */
function explain({ status, detail, mismatches }: StepResult): string[] {
  if (status !== 'failed') return []
  if (!mismatches) return detail === undefined ? [] : [detail]
  return mismatches.flatMap(({ path, expected, came }) => [
    path,
    `  expected ${expected}`,
    `  came     ${came}`,
  ])
}

/** On a terminal, shows which step is awaited and for how long. Writes nothing to a file. */
function createWaitingLine() {
  let timer: ReturnType<typeof setInterval> | undefined
  let shown = -1
  const clear = () => {
    clearInterval(timer)
    if (timer) printText('\r\u001b[K')
    timer = undefined
    shown = -1
  }
  return {
    clear,
    show({ index, kind, summary }: StepProgress) {
      if (!process.stdout.isTTY || shown === index) return
      clear()
      shown = index
      let seconds = 0
      const draw = () =>
        printText(`\r\u001b[K  … ${index + 1} ${kind} ${visible(summary)} (${seconds} s)`)
      draw()
      timer = setInterval(() => {
        seconds += 1
        draw()
      }, 1000)
      timer.unref()
    },
  }
}
