import { expect, test } from 'vitest'
import { documentFiles } from '../../src/documents/files.ts'
import { placeOf } from '../../src/documents/groups.ts'

test('Each document stands in a group, with a line on what the document is about', () => {
  expect([...documentFiles().keys()].filter((name) => placeOf(name).line === undefined)).toEqual([])
})

test('A document that no group names stands behind the others', () => {
  expect(placeOf('nothing-of-the-kind')).toMatchObject({ group: 'More' })
  expect(placeOf('nothing-of-the-kind').order).toBeGreaterThan(placeOf('changelog').order)
})

test('What is for the maintainers is no document that is served', () => {
  const names = [...documentFiles().keys()]
  expect(names).toContain('changelog')
  expect(names.filter((name) => /contributing|decisions|architecture|performance|comparison/.test(name))).toEqual([])
})
