import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

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

/** The anchors of the headings as GitHub makes them: in lower case, without punctuation, a repeated one with a number. */
export function headingAnchors(text: string): readonly string[] {
  const seen = new Map<string, number>()
  return [...withoutFences(text).matchAll(/^#{1,6} +(.*)$/gm)].map(([, heading = '']) => {
    const words = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase()
    const anchor = words.replaceAll(/[^\p{L}\p{N}_ -]/gu, '').replaceAll(' ', '-')
    const times = seen.get(anchor) ?? 0
    seen.set(anchor, times + 1)
    return times === 0 ? anchor : `${anchor}-${times}`
  })
}

const withoutFences = (text: string) => text.replaceAll(/^```.*?^```$/gms, '')
