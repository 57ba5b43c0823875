import { expect, test } from 'vitest'
import { type LearnedSettings, readAuditFile, renderAuditFile } from '../../../src/audit/command/plan.ts'
import { auditFileSchema } from '../../../src/audit/command/settings.ts'
import { CATALOGUE_VERSION, CATALOGUE_VERSIONS } from '../../../src/sandbox/outcomes/catalogue.ts'
import { folderWith } from '../../support/folder-with.ts'

const read = (text: string) => readAuditFile(folderWith({ 'agekey-audit.yaml': text }))

const WHOLE = `app: http://localhost:{port}/verify
start:
  run: npm start
  ready: http://localhost:{port}/
  env: { AGE_BASE_URL: '{base_url}', PORT: '{port}', DEBUG: true }
before:
  - post: /login
    form: { email: 'user-{n}@example.test', age: 18 }
  - get: /welcome
reset: { post: /test/reset, json: { all: true } }
use:
  accepted: get=/me status=200
  refused: text=Not yet
  source: src/verify.ts:12
create: { start: /create, begin: { click: Save } }
upgrade: { start: { post: /upgrade } }
catalogue: 0.2
fail_on: should
known:
  - row: use/id_token.kid_empty
    because: the library takes an empty kid for none
    until: 2027-01-31
`

test('agekey-audit.yaml is read with everything that it may say; it may be missing, or have every line commented out', () => {
  const file = read(WHOLE)
  expect(file?.values).toMatchObject({
    app: 'http://localhost:{port}/verify',
    start: { run: 'npm start', env: { DEBUG: true } },
    before: [{ post: '/login', form: { age: 18 } }, { get: '/welcome' }],
    catalogue: '0.2',
    known: [{ row: 'use/id_token.kid_empty', until: '2027-01-31' }],
  })
  expect(file?.lineOf('start')).toBe(2)
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
  expect(read(`audit: ${audit}\nfail_on: must`)?.values).toEqual({ audit: question, fail_on: 'must' })
})

const KID_EMPTY = 'use/id_token.kid_empty'
const NO_ROW = 'there is no row'
const AS_IN = 'A row is a flow and a name, as in use/id_token.expired; agekey-sandbox audit --list shows them'
const WAY = 'give get or post, with a path of the app, or in begin click; found'
const BODY = 'form or json goes with post, one of them; found'
const NO_SUB = 'names no {sub}, which stands for the sub that is asked for, as in /admin/verifications?sub={sub}'
const TWICE = `known:\n  - { row: ${KID_EMPTY}, because: a }`

test.each([
  [1, 'app: localhost:3000', '1: app: "localhost:3000" is not an address like http://localhost:3000/verify'],
  [1, 'age: 0', '1: age: 0 is not an age in years like 18'],
  [1, 'audit: { get: /admin }', `1: audit: ${NO_SUB}`],
  [1, 'audit: { get: "/{sub}", headers: { a: "" } }', /1: audit\.headers\.a: /],
  [1, 'audit: { gte: "/{sub}" }', '1: audit.gte: unknown key. Did you mean "get"?'],
  [7, '  - post: http://x.example/a', '7: before[0].post: "http://x.example/a" is not a path like /verify'],
  [7, '  -', `8: before[0]: ${WAY} none, and one is needed`],
  [9, '  - { get: /a, post: /b }', `9: before[1]: ${WAY} get and post, and one is needed`],
  [10, 'reset: { post: /a, form: {}, json: {} }', `10: reset: ${BODY} post and form and json`],
  [12, '  acepted: text=Yes', '12: use.acepted: unknown key. Did you mean "accepted"?'],
  [12, '  accepted: a', /12: use\.accepted: "a": it has no part name=value; a rule is "get=\/me status=200"/],
  [12, '  begin: { click: Go, post: /a }', `12: use.begin: ${WAY} click and post, and one is needed`],
  [12, '  fragment: { post: /callback, as: xml }', /12: use\.fragment\.as: /],
  [14, '  source: http://a/b', '14: use.source: "http://a/b" is not a file of the project like src/verify.ts:12'],
  [15, 'create: { start: create }', '15: create.start: "create" is not a path like /verify'],
  [15, 'create: { begin: { click: Go } }', /15: create\.begin: is done on the page of start; add start/],
  [15, 'create: { fragment: { post: /callback } }', /15: create\.fragment: unknown key/],
  [17, 'catalogue: 9', `17: catalogue: "9" is no version of the catalogue; there is ${CATALOGUE_VERSIONS.join(', ')}`],
  [19, TWICE, `21: known[1].row: ${KID_EMPTY} is listed twice; keep one entry`],
  [20, '  - row: use/kid_empty', `20: known[0].row: ${NO_ROW} use/kid_empty. Did you mean ${KID_EMPTY}?`],
  [20, '  - row: qqqqq', `20: known[0].row: ${NO_ROW} qqqqq. ${AS_IN}`],
  [21, '', /20: known\[0\]\.because: is missing; expected a text/],
  [22, '    until: 2027-02-30', '22: known[0].until: "2027-02-30" is not a date like 2027-01-31'],
])('agekey-audit.yaml with line %i as %j is refused with the line: %s', (line, text, message) => {
  const lines = WHOLE.split('\n').with(line - 1, text)
  const exact = (expected: string) => expect.objectContaining({ message: `agekey-audit.yaml:${expected}` })
  expect(() => read(lines.join('\n'))).toThrow(typeof message === 'string' ? exact(message) : message)
})

const app = 'http://localhost:3000/verify'
const written = (learned: Partial<LearnedSettings>) => renderAuditFile({ app, learned: {}, given: {}, ...learned })

/** Examples are commented out with `# ` before keys, which a colon follows. */
const uncommented = (text: string) =>
  text.replace(/^# (?!yes|no)( *(?:- )?\w+:(?: .*)?)$/gm, '$1').replace(/^yaml-language.*/, '')

test('The agekey-audit.yaml of --learn holds page and catalogue, and with the examples each setting that there is', () => {
  expect(read(written({}))?.values).toEqual({ app, catalogue: CATALOGUE_VERSION, fail_on: 'must' })
  expect(Object.keys(read(uncommented(written({})))?.values ?? {}).sort()).toEqual(
    Object.keys(auditFileSchema.shape).sort(),
  )
})

test('The agekey-audit.yaml of --learn holds what was given, with the rest as examples, and in comments what was learned', () => {
  const start = { run: 'PORT={port} npm start\n' }
  const given = { use: { accepted: 'text="Welcome: #1"' }, start, age: 18, browser: 'http' as const, jobs: 2 }
  const use = { yes: '200 at /callback, says "a\nb"', no: ['403 at /callback', 'begins again'] }
  const text = written({ given, learned: { use } })
  expect(read(text)?.values).toMatchObject(given)
  expect(read(uncommented(text))?.values.start).toMatchObject({ ...start, ready: '/listening on/' })
  const comments = '# yes: 200 at /callback, says "a b"\n# no: 403 at /callback\n# no: begins again\nuse:\n  accepted: '
  expect(text).toContain(comments)
})
