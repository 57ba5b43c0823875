import { expect, test } from 'vitest'
import { findDocuments } from '../../src/documents/documents.ts'
import { documentFiles } from '../../src/documents/files.ts'

test('Each file of a document stands in a group, and each document of a group has a file', () => {
  expect(
    findDocuments()
      .map(({ name }) => name)
      .sort(),
  ).toEqual([...documentFiles().keys()].sort())
})

test('What is for the maintainers is no document that is served', () => {
  const names = [...documentFiles().keys()]
  expect(names).toContain('changelog')
  expect(names.filter((name) => /contributing|decisions|architecture|performance|comparison/.test(name))).toEqual([])
})
