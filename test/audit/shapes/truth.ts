import type { SandboxApi } from '../../../src/client/sandbox-api.ts'
import type { Flow } from '../../../src/client/shapes/flow.ts'
import type { AuditedRow, AuditReport } from '../../../src/sandbox/outcomes/audit-report.ts'
import { findOutcome } from '../../../src/sandbox/outcomes/catalogue.ts'
import type { RunningShape } from './shapes.ts'

/** What the log of the app says of the users of a row. `unknown`: the journal has none of its flows. */
export type Truth = 'let in' | 'refused' | 'unknown'

export interface Comparison {
  /** How many rows have each truth and verdict: `refused: let in`. */
  readonly counts: Readonly<Record<string, number>>
  /** Rows whose verdict the log contradicts, in one line each. */
  readonly contradictions: readonly string[]
  /** How many judged rows are undetermined, by reason. */
  readonly undetermined: Readonly<Record<string, number>>
  readonly rows: readonly { readonly row: string; readonly truth: Truth; readonly verdict: string }[]
}

const TOOK = ['let in', 'accepted']
const NOT_JUDGED = ['not for this app', 'known', 'stale']

/** Compares the verdicts of a report with the log of the app. */
export async function compareWithTruth(
  report: Pick<AuditReport, 'rows'>,
  { app, sandbox }: { app: Pick<RunningShape, 'admissions'>; sandbox: Pick<SandboxApi, 'flows'> },
): Promise<Comparison> {
  const judged = report.rows.filter(({ verdict }) => !NOT_JUDGED.includes(verdict))
  const rows = await Promise.all(
    judged.map(async (row) => ({ row: row.row, verdict: row.verdict, truth: await truthOf(row, { app, sandbox }) })),
  )
  const isWrong = (verdict: string, truth: Truth) =>
    TOOK.includes(verdict)
      ? truth === 'refused'
      : /^(refused|ignored|broke|too strict)$/.test(verdict) && truth === 'let in'
  const texts = new Map(judged.map((row) => [row.row, [row.evidence, ...row.flows].join(' ')]))
  return {
    rows,
    counts: countOf(rows.map(({ truth, verdict }) => `${truth}: ${verdict}`)),
    contradictions: rows
      .filter(({ verdict, truth }) => isWrong(verdict, truth))
      .map(({ row, verdict, truth }) => `${row}: verdict ${verdict}, truth ${truth} (${texts.get(row)})`),
    undetermined: countOf(judged.flatMap(({ verdict, reason }) => (verdict === 'undetermined' ? [reason ?? ''] : []))),
  }
}

async function truthOf(
  row: AuditedRow,
  { app, sandbox }: { app: Pick<RunningShape, 'admissions'>; sandbox: Pick<SandboxApi, 'flows'> },
): Promise<Truth> {
  const found = await Promise.all(row.flows.map((id) => sandbox.flows.get(id).catch(() => undefined)))
  const flows = found.filter((flow) => flow !== undefined)
  const name = row.row.slice(row.flow.length + 1)
  // Beside the flows of the row there may be good ones that came before, or that it is compared with.
  const own = flows.filter(({ outcome, calls }) =>
    [outcome, ...calls.map((call) => call.decision?.outcome)].includes(name),
  )
  const considered = own.length > 0 ? own : flows
  if (considered.length === 0) return 'unknown'
  const isToAccept = findOutcome(row.flow, name)?.correctClient === 'accept'
  return considered.some((flow) => wasLetIn(flow, { app, isToAccept })) ? 'let in' : 'refused'
}

/** Whether a flow opened something for somebody; of an unspoiled right answer to a row to refuse, something more than it should. */
function wasLetIn(
  flow: Flow,
  { app, isToAccept }: { app: Pick<RunningShape, 'admissions'>; isToAccept: boolean },
): boolean {
  const states = flow.calls.map(({ parameters }) => parameters['state']).filter((state) => state !== undefined)
  const admissions = app.admissions.filter(({ began, answered }) =>
    states.some((state) => state === began || state === answered),
  )
  const isRight =
    (flow.outcome ?? 'verified') === 'verified' && Object.values(flow.age_thresholds ?? { 0: false }).every(Boolean)
  // The user whose answer it is may come in once.
  const mayComeIn = isRight && !isToAccept && admissions[0]?.began === admissions[0]?.answered ? 1 : 0
  return admissions.length > mayComeIn
}

function countOf(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const name of names.toSorted()) counts[name] = (counts[name] ?? 0) + 1
  return counts
}
