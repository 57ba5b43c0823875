import { expect, test } from 'vitest'
import { findRow } from '../../../src/sandbox/outcomes/catalogue.ts'
import { readingId } from '../../../src/sandbox/readings/reading.ts'
import { READINGS } from '../../../src/sandbox/readings/readings.ts'
import { isSaid } from '../../support/specification.ts'

const variantIds = READINGS.flatMap(({ name, variants }) => variants.map((variant) => readingId(name, variant.name)))

test('The table of readings has at least 25 readings with 34 variants beside the defaults, each under one name', () => {
  expect(READINGS.length).toBeGreaterThanOrEqual(25)
  expect(variantIds.length - READINGS.length).toBeGreaterThanOrEqual(34)
  expect(new Set(READINGS.map(({ name }) => name)).size).toBe(READINGS.length)
  expect(new Set(variantIds).size).toBe(variantIds.length)
})

test.each(READINGS)('The reading $name has a default, other variants, a quotation and rows', (reading) => {
  expect(reading.name).toMatch(/^[a-z]+(_[a-z]+)*$/)
  expect(reading.variants.map(({ name }) => name)).toContain(reading.default)
  expect(reading.variants.length).toBeGreaterThan(1)
  for (const { summary, source } of reading.variants) {
    expect(summary).toMatch(/\.$/)
    expect(source).toMatch(/^((RFC \d{4}|OpenID Connect \w+ 1\.0) (section \d|appendix [A-Z])|specification, ")/)
  }
  expect([reading.section, reading.quote, isSaid(reading.section, reading.quote)]).toEqual([
    reading.section,
    reading.quote,
    true,
  ])
  // What is "not shown" is open; of another sentence it is said what it leaves open.
  expect(/: not shown\.$/.test(reading.quote)).toBe(reading.open === undefined)
  expect(reading.shownBy.filter((id) => findRow(id) === undefined)).toEqual([])
  expect(reading.shownBy.length).toBeGreaterThan(0)
})

test('A reading excludes only variants that exist, of the reading itself and of another one', () => {
  for (const { name, excludes = {} } of READINGS)
    for (const [variant, others] of Object.entries(excludes)) {
      expect(variantIds).toContain(readingId(name, variant))
      for (const other of others) expect(variantIds).toContain(other)
    }
})
