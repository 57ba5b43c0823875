import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseYamlDocument } from '../../../../src/sandbox/files/yaml-document.ts'
import { DEFAULT_CONFIG_FILE } from '../../../../src/server/config/config-file.ts'
import { configSchema, SETTINGS } from '../../../../src/server/config/settings.ts'
import { DEFAULT_LIFETIMES } from '../../../../src/service/oidc/policy.ts'
import { renderStarterFile } from '../../../../src/tools/cli/start/init.ts'
import { folderWith } from '../../../support/folder-with.ts'
import { run } from '../in-process.ts'

const parse = (text: string) => parseYamlDocument(text, { file: 'starter', schema: configSchema })

test('init writes a config file that the next start can read', async () => {
  const cwd = folderWith()
  expect(await run(['init'], { cwd })).toMatchObject({ code: 0, stderr: '' })
  expect(readFileSync(join(cwd, DEFAULT_CONFIG_FILE), 'utf8')).toBe(renderStarterFile())
  expect(parse(renderStarterFile())).toMatchObject({ profile: 'spec' })
})

test('init leaves a file that exists unchanged', async () => {
  const cwd = folderWith({ [DEFAULT_CONFIG_FILE]: 'seed: 1\n' })
  const stderr =
    'error: agekey-sandbox.yaml: is there already and stays as it is; move it away first\n'
  expect(await run(['init'], { cwd })).toEqual({ code: 1, stdout: '', stderr })
  expect(readFileSync(join(cwd, DEFAULT_CONFIG_FILE), 'utf8')).toBe('seed: 1\n')
})

test('The starter file with every setting uncommented is valid, shows all settings and the default lifetimes', () => {
  // Settings are commented out as `# key:`, without a space before the key inside a mapping;
  // sentences begin with a capital or a word.
  const uncommented = renderStarterFile()
    .replace(/^( *)# ?( *(?:[a-z_]+|\/[a-z/]+): )/gm, '$1$2')
    .replace(/^# (certifications:)$/m, '$1')
    .replace(/^spec: .*$/m, '')
  const values = parse(uncommented)
  expect(Object.keys(values).sort()).toEqual(Object.keys(SETTINGS).sort())
  expect(values.lifetimes).toEqual(DEFAULT_LIFETIMES)
})
