import { existsSync, readdirSync, statSync } from 'node:fs'
import { extname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { packageRoot } from '../../package-root.ts'

/** The documents outside `docs/`: name and file. */
const OTHER_DOCUMENTS: Readonly<Record<string, string>> = {
  readme: 'README.md',
  changelog: 'CHANGELOG.md',
  security: 'SECURITY.md',
  skill: 'skills/agekey-sandbox/SKILL.md',
}

/** Other files outside `docs/` that documents link to. */
const LINKED_FILES = ['LICENSE', 'compose.yaml']

/**
 * Files that are served at their path below `/_sandbox/`, besides `docs/`, so that relative links
 * in the Markdown of a document work.
 */
export const FILES_BESIDE_DOCS: readonly string[] = [
  ...Object.values(OTHER_DOCUMENTS),
  ...LINKED_FILES,
]

/**
 * The file of each document by name, relative to the root of the package. `docs/maintainers/` and
 * `CONTRIBUTING.md` are for contributors and not served.
 */
export function documentFiles(): ReadonlyMap<string, string> {
  const pages = readdirSync(new URL('docs/', packageRoot)).filter((name) => name.endsWith('.md'))
  return new Map([
    ...Object.entries(OTHER_DOCUMENTS),
    ...pages.map((page) => [page.slice(0, -3), `docs/${page}`] as const),
  ])
}

const TYPES: Readonly<Record<string, string>> = {
  '.webp': 'image/webp',
  '.md': 'text/markdown; charset=utf-8',
}

/**
 * The media type of a served file; plain text for an unknown ending.
 * @example
 * mediaTypeOf('docs/audit.md') // 'text/markdown; charset=utf-8'
 */
export const mediaTypeOf = (file: string): string =>
  TYPES[extname(file)] ?? 'text/plain; charset=utf-8'

/**
 * The files that documents link to or show, relative to the root of the package:
 * `docs/pictures/flow.webp`, `examples/express/app.js`.
 */
export const linkedFiles = (): readonly string[] => [
  ...LINKED_FILES,
  ...['docs/pictures', 'docs/scenarios', 'public/schemas', 'examples'].flatMap(filesBelow),
]

/**
 * Lists the files below a folder. The package contains no examples and pictures, but the repository
 * and the image do. Only names are read: in a zip file of Yarn PnP a directory entry has no parent
 * path (4.9) or a wrong one (4.18).
 */
function filesBelow(folder: string): readonly string[] {
  const path = fileURLToPath(new URL(folder, packageRoot))
  if (!existsSync(path)) return []
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter(
      (name) => !name.split('/').includes('node_modules') && statSync(join(path, name)).isFile(),
    )
    .map((name) => posix.join(folder, name))
}

/**
 * Resolves a link in a document to a path relative to the root of the package. A folder means its
 * README.
 * @example
 * linkedFile('docs/audit.md', '../examples/express/') // 'examples/express/README.md'
 */
export const linkedFile = (document: string, path: string): string =>
  posix.join(posix.dirname(document), path.endsWith('/') ? `${path}README.md` : path)
