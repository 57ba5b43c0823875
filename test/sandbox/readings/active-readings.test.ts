import { expect, test } from 'vitest'
import { activate, NO_READINGS } from '../../../src/sandbox/readings/active-readings.ts'

test('The readings of a tenant are none, one object for all calls, when nothing but the default is set', () => {
  expect(activate({})).toBe(NO_READINGS)
  expect(activate({ par_status: '201' })).toBe(NO_READINGS)
})

test('The readings of a tenant leave out what a later version kept and this version does not know', () => {
  expect(activate({ later: 'x', typ: 'later', nbf: 'present' }).ids).toEqual(['nbf=present'])
})
