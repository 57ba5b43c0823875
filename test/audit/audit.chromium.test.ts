import { expect, onTestFinished, test } from 'vitest'
import { runAudit } from '../../src/audit/audit.ts'
import { appAt } from '../../src/audit/drive/driver.ts'
import { startRelyingParty } from '../browser/relying-party.ts'
import { readRoot } from '../docs/page.ts'
import { shareChromiumAgent } from '../support/chromium-agent.ts'
import type { Changes } from '../support/express-example.ts'
import { shareSandbox } from '../support/sandbox.ts'
import { describeWith } from '../support/tools.ts'
import { auditExample, FRAGMENT, said } from './apps/audit-example.ts'
import { findBrokenApp } from './apps/broken-apps.ts'

/** With scripts a visit takes many times as long, so a finding is tried once. */
const LIMITS = { failOn: 'may', timeoutSeconds: 60, repeat: 1 } as const

const PAGES = [
  ['/', 'index.html', 'text/html'],
  ['/app.js', 'app.js', 'text/javascript'],
  ['/age.js', 'age.js', 'text/javascript'],
] as const
const WITHOUT_CHECKS: Changes = [
  ['nonce !== undefined && token.nonce === nonce', 'true'],
  ['exp > now && ', ''],
]

describeWith('chromium', 'Chromium', async () => {
  const sandbox = await shareSandbox()
  const agent = await shareChromiumAgent()

  test('An audit by Chromium finds two checks that a single-page app leaves out, by their rows alone', async () => {
    const app = await startRelyingParty()
    onTestFinished(() => app.close())
    for (const [path, file, type] of PAGES) {
      const code = readRoot(`examples/spa/${file}`).replaceAll(
        'http://localhost:2435',
        sandbox.baseUrl,
      )
      app.serve(
        path,
        WITHOUT_CHECKS.reduce((text, [check, other]) => text.replace(check, other), code),
        type,
      )
    }
    const finds = ['use/id_token.expired', 'use/id_token.nonce_missing']
    const brought = ['use/callback.replayed', 'use/callback.state_of_other_session']
    const only = [...finds, ...brought, 'use/access_denied', 'use/callback.state_missing']
    const report = await runAudit(appAt(sandbox, { page: `${app.origin}/`, agent }), {
      ...LIMITS,
      only,
    })
    expect(said(report)).toEqual(finds)
    expect(report.totals).toEqual({ 'let in': 2, refused: 4 })
    expect(report).toMatchObject({ agent: 'chromium', exit_code: 1, notes: [] })
  }, 120_000)

  test('An audit by Chromium finds what an app whose page posts the fragment on lets in in Create', async () => {
    const withoutUpgrade = ['openid svc.upgrade', 'openid'] as const
    const { changes } = findBrokenApp('takes an age key for saved whatever error comes')
    const only = ['create/access_denied', 'create/callback.state_missing']
    const way = { ...LIMITS, agent, only }
    const report = await auditExample(
      sandbox,
      [...FRAGMENT.byForm, withoutUpgrade, ...changes],
      way,
    )
    expect(said(report)).toEqual(['create/access_denied'])
  }, 120_000)
})
