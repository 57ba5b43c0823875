import type { Sandbox } from '../../../src/server/create-sandbox.ts'
import { startRelyingParty } from '../../browser/relying-party.ts'
import { blockWith, codeBlocks, readPage } from '../../docs/page.ts'
import type { Changes } from '../../support/express-example.ts'

/** One row of each check of an app that is pages alone, and answers that it has to take. */
export const ROWS_OF_PAGES = [
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

const page = readPage('single-page-apps.md')

/** Serves pages and scripts by their paths, with some of their texts changed. @throws Error when a text is in none */
export async function servePages(files: Readonly<Record<string, string>>, { baseUrl }: Base, changes: Changes) {
  const missing = changes.find(([text]) => !Object.values(files).some((code) => code.includes(text)))
  if (missing) throw new Error(`the single-page app does not hold ${missing[0]}`)
  const app = await startRelyingParty()
  for (const [path, code] of Object.entries(files)) {
    const changed = changes.reduce((text, [from, to]) => text.replaceAll(from, () => to), code)
    const type = path.endsWith('.js') ? 'text/javascript' : 'text/html'
    app.serve(path, changed.replaceAll('http://localhost:2435', baseUrl), type)
  }
  return { page: `${app.origin}/`, close: () => app.close() }
}

type Base = Pick<Sandbox, 'baseUrl'>

/** Serves the app of docs/single-page-apps.md, with some of its texts changed. */
export function startSinglePageApp(sandbox: Base, changes: Changes = []) {
  const scripts = codeBlocks(page, 'js')
  const files = {
    '/': blockWith(codeBlocks(page, 'html'), '<!-- index.html -->'),
    '/app.js': blockWith(scripts, '// app.js'),
    '/age.js': blockWith(scripts, '// age.js'),
  }
  return servePages(files, sandbox, changes)
}
