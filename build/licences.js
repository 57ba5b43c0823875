import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The licences of the packages that esbuild bundled, which ask to stand beside every copy. */
export function licencesOf(metafile, root) {
  const used = Object.values(metafile.outputs).flatMap((output) => Object.keys(output.inputs))
  const packages = new Set(used.map((file) => file.match(/^.*\bnode_modules\/(?:@[^/]+\/)?[^/]+/)?.[0]))
  packages.delete(undefined)
  return [...packages]
    .sort()
    .map((folder) => licenceOf(join(root, folder)))
    .join('\n\n')
}

function licenceOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const file = readdirSync(folder).find((candidate) => /^licen[cs]e(\.|$)/i.test(candidate))
  const text = file === undefined ? `License: ${license}` : readFileSync(join(folder, file), 'utf8').trim()
  return `${name} ${version}\n${'-'.repeat(40)}\n${text}\n`
}
