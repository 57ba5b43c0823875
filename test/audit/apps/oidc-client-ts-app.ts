import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import type { Sandbox } from '../../../src/server/create-sandbox.ts'
import { startRelyingParty } from '../../browser/relying-party.ts'
import { createScratchFolder } from '../../docs/scratch-folder.ts'
import type { Changes } from '../../support/express-example.ts'

const CODE = fileURLToPath(new URL('./oidc-client-ts-app.js', import.meta.url))
const PAGE = `<!doctype html><title>Shop</title><button id="verify">Prove that you are 18</button>
<p id="answer" role="status"></p><script type="module" src="/app.js"></script>`

/** Serves a single-page app that uses oidc-client-ts, with some of its texts changed. @throws Error when a text is not in it */
export async function startOidcClientTsApp({ baseUrl }: Pick<Sandbox, 'baseUrl'>, changes: Changes = []) {
  const code = readFileSync(CODE, 'utf8')
  const missing = changes.find(([text]) => !code.includes(text))
  if (missing) throw new Error(`the app does not hold ${missing[0]}`)
  const changed = changes.reduce((text, [from, to]) => text.replaceAll(from, () => to), code)
  const { folder, remove } = createScratchFolder()
  const input = join(folder, 'app.js')
  writeFileSync(input, changed.replaceAll('http://localhost:2435', baseUrl))
  const bundle = await rolldown({ input, platform: 'browser' })
  const { output } = await bundle.generate({ format: 'esm', codeSplitting: false })
  await bundle.close()
  remove()
  const app = await startRelyingParty()
  app.serve('/', PAGE)
  app.serve('/app.js', output[0].code, 'text/javascript')
  return { page: `${app.origin}/`, close: () => app.close() }
}
