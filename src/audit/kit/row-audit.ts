import type { SandboxApi } from '../../client/sandbox-api.ts'
import type { AuditChoices } from '../../client/shapes/audit.ts'
import type { AuditedRow } from '../../sandbox/outcomes/audit-report.ts'
import { CATALOGUE_VERSION, findRow, rowId } from '../../sandbox/outcomes/catalogue.ts'
import type { AuditRow } from '../../sandbox/outcomes/outcome.ts'
import { presentTime, stagesOf } from '../audit.ts'
import type { VisitFunction } from '../drive/call-visit.ts'
import { visitedBy } from '../drive/visit-driver.ts'
import { type LearnedApp, learnApp } from '../learn/learn-app.ts'
import { tryRows } from '../trials/try-rows.ts'

/** Judges rows one by one, each in a test of its own. */
export interface RowAudit {
  /**
   * What plain visits of an adult, a minor and a user who declines show. Made once.
   * @throws AuditProblem when nothing can be shown
   */
  learn(): Promise<LearnedApp>
  /** One row, with the right answer that differs by the fault alone, and a plain visit of an adult after it. @throws AuditProblem as `learn` */
  judge(row: AuditRow): Promise<AuditedRow>
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
  const learn = once(() => learnApp(app, driver, {}))
  const counterparts = new Map<string, Promise<AuditedRow>>()

  async function judgeOne(row: AuditRow): Promise<AuditedRow> {
    const learned = await learn()
    const { judged } = await tryRows([row], {
      learned,
      stages: await stagesOf([app], { learned, driver, drive: () => driver }),
      visitsEach: 1,
      isVisited: true,
      repeat: REPEAT,
      // What is a test counts.
      counting: { failOn: 'may', catalogue, known, today: presentTime() },
      signal,
      slow,
      pages: {},
      isAlone: true,
      drive: () => driver,
      onRow: () => {},
    })
    const [found] = judged.filter((one) => one.row === rowId(row))
    if (!found) throw new Error(`${rowId(row)} was not judged`)
    return found
  }

  async function judge(row: AuditRow): Promise<AuditedRow> {
    const counterpart = row.correctClient === 'refuse' ? findRow(row.twin) : undefined
    if (!counterpart || counterpart === row) return judgeOne(row)
    const judged = counterparts.get(row.twin) ?? judgeOne(counterpart)
    counterparts.set(row.twin, judged)
    const { verdict, evidence } = await judged
    const found = await judgeOne(row)
    // A plain minor who is let in is told in the place of the right answer of an adult.
    const isRight = verdict === 'accepted' || verdict === 'let in' || verdict === 'not for this app'
    if (isRight || found.verdict === 'not for this app') return found
    const masked = `${row.twin}, which differs by the fault alone, is ${verdict}: ${evidence}`
    return { ...found, verdict: 'undetermined', reason: 'masked', evidence: masked }
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
