import { iso31661 } from 'iso-3166'
import { expect, test } from 'vitest'
import { COUNTRIES } from '../../src/age/vocabulary.ts'

test('The countries are the assigned ISO 3166-1 alpha-2 codes and no other', () => {
  const assigned = iso31661.filter(({ state }) => state === 'assigned').map(({ alpha2 }) => alpha2)
  expect([...COUNTRIES].sort()).toEqual(assigned.sort())
})
