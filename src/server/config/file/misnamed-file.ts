import { readdirSync } from 'node:fs'
import { distanceWithin } from '../../../service/text/message-parts.ts'
import { flagWord } from '../../../service/text/shell-word.ts'

/**
 * Warns of a file in `folder` that was probably meant as the missing config file `name`;
 * `undefined` without such a file. The file is not read.
 */
export function findMisnamedFile(folder: string, name: string): string | undefined {
  const misnamed = filesIn(folder).filter((file) => isMeant(file, name))
  const [first] = misnamed
  if (first === undefined) return undefined
  const read = misnamed.length === 1 ? 'is not read' : 'are not read'
  return `${misnamed.join(', ')} ${read}: the config file is called ${name}; rename it, or name it by --config ${flagWord(first)}`
}

/** Maximum number of edits between a misspelt name and the right one. */
const MAX_EDITS = 2

/** Whether the names differ only by ending, capitals and punctuation, or by a typing mistake. */
function isMeant(file: string, name: string): boolean {
  const [, stem = '', endings = ''] = /^\.*([^.]*)(.*)$/.exec(file) ?? []
  if (!/^(?:\.(?:config|conf|cfg|settings|ya?ml|json[c5]?|txt) *)+$/i.test(endings)) return false
  const lettersOf = (text: string) => text.toLowerCase().replaceAll(/[^a-z\d]/g, '')
  const [expected = ''] = name.split('.')
  const letters = lettersOf(stem).replace(/(?:config|settings)$/, '')
  return distanceWithin(MAX_EDITS, letters, lettersOf(expected)) <= MAX_EDITS
}

function filesIn(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true })
    return entries.filter((entry) => !entry.isDirectory()).map((entry) => entry.name)
  } catch {
    // A folder that cannot be read is not an error: only the warning is missing.
    return []
  }
}
