import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { configSchema } from '../../src/config/config-schema.ts'
import { keyOf, SETTING_ROWS } from '../../src/config/settings.ts'
import { FLAGS } from '../../src/config/text-settings.ts'
import { parseYamlDocument } from '../../src/files/yaml-document.ts'
import { levelOf, RULES } from '../../src/oidc/rules/rules.ts'
import { clientSchema } from '../../src/sandbox/clients/client-schema.ts'
import { codeBlocks, readPage } from './page.ts'

const page = readPage('configuration.md')

test('the config file of configuration.md can be read', () => {
  const [file = ''] = codeBlocks(page, 'yaml')
  expect(parseYamlDocument(file, { file: 'configuration.md', schema: configSchema })).toBeDefined()
})

test('configuration.md names every member of a client', () => {
  const [, table = ''] = page.split('| Member | Meaning |')
  const rows = (table.split('\n\n')[0] ?? '').split('\n').slice(2)
  const named = rows.flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name))
  expect(named.toSorted()).toEqual(Object.keys(clientSchema.shape).toSorted())
})

test('the table of tolerances names each rule that profile spec refuses by and profile agekey advises by, and no other', () => {
  const tolerated = RULES.filter((row) => levelOf(row, 'spec') === 'error' && levelOf(row, 'agekey') === 'advice')
  const named = [...page.matchAll(/^\|.*\| `([A-Z]+-\d+)` \|$/gm)].map(([, rule]) => rule)
  expect(named.sort()).toEqual(tolerated.map(({ id }) => id).sort())
})

test('the table of settings is the one of the program; `npm run docs` writes it', async () => {
  const written = page.replace(
    /(<!-- settings: .*? -->\n).*?(<!-- \/settings -->)/s,
    (_, begin, end) => `${begin}\n${settingsTable()}\n\n${end}`,
  )
  await expect(written).toMatchFileSnapshot(fileURLToPath(new URL('../../docs/configuration.md', import.meta.url)))
})

function settingsTable(): string {
  const ofFlags = FLAGS.map(({ short, name, argument, variable, key, help }) => {
    const flag = [...(short === undefined ? [] : [short]), [`--${name}`, argument].join(' ').trim()].join(', ')
    return [flag, variable, key, help] as const
  })
  const ofFileOnly = SETTING_ROWS.filter(([, { flag }]) => flag === undefined).map(
    ([name, { help }]) => ['', '', keyOf(name), help] as const,
  )
  const code = (text = '') => (text === '' ? '' : `\`${text.replaceAll('|', '\\|')}\``)
  return [
    '| Flag | Environment | Config file | Meaning |',
    '|---|---|---|---|',
    ...[...ofFlags, ...ofFileOnly].map(
      ([flag, variable, key, meaning]) => `| ${code(flag)} | ${code(variable)} | ${code(key)} | ${meaning} |`,
    ),
  ].join('\n')
}
