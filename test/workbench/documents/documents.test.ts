import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { findDocuments } from '../../../src/workbench/documents/documents.ts'
import { documentFiles } from '../../../src/workbench/documents/files.ts'
import { renderLlmsText } from '../../../src/workbench/documents/pages.ts'

test('Each file of a document stands in a group', () => {
  expect(
    findDocuments()
      .map(({ name }) => name)
      .sort(),
  ).toEqual([...documentFiles().keys()].sort())
})

test('What is for the maintainers is no document that is served', () => {
  const names = [...documentFiles().keys()]
  expect(names).toContain('changelog')
  expect(
    names.filter((name) => /contributing|decisions|architecture|performance|comparison/.test(name)),
  ).toEqual([])
})

test('llms.txt is the list of documents that `npm run docs` writes', async () => {
  const text = renderLlmsText(({ file }) => file)
  for (const { file, line } of findDocuments()) expect(text).toContain(`](${file}): ${line}\n`)
  await expect(text).toMatchFileSnapshot(
    fileURLToPath(new URL('../../../llms.txt', import.meta.url)),
  )
})
