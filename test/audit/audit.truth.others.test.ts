import { expect, onTestFinished, test } from 'vitest'
import { createHttpAgent } from '../../src/audit/agent/http-agent.ts'
import { runAudit } from '../../src/audit/audit.ts'
import { appAt } from '../../src/audit/drive/driver.ts'
import type { AuditedRow, AuditReport } from '../../src/audit/report/audit-report.ts'
import { findOutcome } from '../../src/sandbox/outcomes/catalogue.ts'
import type { SandboxApi } from '../../src/server/client/sandbox-api.ts'
import type { Flow } from '../../src/server/client/shapes.ts'
import { startSandbox } from '../support/sandbox.ts'
import { type RunningShape, SHAPES, type Shape, startShape } from './shapes/shapes.ts'

const VARIANTS = SHAPES.flatMap((shape) => [
  [shape.name, 'checks everything', shape, undefined] as const,
  [shape.name, `has the hole ${shape.hole}`, shape, shape.hole] as const,
])

/** Audits a shape by plain HTTP, and compares the report with the log of the app. */
async function auditShape(shape: Shape, hole: Shape['hole'] | undefined) {
  const sandbox = await startSandbox()
  const app = await startShape(shape, sandbox, hole)
  onTestFinished(() => app.stop())
  const before = shape.before?.map((request) => ({ ...request, url: app.url + request.url })) ?? []
  const settings = { page: app.page, agent: createHttpAgent(), before, fragment: shape.fragment }
  const report = await runAudit(appAt(sandbox, settings), { failOn: 'may' })
  return {
    ...(await compareWithTruth(report, { app, sandbox })),
    verdicts: report.rows.map(verdictOf),
  }
}

const verdictOf = ({ row, verdict }: AuditedRow) => `${row}: ${verdict}`

test.each(VARIANTS)(
  'The log of an app of the shape "%s" that %s contradicts no verdict of an audit',
  async (_name, _what, shape, hole) => {
    const { contradictions, undetermined, rows } = await auditShape(shape, hole)
    expect({ contradictions, undetermined }).toEqual({ contradictions: [], undetermined: [] })
    expect(rows.some(({ verdict }) => verdict === 'let in')).toBe(hole !== undefined)
  },
  120_000,
)

test.each(SHAPES.filter(({ name }) => /A\/B pages|idempotent|localized/.test(name)))(
  'Five audits of an app of the shape $name give each row the same verdict',
  async (shape) => {
    const { verdicts } = await auditShape(shape, shape.hole)
    for (let run = 2; run <= 5; run += 1)
      expect((await auditShape(shape, shape.hole)).verdicts).toEqual(verdicts)
  },
  240_000,
)

type Audited = { readonly app: RunningShape; readonly sandbox: SandboxApi }

const NOT_JUDGED = ['not for this app', 'known', 'stale']

/** Compares the verdicts of a report with the log of the app. */
async function compareWithTruth(report: Pick<AuditReport, 'rows'>, audited: Audited) {
  const judged = report.rows.filter(({ verdict }) => !NOT_JUDGED.includes(verdict))
  const rows = await Promise.all(
    judged.map(async (row) => ({ ...row, truth: await truthOf(row, audited) })),
  )
  const isWrong = ({ verdict, truth }: (typeof rows)[number]) =>
    /^(let in|accepted)$/.test(verdict)
      ? truth === 'refused'
      : /^(refused|ignored|broke|too strict)$/.test(verdict) && truth === 'let in'
  return {
    rows,
    /** Rows whose verdict the log contradicts, in one line each. */
    contradictions: rows
      .filter(isWrong)
      .map(
        ({ row, verdict, truth, evidence, flows }) =>
          `${row}: ${verdict}, truth ${truth} (${evidence} ${flows})`,
      ),
    undetermined: rows
      .filter(({ verdict }) => verdict === 'undetermined')
      .map(({ row, reason }) => `${row}: ${reason}`),
  }
}

/**
 * What the log of the app says about the users of a row. `unknown`: the journal has none of its
 * flows.
 */
async function truthOf(
  row: AuditedRow,
  { app, sandbox }: Audited,
): Promise<'let in' | 'refused' | 'unknown'> {
  const found = await Promise.all(
    row.flows.map((id) => sandbox.flows.get(id).catch(() => undefined)),
  )
  const flows = found.filter((flow) => flow !== undefined)
  const name = row.row.slice(row.flow.length + 1)
  // Beside the flows of the row there may be good ones, from before or for comparison.
  const own = flows.filter(({ outcome, calls }) =>
    [outcome, ...calls.map((call) => call.decision?.outcome)].includes(name),
  )
  const considered = own.length > 0 ? own : flows
  if (considered.length === 0) return 'unknown'
  const isToAccept = findOutcome(row.flow, name)?.correctClient === 'accept'
  return considered.some((flow) => wasLetIn(flow, app, isToAccept)) ? 'let in' : 'refused'
}

/**
 * Whether the app let in a user by mistake. In a row to refuse, the user of an unspoiled right
 * answer may enter once.
 */
function wasLetIn(flow: Flow, app: Audited['app'], isToAccept: boolean): boolean {
  const states = flow.calls
    .map(({ parameters }) => parameters['state'])
    .filter((state) => state !== undefined)
  const admissions = app.admissions.filter(({ began, answered }) =>
    states.some((state) => state === began || state === answered),
  )
  const isRight =
    (flow.outcome ?? 'verified') === 'verified' &&
    Object.values(flow.age_thresholds ?? { 0: false }).every(Boolean)
  const mayComeIn =
    isRight && !isToAccept && admissions[0]?.began === admissions[0]?.answered ? 1 : 0
  return admissions.length > mayComeIn
}
