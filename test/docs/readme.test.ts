import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { keyOf, SETTING_ROWS } from '../../src/config/settings.ts'
import { FLAGS } from '../../src/config/text-settings.ts'
import { parseYamlDocument } from '../../src/files/yaml-document.ts'
import { levelOf, RULES } from '../../src/oidc/rules/rules.ts'
import { personaSchema } from '../../src/sandbox/personas/persona-schema.ts'
import { scenarioSchema } from '../../src/sandbox/scenarios/scenario-schema.ts'
import { startSandbox } from '../support/sandbox.ts'

const README = fileURLToPath(new URL('../../README.md', import.meta.url))
const readme = readFileSync(README, 'utf8')

test('the shell blocks, run in their order against one sandbox, print what stands below them, also a second time', async () => {
  const sandbox = await startSandbox()
  const blocks = [...readme.matchAll(/```sh\n((?:(?!```).)*)```\n(?:\n```text\n(.*?)```)?/gs)]
  expect(blocks.map(([, , shown]) => shown !== undefined)).toEqual([false, true, true, true, true])
  const commands = blocks.map(([, text]) => text).join('echo ----\n')
  const script = commands.replaceAll('http://localhost:2435', sandbox.url)
  for (const _time of ['first', 'second']) {
    const { stdout } = await promisify(execFile)('bash', ['-eu', '-c', script])
    const printed = stdout.split('----\n')
    for (const [index, [, , shown = '']] of blocks.entries()) {
      expect(printed[index]).toMatch(new RegExp(`^${shown.split('…').map(literal).join('.+')}$`))
    }
  }
})

test.each([
  ['persona', 'name: turns-21', personaSchema],
  ['scenario', 'name: Teen comes back', scenarioSchema],
])('the %s is one', (_what, beginning, schema) => {
  const block = [...readme.matchAll(/```yaml\n(.*?)```/gs)].find(([, text = '']) => text.startsWith(beginning))
  expect(parseYamlDocument(block?.[1] ?? '', { file: 'README.md', schema })).toBeDefined()
})

test('there is one command to start and one to test, and both set up what they need', () => {
  expect(readme.match(/^npm ci.*$/gm)).toEqual(['npm ci && npm start', 'npm ci && npm test'])
})

test('every file that is linked to is there', () => {
  const links = [...readme.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, path = '']) => path)
  expect(links.filter((path) => !existsSync(new URL(`../../${path}`, import.meta.url)))).toEqual([])
})

test('the table of tolerances names each rule that profile spec refuses by and profile agekey advises by, and no other', () => {
  const tolerated = RULES.filter((row) => levelOf(row, 'spec') === 'error' && levelOf(row, 'agekey') === 'advice')
  const named = [...readme.matchAll(/^\|.*\| `([A-Z]+-\d+)` \|$/gm)].map(([, rule]) => rule)
  expect(named.sort()).toEqual(tolerated.map(({ id }) => id).sort())
})

test('the table of settings is the one of the program; `npm run docs` writes it', async () => {
  const written = readme.replace(
    /(<!-- settings: .*? -->\n).*?(<!-- \/settings -->)/s,
    (_, begin, end) => `${begin}\n${settingsTable()}\n\n${end}`,
  )
  await expect(written).toMatchFileSnapshot(README)
})

const literal = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')

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
