import { expect, test } from 'vitest'
import {
  type LearnedApp,
  readAuditFile,
  renderAuditFile,
  requireKnownNames,
} from '../../../src/audit/command/audit-file.ts'
import { auditFileSchema, readFlags } from '../../../src/audit/command/settings.ts'
import { CATALOGUE_VERSION, CATALOGUE_VERSIONS } from '../../../src/sandbox/outcomes/catalogue.ts'
import { folderWith } from '../../support/folder-with.ts'

const read = (text: string) => readAuditFile({ cwd: folderWith({ 'agekey-audit.yaml': text }) })

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
  expect(readAuditFile({ cwd: folderWith() })).toBeUndefined()
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

const NO_SUB = 'names no {sub}, which stands for the sub that is asked for, as in /admin/verifications?sub={sub}'

test.each([
  ['audit: { get: /admin }', `audit: ${NO_SUB}`],
  ['audit: { get: "/{sub}", headers: { a: "" } }', 'audit.headers.a: '],
  ['age: 0', 'age: 0 is not an age in years like 18'],
  ['use: { begin: { click: Go, post: /a } }', 'use.begin: click is no request; give it alone'],
  ['use: { begin: {} }', 'use.begin: give get or post, with a path of the app'],
  ['audit: { gte: "/{sub}" }', 'audit.gte: unknown key. Did you mean "get"?'],
  ['create: { fragment: { post: /callback } }', 'create.fragment: unknown key'],
  ['use: { fragment: { post: callback } }', 'use.fragment.post: "callback" is not a path'],
  ['use: { fragment: { post: /callback, as: xml } }', 'use.fragment.as: '],
])('agekey-audit.yaml is refused with a question, a begin or a fragment like %s', (text, message) => {
  expect(() => read(text)).toThrow(`agekey-audit.yaml:1: ${message}`)
})

const KID_EMPTY = 'use/id_token.kid_empty'
const NO_ROW = 'there is no row'
const AS_IN = 'A row is a flow and a name, as in use/id_token.expired; agekey-sandbox audit --list shows them'

test.each([
  [1, 'app: localhost:3000', '1: app: "localhost:3000" is not an address like http://localhost:3000/verify'],
  [7, '  - post: http://x.example/a', '7: before[0].post: "http://x.example/a" is not a path like /verify'],
  [7, '  -', '8: before[0]: give get or post, with a path of the app'],
  [9, '  - { get: /a, post: /b }', '9: before[1]: get and post are two requests; give one of them'],
  [9, '  - { get: /a, form: { b: c } }', '9: before[1]: form and json go with post'],
  [10, 'reset: { post: /a, form: {}, json: {} }', '10: reset: form and json are two bodies; give one of them'],
  [12, '  acepted: text=Yes', '12: use.acepted: unknown key. Did you mean "accepted"?'],
  [12, '  accepted: a', /12: use\.accepted: "a": it has no part name=value; a rule is "get=\/me status=200"/],
  [14, '  source: http://a/b', '14: use.source: "http://a/b" is not a file of the project like src/verify.ts:12'],
  [15, 'create: { start: create }', '15: create.start: "create" is not a path like /verify'],
  [17, 'catalogue: 9', `17: catalogue: "9" is no version of the catalogue; there is ${CATALOGUE_VERSIONS.join(', ')}`],
  [18, 'fail_no: should', '18: fail_no: unknown key. Did you mean "fail_on"?'],
  [18, 'fail_on: shuld', '18: fail_on: there is no level "shuld". Did you mean "should"?'],
  [
    19,
    `known:\n  - { row: ${KID_EMPTY}, because: a }`,
    `21: known[1].row: ${KID_EMPTY} is listed twice; keep one entry`,
  ],
  [20, '  - row: use/kid_empty', `20: known[0].row: ${NO_ROW} use/kid_empty. Did you mean ${KID_EMPTY}?`],
  [20, '  - row: id_token.kid_empty', `20: known[0].row: ${NO_ROW} id_token.kid_empty. Did you mean ${KID_EMPTY}?`],
  [20, '  - row: qqqqq', `20: known[0].row: ${NO_ROW} qqqqq. ${AS_IN}`],
  [21, '', /20: known\[0\]\.because: is missing; expected a text/],
  [22, '    until: 2027-02-30', '22: known[0].until: "2027-02-30" is not a date like 2027-01-31'],
  [22, '    until: soon', '22: known[0].until: "soon" is not a date like 2027-01-31'],
])('agekey-audit.yaml with line %i as %j is refused with the line: %s', (line, text, message) => {
  const lines = WHOLE.split('\n').with(line - 1, text)
  const exact = (expected: string) => expect.objectContaining({ message: `agekey-audit.yaml:${expected}` })
  expect(() => read(lines.join('\n'))).toThrow(typeof message === 'string' ? exact(message) : message)
})

const app = 'http://localhost:3000/verify'
const written = (learned: Partial<LearnedApp>) => renderAuditFile({ app, learned: {}, given: {}, ...learned })

/** Examples are commented out with `# ` before keys, which are followed by a colon. */
const uncommented = (text: string) =>
  text.replace(/^# ( *(?:- )?[a-z_]+:(?: .*)?)$/gm, '$1').replace(/^yaml-language.*/, '')

test('The agekey-audit.yaml of --learn holds page and catalogue, and with the examples each setting that there is', () => {
  expect(read(written({}))?.values).toEqual({ app, catalogue: CATALOGUE_VERSION, fail_on: 'must' })
  expect(Object.keys(read(uncommented(written({})))?.values ?? {}).sort()).toEqual(
    Object.keys(auditFileSchema.shape).sort(),
  )
})

test('The agekey-audit.yaml of --learn holds the rule and the command that were given, with more of start as examples', () => {
  const start = 'PORT={port} npm start\n'
  const text = written({
    given: { use: { accepted: 'text="Welcome: #1"' }, start: { run: start }, age: 18, browser: 'http' },
  })
  expect(read(text)?.values).toMatchObject({ use: { accepted: 'text="Welcome: #1"' }, age: 18, browser: 'http' })
  expect(read(text)?.values.start).toEqual({ run: start })
  expect(read(uncommented(text))?.values.start).toMatchObject({ ready: 'http://localhost:3000/' })
})

test('The agekey-audit.yaml of --learn says what was learned in comments, whatever the app wrote', () => {
  const use = { yes: '200 at /callback, says "a\nb"', no: ['403 at /callback', 'begins again'] }
  const comments = '# yes: 200 at /callback, says "a b"\n# no: 403 at /callback\n# no: begins again\n# use:\n'
  expect(written({ learned: { use } })).toContain(comments)
})

const ROW = 'use/id_token.expired'

test.each([
  [{ only: ['use/id_token.expird'] }, `--only: "use/id_token.expird" names no row. Did you mean "${ROW}"?`],
  [{ skip: ['level:mst'] }, '--skip: "level:mst" names no row. Did you mean "must"?'],
  [{ known: ['use/id_token.expird: later'] }, `--known: there is no row use/id_token.expird. Did you mean ${ROW}?`],
  [{ known: [`${ROW}: a`, `${ROW}: b`] }, `--known: ${ROW} is listed twice; keep one entry`],
  [{ catalogue: '9' }, `--catalogue: "9" is no version of the catalogue; there is ${CATALOGUE_VERSIONS.join(', ')}`],
])('A call of audit with %j is refused: there is no such name', (flags, message) => {
  expect(() => requireKnownNames(readFlags(undefined, flags))).toThrow(expect.objectContaining({ message }))
})
