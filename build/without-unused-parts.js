import { readFileSync } from 'node:fs'

/** The kinds of content that are served or read here. */
const MEDIA_TYPES = [
  'text/html',
  'text/css',
  'text/javascript',
  'text/plain',
  'application/json',
  'application/octet-stream',
  'application/x-www-form-urlencoded',
  'image/png',
  'image/svg+xml',
]

/** What Express brings along for bodies, queries and logs of other kinds: here bodies are read as bytes, queries as text. */
const UNUSED = /\/(?:iconv-lite|qs)\/lib\/index\.js$|\/body-parser\/lib\/types\/(?:json|text|urlencoded)\.js$/

/** A plugin for esbuild: packages load what is hardly or never used here, and what every start would compile. */
export const withoutUnusedParts = {
  name: 'without-unused-parts',
  setup({ onLoad, onResolve }) {
    onLoad({ filter: /\/mime-db\/db\.json$/ }, ({ path }) => {
      const known = JSON.parse(readFileSync(path, 'utf8'))
      const used = Object.fromEntries(MEDIA_TYPES.map((type) => [type, known[type]]))
      return { contents: JSON.stringify(used), loader: 'json' }
    })
    onLoad({ filter: UNUSED }, () => ({ contents: 'module.exports = {}' }))
    // Express writes nothing then, whatever DEBUG says.
    onLoad({ filter: /\/debug\/src\/index\.js$/ }, () => ({ contents: 'module.exports = () => () => {}' }))
    // Compressed bodies are refused.
    onResolve({ filter: /^node:zlib$/ }, ({ importer }) =>
      importer.includes('/body-parser/') ? { path: 'zlib', namespace: 'unused' } : undefined,
    )
    onLoad({ filter: /./, namespace: 'unused' }, () => ({ contents: 'module.exports = {}' }))
  },
}
