import type { SandboxApi } from '../../client/sandbox-api.ts'
import type { AuditChoices } from '../../client/shapes/audit.ts'
import type { AuditedRow } from '../../sandbox/outcomes/audit-report.ts'
import { CATALOGUE_VERSION, findRow } from '../../sandbox/outcomes/catalogue.ts'
import type { Outcome } from '../../sandbox/outcomes/outcome.ts'
import { presentTime } from '../audit.ts'
import type { VisitFunction } from '../drive/call-visit.ts'
import { visitedBy } from '../drive/visit-driver.ts'
import { type Counting, describeRow } from '../judge/conclude.ts'
import { verdictOfRefused } from '../judge/judge-rows.ts'
import { prepareCopies } from '../judge/judged-copy.ts'
import { createTrial } from '../judge/trial.ts'
import { type LearnedApp, learnApp } from '../learn/learn-app.ts'
import { reasonNotFor } from '../plan/applicability.ts'

/** Judges rows one by one, each in a test of its own. */
export interface RowAudit {
  /**
   * What plain visits of an adult, a minor and a user who declines show. Made once.
   * @throws AuditProblem when nothing can be shown
   */
  learn(): Promise<LearnedApp>
  /** One row, and a plain visit of an adult after it. @throws AuditProblem as `learn` */
  judge(row: Outcome): Promise<AuditedRow>
}

/** How often a finding is looked at. */
const REPEAT = 2
const TIMEOUT_SECONDS = 10

export function createRowAudit(
  { sandbox, visit }: { sandbox: SandboxApi; visit: VisitFunction },
  { catalogue = CATALOGUE_VERSION, known = [], slow = false, timeoutSeconds = TIMEOUT_SECONDS }: AuditChoices,
): RowAudit {
  const app = visitedBy(sandbox, visit)
  // A runner limits its tests itself.
  const { signal } = new AbortController()
  const driver = app.drive({ timeoutSeconds, signal })
  // What is a test counts.
  const counting = (): Counting => ({ failOn: 'may', catalogue, known, today: presentTime() })
  const learn = once(() => learnApp(app, driver, {}))
  const twins = new Map<Outcome, Promise<AuditedRow>>()

  async function judge(row: Outcome): Promise<AuditedRow> {
    const learned = await learn()
    const reason = reasonNotFor(row, { ...learned, profile: learned.use.profile, slow })
    if (reason !== undefined) return describeRow(row, { reason }, counting())
    const refused = verdictOfRefused(row, learned)
    if (refused) return describeRow(row, refused, counting())
    const masked = await maskOf(row)
    if (masked !== undefined) {
      return describeRow(row, { verdict: 'undetermined', reason: 'masked', evidence: masked, flows: [] }, counting())
    }
    const copies = await prepareCopies([{ sandbox, program: undefined, driver }], { learned, repeat: REPEAT })
    const trial = createTrial({ copies, visitsEach: 1, learned, signal, pages: {} }, () => {})
    await trial.judge([row])
    return describeRow(row, trial.verdictOf(row), counting())
  }

  /** Why a refusal would show nothing: the app also refuses what differs by the fault alone. */
  async function maskOf(row: Outcome): Promise<string | undefined> {
    const twin = row.correctClient === 'refuse' ? findRow(row.twin) : undefined
    if (!twin || twin === row) return undefined
    const judged = twins.get(twin) ?? judge(twin)
    twins.set(twin, judged)
    const { verdict, evidence } = await judged
    if (verdict === 'accepted' || verdict === 'not for this app') return undefined
    return `${row.twin}, which differs by the fault alone, is ${verdict}: ${evidence}`
  }

  const takeTurn = createTurns()
  return { learn: () => takeTurn(learn), judge: (row) => takeTurn(() => judge(row)) }
}

/** Runs one after the other what a runner may begin at the same time: visits have one queue. */
function createTurns(): <Result>(act: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve()
  return (act) => {
    const turn = last.then(act, act)
    last = turn
    return turn
  }
}

function once<Result>(act: () => Promise<Result>): () => Promise<Result> {
  let made: Promise<Result> | undefined
  return () => {
    made ??= act()
    return made
  }
}
