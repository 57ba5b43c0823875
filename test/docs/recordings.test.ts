import { parseAst } from 'rolldown/parseAst'
import { expect, test } from 'vitest'
import { parseYamlDocument } from '../../src/files/yaml-document.ts'
import { RECORDING_NAMES } from '../../src/sandbox/recordings/formats.ts'
import { scenarioSchema } from '../../src/sandbox/scenarios/scenario-schema.ts'
import { codeBlocks, readPage } from './page.ts'

const page = readPage('recordings.md')

test('recordings.md has a row for each format, in their order', () => {
  expect([...page.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name)).toEqual(RECORDING_NAMES)
})

test('The scenario and the lines of a test in recordings.md are what they say', () => {
  const [yaml = ''] = codeBlocks(page, 'yaml')
  expect(parseYamlDocument(yaml, { file: 'recordings.md', schema: scenarioSchema }).steps).toHaveLength(1)
  expect(codeBlocks(page, 'ts').map((code) => parseAst(code, { lang: 'ts' }).type)).toEqual(['Program'])
})
