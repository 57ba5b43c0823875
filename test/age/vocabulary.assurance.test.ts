import { expect, test } from 'vitest'
import { ASSURANCE_LEVELS, reaches } from '../../src/age/vocabulary.ts'

test('A level reaches itself and those before it: basic, effective, highly_effective, strict; no level reaches none', () => {
  const reached = [...ASSURANCE_LEVELS, undefined].map((level) =>
    ASSURANCE_LEVELS.filter((required) => reaches(level, required)),
  )
  expect(reached).toEqual([
    ['basic'],
    ['basic', 'effective'],
    ['basic', 'effective', 'highly_effective'],
    ['basic', 'effective', 'highly_effective', 'strict'],
    [],
  ])
})
