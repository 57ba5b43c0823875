import { test } from 'vitest'
import { OUTCOMES, rowId } from '../../src/sandbox/outcomes/catalogue.ts'
import type { Outcome } from '../../src/sandbox/outcomes/outcome.ts'
import { shareSandbox } from '../support/sandbox.ts'
import { expectRowsAlone, SAMPLE } from './apps/audit-example.ts'
import { BROKEN_APPS, rowsLetIn } from './apps/broken-apps.ts'

const sandbox = await shareSandbox()

/** The whole product of apps and rows is in `audit.broken-apps.others.test.ts`. */
test.each(BROKEN_APPS.map((app) => [app.name, app] as const))(
  'Among rows of its families and a sample of the others an audit finds an app that %s by its rows alone',
  (_name, app) => {
    const rows = rowsLetIn(app)
    const isNear = (row: Outcome) =>
      rows.some(({ flow, family }) => row.flow === flow && row.family === family)
    const only = [...OUTCOMES.filter(isNear).map(rowId), ...SAMPLE]
    return expectRowsAlone(app, sandbox, { only, repeat: 1 })
  },
  60_000,
)
