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

/** A plugin for esbuild: packages load what is hardly or never used here, and what every start would compile. */
export const withoutUnusedParts = {
  name: 'without-unused-parts',
  setup({ onLoad }) {
    onLoad({ filter: /\/mime-db\/db\.json$/ }, ({ path }) => {
      const known = JSON.parse(readFileSync(path, 'utf8'))
      const used = Object.fromEntries(MEDIA_TYPES.map((type) => [type, known[type]]))
      return { contents: JSON.stringify(used), loader: 'json' }
    })
    // For parsers of bodies and queries that Express brings along: here bodies are read as bytes and queries as text.
    onLoad({ filter: /\/(iconv-lite|qs)\/lib\/index\.js$/ }, () => ({ contents: 'module.exports = {}' }))
  },
}
