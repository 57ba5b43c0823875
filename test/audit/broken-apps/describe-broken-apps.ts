import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createHttpAgent } from '../../../src/audit/agent/http-agent.ts'
import { runAudit } from '../../../src/audit/audit.ts'
import { appAt } from '../../../src/audit/drive/audited-app.ts'
import { selectRows } from '../../../src/audit/plan/select-rows.ts'
import type { AuditedRow } from '../../../src/sandbox/outcomes/audit-report.ts'
import { rowId } from '../../../src/sandbox/outcomes/catalogue.ts'
import { shareSandbox } from '../../outcomes/shared-sandbox.ts'
import { startExpressExample } from '../../support/express-example.ts'
import type { BrokenApp } from './broken-app.ts'

vi.setConfig({ testTimeout: 120_000 })

/** Verdicts that say nothing against an app. */
const GOOD: readonly AuditedRow['verdict'][] = ['refused', 'accepted', 'observed', 'not for this app']

/** Each app is audited with the whole catalogue: it lets in what its rows say, and nothing else is said against it. */
export function describeBrokenApps(title: string, apps: readonly BrokenApp[]): void {
  describe(title, () => {
    const sandbox = shareSandbox()

    const named = apps.map((app) => [app.name, app] as const)
    test.each(named)('finds an app that %s, by its rows alone', async (_name, { finds, changes }) => {
      const app = await startExpressExample(sandbox(), changes)
      onTestFinished(() => app.stop())
      const url = `${app.url}/verify`
      const { rows, exit_code } = await runAudit(appAt(sandbox(), { page: url, agent: createHttpAgent() }), {
        failOn: 'may',
      })
      const said = rows.filter(({ verdict }) => !GOOD.includes(verdict))
      const expected = selectRows({ only: finds }).filter(
        (row) => row.correctClient === 'refuse' || finds.includes(rowId(row)),
      )
      expect(said.map(({ row, verdict }) => `${row} ${verdict}`).toSorted()).toEqual(
        expected.map((row) => `${rowId(row)} let in`).toSorted(),
      )
      expect(exit_code).toBe(1)
    })
  })
}
