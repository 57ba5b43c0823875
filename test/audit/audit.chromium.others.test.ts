import { expect, onTestFinished, test } from 'vitest'
import { runAudit } from '../../src/audit/audit.ts'
import { appAt } from '../../src/audit/drive/audited-app.ts'
import { shareChromiumAgent } from '../support/chromium-agent.ts'
import { shareSandbox } from '../support/sandbox.ts'
import { describeWith } from '../support/tools.ts'
import { expectRowsAlone, said } from './apps/audit-example.ts'
import { findBrokenApp } from './apps/broken-apps.ts'
import { FRAGMENT } from './apps/fragment-apps.ts'
import { startSinglePageApp } from './apps/single-page-app.ts'

const sandbox = await shareSandbox()

/** One of each kind: with scripts each takes many times as long as without, and the rules of the verdict are the same. */
const BY_CHROMIUM = [
  'takes what is truthy for true',
  'takes an age key for saved whatever error comes',
  'compares no state',
  'never forgets a state that was answered',
  'compares no nonce',
  'upgrades with whatever access_token came',
  'accepts a token without a sound expiry',
].map(findBrokenApp)

describeWith('chromium', 'An audit by Chromium', async () => {
  const agent = await shareChromiumAgent()

  test.each(BY_CHROMIUM.map((app) => [app.name, app] as const))(
    'finds its rows alone in an app that %s',
    (_name, app) => {
      const only = ['use/id_token.extra_claim', 'use/access_denied']
      return expectRowsAlone(app, sandbox, { only, agent, timeoutSeconds: 60 }, FRAGMENT.byForm)
    },
  )

  test('finds nothing in the app of single-page-apps.md, which checks everything', async () => {
    const app = await startSinglePageApp(sandbox)
    onTestFinished(() => app.close())
    const audited = appAt(sandbox, { page: app.page, agent })
    const tokens = ['extra_claim', 'alg_none', 'iss_trailing_slash', 'nonce_*', 'age_thresholds.strings']
    const callbacks = ['state_missing', 'state_of_other_session', 'replayed']
    const only = [...tokens.map((name) => `use/id_token.${name}`), ...callbacks.map((name) => `use/callback.${name}`)]
    const report = await runAudit(audited, { only, failOn: 'may', timeoutSeconds: 60 })
    expect(said(report)).toEqual([])
    expect(report.totals.refused).toBeGreaterThan(8)
  })
})
