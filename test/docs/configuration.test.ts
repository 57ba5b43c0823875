import { expect, test } from 'vitest'
import { clientSchema } from '../../src/sandbox/clients/client-schema.ts'
import { SETTING_ROWS } from '../../src/server/config/settings.ts'
import { FLAGS } from '../../src/server/config/text-settings.ts'
import { levelOf, RULES } from '../../src/service/oidc/rules/rules.ts'
import { snakeCase } from '../../src/service/text/camel-case.ts'
import { codeIn, expectPage, readPage, tableOf, withGenerated } from './page.ts'

const page = readPage('configuration.md')

test('configuration.md names every member of a client', () => {
  const named = tableOf(page, 'Member').flatMap(([member]) => codeIn(member))
  expect(named.toSorted()).toEqual(Object.keys(clientSchema.shape).toSorted())
})

test('configuration.md has the tables that `npm run docs` writes', async () => {
  const withSettings = withGenerated(page, 'settings', settingsTable())
  await expectPage('configuration.md', withGenerated(withSettings, 'profiles', profilesTable()))
})

/** The rules that the two profiles take in different ways. */
function profilesTable(): string {
  const said = { error: 'refused', advice: 'taken, with advice' }
  const rows = RULES.flatMap((rule) => {
    const [spec, agekey] = [levelOf(rule, 'spec'), levelOf(rule, 'agekey')]
    return spec === agekey
      ? []
      : [`| \`${rule.id}\` | ${rule.sentence} | ${said[spec]} | ${said[agekey]} |`]
  })
  return [
    '| Rule | It says | Otherwise, in `spec` | in `agekey` |',
    '|---|---|---|---|',
    ...rows,
  ].join('\n')
}

function settingsTable(): string {
  const isLive = new Set(
    SETTING_ROWS.flatMap(([name, { takenUp }]) => (takenUp === 'live' ? [snakeCase(name)] : [])),
  )
  const ofFlags = FLAGS.map(({ short, name, argument, variable, key, help, shown }) => {
    if (shown === 'none') return ['', variable, key, help] as const
    const flag = [
      ...(short === undefined ? [] : [short]),
      [`--${name}`, argument].join(' ').trim(),
    ].join(', ')
    return [flag, variable, key, help] as const
  })
  const ofFileOnly = SETTING_ROWS.filter(([, { flag }]) => flag === undefined).map(
    ([name, { help }]) => ['', '', snakeCase(name), help] as const,
  )
  const savedAs = (key: string) => {
    if (key === '') return ''
    return isLive.has(key) ? 'at once' : 'restart'
  }
  const code = (text = '') => (text === '' ? '' : `\`${text.replaceAll('|', '\\|')}\``)
  return [
    '| Flag | Environment | Config file | Saved | Meaning |',
    '|---|---|---|---|---|',
    ...[...ofFlags, ...ofFileOnly].map(
      ([flag, variable, key = '', meaning]) =>
        `| ${code(flag)} | ${code(variable)} | ${code(key)} | ${savedAs(key)} | ${meaning} |`,
    ),
  ].join('\n')
}
