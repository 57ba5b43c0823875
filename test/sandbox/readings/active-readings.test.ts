import { expect, test } from 'vitest'
import { activate } from '../../../src/sandbox/readings/active-readings.ts'

test('The readings of a tenant are none, one object for all calls, when nothing but the default is set', () => {
  expect(activate({})).toMatchObject({ ids: undefined, changes: [] })
  expect(activate({ error_body: 'findings' })).toBe(activate({}))
})

test('The readings of a tenant leave out what a later version kept and this version does not know', () => {
  expect(activate({ later: 'x', typ: 'later', nbf: 'present' }).ids).toEqual(['nbf=present'])
})
