import { expect, onTestFinished, test } from 'vitest'
import { runAudit } from '../../src/audit/audit.ts'
import { appAt } from '../../src/audit/drive/audited-app.ts'
import { shareChromiumAgent } from '../support/chromium-agent.ts'
import type { Changes } from '../support/express-example.ts'
import { shareSandbox } from '../support/sandbox.ts'
import { describeWith } from '../support/tools.ts'
import { auditExample, said } from './apps/audit-example.ts'
import { findBrokenApp } from './apps/broken-apps.ts'
import { FRAGMENT } from './apps/fragment-apps.ts'
import { ROWS_OF_PAGES, startSinglePageApp } from './apps/single-page-app.ts'

/** With scripts a visit takes many times as long as without: a finding is looked at once. */
const LIMITS = { failOn: 'may', timeoutSeconds: 60, repeat: 1 } as const
const TIMEOUT_MS = 120_000

describeWith('chromium', 'By Chromium', async () => {
  const sandbox = await shareSandbox()
  const agent = shareChromiumAgent()

  async function auditPages(changes: Changes, only = ROWS_OF_PAGES) {
    const app = await startSinglePageApp(sandbox, changes)
    onTestFinished(() => app.close())
    return runAudit(appAt(sandbox, { page: app.page, agent: agent() }), { ...LIMITS, only })
  }

  test('an audit finds nothing in a single-page app that checks everything', { timeout: TIMEOUT_MS }, async () => {
    const report = await auditPages([])
    expect(said(report)).toEqual([])
    expect(report.totals.refused).toBeGreaterThan(8)
    expect(report).toMatchObject({ agent: 'chromium', exit_code: 0, notes: [] })
  })

  test('an audit finds three checks that a single-page app leaves out, by their rows alone', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const changes: Changes = [
      ['nonce !== undefined && token.nonce === nonce', 'true'],
      ['exp > now && ', ''],
      ['await crypto.subtle.verify(algorithm, key, readBytes(signature), signed)', 'true'],
    ]
    const finds = ['use/id_token.expired', 'use/id_token.nonce_missing', 'use/id_token.signature_bit_flipped']
    const others = ['use/id_token.aud_of_other_client', 'use/callback.state_missing', 'use/id_token.extra_claim']
    const report = await auditPages(changes, [...finds, ...others])
    expect(said(report)).toEqual(finds)
    expect(report.exit_code).toBe(1)
  })

  test('an audit shows nothing of a single-page app that says the same after a yes and after a no', async () => {
    const same: Changes = [
      ["isAdult ? 'Welcome, you are 18.' : 'You are not 18.'", "'Done.'"],
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a text of the app
      ['`No age was proved: ${error.message}`', "'Done.'"],
    ]
    await expect(auditPages(same)).rejects.toThrow(/^yes and no look alike: /)
  })

  test('an audit finds what an app lets in in Use and in Create whose page posts the fragment on', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const faults = ['compares no nonce', 'takes an age key for saved whatever error comes'].map(findBrokenApp)
    const withoutUpgrade = ['openid svc.upgrade', 'openid'] as const
    const changes = [...FRAGMENT.byForm, withoutUpgrade, ...faults.flatMap((app) => app.changes)]
    const finds = ['create/access_denied', 'use/id_token.replayed']
    const only = [...finds, 'use/callback.replayed', 'create/callback.state_missing']
    expect(said(await auditExample(sandbox, changes, { ...LIMITS, agent: agent(), only }))).toEqual(finds)
  })
})
