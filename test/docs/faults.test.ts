import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { selectRows } from '../../src/audit/plan/select-rows.ts'
import { OUTCOMES, rowId } from '../../src/sandbox/outcomes/catalogue.ts'
import type { Outcome } from '../../src/sandbox/outcomes/outcome.ts'
import { ANSWERS } from '../audit/broken-apps/answers.ts'
import { BINDING } from '../audit/broken-apps/binding.ts'
import { CALLS } from '../audit/broken-apps/calls.ts'
import { CLAIMS } from '../audit/broken-apps/claims.ts'
import { SIGNATURE } from '../audit/broken-apps/signature.ts'
import { shareSandbox } from '../outcomes/shared-sandbox.ts'
import { type Changes, startExpressExample } from '../support/express-example.ts'
import { personasFor } from '../support/personas-for.ts'
import { findFaults } from './faults.ts'

vi.setConfig({ testTimeout: 60_000 })
const sandbox = shareSandbox()

/** Those who meet a row: only a user without an age key comes to Create, and only a minor to the upgrade. */
const usersOf = (row: Outcome): readonly string[] => {
  if (row.flow === 'use') return personasFor(row)
  return row.flow === 'create' || row.flow === 'par' ? ['no-age-key'] : ['child-12']
}

/** The rows with which the Express example, when it is changed, does something wrong. */
async function findLetIn(
  changes: Changes,
  rows: readonly Outcome[],
  users: (row: Outcome) => readonly string[] = usersOf,
): Promise<string[]> {
  const app = await startExpressExample(sandbox(), changes)
  onTestFinished(() => app.stop())
  const letIn: string[] = []
  for (const row of rows) {
    for (const persona of users(row)) {
      await sandbox().reset()
      await sandbox().configure({ persona })
      const faults = await findFaults({ sandbox: sandbox(), appUrl: app.url }, row)
      if (faults.length > 0) letIn.push(rowId(row))
    }
  }
  return [...new Set(letIn)]
}

const refusedRows = (...only: string[]) =>
  selectRows({ only }).filter(({ correctClient }) => correctClient === 'refuse')

/** One of these is found by a plain minor, which is no row. */
const BROKEN = [...ANSWERS, ...BINDING, ...CALLS, ...CLAIMS, ...SIGNATURE]
  .map(({ name, changes, finds }) => ({ name, changes, rows: refusedRows(...finds) }))
  .filter(({ rows }) => rows.length > 0)

test.each(BROKEN.map((app) => [app.name, app] as const))(
  'An app that %s fails the tests of the integration pages',
  async (_name, { changes, rows }) => {
    expect(await findLetIn(changes, rows)).toEqual(rows.map(rowId))
  },
)

describe('An app that checks no signature', () => {
  const { changes = [] } = SIGNATURE.find(({ name }) => name === 'decodes a token without its signature') ?? {}
  const row = OUTCOMES.filter((one) => rowId(one) === 'use/id_token.payload_changed')

  test('lets a child in whose answers are inverted', async () => {
    expect(await findLetIn(changes, row)).toEqual(['use/id_token.payload_changed'])
  })

  test('hides that from tests in which every user is an adult', async () => {
    expect(changes).not.toEqual([])
    expect(await findLetIn(changes, row, () => ['adult-passport'])).toEqual([])
  })
})
