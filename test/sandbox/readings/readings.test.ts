import { expect, test } from 'vitest'
import { findRow } from '../../../src/sandbox/outcomes/catalogue.ts'
import { readingId } from '../../../src/sandbox/readings/reading.ts'
import {
  activate,
  parseReadings,
  READINGS,
  requireReadings,
} from '../../../src/sandbox/readings/readings.ts'
import { isSaid } from '../../support/specification.ts'

const variantIds = READINGS.flatMap(({ name, variants }) =>
  variants.map((variant) => readingId(name, variant.name)),
)

test('The table of readings has at least 25 readings with 34 variants beside the defaults, each under one name', () => {
  expect(READINGS.length).toBeGreaterThanOrEqual(25)
  expect(variantIds.length - READINGS.length).toBeGreaterThanOrEqual(34)
  expect(new Set(READINGS.map(({ name }) => name))).toHaveProperty('size', READINGS.length)
  expect(new Set(variantIds)).toHaveProperty('size', variantIds.length)
})

test.each(READINGS)(
  'The reading $name has a default, other variants, a quotation and rows',
  (reading) => {
    expect(reading.name).toMatch(/^[a-z]+(_[a-z]+)*$/)
    expect(reading.variants.map(({ name }) => name)).toContain(reading.default)
    expect(reading.variants.length).toBeGreaterThan(1)
    for (const { summary, source } of reading.variants) {
      expect(summary).toMatch(/\.$/)
      expect(source).toMatch(
        /^((RFC \d{4}|OpenID Connect \w+ 1\.0) (section \d|appendix [A-Z])|specification, ")/,
      )
    }
    expect(isSaid(reading.section, reading.quote), `${reading.section} ${reading.quote}`).toBe(true)
    // What is "not shown" is open; of another sentence it is said what it leaves open.
    expect(/: not shown\.$/.test(reading.quote)).toBe(reading.open === undefined)
    expect(reading.shownBy.filter((id) => findRow(id) === undefined)).toEqual([])
    expect(reading.shownBy.length).toBeGreaterThan(0)
  },
)

test('A reading excludes only variants that exist', () => {
  for (const { name, excludes = {} } of READINGS)
    for (const [variant, others] of Object.entries(excludes)) {
      expect(variantIds).toContain(readingId(name, variant))
      for (const other of others) expect(variantIds).toContain(other)
    }
})

test('The readings of a tenant are none, one object for all calls, when nothing but the default is set', () => {
  expect(activate({})).toMatchObject({ ids: undefined, changes: [] })
  expect(activate({ error_body: 'findings' })).toBe(activate({}))
})

test('A tenant ignores the readings of a later version', () => {
  expect(activate({ later: 'x', typ: 'later', nbf: 'present' }).ids).toEqual(['nbf=present'])
})

test('Readings as text are a mapping of names to variants, with blanks around them ignored', () => {
  const expected = { readings: { error_body: 'plain', typ: 'absent' } }
  expect(parseReadings(['error_body=plain', ' typ = absent '])).toEqual(expected)
})

const UNKNOWN =
  'there is no reading "error_bdy". Did you mean "error_body"? "agekey-sandbox explain readings" lists all.'
const NO_VARIANT =
  'error_body has no variant "plian"; it has findings, plain. Did you mean "plain"?'
const EXCLUSIVE =
  'discovery=minimal and unknown_members=everywhere exclude each other; drop one of the two'

test.each([
  [['error_bdy=200'], UNKNOWN],
  [['error_body=plian'], NO_VARIANT],
  [['error_body'], '"error_body" names no variant; write error_body=findings or error_body=plain'],
  [
    ['error_body=plain', 'error_body=findings'],
    'error_body=plain and error_body=findings exclude each other; drop one of the two',
  ],
  [['discovery=minimal', 'unknown_members=everywhere'], EXCLUSIVE],
  [['unknown_members=everywhere', 'discovery=minimal'], EXCLUSIVE],
])('The readings %j are refused: %s', (texts, problem) => {
  expect(parseReadings(texts)).toEqual({ problem })
})

test('A reading is taken back by null', () => {
  const set = { error_body: 'plain', typ: 'absent' }
  expect(requireReadings(set, { typ: null, nbf: 'present' })).toEqual({
    error_body: 'plain',
    nbf: 'present',
  })
})

test('The wrong one of several readings is named', () => {
  const set = { error_body: 'plain', typ: 'absent' }
  expect(() => requireReadings(set, { nbf: 'present', typ: 'jwt' })).toThrow(
    /^readings: typ has no variant "jwt"/,
  )
})
