import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readAuditFile } from '../../../../src/cli/audit/file/read-audit-file.ts'
import { CATALOGUE_VERSIONS } from '../../../../src/sandbox/outcomes/catalogue.ts'

let cwd: string
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'agekey-audit-'))
})
afterEach(() => rmSync(cwd, { recursive: true }))

function read(text: string) {
  writeFileSync(join(cwd, 'agekey-audit.yaml'), text)
  return readAuditFile({ cwd })
}

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
create: { start: /create }
upgrade: { start: { post: /upgrade } }
catalogue: 0.2
fail_on: should
known:
  - row: use/id_token.kid_empty
    because: the library takes an empty kid for none
    until: 2027-01-31
`

describe('agekey-audit.yaml', () => {
  test('may be missing', () => {
    expect(readAuditFile({ cwd })).toBeUndefined()
  })

  test('may have every line commented out', () => {
    expect(read('# app: http://localhost:3000/\n')?.values).toEqual({})
  })

  test('is read with everything that it may say', () => {
    const file = read(WHOLE)
    expect(file?.values).toMatchObject({
      app: 'http://localhost:{port}/verify',
      start: { run: 'npm start', env: { DEBUG: true } },
      before: [{ post: '/login', form: { age: 18 } }, { get: '/welcome' }],
      catalogue: '0.2',
      known: [{ row: 'use/id_token.kid_empty', until: '2027-01-31' }],
    })
    expect(file?.lineOf('start')).toBe(2)
  })

  test.each([
    '{ get: /admin/verifications?sub={sub} }',
    '{get: /admin/verifications?sub={sub}}',
    "{ get: '/admin/verifications?sub={sub}' }",
    '\n  get: /admin/verifications?sub={sub} # the question',
  ])('takes the question of a drill with quotes and without: %j', (audit) => {
    expect(read(`audit: ${audit}\nfail_on: must`)?.values).toEqual({
      audit: { get: '/admin/verifications?sub={sub}' },
      fail_on: 'must',
    })
  })

  test.each([
    [
      'no sub',
      '{ get: /admin }',
      '1: audit: names no {sub}, which stands for the sub that is asked for, as in /admin/verifications?sub={sub}',
    ],
    ['an empty header', '{ get: "/{sub}", headers: { a: "" } }', /1: audit\.headers\.a: /],
    ['an age that is none', '{ get: "/{sub}", age: -1 }', /1: audit\.age: /],
    ['a misspelt key', '{ gte: "/{sub}" }', '1: audit.gte: unknown key. Did you mean "get"?'],
  ])('refuses a question with %s', (_, audit, expected) => {
    expect(() => read(`audit: ${audit}`)).toThrow(expected)
  })

  test.each([
    [
      'an unknown row',
      /row: .*/,
      'row: use/id_token.kid_emty',
      '20: known: there is no row use/id_token.kid_emty. Did you mean use/id_token.kid_empty?',
    ],
    [
      'a row without its flow',
      /row: .*/,
      'row: id_token.kid_empty',
      /20: known: there is no row id_token\.kid_empty\. Did you mean use\/id_token\.kid_empty\?/,
    ],
    [
      'a row that is near to none',
      /row: .*/,
      'row: qqqqq',
      '20: known: there is no row qqqqq. A row is a flow and a name, as in use/id_token.expired; agekey-sandbox audit --list shows them',
    ],
    [
      'a day that is none',
      /until: .*/,
      'until: 2027-02-30',
      '22: known[0].until: "2027-02-30" is not a date like 2027-01-31',
    ],
    [
      'an until that is no date',
      /until: .*/,
      'until: soon',
      '22: known[0].until: "soon" is not a date like 2027-01-31',
    ],
    ['a finding without a reason', /\n {4}because: .*/, '', /20: known\[0\]\.because: is missing; expected a text/],
    [
      'a row that is listed twice',
      /known:/,
      'known:\n  - { row: use/id_token.kid_empty, because: it is old }',
      '21: known[1].row: use/id_token.kid_empty is listed twice; keep one entry',
    ],
    ['a misspelt key', /fail_on/, 'fail_no', '18: fail_no: unknown key. Did you mean "fail_on"?'],
    ['a misspelt key of a flow', /accepted/, 'acepted', '12: use.acepted: unknown key. Did you mean "accepted"?'],
    [
      'a level that is none',
      /fail_on: .*/,
      'fail_on: shuld',
      '18: fail_on: unknown fail_on "shuld". Did you mean "should"?',
    ],
    [
      'a version that is none',
      /catalogue: .*/,
      'catalogue: 9.9',
      `17: catalogue: "9.9" is no version of the catalogue; there is ${CATALOGUE_VERSIONS.join(', ')}`,
    ],
    [
      'a page that is no address',
      /app: .*/,
      'app: localhost:3000',
      '1: app: "localhost:3000" is not an address like http://localhost:3000/verify',
    ],
    [
      'a path that is none',
      /post: \/login/,
      'post: http://elsewhere.example/login',
      '7: before[0].post: "http://elsewhere.example/login" is not a path like /verify',
    ],
    [
      'a path without its slash',
      /start: \/create/,
      'start: create',
      '15: create.start: "create" is not a path like /verify',
    ],
    [
      'a request without an address',
      /post: \/login\n {4}/,
      '',
      '7: before[0]: give get or post, with a path of the app',
    ],
    [
      'two requests in one',
      /get: \/welcome/,
      '{ get: /a, post: /b }',
      '9: before[1]: get and post are two requests; give one of them',
    ],
    [
      'a form with get',
      /get: \/welcome/,
      '{ get: /a, form: { b: c } }',
      '9: before[1]: form and json go with post, not with get',
    ],
    ['two bodies', /json: /, 'form: {}, json: ', '10: reset: form and json are two bodies; give one of them'],
    [
      'a rule that is none',
      /accepted: .*/,
      'accepted: welcome',
      /12: use\.accepted: "welcome": it has no part name=value; a rule is "get=\/me status=200"/,
    ],
    [
      'a place that is an address',
      /source: .*/,
      'source: http://localhost/verify.ts',
      '14: use.source: "http://localhost/verify.ts" is not a file of the project like src/verify.ts:12',
    ],
  ])('refuses %s with its line', (_, from, to, expected) => {
    const text = WHOLE.replace(from, to)
    expect(text).not.toBe(WHOLE)
    const message = typeof expected === 'string' ? new RegExp(`^agekey-audit\\.yaml:${literal(expected)}$`) : expected
    expect(() => read(text)).toThrow(message)
  })

  test.each([
    ['another flow', 'create: { fragment: { post: /callback } }', '1: create.fragment: unknown key'],
    ['a path that is none', 'use: { fragment: { post: callback } }', '1: use.fragment.post: "callback" is not a path'],
    ['another kind of body', 'use: { fragment: { post: /callback, as: xml } }', '1: use.fragment.as: '],
  ])('refuses a fragment that is passed on with %s', (_, text, expected) => {
    expect(() => read(`${text}\n`)).toThrow(`agekey-audit.yaml:${expected}`)
  })
})

const literal = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
