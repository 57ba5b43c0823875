import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { auditFileSchema } from '../../src/cli/audit/file/file-schema.ts'
import { parseYamlDocument } from '../../src/files/yaml-document.ts'
import { CATALOGUE_VERSION } from '../../src/sandbox/outcomes/catalogue.ts'
import { codeBlocks, readPage } from './page.ts'

const page = readPage('upgrades.md')
const { engines, peerDependencies } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))

test('the file of upgrades.md names the present version of the catalogue', () => {
  const [file = ''] = codeBlocks(page, 'yaml')
  const values = parseYamlDocument(file, { file: 'upgrades.md', schema: auditFileSchema })
  expect(values).toMatchObject({ catalogue: CATALOGUE_VERSION })
})

test('upgrades.md names the versions that package.json asks for', () => {
  expect(page).toContain(`Node ${engines.node.replace('>=', '')} or later`)
  expect(page).toContain(`Vitest ${peerDependencies.vitest.replace('>=', '')} or later`)
  expect(page).toContain(`Playwright ${peerDependencies['@playwright/test'].replace('>=', '')} or later`)
})
