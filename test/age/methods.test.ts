import { expect, it } from 'vitest'
import { byMethod, isMethod, METHOD_NAMES, METHODS } from '../../src/age/methods.ts'

it('has one row for each method', () => {
  expect(Object.keys(METHODS)).toEqual(METHOD_NAMES)
  expect(Object.entries(byMethod((method) => method))).toEqual(METHOD_NAMES.map((method) => [method, method]))
})

it.each(METHOD_NAMES)('%s prefers a format that it takes', (method) => {
  expect(METHODS[method].ageFormats).toContain(METHODS[method].preferredFormat)
})

it('takes nothing but the six names for a method', () => {
  expect(METHOD_NAMES.filter(isMethod)).toHaveLength(6)
  expect(['toString', '__proto__', '', null, undefined, 0, ['id_doc_scan']].filter(isMethod)).toEqual([])
})
