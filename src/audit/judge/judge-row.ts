import type { Reason, VerdictName } from '../../sandbox/outcomes/audit-report.ts'
import type { Check, Outcome } from '../../sandbox/outcomes/outcome.ts'
import type { Browser } from '../agent/browser.ts'
import type { Cast } from '../drive/cast.ts'
import type { Driver } from '../drive/driver.ts'
import { readRun } from '../learn/flow-reader.ts'
import { cookiesSet } from '../learn/observation.ts'
import type { RowPlan } from '../plan/plan-row.ts'
import { judgeRun, type Readers, type RunVerdict } from './judge-run.ts'

/** What was found out about a row. */
export interface RowVerdict {
  readonly verdict: VerdictName
  readonly reason?: Reason | undefined
  readonly evidence: string
  readonly flows: readonly string[]
  readonly isLimited?: boolean | undefined
  /** The last lines that the app wrote meanwhile; absent when they may belong to another visit. */
  readonly log?: readonly string[] | undefined
  /** The check that the log names as the one that refused. */
  readonly refusedBy?: Check | undefined
}

export interface Judge {
  readonly readers: Readers
  readonly driver: Driver
  readonly cast: Cast
  /** How often a finding is looked at. */
  readonly repeat: number
}

/** Judges a row: one run for each role, and each finding once more in a fresh browser. */
export async function judgeRow(row: Outcome, plan: RowPlan, judge: Judge): Promise<RowVerdict> {
  const once = () => judgeOnce(row, plan, judge)
  return confirmFinding(await once(), once, judge.repeat)
}

/** Looks at a finding as often as `repeat` says: when it comes out differently, it is flaky. */
export async function confirmFinding(
  first: RowVerdict,
  look: () => Promise<RowVerdict>,
  repeat: number,
): Promise<RowVerdict> {
  const flows = [...first.flows]
  if (!isFinding(first)) return first
  for (let time = 1; time < repeat; time += 1) {
    const again = await look()
    flows.push(...again.flows)
    if (again.verdict === first.verdict) continue
    const evidence = `${first.verdict} at first (${first.evidence}), then ${again.verdict} (${again.evidence})`
    return { verdict: 'undetermined', reason: 'flaky', evidence, flows, log: again.log }
  }
  return { ...first, flows }
}

export const isFinding = ({ verdict }: Pick<RowVerdict, 'verdict'>): boolean =>
  verdict === 'let in' || verdict === 'too strict' || verdict === 'broke'

/** The runs of all roles as one verdict: the worst counts. */
async function judgeOnce(row: Outcome, { roles, plan, runsAlone }: RowPlan, judge: Judge): Promise<RowVerdict> {
  const { readers, driver, cast } = judge
  const verdicts: RunVerdict[] = []
  for (const role of roles) {
    const verdict = await cast.as(role, async (persona) => {
      const judgeIn = async (browser?: Browser) => {
        const run = await driver.run({ ...plan(persona), ...(browser && { browser }) })
        return judgeRun(row, run, { readers, isAlone: runsAlone })
      }
      return row.prelude === undefined ? judgeIn() : judgeReplay(judgeIn, judge)
    })
    verdicts.push({ ...verdict, evidence: `as ${cast.nameOf(role)}: ${verdict.evidence}` })
  }
  const worst = (['taken', 'broke', 'undetermined', 'refused'] as const)
    .map((kind) => verdicts.find(({ verdict }) => verdict === kind))
    .find((found) => found !== undefined)
  if (!worst) throw new Error(`${row.name} is run by no role`)
  const { reason, evidence } = worst
  const flows = verdicts.flatMap((one) => one.flows)
  return {
    verdict: verdictNameFor(row, worst),
    reason,
    evidence,
    flows,
    isLimited: verdicts.some((one) => one.isLimited),
  }
}

/** What a run says of a row, as a verdict on the app. */
export function verdictNameFor({ correctClient }: Outcome, { verdict }: RunVerdict): VerdictName {
  if (verdict === 'undetermined') return 'undetermined'
  switch (correctClient) {
    case 'depends':
      return 'observed'
    case 'accept':
      return verdict === 'taken' ? 'accepted' : 'too strict'
    case 'refuse':
      return verdict === 'taken' ? 'let in' : verdict
  }
}

/**
 * Judges what needs an earlier flow, in the browser of that flow once the proof is gone that the good answer left there: its cookies
 * are removed, as when the session of the app is over. An app that keeps the proof in a cookie of before is judged in a fresh browser.
 */
async function judgeReplay(
  judgeIn: (browser?: Browser) => Promise<RunVerdict>,
  { readers, driver, cast }: Judge,
): Promise<RunVerdict> {
  const { signatures, rules } = readers
  const { browser, visit } = await cast.as('adult', (persona) => driver.run({ use: { persona, outcome: 'verified' } }))
  browser.forget(cookiesSet(visit))
  // A denial answers nothing that can be replayed.
  const denied = await driver.run({ use: { outcome: 'access_denied' }, browser })
  const isYes = (await readRun(denied, { signature: signatures.use, rules: rules.use, driver })) === 'yes'
  return denied.request && !isYes ? judgeIn(browser) : judgeIn()
}
