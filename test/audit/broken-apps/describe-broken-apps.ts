import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Agent, FragmentPost } from '../../../src/audit/agent/browser.ts'
import { createHttpAgent } from '../../../src/audit/agent/http-agent.ts'
import { runAudit } from '../../../src/audit/audit.ts'
import { appAt } from '../../../src/audit/drive/audited-app.ts'
import { selectRows } from '../../../src/audit/plan/select-rows.ts'
import type { AuditedRow } from '../../../src/sandbox/outcomes/audit-report.ts'
import { rowId } from '../../../src/sandbox/outcomes/catalogue.ts'
import { shareSandbox } from '../../outcomes/shared-sandbox.ts'
import { type Changes, startExpressExample } from '../../support/express-example.ts'
import { FRAGMENT } from '../apps/fragment-apps.ts'
import type { BrokenApp } from './broken-app.ts'

vi.setConfig({ testTimeout: 120_000 })

/** Verdicts that say nothing against an app. */
const GOOD: readonly AuditedRow['verdict'][] = ['refused', 'accepted', 'observed', 'not for this app']

/** How the apps get the answer, and how the audit brings it to them. */
interface Way {
  readonly changes: Changes
  /** The rows that are tried beside those that the app lets in; all when absent. */
  readonly only?: readonly string[]
  readonly fragment?: FragmentPost
  /** The one on plain HTTP when absent. */
  agent?(): Agent
  readonly timeoutSeconds?: number
}

/** They ask for form_post, as the example does. */
const BY_FORM_POST: Way = { changes: [] }
/** Their page posts the fragment on, and the audit knows it. The calls of their servers are the same. */
export const BY_FRAGMENT: Way = {
  changes: FRAGMENT.byForm,
  only: ['flow:use'],
  fragment: { post: '/answer', as: 'form' },
}

/** Each app is audited, by form_post with the whole catalogue: it lets in what its rows say, and nothing else is said against it. */
export function describeBrokenApps(title: string, apps: readonly BrokenApp[], way: Way = BY_FORM_POST): void {
  describe(title, () => {
    const sandbox = shareSandbox()

    const named = apps.map((app) => [app.name, app] as const)
    test.each(named)('finds an app that %s, by its rows alone', async (_name, { finds, changes }) => {
      const app = await startExpressExample(sandbox(), [...way.changes, ...changes])
      onTestFinished(() => app.stop())
      const page = `${app.url}/verify`
      const audited = appAt(sandbox(), { page, agent: way.agent?.() ?? createHttpAgent(), fragment: way.fragment })
      const only = way.only && [...way.only, ...finds]
      const { rows, exit_code } = await runAudit(audited, { ...way, failOn: 'may', only })
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
