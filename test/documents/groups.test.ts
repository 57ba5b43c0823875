import { expect, test } from 'vitest'
import { documentFiles } from '../../src/documents/files.ts'
import { placeOf } from '../../src/documents/groups.ts'

test('Each document stands in a group, with a line on what the document is about', () => {
  expect([...documentFiles().keys()].filter((name) => placeOf(name).line === undefined)).toEqual([])
})

test('A document that no group names stands behind the others', () => {
  expect(placeOf('nothing-of-the-kind')).toMatchObject({ group: 'More' })
  expect(placeOf('nothing-of-the-kind').order).toBeGreaterThan(placeOf('performance').order)
})
