import { readFileSync } from 'node:fs'
import { codeOf, messageOf } from './caught.ts'
import { ConfigError } from './config-error.ts'

/** The text of a file; `undefined` when the file does not exist. @throws ConfigError with one line */
export function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return undefined
    throw ConfigError.of(`${file}: cannot be read (${messageOf(cause)})`, { cause })
  }
}
