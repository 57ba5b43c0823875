import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ROOT, readRoot } from '../docs/page.ts'

const examples = readdirSync(`${ROOT}examples/clients`).map((name) =>
  readRoot(`examples/clients/${name}`),
)

/**
 * The folder with packages that `npm test` does without, for examples and rare checks:
 * `npm ci --prefix .ci/checks`.
 */
export const CHECKS = new URL('../../.ci/checks/', import.meta.url)

/** What stands for other addresses and names in an example. */
export type Replacements = Readonly<Record<string, string>>

/**
 * An example of a client library by its first line, with texts in it replaced.
 * @throws Error when a text is not in it
 */
export function readExample(firstLine: string, replacements: Replacements): string {
  const example = examples.find((code) => code.startsWith(`${firstLine}\n`))
  if (example === undefined) throw new Error(`no file of examples/clients begins with ${firstLine}`)
  return Object.entries(replacements).reduce((code, [text, other]) => {
    if (!code.includes(text)) throw new Error(`the example ${firstLine} does not hold ${text}`)
    return code.replaceAll(text, other)
  }, example)
}

/** Writes an example in JavaScript into a folder: its file. */
export function writeExample(name: string, folder: string, replacements: Replacements): string {
  const file = join(folder, 'example.mjs')
  writeFileSync(file, readExample(`// ${name}`, replacements))
  return file
}

/** Imports an example in JavaScript as Node does it: what it exports. */
export async function importExample(
  name: string,
  folder: string,
  replacements: Replacements,
): Promise<unknown> {
  return import(/* @vite-ignore */ pathToFileURL(writeExample(name, folder, replacements)).href)
}
