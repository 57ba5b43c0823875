import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { expect, onTestFinished, test } from 'vitest'
import { runAudit } from '../../src/audit/audit.ts'
import { appAt } from '../../src/audit/drive/audited-app.ts'
import { shareChromiumAgent } from '../support/chromium-agent.ts'
import type { Changes } from '../support/express-example.ts'
import { shareSandbox } from '../support/sandbox.ts'
import { describeWith } from '../support/tools.ts'
import { said } from './apps/audit-example.ts'
import { ROWS_OF_PAGES, servePages } from './apps/single-page-app.ts'

const PAGE = `<!doctype html><title>Shop</title><button id="verify">Prove that you are 18</button>
<p id="answer" role="status"></p><script type="module" src="/app.js"></script>`

/** The single-page app that uses oidc-client-ts, with its libraries, as rolldown writes it. */
async function bundleApp(): Promise<string> {
  const input = fileURLToPath(new URL('apps/oidc-client-ts-app.js', import.meta.url))
  const bundle = await rolldown({ input, platform: 'browser' })
  const { output } = await bundle.generate({ format: 'esm', codeSplitting: false })
  await bundle.close()
  return output[0].code
}

describeWith('chromium', 'An audit by Chromium of a single-page app with oidc-client-ts', async () => {
  const sandbox = await shareSandbox()
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
      [['payload.age_thresholds["18"] === true', 'Boolean(payload.age_thresholds["18"])']],
    ],
  ])('%s', async (_what, finds, changes) => {
    const app = await servePages({ '/': PAGE, '/app.js': await bundleApp() }, sandbox, changes)
    onTestFinished(() => app.close())
    const audited = appAt(sandbox, { page: app.page, agent: agent() })
    const report = await runAudit(audited, { only: ROWS_OF_PAGES, failOn: 'may', timeoutSeconds: 60 })
    expect(said(report)).toEqual(finds)
  })
})
