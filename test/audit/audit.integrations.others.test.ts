import { expect, onTestFinished, test } from 'vitest'
import { createHttpAgent } from '../../src/audit/agent/http-agent.ts'
import { runAudit } from '../../src/audit/audit.ts'
import { appAt } from '../../src/audit/drive/audited-app.ts'
import type { KnownFinding } from '../../src/audit/options.ts'
import { startFlaskApp, withFlask } from '../docs/apps/flask-app.ts'
import { buildGoApp, hasGo } from '../docs/apps/go-app.ts'
import { startNextjsApp } from '../docs/apps/nextjs-app.ts'
import type { StartApp } from '../docs/describe-app.ts'
import { shareSandbox } from '../outcomes/shared-sandbox.ts'
import { shareChromiumAgent } from '../support/chromium-agent.ts'
import type { Changes } from '../support/express-example.ts'
import { describeWith } from '../support/tools.ts'
import { expectSound, said } from './apps/audit-example.ts'
import { startOidcClientTsApp } from './apps/oidc-client-ts-app.ts'
import { ROWS_OF_PAGES } from './apps/single-page-app.ts'

const sandbox = shareSandbox()

/** An audit by the whole catalogue, in which each level counts. */
async function audit(start: StartApp, known: readonly KnownFinding[] = []) {
  const app = await start(sandbox())
  onTestFinished(() => app.stop())
  return runAudit(appAt(sandbox(), { page: `${app.url}/verify`, agent: createHttpAgent() }), { failOn: 'may', known })
}

test('An audit finds nothing in the app of the page for Next.js', async () => {
  expectSound(await audit(startNextjsApp))
})

test.skipIf(withFlask === '')('An audit finds nothing in the app of the page for Python', async () => {
  expectSound(await audit(startFlaskApp))
})

test.skipIf(!hasGo)(
  'An audit finds nothing in the app of the page for Go, but for the empty kid that its library takes for none',
  async () => {
    const { start, remove } = await buildGoApp()
    onTestFinished(remove)
    const because = 'go-oidc takes an empty kid for none, and tries every key of the service'
    const row = 'use/id_token.kid_empty'
    const report = await audit(start, [{ row, because }])
    expectSound(report)
    const known = report.rows.filter(({ verdict }) => verdict === 'known')
    expect(known).toMatchObject([{ row, reason: because }])
  },
)

describeWith('chromium', 'An audit by Chromium of a single-page app with oidc-client-ts', () => {
  const agent = shareChromiumAgent()

  test.each<readonly [string, readonly string[], Changes]>([
    ['finds nothing when it checks everything', [], []],
    [
      'finds the rows of the nonce when it does not compare it',
      ['use/id_token.nonce_missing', 'use/id_token.nonce_other'],
      [['payload.nonce !== state.data.nonce', 'false']],
    ],
    [
      'finds the rows of the answers when it takes what is truthy for true',
      ['use/id_token.age_thresholds.strings'],
      [["payload.age_thresholds['18'] === true", "Boolean(payload.age_thresholds['18'])"]],
    ],
  ])('%s', async (_what, finds, changes) => {
    const app = await startOidcClientTsApp(sandbox(), changes)
    onTestFinished(() => app.close())
    const audited = appAt(sandbox(), { page: app.page, agent: agent() })
    const report = await runAudit(audited, { only: ROWS_OF_PAGES, failOn: 'may', timeoutSeconds: 60 })
    expect(said(report)).toEqual(finds)
  })
})
