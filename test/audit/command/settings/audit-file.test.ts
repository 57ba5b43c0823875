import { expect, test } from 'vitest'
import { readAuditFile } from '../../../../src/audit/command/settings/audit-file.ts'
import { CATALOGUE_VERSIONS } from '../../../../src/sandbox/outcomes/catalogue.ts'
import { folderWith } from '../../../support/folder-with.ts'
import { hostileYaml } from '../../../support/hostile-yaml.ts'
import { WHOLE } from './whole-file.ts'

const read = (text: string) => readAuditFile(folderWith({ 'agekey-audit.yaml': text }))

test('agekey-audit.yaml may be missing, or have every line commented out', () => {
  expect(read('# app: http://localhost:3000/\n')?.values).toEqual({})
  expect(readAuditFile(folderWith())).toBeUndefined()
})

test.each([
  '{ get: /admin/verifications?sub={sub} }',
  '{get: /admin/verifications?sub={sub}}',
  "{ get: '/admin/verifications?sub={sub}' }",
  '\n  get: /admin/verifications?sub={sub} # the question',
])('agekey-audit.yaml may have the question of a drill with quotes and without: %j', (audit) => {
  const question = { get: '/admin/verifications?sub={sub}' }
  expect(read(`audit: ${audit}\nfail_on: must`)?.values).toEqual({
    audit: question,
    fail_on: 'must',
  })
})

const KID_EMPTY = 'use/id_token.kid_empty'
const NO_ROW = 'there is no row'
const AS_IN =
  'A row is a flow and a name, as in use/id_token.expired; agekey-sandbox audit --list shows them'
const WAY = 'give get or post, with a path of the app, or in begin click; found'
const BODY = 'form or json goes with post, one of them; found'
const NO_SUB =
  'names no {sub}, which stands for the sub that is asked for, as in /admin/verifications?sub={sub}'
const TWICE = `known:\n  - { row: ${KID_EMPTY}, because: a }`

test.each([
  [
    1,
    'app: localhost:3000',
    '1: app: "localhost:3000" is not an address like http://localhost:3000/verify',
  ],
  [24, 'age: 0', '24: age: 0 is not an age in years like 18'],
  [1, 'audit: { get: /admin }', `1: audit: ${NO_SUB}`],
  [1, 'audit: { get: "/{sub}", headers: { a: "" } }', /1: audit\.headers\.a: /],
  [1, 'audit: { gte: "/{sub}" }', '1: audit.gte: unknown key. Did you mean "get"?'],
  [
    7,
    '  - post: http://x.example/a',
    '7: before[0].post: "http://x.example/a" is not a path like /verify',
  ],
  [7, '  -', `8: before[0]: ${WAY} none, and one is needed`],
  [9, '  - { get: /a, post: /b }', `9: before[1]: ${WAY} get and post, and one is needed`],
  [10, 'reset: { post: /a, form: {}, json: {} }', `10: reset: ${BODY} post and form and json`],
  [12, '  acepted: text=Yes', '12: use.acepted: unknown key. Did you mean "accepted"?'],
  [
    12,
    '  accepted: a',
    /12: use\.accepted: "a": it has no part name=value; a rule is "get=\/me status=200"/,
  ],
  [
    12,
    '  begin: { click: Go, post: /a }',
    `12: use.begin: ${WAY} click and post, and one is needed`,
  ],
  [12, '  fragment: { post: /callback, as: xml }', /12: use\.fragment\.as: /],
  [
    14,
    '  source: http://a/b',
    '14: use.source: "http://a/b" is not a file of the project like src/verify.ts:12',
  ],
  [16, 'create: { start: create }', '16: create.start: "create" is not a path like /verify'],
  [
    16,
    'create: { begin: { click: Go } }',
    /16: create\.begin: is done on the page of start; add start/,
  ],
  [16, 'create: { fragment: { post: /callback } }', /16: create\.fragment: unknown key/],
  [
    18,
    'catalogue: 9',
    `18: catalogue: "9" is no version of the catalogue; there is ${CATALOGUE_VERSIONS.join(', ')}`,
  ],
  [20, TWICE, `22: known[1].row: ${KID_EMPTY} is listed twice; keep one entry`],
  [
    21,
    '  - row: use/kid_empty',
    `21: known[0].row: ${NO_ROW} use/kid_empty. Did you mean ${KID_EMPTY}?`,
  ],
  [21, '  - row: qqqqq', `21: known[0].row: ${NO_ROW} qqqqq. ${AS_IN}`],
  [22, '', /21: known\[0\]\.because: is missing; expected a text/],
  [23, '    until: 2027-02-30', '23: known[0].until: "2027-02-30" is not a date like 2027-01-31'],
])('agekey-audit.yaml with line %i as %j is refused with the line: %s', (line, text, message) => {
  const lines = WHOLE.split('\n').with(line - 1, text)
  const exact = (expected: string) =>
    expect.objectContaining({ message: `agekey-audit.yaml:${expected}` })
  expect(() => read(lines.join('\n'))).toThrow(
    typeof message === 'string' ? exact(message) : message,
  )
})

test.each([
  [
    'UTF-16',
    Buffer.from('\uFEFFapp: x\n', 'utf16le'),
    /agekey-audit\.yaml: is UTF-16 \(PowerShell's > writes that\); /,
  ],
  [
    'Latin-1',
    Buffer.from('# \xFC\n', 'latin1'),
    /agekey-audit\.yaml:1: the byte 0xFC \(ü in Latin-1\) is not UTF-8; /,
  ],
  [
    'many levels',
    Buffer.from('['.repeat(30_000)),
    /^agekey-audit\.yaml:1: level 65 of lists and mappings begins/,
  ],
])('An agekey-audit.yaml of %s is refused', (_, bytes, message) => {
  expect(() => readAuditFile(folderWith({ 'agekey-audit.yaml': bytes }))).toThrow(message)
})

test('Hostile texts in agekey-audit.yaml are refused unless they say nothing', () => {
  for (const [name, text] of hostileYaml(801)) {
    const saysNothing = /^[\s#]*$/.test(text)
    if (saysNothing) expect(read(text)?.values, name).toEqual({})
    else expect(() => read(text), name).toThrow(/^agekey-audit\.yaml/)
  }
})

test('Many blanks in agekey-audit.yaml are passed once', () => {
  const start = process.cpuUsage()
  expect(() => read(`app:${' '.repeat(100_000)}x`)).toThrow(/^agekey-audit\.yaml/)
  // To look back from each blank takes half a minute.
  expect(process.cpuUsage(start).user / 1_000).toBeLessThan(4_000)
})
