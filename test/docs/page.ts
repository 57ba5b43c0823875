import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { sectionsOf } from '../../src/workbench/documents/markdown.ts'

/** The folder of the repository. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** The text of a file, by its path from the root of the repository. */
export const readRoot = (path: string): string => readFileSync(`${ROOT}${path}`, 'utf8')

/** The text of a page of `docs/`, by its file name. */
export const readPage = (name: string): string => readRoot(`docs/${name}`)

/**
 * Everything that users read, with its path from the root: README.md and its neighbours, and all of
 * `docs/` and `skills/`.
 */
export const readDocuments = (): readonly { readonly path: string; readonly text: string }[] =>
  ['', 'docs/', 'skills/']
    .flatMap((folder) =>
      readdirSync(`${ROOT}${folder}`, { recursive: folder !== '', encoding: 'utf8' }).map(
        (name) => `${folder}${name}`,
      ),
    )
    .filter((path) => path.endsWith('.md'))
    .map((path) => ({ path, text: readRoot(path) }))

/**
 * The blocks of code between fences, each with what stands behind the opening fence and its first
 * line in the file, from 1.
 */
export const fencedBlocks = (text: string) =>
  [...text.matchAll(/^```([^\n`]*)\n(.*?)^```$/gms)].map(
    ({ 1: language = '', 2: code = '', index }) => ({
      language: language.trim(),
      code,
      line: text.slice(0, index).split('\n').length + 1,
    }),
  )

/**
 * The code blocks of a page in one language, in their order.
 * @throws Error when there is none: a test of nothing passes
 */
export function codeBlocks(page: string, language: string): string[] {
  const blocks = fencedBlocks(page).filter((block) => block.language === language)
  if (blocks.length === 0) throw new Error(`the page has no block of ${language}`)
  return blocks.map(({ code }) => code)
}

/**
 * The block with a line of its own: the name of a file, or a declaration.
 * @throws Error when there is none
 */
export function blockWith(blocks: readonly string[], line: string): string {
  const found = blocks.find((code) => code.split('\n').includes(line))
  if (found === undefined) throw new Error(`no block has the line ${line}`)
  return found
}

/** The cells of the table whose first heading this is, by row. @throws Error when there is none */
export function tableOf(page: string, heading: string): readonly (readonly string[])[] {
  const [, table] = page.split(`\n| ${heading} |`)
  if (table === undefined) throw new Error(`the page has no table with the heading ${heading}`)
  const rows = (table.split('\n\n')[0] ?? '').split('\n').slice(2)
  return rows.filter((row) => row.startsWith('|')).map((row) => row.split('|').slice(1, -1))
}

/** The pieces of code in a text. */
export const codeIn = (text = ''): string[] =>
  [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)

/** Where links and pictures lead, as they are written. What stands in code is no link. */
export function linkTargets(text: string): readonly string[] {
  const prose = text.replaceAll(/^```.*?^```$/gms, '').replaceAll(/`[^`\n]*`/g, '')
  return [...prose.matchAll(/\]\(([^)\s]+)\)|\b(?:href|src|srcset)="([^"]+)"/g)].map(
    ([, link, html = '']) => link ?? html,
  )
}

/** The anchors of the headings, as GitHub and the served documents make them. */
export const headingAnchors = (text: string): readonly string[] =>
  sectionsOf(text).map(({ anchor }) => anchor)

/** Expects a page of `docs/` to be this text: `npm run docs` writes it. */
export const expectPage = (name: string, text: string): Promise<void> =>
  expect(text).toMatchFileSnapshot(`${ROOT}docs/${name}`)

/**
 * A page with another text between `<!-- NAME: ... -->` and `<!-- /NAME -->`.
 * @throws Error when there is no such place
 */
export function withGenerated(page: string, name: string, text: string): string {
  const place = new RegExp(`(<!-- ${name}: .*? -->\n).*?(<!-- /${name} -->)`, 's')
  if (!place.test(page)) throw new Error(`the page has no place for ${name}`)
  return page.replace(place, (_, begin, end) => [begin, text, `\n${end}`].join('\n'))
}
