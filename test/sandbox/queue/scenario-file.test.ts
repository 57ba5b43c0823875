import { join } from 'node:path'
import { expect, test } from 'vitest'
import { messageOf } from '../../../src/sandbox/files/caught.ts'
import { ConfigError } from '../../../src/sandbox/files/config-error.ts'
import { parseScenario, readScenarioText } from '../../../src/sandbox/queue/scenario-file.ts'
import { folderWith } from '../../support/folder-with.ts'
import { hostileYaml } from '../../support/hostile-yaml.ts'

function errorOf(act: () => unknown): unknown {
  try {
    act()
  } catch (error) {
    return error
  }
  return undefined
}

test.each([
  [
    'UTF-16',
    Buffer.from('\uFEFFname: A\n', 'utf16le'),
    /a\.yaml: is UTF-16 \(PowerShell's > writes that\); /,
  ],
  [
    'Latin-1',
    Buffer.from('name: A\n# \xFC\n', 'latin1'),
    /a\.yaml:2: the byte 0xFC \(ü in Latin-1\) is not UTF-8; /,
  ],
  [
    'more than 1 MiB',
    Buffer.alloc(1024 * 1024 + 1, '#'),
    /a\.yaml: has 1048577 bytes, and 1048576 are read at most/,
  ],
])('A scenario file of %s is refused', (_, bytes, message) => {
  const file = join(folderWith({ 'a.yaml': bytes }), 'a.yaml')
  expect(messageOf(errorOf(() => readScenarioText(file)))).toMatch(message)
})

test('Hostile scenario files are refused by errors of the file', () => {
  for (const [name, text] of hostileYaml(801)) {
    const error = errorOf(() => parseScenario(text, { file: 'a.yaml', personas: [] }))
    expect(error, name).toBeInstanceOf(ConfigError)
  }
})
