import type { Sandbox } from '../../../src/server/create-sandbox.ts'
import { startRelyingParty } from '../../browser/relying-party.ts'
import { readRoot } from '../../docs/page.ts'
import type { Changes } from '../../support/express-example.ts'

const FILES: Readonly<Record<string, string>> = {
  '/': readRoot('examples/spa/index.html'),
  '/app.js': readRoot('examples/spa/app.js'),
  '/age.js': readRoot('examples/spa/age.js'),
}

/** Serves an app, by default that of examples/spa, with some of its texts changed. @throws Error for a text that the app lacks */
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
