import type { Sandbox } from '../../../src/server/create-sandbox.ts'
import { startRelyingParty } from '../../browser/relying-party.ts'
import { blockWith, codeBlocks, readPage } from '../../docs/page.ts'
import type { Changes } from '../../support/express-example.ts'

const page = readPage('single-page-apps.md')
const scripts = codeBlocks(page, 'js')
const FILES: Readonly<Record<string, string>> = {
  '/': blockWith(codeBlocks(page, 'html'), '<!-- index.html -->'),
  '/app.js': blockWith(scripts, '// app.js'),
  '/age.js': blockWith(scripts, '// age.js'),
}

/** Serves an app, by default that of docs/single-page-apps.md, with some of its texts changed. @throws Error when a text is not in it */
export async function startSinglePageApp({ baseUrl }: Pick<Sandbox, 'baseUrl'>, changes: Changes = [], files = FILES) {
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
