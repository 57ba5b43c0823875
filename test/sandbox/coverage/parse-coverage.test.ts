import { expect, test } from 'vitest'
import { emptyCounters } from '../../../src/sandbox/coverage/counters.ts'
import { parseCoverage } from '../../../src/sandbox/coverage/parse-coverage.ts'

const counters = { ...emptyCounters('1.0.0'), endings: { verified: { count: 2, tests: ['signs in'] } } }

test('A coverage file gives its counters, whatever was derived from them', () => {
  expect(parseCoverage(JSON.stringify({ ...counters, dimensions: {}, unused: [] }), 'c.json')).toEqual(counters)
})

const NO_COVERAGE = 'c.json: it is no coverage file: it '
const NO_JSON =
  /^c\.json: it is no coverage file: it is not JSON: .*; name a file that the setting coverage_file wrote$/
const OTHER_FORMAT =
  'c.json: it has format "2", written by agekey-sandbox "9.0.0"; this version reads format 1: run the tests again with this version, or read it with the version that wrote it'
const DAMAGED = /^c\.json: it is a damaged coverage file: rows\["use\/verified"\]\.count: .*; run the tests again$/
const damaged = { ...counters, rows: { 'use/verified': { count: -1 } } }

test.each([
  ['of another format', JSON.stringify({ ...counters, format: 2, version: '9.0.0' }), OTHER_FORMAT],
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
