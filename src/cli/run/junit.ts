import type { JUnitSuite } from '../../files/reports/junit.ts'
import type { StepResult } from './run-scenario.ts'

/** A scenario that was run, or was not reached. */
export interface ScenarioRun {
  readonly name: string
  readonly file: string
  readonly steps: readonly StepResult[]
}

/** For JUnit a scenario is a testsuite, a step a testcase. */
export function suiteOf({ name, file, steps }: ScenarioRun): JUnitSuite {
  const cases = steps.map(({ index, kind, summary, status, seconds, detail }) => ({
    name: `${index + 1} ${kind} ${summary}`,
    classname: name,
    seconds,
    status,
    detail,
  }))
  return { name, file, cases }
}
