import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import * as z from 'zod'

/** The version of a package as it is installed. */
export function installedVersion(name: string): string {
  const main = createRequire(import.meta.url).resolve(name)
  const folder = main.slice(0, main.lastIndexOf(`/node_modules/${name}/`))
  const text = readFileSync(`${folder}/node_modules/${name}/package.json`, 'utf8')
  return z.object({ version: z.string() }).parse(JSON.parse(text)).version
}
