import { expect, test } from 'vitest'
import { byMethod, isMethod, METHOD_NAMES, METHODS } from '../../src/age/methods.ts'

test('The table of methods has one row for each method, and prefers a format that the method takes', () => {
  expect(Object.keys(METHODS)).toEqual(METHOD_NAMES)
  expect(Object.entries(byMethod((method) => method))).toEqual(METHOD_NAMES.map((method) => [method, method]))
  for (const { ageFormats, preferredFormat } of Object.values(METHODS)) expect(ageFormats).toContain(preferredFormat)
})

test('Nothing but the six names is a method', () => {
  expect(METHOD_NAMES.filter(isMethod)).toHaveLength(6)
  expect(['toString', '__proto__', '', null, undefined, 0, ['id_doc_scan']].filter(isMethod)).toEqual([])
})
