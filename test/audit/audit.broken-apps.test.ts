import { expect, test } from 'vitest'
import { OUTCOMES, rowId } from '../../src/sandbox/outcomes/catalogue.ts'
import type { Outcome } from '../../src/sandbox/outcomes/outcome.ts'
import { shareSandbox } from '../support/sandbox.ts'
import { auditExample, SAMPLE, said } from './apps/audit-example.ts'
import { FAULTS, rowsLetIn } from './apps/broken-apps.ts'

const sandbox = await shareSandbox()

/** Apps with a fault in each of their parts. */
const APPS = Object.values(FAULTS)
  .reduce((one, other) => (one.length > other.length ? one : other))
  .map((_fault, index) => Object.values(FAULTS).flatMap((part) => part[index] ?? []))

/** The whole product of single faults and rows is in `audit.broken-apps.others.test.ts`. */
test.each(APPS.map((faults) => [faults.map(({ name }) => name).join(', '), faults] as const))(
  'Among rows of their families and a sample of the others an audit finds the faults of an app by their rows alone: it %s',
  async (_names, faults) => {
    const rows = [...new Set(faults.flatMap(rowsLetIn))]
    const isNear = (row: Outcome) => rows.some(({ flow, family }) => row.flow === flow && row.family === family)
    const only = [...OUTCOMES.filter(isNear).map(rowId), ...SAMPLE]
    const changes = faults.flatMap((fault) => fault.changes)
    const report = await auditExample(sandbox, changes, { only, failOn: 'may', repeat: 1 })
    expect(said(report)).toEqual(rows.map(rowId).toSorted())
    expect(report.exit_code).toBe(1)
  },
  60_000,
)
