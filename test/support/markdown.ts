import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { sectionsOf } from '../../src/documents/markdown.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** A Markdown file of the repository, by its path from the root: `docs/library.md`. */
export interface MarkdownFile {
  readonly path: string
  readonly text: string
}

/** Everything that users read: README.md and its neighbours, and all of `docs/` and `skills/`. */
export function readDocuments(): readonly MarkdownFile[] {
  const inFolder = (folder: string) =>
    readdirSync(`${ROOT}${folder}`, { recursive: folder !== '', encoding: 'utf8' }).map((name) => `${folder}${name}`)
  const paths = ['', 'docs/', 'skills/'].filter((folder) => readdirSync(ROOT).includes(folder.slice(0, -1)) || !folder)
  return paths
    .flatMap(inFolder)
    .filter((path) => path.endsWith('.md'))
    .map((path) => ({ path, text: readFileSync(`${ROOT}${path}`, 'utf8') }))
}

/** A block of code between fences. */
export interface FencedBlock {
  /** What stands behind the opening fence; empty when nothing does. */
  readonly language: string
  readonly code: string
  /** Of its first line of code in the file, from 1. */
  readonly line: number
}

export function fencedBlocks(text: string): readonly FencedBlock[] {
  return [...text.matchAll(/^```([^\n`]*)\n(.*?)^```$/gms)].map(({ 1: language = '', 2: code = '', index }) => ({
    language: language.trim(),
    code,
    line: text.slice(0, index).split('\n').length + 1,
  }))
}

/** Where links and pictures lead, as they are written. What stands in code is no link. */
export function linkTargets(text: string): readonly string[] {
  const prose = withoutFences(text).replaceAll(/`[^`\n]*`/g, '')
  const inText = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target)
  const inHtml = [...prose.matchAll(/\b(?:href|src|srcset)="([^"]+)"/g)].map(([, target = '']) => target)
  return [...inText, ...inHtml]
}

/** The anchors of the headings, as GitHub and the served documents make them. */
export const headingAnchors = (text: string): readonly string[] => sectionsOf(text).map(({ anchor }) => anchor)

const withoutFences = (text: string) => text.replaceAll(/^```.*?^```$/gms, '')
