import { expect, test } from 'vitest'
import { keyOf, SETTING_ROWS } from '../../src/config/settings.ts'
import { FLAGS } from '../../src/config/text-settings.ts'
import { levelOf, RULES } from '../../src/oidc/rules/rules.ts'
import { clientSchema } from '../../src/sandbox/clients/client-schema.ts'
import { codeIn, expectPage, readPage, tableOf, withGenerated } from './page.ts'

const page = readPage('configuration.md')

test('configuration.md names every member of a client', () => {
  const named = tableOf(page, 'Member').flatMap(([member]) => codeIn(member))
  expect(named.toSorted()).toEqual(Object.keys(clientSchema.shape).toSorted())
})

test('The table of tolerances of configuration.md names each rule that profile spec refuses by and profile agekey advises by, and no other', () => {
  const tolerated = RULES.filter((row) => levelOf(row, 'spec') === 'error' && levelOf(row, 'agekey') === 'advice')
  const named = [...page.matchAll(/^\|.*\| `([A-Z]+-\d+)` \|$/gm)].map(([, rule]) => rule)
  expect(named.sort()).toEqual(tolerated.map(({ id }) => id).sort())
})

test('The table of settings of configuration.md is the one of the program; `npm run docs` writes the table', async () => {
  await expectPage('configuration.md', withGenerated(page, 'settings', settingsTable()))
})

function settingsTable(): string {
  const ofFlags = FLAGS.map(({ short, name, argument, variable, key, help, shown }) => {
    if (shown === 'none') return ['', variable, key, help] as const
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
