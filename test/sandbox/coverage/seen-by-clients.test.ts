import { expect, test } from 'vitest'
import {
  mergeSeen,
  parseCoverage,
  seenByClients,
} from '../../../src/sandbox/coverage/seen-by-clients.ts'
import { NO_ROOM } from '../../../src/sandbox/journal/journal.ts'
import { seenOf } from './seen.ts'

test('Names of a journal become claims by their id, and other names in alphabetical order', () => {
  const names = new Map([
    ['row use/verified', ''],
    ['claims 1a2b3c4d', '{"age_thresholds":[18]}'],
    ['asked use', ''],
  ])
  expect(seenByClients(names)).toMatchObject({
    claims: { '1a2b3c4d': { age_thresholds: [18] } },
    names: ['asked use', 'row use/verified'],
    omitted: false,
  })
})

test('A journal without room for another name makes coverage incomplete', () => {
  expect(seenByClients(new Map([[NO_ROOM, '']]))).toMatchObject({ names: [], omitted: true })
})

test('Merged coverage is the union of what was seen', () => {
  const one = seenOf({ names: ['row use/verified', 'asked use'] })
  const other = seenOf({ names: ['row use/access_denied', 'asked use'] })
  expect(mergeSeen([one, other]).names).toEqual([
    'asked use',
    'row use/access_denied',
    'row use/verified',
  ])
})

test('Merged coverage keeps the first claims of an id', () => {
  const was = { age_thresholds: [18], verified_after: '2026-01-01' }
  const is = { age_thresholds: [18], verified_after: '2026-02-02' }
  const parts = [seenOf({ claims: { a: was } }), seenOf({ claims: { a: is, b: is } })]
  expect(mergeSeen(parts).claims).toEqual({ a: was, b: is })
})

test('Merged coverage is incomplete when one part is', () => {
  expect(mergeSeen([seenOf(), seenOf({ omitted: true })]).omitted).toBe(true)
})

const seen = seenOf({ names: ['ending verified'] })

test('A coverage file gives what clients have seen, whatever was derived from it', () => {
  expect(parseCoverage(JSON.stringify({ ...seen, dimensions: {}, unused: [] }), 'c.json')).toEqual(
    seen,
  )
})

const NO_COVERAGE = 'c.json: it is no coverage file: it '
const NO_JSON =
  /^c\.json: it is no coverage file: it is not JSON: .*; name a file that the setting coverage_file wrote$/
const OTHER_FORMAT =
  'c.json: it has format "3", written by agekey-sandbox "9.0.0"; this version reads format 2: run the tests again with this version, or read it with the version that wrote it'
const DAMAGED = /^c\.json: it is a damaged coverage file: names\[0\]: .*; run the tests again$/
const damaged = { ...seen, names: [5] }

test.each([
  ['of another format', JSON.stringify({ ...seen, format: 3, version: '9.0.0' }), OTHER_FORMAT],
  [
    'of something else',
    '{"a":1}',
    `${NO_COVERAGE}has no format, catalogue and claims; name a file that the setting coverage_file wrote`,
  ],
  ['without what was seen', '{"format":9}', `${NO_COVERAGE}has no catalogue and claims; `],
  ['that is no JSON', 'hello', NO_JSON],
  ['that is several lines of something else', 'hello\nworld\n', NO_JSON],
  ['with a damaged name', JSON.stringify(damaged), DAMAGED],
])('A coverage file %s is refused in one line', (_what, text, message) => {
  const parse = () => parseCoverage(text, 'c.json')
  expect(parse).toThrow(message)
  expect(parse).not.toThrow(/\n/)
})
