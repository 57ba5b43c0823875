import { rmSync, writeFileSync } from 'node:fs'
import { codeOf, messageOf } from '../../../sandbox/files/caught.ts'
import { ConfigError } from '../../../sandbox/files/config-error.ts'
import { DEFAULT_CONFIG_FILE } from '../../../server/config/config-file.ts'
import type { Setting } from '../../../server/config/setting.ts'
import { SETTING_ROWS } from '../../../server/config/settings.ts'
import { snakeCase } from '../../../service/text/camel-case.ts'
import { print } from '../terminal.ts'

/**
 * Writes a commented config file into the working folder. Never overwrites a file.
 * @throws ConfigError when the file exists or cannot be written
 */
export function init(): void {
  try {
    writeFileSync(DEFAULT_CONFIG_FILE, renderStarterFile(), { flag: 'wx' })
  } catch (cause) {
    if (codeOf(cause) === 'EEXIST') {
      throw ConfigError.of(
        `${DEFAULT_CONFIG_FILE}: is there already and stays as it is; move it away first`,
        { cause },
      )
    }
    // On a full disk, a part of the file remains.
    rmSync(DEFAULT_CONFIG_FILE, { force: true })
    throw ConfigError.of(`${DEFAULT_CONFIG_FILE}: cannot be written (${messageOf(cause)})`, {
      cause,
    })
  }
  print(`${DEFAULT_CONFIG_FILE}: written; agekey-sandbox started in this folder reads it`)
}

const HEADER = `# yaml-language-server: $schema=http://localhost:2435/_sandbox/assets/schemas/config.schema.json
# Settings of agekey-sandbox. Flags and AGEKEY_SANDBOX_ environment variables go before this file.
# A running sandbox takes up this file when it is saved, and says what needs a restart.
# Paths are relative to the folder of this file. Lines that are commented out show the default or an example.
`

/** Renders the file: every setting with its meaning. Defaults are comments. */
export const renderStarterFile = (): string =>
  `${HEADER}${SETTING_ROWS.map(renderSetting).join('')}`

function renderSetting([name, { about, example, isSet }]: readonly [string, Setting]): string {
  const lines = `${snakeCase(name)}:${example.startsWith('\n') ? '' : ' '}${example}\n`
  const paragraph = about === undefined ? '' : `\n${commented(`${about}\n`)}`
  return paragraph + (isSet ? lines : commented(lines))
}

const commented = (lines: string) => lines.replace(/^(?=.)/gm, '# ')
