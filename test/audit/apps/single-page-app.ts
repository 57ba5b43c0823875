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

/** Serves the app of docs/single-page-apps.md, with some of its texts changed. @throws Error when a text is not in it */
export async function startSinglePageApp({ baseUrl }: Pick<Sandbox, 'baseUrl'>, changes: Changes = []) {
  const app = await startRelyingParty()
  const files = {
    '/': ['text/html', blockWith(codeBlocks(page, 'html'), '<!-- index.html -->')],
    '/app.js': ['text/javascript', blockWith(codeBlocks(page, 'js'), '// app.js')],
    '/age.js': ['text/javascript', blockWith(codeBlocks(page, 'js'), '// age.js')],
  } as const
  const missing = changes.find(([text]) => !Object.values(files).some(([, code]) => code.includes(text)))
  if (missing) throw new Error(`the single-page app does not hold ${missing[0]}`)
  for (const [path, [type, code]] of Object.entries(files)) {
    const changed = changes.reduce((text, [from, to]) => text.replaceAll(from, () => to), code)
    app.serve(path, changed.replaceAll('http://localhost:2435', baseUrl), type)
  }
  return { page: `${app.origin}/`, close: () => app.close() }
}
