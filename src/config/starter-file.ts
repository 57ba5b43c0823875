import type { Setting } from './settings/setting.ts'
import { keyOf, SETTING_ROWS } from './settings.ts'

const HEADER = `# yaml-language-server: $schema=http://localhost:2435/_sandbox/assets/schemas/config.schema.json
# Settings of agekey-sandbox. Flags and AGEKEY_SANDBOX_ environment variables go before this file.
# Paths are relative to the folder of this file. Lines that are commented out show the default or an example.
`

/** What `init` writes: every setting with its meaning, the defaults commented out. */
export const renderStarterFile = (): string => `${HEADER}${SETTING_ROWS.map(renderSetting).join('')}`

function renderSetting([name, { starter }]: readonly [string, Setting]): string {
  const { about, example, isSet = false } = starter
  const lines = `${keyOf(name)}:${example.startsWith('\n') ? '' : ' '}${example}\n`
  const paragraph = about === undefined ? '' : `\n${commented(`${about}\n`)}`
  return paragraph + (isSet ? lines : commented(lines))
}

const commented = (lines: string) => lines.replace(/^(?=.)/gm, '# ')
