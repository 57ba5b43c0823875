import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { settingsIn } from '../settings-in.ts'

test.each([
  ...[
    'agekey-sandbox.yml',
    'agekey-sandbox.json',
    'agekey-sandbox.yaml.txt',
    'agekey-sandbox.yaml.yaml',
  ],
  ...[
    'agekey_sandbox.yaml',
    'agekeysandbox.yaml',
    'AgeKey-Sandbox.yaml',
    'AGEKEY-SANDBOX.YML',
    'agekey-sandbox.txt',
  ],
  ...[
    '.agekey-sandbox.yaml',
    'agekey-sandbox.config.yaml',
    'agekey-sandbox-config.yml',
    'agekey-sanbox.yaml',
  ],
  ...['agekey-sandbox.jsonc', 'age-key-sandbox.yaml'],
])('A file called %s in the working folder is not read, with a warning', async (name) => {
  const { sandbox, warnings } = await settingsIn({ [name]: 'seed: 1' }).load()
  const remedy = `rename it, or name it by --config ${name}`
  expect(warnings).toEqual([
    `${name} is not read: the config file is called agekey-sandbox.yaml; ${remedy}`,
  ])
  expect(sandbox).not.toHaveProperty('seed')
})

test('One warning names all files with a wrong name', async () => {
  const { warnings } = await settingsIn({
    'agekey-sandbox.yml': '',
    'agekey sandbox.yaml': '',
  }).load()
  const names = 'agekey sandbox.yaml, agekey-sandbox.yml are not read'
  expect(warnings).toEqual([expect.stringContaining(names)])
  expect(warnings).toEqual([expect.stringContaining("--config 'agekey sandbox.yaml'")])
})

test.each([
  'agekey-audit.yaml',
  'compose.yaml',
  'sandbox.yaml',
  'agekey-sandbox',
  'agekey-sandbox.test.ts',
  'agekey.yaml',
])('A file called %s means something else', async (name) => {
  expect((await settingsIn({ [name]: '' }).load()).warnings).toEqual([])
})

test('A folder with the name of a config file means something else', async () => {
  const { cwd, load } = settingsIn()
  mkdirSync(join(cwd, 'agekey-sandbox.yml'))
  expect((await load()).warnings).toEqual([])
})

test('A wrong name is of no interest beside the config file', async () => {
  const { load } = settingsIn({ 'agekey-sandbox.yml': 'seed: 2', 'agekey-sandbox.yaml': 'seed: 1' })
  expect(await load()).toMatchObject({ sandbox: { seed: 1 }, warnings: [] })
})

test('A wrong name is of no interest beside a file that --config names', async () => {
  const { load } = settingsIn({ 'agekey-sandbox.yml': 'seed: 2', 'mine.yaml': 'seed: 1' })
  expect(await load({ config: 'mine.yaml' })).toMatchObject({ sandbox: { seed: 1 }, warnings: [] })
})
