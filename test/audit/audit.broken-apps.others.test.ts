import { expect, onTestFinished, test } from 'vitest'
import { runAudit } from '../../src/audit/audit.ts'
import { appAt } from '../../src/audit/drive/audited-app.ts'
import { rowId } from '../../src/sandbox/outcomes/catalogue.ts'
import { shareChromiumAgent } from '../support/chromium-agent.ts'
import { shareSandbox } from '../support/sandbox.ts'
import { describeWith } from '../support/tools.ts'
import { type AuditWay, auditExample, said } from './apps/audit-example.ts'
import { BROKEN_APPS, type BrokenApp, findBrokenApp, rowsLetIn } from './apps/broken-apps.ts'
import { FRAGMENT } from './apps/fragment-apps.ts'
import { startSinglePageApp } from './apps/single-page-app.ts'

const sandbox = await shareSandbox()

async function findsRowsAlone(app: BrokenApp, changes: BrokenApp['changes'], way: AuditWay): Promise<void> {
  const only = way.only && [...way.only, ...app.finds]
  const report = await auditExample(sandbox, [...changes, ...app.changes], { ...way, only, failOn: 'may' })
  expect(said(report)).toEqual(rowsLetIn(app).map(rowId).toSorted())
  expect(report.exit_code).toBe(1)
}

const named = (apps: readonly BrokenApp[]) => apps.map((app) => [app.name, app] as const)

test.each(named(BROKEN_APPS))('Of the whole catalogue an audit finds its rows alone in an app that %s', (_name, app) =>
  findsRowsAlone(app, [], {}),
)

test.each(named(BROKEN_APPS))(
  'An audit that knows how the page passes the fragment on finds the rows of Use alone in an app that %s',
  (_name, app) =>
    findsRowsAlone(app, FRAGMENT.byForm, { only: ['flow:use'], fragment: { post: '/answer', as: 'form' } }),
)

/** One of each kind: with scripts each takes many times as long as without, and the rules of the verdict are the same. */
const BY_CHROMIUM = [
  'takes what is truthy for true',
  'takes an age key for saved whatever error comes',
  'compares no state',
  'never forgets a state that was answered',
  'compares no nonce',
  'upgrades with whatever access_token came',
  'lets a token live for ever',
].map(findBrokenApp)

describeWith('chromium', 'An audit by Chromium', async () => {
  const agent = await shareChromiumAgent()

  test.each(named(BY_CHROMIUM))('finds its rows alone in an app that %s', (_name, app) => {
    const only = ['use/id_token.extra_claim', 'use/access_denied']
    return findsRowsAlone(app, FRAGMENT.byForm, { only, agent, timeoutSeconds: 60 })
  })

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
