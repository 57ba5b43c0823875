import { readFileSync } from 'node:fs'

/** The text of a page of `docs/`, by its file name. */
export const readPage = (name: string): string => readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8')

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
