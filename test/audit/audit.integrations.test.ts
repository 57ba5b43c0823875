import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createHttpAgent } from '../../src/audit/agent/http-agent.ts'
import { runAudit } from '../../src/audit/audit.ts'
import { appAt } from '../../src/audit/drive/audited-app.ts'
import type { KnownFinding } from '../../src/audit/options.ts'
import type { AuditReport } from '../../src/sandbox/outcomes/audit-report.ts'
import { startFlaskApp, withFlask } from '../docs/apps/flask-app.ts'
import { buildGoApp, hasGo } from '../docs/apps/go-app.ts'
import { startNextjsApp } from '../docs/apps/nextjs-app.ts'
import type { StartApp } from '../docs/describe-app.ts'
import { shareSandbox } from '../outcomes/shared-sandbox.ts'
import { startExpressExample } from '../support/express-example.ts'

// What compiles takes its time.
vi.setConfig({ testTimeout: 300_000 })
const sandbox = shareSandbox()

/** An audit by the whole catalogue, in which each level counts. */
async function audit(start: StartApp, known: readonly KnownFinding[] = []): Promise<AuditReport> {
  const app = await start(sandbox())
  onTestFinished(() => app.stop())
  return runAudit(appAt(sandbox(), { page: `${app.url}/verify`, agent: createHttpAgent() }), { failOn: 'may', known })
}

/** What counts against an app, with what was seen. */
const againstIt = ({ rows }: AuditReport) =>
  rows
    .filter(({ verdict }) => !['refused', 'accepted', 'observed', 'known', 'not for this app'].includes(verdict))
    .map(({ row, verdict, reason, evidence }) => ({ row, verdict, reason, evidence }))

function expectSound(report: AuditReport): void {
  expect(againstIt(report)).toEqual([])
  expect(report.totals.refused).toBeGreaterThan(150)
  expect(report.totals.accepted).toBeGreaterThan(15)
  expect(report.exit_code).toBe(0)
}

describe('An audit finds nothing in the app of the page for', () => {
  test('Express', async () => {
    expectSound(await audit((at) => startExpressExample(at)))
  })

  test('Next.js', async () => {
    expectSound(await audit(startNextjsApp))
  })

  test.skipIf(withFlask === '')('Python', async () => {
    expectSound(await audit(startFlaskApp))
  })

  test.skipIf(!hasGo)('Go, but for the empty kid that its library takes for none', async () => {
    const { start, remove } = await buildGoApp()
    onTestFinished(remove)
    const because = 'go-oidc takes an empty kid for none, and tries every key of the service'
    const report = await audit(start, [{ row: 'use/id_token.kid_empty', because }])
    expectSound(report)
    const known = report.rows.filter(({ verdict }) => verdict === 'known')
    expect(known.map(({ row, reason }) => ({ row, reason }))).toEqual([
      { row: 'use/id_token.kid_empty', reason: because },
    ])
  })
})
