import { existsSync, readdirSync, statSync } from 'node:fs'
import { extname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { packageRoot } from '../../package-root.ts'

/** Name and file of each document outside `docs/`. */
const OTHER_DOCUMENTS: Readonly<Record<string, string>> = {
  readme: 'README.md',
  changelog: 'CHANGELOG.md',
  security: 'SECURITY.md',
  skill: 'skills/agekey-sandbox/SKILL.md',
}

/** Files outside of `docs/` to which documents link. */
const LINKED_FILES = ['LICENSE', 'compose.yaml']

/**
 * Files that are served at their path below `/_sandbox/`, besides those in `docs/`, so that the
 * relative links of a document work in its Markdown too.
 */
export const FILES_BESIDE_DOCS: readonly string[] = [
  ...Object.values(OTHER_DOCUMENTS),
  ...LINKED_FILES,
]

/**
 * The file of each document below the root of the package, by the name of the document.
 * `docs/maintainers/` and `CONTRIBUTING.md` are for contributors and stay in the repository.
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

/** The media type of a served file; any other file is plain text. */
export const mediaTypeOf = (file: string): string =>
  TYPES[extname(file)] ?? 'text/plain; charset=utf-8'

/**
 * What documents link to or show, below the root of the package: `docs/pictures/flow.webp`,
 * `examples/express/app.js`.
 */
export const linkedFiles = (): readonly string[] => [
  ...LINKED_FILES,
  ...['docs/pictures', 'docs/scenarios', 'public/schemas', 'examples'].flatMap(filesBelow),
]

/**
 * The package leaves examples and pictures out, which the repository and the image have. Only names
 * are asked of the folder: below a zip file of Yarn PnP an entry lacks the folder that it stands in
 * (4.9), or names another one (4.18).
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
 * The path of a file to which a document links, below the root of the package; of a folder that of
 * its README.
 */
export const linkedFile = (document: string, path: string): string =>
  posix.join(posix.dirname(document), path.endsWith('/') ? `${path}README.md` : path)
