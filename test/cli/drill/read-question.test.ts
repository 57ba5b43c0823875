import { expect, test } from 'vitest'
import { auditFileSchema } from '../../../src/cli/audit/file/file-schema.ts'
import type { AuditFile } from '../../../src/cli/audit/file/read-audit-file.ts'
import { readQuestion } from '../../../src/cli/drill/read-question.ts'

const file = (values: object): AuditFile => ({ values: auditFileSchema.parse(values), lineOf: () => 3 })
const APP = 'http://localhost:3000/verify'
const GET = '/admin/verifications?sub={sub}'
const SHOP = 'https://shop.example.com'

test('The question of a drill stands in the file, at the origin of the app', () => {
  const question = { app: APP, audit: { get: GET, headers: { Accept: 'text/html', 'X-Path': '{env:PATH}' } } }
  const sent = { accept: 'text/html', 'x-path': process.env['PATH'] }
  const url = `http://localhost:3000${GET}`
  expect(readQuestion(undefined, {}, file(question))).toEqual({ method: 'GET', url, headers: sent })
  const posted = { app: APP, audit: { post: '/find', form: { sub: '{sub}', limit: 1 } } }
  expect(readQuestion('http://localhost:4000', {}, file(posted))).toMatchObject({
    ...{ method: 'POST', url: 'http://localhost:4000/find', form: { sub: '{sub}', limit: '1' } },
  })
})

test('The flags of a drill go before the file, and can allow a question beyond this machine', () => {
  const question = file({ app: APP, audit: { post: '/find', json: '{sub}', headers: { 'X-A': '1', 'X-B': '2' } } })
  const asked = readQuestion('http://127.0.0.1:4000/x', { get: '/s/{sub}', header: ['x-a: 3: 4'] }, question)
  const headers = { 'x-a': '3: 4', 'x-b': '2' }
  expect(asked).toEqual({ method: 'GET', url: 'http://127.0.0.1:4000/s/{sub}', json: undefined, headers })
  expect(readQuestion(SHOP, { get: GET, thisAppIsMine: true }, undefined).url).toBe(SHOP + GET)
})

const FREE_PORT = { app: 'http://localhost:{port}/', audit: { get: GET } }
const BAD_HEADER = { audit: { get: GET, headers: { 'a b': 'x' } } }
const UNSET = { get: GET, header: ['A: {env:NOT_SET_HERE}'] }
const NOT_SET = '--header: A needs the variable "NOT_SET_HERE" of the environment, which is not set'
const SECRET = { get: GET, header: ['Bearer s3cret'] }

test.each([
  ['no question', APP, {}, {}, /^the question is missing: .*--get/],
  ['no app', undefined, { get: GET }, {}, /^the address of the app is missing: /],
  ['no path', APP, { get: 'admin' }, {}, '--get: "admin" is not a path like /verify'],
  ['a path without the sub', APP, { get: '/admin' }, {}, /^--get: names no \{sub\}, which stands for the sub/],
  ['no address', 'localhost:3000', { get: GET }, {}, /^"localhost:3000" is not an address like/],
  ['a free port', undefined, {}, FREE_PORT, /^agekey-audit\.yaml:3: app: .*free port/],
  ['an app elsewhere', SHOP, { get: GET }, {}, /beyond this machine .* --this-app-is-mine/],
  ['no header', APP, SECRET, {}, /^--header: what came is not a name, a colon and a value/],
  ['a variable that is not set', APP, UNSET, {}, NOT_SET],
  ['a name that is none', APP, {}, BAD_HEADER, /^agekey-audit\.yaml:3: audit: headers: "a b" is no header/],
])('The question of a drill is refused in one line: %s', (_, app, flags, values, expected) => {
  const read = () => readQuestion(app, flags, file(values))
  const message = typeof expected === 'string' ? expect.stringContaining(expected) : expect.stringMatching(expected)
  expect(read).toThrow(expect.objectContaining({ message }))
  expect(read).not.toThrow(/\n|s3cret/)
})
