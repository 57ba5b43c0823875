import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { blockWith, codeBlocks, readPage } from '../docs/page.ts'

const page = readPage('clients.md')

/** What stands for other addresses and names in a block of the page. */
export type Replacements = Readonly<Record<string, string>>

/** A block of the page by its first line, with texts in it replaced. @throws Error when a text is not in it */
export function readExample(language: string, firstLine: string, replacements: Replacements): string {
  return Object.entries(replacements).reduce(
    (code, [text, other]) => {
      if (!code.includes(text)) throw new Error(`the block ${firstLine} does not hold ${text}`)
      return code.replaceAll(text, other)
    },
    blockWith(codeBlocks(page, language), firstLine),
  )
}

/** Writes a block of JavaScript into a folder: its file. */
export function writeExample(name: string, folder: string, replacements: Replacements): string {
  const file = join(folder, 'example.mjs')
  writeFileSync(file, readExample('js', `// ${name}`, replacements))
  return file
}

/** Imports a block of JavaScript as Node does it: what it exports. */
export async function importExample(name: string, folder: string, replacements: Replacements): Promise<unknown> {
  return import(/* @vite-ignore */ pathToFileURL(writeExample(name, folder, replacements)).href)
}
