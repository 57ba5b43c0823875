import type { Browser } from '../../agent/browser.ts'
import type { FlowRun } from '../../drive/flow-run.ts'
import { observe } from '../../drive/observation.ts'
import type { LearnedApp } from '../../learn/learn-app.ts'
import type { Worker } from '../audit-run.ts'
import { runGoodFlow } from '../good-flow.ts'
import type { RowRun } from './row-finding.ts'
import { endSession } from './session-end.ts'

/** The run in which the app received a row, and how the run ended. */
export interface SentRow extends Omit<RowRun, 'as'> {
  readonly run: FlowRun
}

type Send = (worker: Worker, learned: LearnedApp) => Promise<SentRow>

/** How the audit sends its own rows: a browser delivers a right answer in a wrong way. */
export const REPLAYED_ANSWERS: Readonly<Record<string, Send>> = {
  /** A second browser begins a flow, then opens the answer to the flow of the first browser. */
  async 'callback.of_other_browser'(worker, { personas: { adult } }) {
    const first = await runGoodFlow(adult, worker, 'E1')
    const second = await runGoodFlow(adult, worker, 'E1')
    return openAnswer([first, second], second.browser, worker)
  },
  /** An adult opens the same answer again after the end of the first session. */
  async 'callback.twice'(worker, learned) {
    const first = await runGoodFlow(learned.personas.adult, worker)
    if (await endSession(first, worker, learned)) return openAnswer([first], first.browser, worker)
    return { run: first, flows: flowsOf([first]), missing: 'session_stays' }
  },
}

const flowsOf = (runs: readonly FlowRun[]): readonly string[] =>
  runs.map(({ useFlow }) => useFlow).filter((id) => id !== undefined)

/** Opens the answer of the first run in `browser`. */
async function openAnswer(
  runs: readonly [FlowRun, ...FlowRun[]],
  browser: Browser,
  { driver }: Worker,
): Promise<SentRow> {
  const [run] = runs
  const flows = flowsOf(runs)
  if (!run.answer) return { run, flows, missing: 'not_delivered' }
  const visit = await driver.open(run.answer, browser)
  return { run: { ...run, browser, visit, observation: observe(visit) }, flows }
}
