import { readFileSync } from 'node:fs'

/** The text of a file, by its path from the root of the repository. */
export const readRoot = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

/** The text of a page of `docs/`, by its file name. */
export const readPage = (name: string): string => readRoot(`docs/${name}`)

/** The code blocks of a page in one language, in their order. @throws Error when there is none: a test of nothing passes */
export function codeBlocks(page: string, language: string): string[] {
  const blocks = [...page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(([, code = '']) => code)
  if (blocks.length === 0) throw new Error(`the page has no block of ${language}`)
  return blocks
}

/** The block with a line of its own: the name of a file, or a declaration. @throws Error when there is none */
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
export const codeIn = (text = ''): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)

/** A page with another text between `<!-- NAME: ... -->` and `<!-- /NAME -->`. */
export const withGenerated = (page: string, name: string, text: string): string =>
  page.replace(new RegExp(`(<!-- ${name}: .*? -->\n).*?(<!-- /${name} -->)`, 's'), (_, begin, end) =>
    [begin, text, `\n${end}`].join('\n'),
  )
