import { expect, onTestFinished, test, vi } from 'vitest'
import { runAudit } from '../../src/audit/audit.ts'
import { appAt } from '../../src/audit/drive/audited-app.ts'
import type { AuditOptions } from '../../src/audit/options.ts'
import { shareSandbox } from '../outcomes/shared-sandbox.ts'
import { shareChromiumAgent } from '../support/chromium-agent.ts'
import type { Changes } from '../support/express-example.ts'
import { describeWith } from '../support/tools.ts'
import { startOidcClientTsApp } from './apps/oidc-client-ts-app.ts'
import { startSinglePageApp } from './apps/single-page-app.ts'

vi.setConfig({ testTimeout: 300_000 })

/** One row of each check of the app, and answers that it has to take. */
const SOME = [
  'use/access_denied',
  'use/id_token.extra_claim',
  'use/id_token.signature_bit_flipped',
  'use/id_token.alg_none',
  'use/id_token.iss_trailing_slash',
  'use/id_token.aud_of_other_client',
  'use/id_token.expired',
  'use/id_token.nonce_other',
  'use/id_token.nonce_missing',
  'use/id_token.age_thresholds.strings',
  'use/callback.state_missing',
  'use/callback.state_of_other_session',
  'use/callback.replayed',
]

const BROKEN: readonly (readonly [name: string, finds: readonly string[], changes: Changes])[] = [
  [
    'compares no nonce',
    ['use/id_token.nonce_other', 'use/id_token.nonce_missing'],
    [['nonce !== undefined && token.nonce === nonce', 'true']],
  ],
  ['does not look at the end of a token', ['use/id_token.expired'], [['exp > now && ', '']]],
  [
    'takes each token for signed',
    ['use/id_token.signature_bit_flipped'],
    [['await crypto.subtle.verify(algorithm, key, readBytes(signature), signed)', 'true']],
  ],
]

describeWith('chromium', 'An audit of a single-page app by Chromium', () => {
  const sandbox = shareSandbox()
  const agent = shareChromiumAgent()

  async function audit(changes: Changes, options: AuditOptions = {}) {
    const app = await startSinglePageApp(sandbox(), changes)
    onTestFinished(() => app.close())
    const audited = appAt(sandbox(), { page: app.page, agent: agent() })
    return runAudit(audited, { only: SOME, failOn: 'may', timeoutSeconds: 60, ...options })
  }

  const against = ({ rows }: Awaited<ReturnType<typeof audit>>) =>
    rows
      .filter(({ verdict }) => !['refused', 'accepted', 'observed', 'not for this app'].includes(verdict))
      .map(({ row, verdict, evidence }) => (verdict === 'let in' ? row : `${row} ${verdict}: ${evidence}`))

  test('finds nothing in one that checks everything', async () => {
    const report = await audit([])
    expect(against(report)).toEqual([])
    expect(report.totals.refused).toBeGreaterThan(8)
    expect(report).toMatchObject({ agent: 'chromium', exit_code: 0, notes: [] })
  })

  test.each(BROKEN)('finds one that %s, by its rows alone', async (_name, finds, changes) => {
    const report = await audit(changes)
    expect(against(report).toSorted()).toEqual(finds.toSorted())
    expect(report.exit_code).toBe(1)
  })

  test('shows nothing of one that says the same after a yes and after a no', async () => {
    const same: Changes = [
      ["isAdult ? 'Welcome, you are 18.' : 'You are not 18.'", "'Done.'"],
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a text of the app
      ['`No age was proved: ${error.message}`', "'Done.'"],
    ]
    await expect(audit(same)).rejects.toThrow(/^yes and no look alike: /)
  })
})

describeWith('chromium', 'An audit by Chromium of a single-page app with oidc-client-ts', () => {
  const sandbox = shareSandbox()
  const agent = shareChromiumAgent()

  test.each<readonly [string, readonly string[], Changes]>([
    ['finds nothing when it checks everything', [], []],
    [
      'finds the rows of the nonce when it does not compare it',
      ['use/id_token.nonce_other', 'use/id_token.nonce_missing'],
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
    const { rows } = await runAudit(audited, { only: SOME, failOn: 'may', timeoutSeconds: 60 })
    const said = rows.filter(
      ({ verdict }) => !['refused', 'accepted', 'observed', 'not for this app'].includes(verdict),
    )
    expect(said.map(({ row, verdict }) => `${row} ${verdict}`).toSorted()).toEqual(
      finds.map((row) => `${row} let in`).toSorted(),
    )
  })
})
