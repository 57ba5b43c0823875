import { expect, test } from 'vitest'
import { auditFileSchema } from '../../src/audit/command/settings/settings.ts'
import { parseYamlDocument } from '../../src/sandbox/files/yaml-document.ts'
import { CATALOGUE_VERSION } from '../../src/sandbox/outcomes/catalogue.ts'
import { readConfigText } from '../../src/server/config/file/read-config-text.ts'
import { loadSettings } from '../../src/server/config/load-settings.ts'
import { FLAGS } from '../../src/server/config/text-settings.ts'
import { fencedBlocks, readDocuments, readPage, readRoot, tableOf } from './page.ts'

const documents = readDocuments()
const blocks = documents.flatMap(({ path, text }) =>
  fencedBlocks(text).map(({ code }) => ({ path, code })),
)

/** Variables of the documents that no sandbox reads: `run` gives them to a command. */
const OF_COMMANDS = [
  'AGEKEY_SANDBOX_URL',
  'AGEKEY_SANDBOX_CLIENT_ID',
  'AGEKEY_SANDBOX_CLIENT_SECRET',
]

test('Every variable of the documents that sets up the sandbox is one of its settings', () => {
  const named = documents.flatMap(({ text }) => text.match(/AGEKEY_SANDBOX_[A-Z_]+/g) ?? [])
  expect(named.length).toBeGreaterThan(60)
  const known: readonly (string | undefined)[] = [
    ...FLAGS.map(({ variable }) => variable),
    ...OF_COMMANDS,
  ]
  expect(named.filter((name) => !known.includes(name))).toEqual([])
})

test('Every command of the documents that starts a sandbox has flags that exist', async () => {
  const commands = blocks.flatMap(({ path, code }) =>
    (code.match(/^(?:npx )?agekey-sandbox --.*[^\\]$/gm) ?? []).map((command) => ({
      path,
      command,
    })),
  )
  expect([...new Set(commands.map(({ path }) => path))]).toEqual(
    expect.arrayContaining(['docs/addresses.md']),
  )
  for (const { command } of commands) {
    const flags = [...command.matchAll(/--([\w-]+)(?: ([^-\s]\S*))?/g)].map(
      ([, name = '', value = true]) => {
        const isList = FLAGS.find((flag) => flag.name === name)?.argument?.endsWith('...>')
        return [name, isList ? [value] : value]
      },
    )
    await expect(loadSettings({ flags: Object.fromEntries(flags) }), command).resolves.toBeDefined()
  }
})

test('addresses.md names each setting of an address by its key beside its flag', () => {
  const shown = tableOf(readPage('addresses.md'), 'Setting | Flag').flatMap(
    ([keys = '', flags = '']) =>
      (flags.match(/--[\w-]+/g) ?? []).map(
        (flag, index) => `${(keys.match(/\w+/g) ?? [])[index]} ${flag}`,
      ),
  )
  expect(shown.length).toBeGreaterThan(5)
  expect(shown.filter((one) => !FLAGS.some(({ key, name }) => one === `${key} --${name}`))).toEqual(
    [],
  )
})

/** Each file that a page shows below a comment with its name. */
const filesNamed = (name: string) => blocks.filter(({ code }) => code.startsWith(`# ${name}\n`))

test('Every config file of the documents can be read', async () => {
  const files = filesNamed('agekey-sandbox.yaml')
  expect(files.length).toBeGreaterThan(6)
  const environment = { WEB_SHOP_SECRET: 'not-a-real-secret' }
  for (const { path, code } of files)
    await expect(readConfigText(code, { file: path, environment }), code).resolves.toBeDefined()
})

test('The changelog names the present version of the catalogue', () => {
  const [{ code = '' } = {}] = filesNamed('agekey-audit.yaml')
  const values = parseYamlDocument(code, { file: 'CHANGELOG.md', schema: auditFileSchema })
  expect(values).toMatchObject({ catalogue: CATALOGUE_VERSION })
})

test('The changelog names the versions that package.json asks for', () => {
  const { engines, peerDependencies } = JSON.parse(readRoot('package.json'))
  const page = readRoot('CHANGELOG.md')
  expect(page).toContain(`Node ${engines.node.replace('>=', '')} or later`)
  expect(page).toContain(`Vitest ${peerDependencies.vitest.replace('>=', '')} or later`)
  expect(page).toContain(
    `Playwright ${peerDependencies['@playwright/test'].replace('>=', '')} or later`,
  )
})
