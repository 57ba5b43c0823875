import { expect, onTestFinished, test } from 'vitest'
import { createHttpAgent } from '../../src/audit/agent/http-agent.ts'
import { runAudit } from '../../src/audit/audit.ts'
import { appAt } from '../../src/audit/drive/driver.ts'
import type { AuditedRow } from '../../src/sandbox/outcomes/report/audit-report.ts'
import { startSandbox } from '../support/sandbox.ts'
import { SHAPES, type Shape, startShape } from './shapes/shapes.ts'
import { compareWithTruth } from './shapes/truth.ts'

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
  return { ...(await compareWithTruth(report, { app, sandbox })), verdicts: report.rows.map(verdictOf) }
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
    for (let run = 2; run <= 5; run += 1) expect((await auditShape(shape, shape.hole)).verdicts).toEqual(verdicts)
  },
  240_000,
)
