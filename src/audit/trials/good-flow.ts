import type { FlowRun } from '../drive/flow-run.ts'
import { learnFlow } from '../learn/learned-flow.ts'
import { readRun } from '../learn/read-run.ts'
import { type SeenRun, seeRun } from '../learn/see-run.ts'
import type { AuditRun, Worker } from './audit-run.ts'
import type { Trial, TrialFinding } from './trial.ts'

/**
 * Runs Use with a right answer.
 * @param holds keeps the answer of Use from the app; the run has the answer as `answer`
 */
export const runGoodFlow = (
  persona: string,
  { driver }: Pick<Worker, 'driver'>,
  holds?: 'E1',
): Promise<FlowRun> =>
  driver.run({ use: { persona, outcome: 'verified' }, ...(holds && { holds }) })

/**
 * The control trial: an adult with a right answer gets in. The flow may fail once, because an
 * earlier row may have crashed the app. If the second attempt succeeds, the audit learns Use again
 * with the page that the first attempt showed.
 */
export const goodFlow = (run: Pick<AuditRun, 'learned'>): Trial<SeenRun> => ({
  name: 'a plain good flow',
  runs: 'alone',
  async drive(worker) {
    const first = await runAdult(run, worker)
    const { end, status } = first.run.observation
    if (status === 429 || isIn(first, run)) return first
    const again = await runAdult(run, worker)
    const isNew = end === 'page' && status < 400 && isIn(again, run)
    if (isNew) {
      const { use } = run.learned
      run.learned = { ...run.learned, use: learnFlow({ ...use, ins: [...use.ins, first] }) }
    }
    return again
  },
  proof(seen): TrialFinding {
    const { says, evidence, isLimited } = readRun(seen, run.learned.use)
    if (says === 'in') return { verdict: 'accepted', evidence, flows: [] }
    return {
      verdict: 'undetermined',
      reason: 'control_lost',
      evidence,
      flows: [],
      isLimited: isLimited ?? seen.run.observation.status === 429,
    }
  },
})

async function runAdult(
  { learned: { use, personas } }: Pick<AuditRun, 'learned'>,
  worker: Worker,
): Promise<SeenRun> {
  return seeRun(await runGoodFlow(personas.adult, worker), use, worker.driver)
}

const isIn = (seen: SeenRun, { learned }: Pick<AuditRun, 'learned'>): boolean =>
  readRun(seen, learned.use).says === 'in'
