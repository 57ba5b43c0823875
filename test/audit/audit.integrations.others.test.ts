import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { expect, onTestFinished, test } from 'vitest'
import { runAudit } from '../../src/audit/audit.ts'
import { appAt } from '../../src/audit/drive/driver.ts'
import { shareChromiumAgent } from '../support/chromium-agent.ts'
import type { Changes } from '../support/express-example.ts'
import { shareSandbox } from '../support/sandbox.ts'
import { describeWith } from '../support/tools.ts'
import { said } from './apps/audit-example.ts'
import { startSinglePageApp } from './apps/single-page-app.ts'

const TOKENS = ['extra_claim', 'alg_none', 'iss_trailing_slash', 'aud_of_other_client', 'expired']
const ANSWERS = ['nonce_other', 'nonce_missing', 'age_thresholds.strings']
const CALLBACKS = ['state_missing', 'state_of_other_session', 'replayed']
/** One row of each check of an app that is pages alone, and answers that it has to take. */
const ROWS = [
  'use/access_denied',
  ...[...TOKENS, ...ANSWERS].map((name) => `use/id_token.${name}`),
  ...CALLBACKS.map((name) => `use/callback.${name}`),
]

const PAGE = `<!doctype html><title>Shop</title><button id="verify">Prove that you are 18</button>
<p id="answer" role="status"></p><script type="module" src="/app.js"></script>`

const STRINGS_IGNORED = 'use/id_token.age_thresholds.strings ignored'

/** The single-page app that uses oidc-client-ts, with its libraries, as rolldown writes it. */
async function bundleApp(): Promise<string> {
  const input = fileURLToPath(new URL('apps/oidc-client-ts-app.js', import.meta.url))
  const bundle = await rolldown({ input, platform: 'browser' })
  const { output } = await bundle.generate({ format: 'esm', codeSplitting: false })
  await bundle.close()
  return output[0].code
}

describeWith('chromium', 'By Chromium', async () => {
  const sandbox = await shareSandbox()
  const agent = await shareChromiumAgent()

  test.each<readonly [string, readonly string[], Changes]>([
    ['that a token with strings is taken for a no when it checks everything', [STRINGS_IGNORED], []],
    [
      'the rows of the nonce when it does not compare it',
      [STRINGS_IGNORED, 'use/id_token.nonce_missing', 'use/id_token.nonce_other'],
      [['payload.nonce !== state.data.nonce', 'false']],
    ],
    [
      'the rows of the answers when it takes what is truthy for true',
      ['use/id_token.age_thresholds.strings'],
      [['payload.age_thresholds["18"] === true', 'Boolean(payload.age_thresholds["18"])']],
    ],
  ])('An audit of a single-page app with oidc-client-ts finds %s', async (_what, finds, changes) => {
    const app = await startSinglePageApp(sandbox, changes, { '/': PAGE, '/app.js': await bundleApp() })
    onTestFinished(() => app.close())
    const audited = appAt(sandbox, { page: app.page, agent })
    const report = await runAudit(audited, { only: ROWS, failOn: 'may', timeoutSeconds: 60 })
    expect(said(report).map((text) => text.split(' ', 2).join(' '))).toEqual(finds)
  })
})
