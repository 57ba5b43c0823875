import { writeFileSync } from 'node:fs'
import { DEFAULT_CONFIG_FILE } from '../config/config-file.ts'
import { renderStarterFile } from '../config/starter-file.ts'
import { codeOf } from '../files/caught.ts'
import { ConfigError } from '../files/config-error.ts'
import { print } from './terminal.ts'

/** Writes a commented config file into the working folder. @throws Error when there is one already: it never overwrites */
export function init(): void {
  try {
    writeFileSync(DEFAULT_CONFIG_FILE, renderStarterFile(), { flag: 'wx' })
  } catch (cause) {
    const code = codeOf(cause) ?? cause
    const message =
      code === 'EEXIST' ? 'is there already and stays as it is; move it away first' : `cannot be written (${code})`
    throw ConfigError.of(`${DEFAULT_CONFIG_FILE}: ${message}`, { cause })
  }
  print(`${DEFAULT_CONFIG_FILE}: written; agekey-sandbox started in this folder reads it`)
}
