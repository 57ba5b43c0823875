import { expect, it } from 'vitest'
import { ASSURANCE_LEVELS, reaches } from '../../src/age/assurance.ts'

it('orders the levels basic, effective, highly_effective, strict', () => {
  const reached = ASSURANCE_LEVELS.map((level) => ASSURANCE_LEVELS.filter((required) => reaches(level, required)))
  expect(reached).toEqual([
    ['basic'],
    ['basic', 'effective'],
    ['basic', 'effective', 'highly_effective'],
    ['basic', 'effective', 'highly_effective', 'strict'],
  ])
})

it('lets an uncertified signal reach no level', () => {
  expect(ASSURANCE_LEVELS.filter((required) => reaches(undefined, required))).toEqual([])
})
