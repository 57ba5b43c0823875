import { expect, test } from 'vitest'
import {
  type CoverageCounters,
  claimsKey,
  emptyCounters,
  MAX_TESTS,
  mergeCoverage,
  parseCoverage,
} from '../../../src/sandbox/coverage/counters.ts'

const VERSION = '1.0.0'
const counters = (more: Partial<CoverageCounters>): CoverageCounters => ({
  ...emptyCounters(VERSION),
  ...more,
})
const ONCE = { count: 1 }

test('Merged coverage adds counts and unites the names of tests', () => {
  const rowsOfOne = { 'use/verified': { count: 2, tests: ['a', 'b'] } }
  const one = counters({ rows: rowsOfOne, calls: { par: { success: ONCE } } })
  const other = counters({
    rows: { 'use/verified': { count: 1, tests: ['b', 'c'] }, 'use/access_denied': ONCE },
    calls: { par: { success: { count: 2 }, refusal: ONCE } },
  })
  const { rows, calls } = mergeCoverage([one, other], VERSION)
  expect({ rows, calls }).toEqual({
    rows: { 'use/verified': { count: 3, tests: ['a', 'b', 'c'] }, 'use/access_denied': ONCE },
    calls: { par: { success: { count: 3 }, refusal: ONCE } },
  })
})

test('Merged coverage has one entry for claims of another verified_after and of another order of members', () => {
  const entry = { filters: {}, boundaries: {} }
  const was = { age_thresholds: [18], verified_after: '2026-01-01' }
  const is = { verified_after: '2026-02-02', age_thresholds: [18] }
  const one = counters({ claims: [{ ...entry, claims: was, thresholds: { 18: { true: ONCE } } }] })
  const other = counters({
    claims: [{ ...entry, claims: is, thresholds: { 18: { false: ONCE } } }],
  })
  const claims = [{ ...entry, claims: was, thresholds: { 18: { true: ONCE, false: ONCE } } }]
  expect(mergeCoverage([one, other], VERSION).claims).toEqual(claims)
})

test('Merged coverage keeps claims apart that ask for other thresholds, or for verified_after at all', () => {
  const [asked, more] = [{ age_thresholds: [18] }, { age_thresholds: [21] }]
  expect(
    new Set([asked, more, { ...asked, verified_after: '2026-01-01' }].map(claimsKey)).size,
  ).toBe(3)
})

test(`Merged coverage names at most ${MAX_TESTS} tests beside a count`, () => {
  const parts = Array.from({ length: 30 }, (_, n) =>
    counters({ asked: { use: { count: 1, tests: [`test ${n}`] } } }),
  )
  const { use } = mergeCoverage(parts, VERSION).asked
  expect(use?.count).toBe(30)
  expect(use?.tests?.length).toEqual(MAX_TESTS)
})

test('Merged coverage of many tenants with large claims takes no more room than that of one', () => {
  const age_thresholds = Array.from({ length: 100 }, (_, n) => n + 1)
  const entry = { thresholds: {}, filters: {}, boundaries: {} }
  const large = (n: number) => ({
    age_thresholds,
    provenance: { allowed: [`/t${n}_${'x'.repeat(2_000)}`] },
  })
  const parts = Array.from({ length: 20 }, (_, n) =>
    counters({ claims: [{ ...entry, claims: large(n) }] }),
  )
  const { claims, omitted } = mergeCoverage(parts, VERSION)
  expect(claims).toHaveLength(8)
  expect(omitted).toEqual({ claims: 12 })
})

const counted = counters({ endings: { verified: { count: 2, tests: ['signs in'] } } })

test('A coverage file gives its counters, whatever was derived from them', () => {
  expect(
    parseCoverage(JSON.stringify({ ...counted, dimensions: {}, unused: [] }), 'c.json'),
  ).toEqual(counted)
})

const NO_COVERAGE = 'c.json: it is no coverage file: it '
const NO_JSON =
  /^c\.json: it is no coverage file: it is not JSON: .*; name a file that the setting coverage_file wrote$/
const OTHER_FORMAT =
  'c.json: it has format "2", written by agekey-sandbox "9.0.0"; this version reads format 1: run the tests again with this version, or read it with the version that wrote it'
const DAMAGED =
  /^c\.json: it is a damaged coverage file: rows\["use\/verified"\]\.count: .*; run the tests again$/
const damaged = { ...counted, rows: { 'use/verified': { count: -1 } } }

test.each([
  ['of another format', JSON.stringify({ ...counted, format: 2, version: '9.0.0' }), OTHER_FORMAT],
  ['of something else', '{"a":1}', `${NO_COVERAGE}has no format, claims and rows; `],
  [
    'without counters',
    '{"format":9}',
    `${NO_COVERAGE}has no claims and rows; name a file that the setting coverage_file wrote`,
  ],
  ['that is no JSON', 'hello', NO_JSON],
  ['that is several lines of something else', 'hello\nworld\n', NO_JSON],
  ['with a damaged counter', JSON.stringify(damaged), DAMAGED],
])('A coverage file %s is refused in one line', (_what, text, message) => {
  const parse = () => parseCoverage(text, 'c.json')
  expect(parse).toThrow(message)
  expect(parse).not.toThrow(/\n/)
})
