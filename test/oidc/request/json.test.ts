import { expect, test } from 'vitest'
import { looksLikeJson, parseJson, repeatedMembers } from '../../../src/oidc/request/json.ts'

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
const inObjects = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`

test('JSON is read down to 64 levels and refused below them, however it is nested', () => {
  const flat = `[${Array(100).fill('[]').join(',')}]`
  for (const text of [nested(64), inObjects(64), `[[],${nested(63)}]`, flat, `"${'['.repeat(100)}"`, ' 7 ', 'null'])
    expect(parseJson(text)).toEqual({ ok: true, value: JSON.parse(text) })
  for (const text of [nested(65), nested(100_000), inObjects(65), `[null,${nested(64)}]`])
    expect(parseJson(text)).toEqual({ ok: false, reason: 'it is nested deeper than 64 levels' })
})

test('JSON that is none is refused with a reason of one line, single blanks and at most 120 characters', () => {
  for (const text of [`{"a": ${'x'.repeat(1000)}}`, `{"a":\n\n${'x'.repeat(1000)}}`, `[1,\n\t  x]`])
    expect(parseJson(text)).toEqual({ ok: false, reason: expect.stringMatching(/^(?!.* {2}).{1,120}$/) })
})

const SINGLE_QUOTES = 'write double quotes instead of single ones'
const BARE_NAMES = 'write names of members in double quotes'
const BASE64 = 'it is base64; send the JSON text itself'
const TWICE = 'it is percent-encoded twice; encode it once'
const LOWER_CASE = 'write true, false and null in lower case'

test.each([
  ['', 'it is empty'],
  [' \n', 'it is empty'],
  ['age_thresholds=18', 'it is a form'],
  ['undefined', 'a variable without a value was turned into text'],
  ['[object Object]', 'an object was turned into text; use JSON.stringify'],
  ['%7B%22age_thresholds%22%3A%5B18%5D%7D', TWICE],
  ['%5b18%5d', TWICE],
  ['%2218%22', TWICE],
  [Buffer.from('{"age_thresholds":[18]}').toString('base64'), BASE64],
  [Buffer.from('[{"type":"age_verification"}]').toString('base64url'), BASE64],
  ['QUJD', undefined],
  ["{'age_thresholds': [18]}", SINGLE_QUOTES],
  ["[{'type': 'age_verification'}]", SINGLE_QUOTES],
  ["[ { 'type' : 1 } ]", SINGLE_QUOTES],
  ['{age_thresholds: [18]}', BARE_NAMES],
  [' [ { type : 1 } ]', BARE_NAMES],
  ['{"face_match_performed": True}', LOWER_CASE],
  ['{"a":False}', LOWER_CASE],
  ['{"a":None}', LOWER_CASE],
  ['{"age_thresholds": [18],}', 'remove the comma before a closing bracket'],
  ['{"age_thresholds": [18 , ]}', 'remove the comma before a closing bracket'],
  ['{"age_thresholds": [18', undefined],
  ['{"a":Nonexistent}', undefined],
  ['xundefined', undefined],
])('JSON that is spoiled in a usual way is refused with the remedy, and else without a guess: %s', (text, remedy) => {
  const problem = (() => {
    try {
      return JSON.parse(text)
    } catch (error) {
      return error instanceof SyntaxError ? error.message.replaceAll(/\s+/g, ' ').replace(/ \(line.*/, '') : error
    }
  })()
  expect(parseJson(text)).toEqual({ ok: false, reason: remedy === undefined ? problem : `${problem} (${remedy})` })
})

test.each([
  ['{}', true],
  [' \n[', true],
  ['a=[1]', false],
  ['"{}"', false],
  ['', false],
])('The text %j looks like JSON: %s', (text, looks) => {
  expect(looksLikeJson(text)).toBe(looks)
})

test.each([
  ['{"a":1,"b":{"a":2},"c":[{"a":3},{"a":4}]}', []],
  ['{"a":1,"a":2,"a":3}', ['r.a']],
  ['[1,[2,{"x":0,"x" : 0}],{"y":{"z":1,"z":1}}]', ['r[1][1].x', 'r[2].y.z']],
  ['{"a":"b","b":"a"}', []],
  ['{"a":["a","a"]}', []],
  ['{"\\u0061":1,"a":2}', ['r.a']],
  ['{"a":"\\",{\\"b\\":","b":1}', []],
  ['{"__proto__":1,"__proto__":2}', ['r.__proto__']],
  ['{"a b":1,"a b":2}', ['r["a b"]']],
  ['7', []],
])('The members of %s whose name is repeated are %j', (text, paths) => {
  expect(repeatedMembers(text, 'r')).toEqual(paths)
})

test('Ten repeated names are reported, in a time that grows with the text', () => {
  const names = Array.from({ length: 20 }, (_, index) => `"n${index}":1,"n${index}":2`)
  expect(repeatedMembers(`{${names}}`)).toHaveLength(10)
  const many = (part: string) => part.repeat(65_536 / part.length)
  const nested = `${'['.repeat(60)}{${many('"a":1,')}"a":1}${']'.repeat(60)}`
  for (const long of [`["${many('\\"')}"]`, `["a"${many(' ')}]`, `[${many('{"a":1},')}0]`, nested]) {
    const began = performance.now()
    repeatedMembers(long)
    expect(performance.now() - began, long.slice(0, 70)).toBeLessThan(500)
  }
})

test('JSON may begin with a byte order mark, as files of an editor do, but with no second one', () => {
  expect(parseJson('\uFEFF{"a":1}')).toEqual({ ok: true, value: { a: 1 } })
  expect(parseJson('\uFEFF\uFEFF{}')).toMatchObject({ ok: false })
})
