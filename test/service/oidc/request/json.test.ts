import { expect, test } from 'vitest'
import {
  looksLikeJson,
  parseJson,
  repeatedMembers,
} from '../../../../src/service/oidc/request/json.ts'

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
const inObjects = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`

test('JSON is read down to 64 levels', () => {
  const flat = `[${Array(100).fill('[]').join(',')}]`
  for (const text of [
    nested(64),
    inObjects(64),
    `[[],${nested(63)}]`,
    flat,
    `"${'['.repeat(100)}"`,
    ' 7 ',
    'null',
  ])
    expect(parseJson(text)).toEqual({ ok: true, value: JSON.parse(text) })
})

test('JSON of more than 64 levels is refused, however it is nested', () => {
  for (const text of [nested(65), nested(100_000), inObjects(65), `[null,${nested(64)}]`])
    expect(parseJson(text)).toEqual({ ok: false, reason: 'it is nested deeper than 64 levels' })
})

test('Invalid JSON is refused with a reason of at most 120 characters', () => {
  for (const text of [`{"a": ${'x'.repeat(1000)}}`, `{"a":\n\n${'x'.repeat(1000)}}`, `[1,\n\t  x]`])
    expect(parseJson(text)).toEqual({
      ok: false,
      reason: expect.stringMatching(/^(?!.* {2}).{1,120}$/),
    })
})

const SINGLE_QUOTES = 'write double quotes instead of single ones'
const TYPOGRAPHIC = 'write plain double quotes instead of typographic ones'
const BARE_NAMES = 'write names of members in double quotes'
const BASE64 = 'it is base64; send the JSON text itself'
const TWICE = 'it is percent-encoded twice; encode it once'
const ESCAPED = 'it was escaped twice, as text inside of text; send it without the backslashes'
const FOR_HTML = 'quotation marks were escaped for HTML; send the text as it was before'
const AROUND = 'quotation marks stand around it; send only the text between them'
const LOWER_CASE = 'write true, false and null in lower case'
const AS_TEXT = 'an object was turned into text; use JSON.stringify'
const NO_VALUE = 'a variable without a value was turned into text'
const NO_NAN = 'JSON has no undefined and no NaN; leave the member out'
const COMMA = 'remove the comma before a closing bracket'
const YAML = 'it is YAML; send JSON'
const CUT_OFF = 'it is cut off; send all of it, and percent-encode & and # in a query or a form'
const BEHIND = 'something stands behind the JSON; send one value'
const MARK = 'a byte order mark stands before it; remove the mark'
const CLAIMS = '{"age_thresholds":[18]}'

test.each([
  ['', 'it is empty'],
  [' \n', 'it is empty'],
  ['age_thresholds=18', 'it is a form'],
  ['age_thresholds[]=18&x=1', 'it is a form'],
  ['undefined', NO_VALUE],
  ['None', NO_VALUE],
  ['nil', NO_VALUE],
  ['NaN', NO_VALUE],
  ['[object Object]', AS_TEXT],
  ['[object Object],[object Object]', AS_TEXT],
  ['Array', AS_TEXT],
  ['array (', AS_TEXT],
  ['map[age_thresholds:[18]]', AS_TEXT],
  ['System.Collections.Generic.List`1[System.Int32]', AS_TEXT],
  ['#<Claims:0x0001>', AS_TEXT],
  ['{age_thresholds=[18]}', AS_TEXT],
  ['{"age_thresholds"=>[18]}', AS_TEXT],
  ['{:age_thresholds=>[18]}', AS_TEXT],
  [
    'age_thresholds',
    'only the name of a member arrived, because an object was sent as a list of its names; use JSON.stringify',
  ],
  ['{\0"\0a\0"\0', 'it is UTF-16; send UTF-8'],
  ['\uFEFF\uFEFF{}', MARK],
  ['ï»¿{}', MARK],
  ['%7B%22age_thresholds%22%3A%5B18%5D%7D', TWICE],
  ['%257B%2522age_thresholds%2522', TWICE],
  ['%5b18%5d', TWICE],
  ['%2218%22', TWICE],
  ['{%22age_thresholds%22:[18]}', TWICE],
  ['[{%22type%22:1}]', TWICE],
  ['eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln', 'it is a JWT; send the JSON text itself'],
  ['{&quot;age_thresholds&quot;:[18]}', FOR_HTML],
  ['{&#34;age_thresholds&#34;:[18]}', FOR_HTML],
  ['{&#x22;age_thresholds&#x22;:[18]}', FOR_HTML],
  ['{&amp;quot;age_thresholds&amp;quot;:[18]}', FOR_HTML],
  [`'${CLAIMS}'`, AROUND],
  [`"${CLAIMS}"`, AROUND],
  [`\`${CLAIMS}\``, AROUND],
  [`“${CLAIMS}”`, AROUND],
  [`\`\`\`json\n${CLAIMS}\n\`\`\``, AROUND],
  ['{\\"age_thresholds\\":[18]}', ESCAPED],
  ['[{\\"type\\":\\"age_verification\\"}]', ESCAPED],
  ['{\\\\\\"age_thresholds\\\\\\":[18]}', ESCAPED],
  ['{\\n  \\"age_thresholds\\": [18]}', ESCAPED],
  ['{\\u0022age_thresholds\\u0022:[18]}', ESCAPED],
  ['age_thresholds: [18]', YAML],
  ['age_thresholds:\n  - 18', YAML],
  ['- type: age_verification', YAML],
  [Buffer.from(CLAIMS).toString('base64'), BASE64],
  [Buffer.from('{"name":"ü~~~"}').toString('base64').replaceAll('+', ' '), BASE64],
  [Buffer.from('{\n  "age_thresholds": [18]\n}').toString('base64'), BASE64],
  [Buffer.from('[{"type":"age_verification"}]').toString('base64url'), BASE64],
  ['QUJD', undefined],
  ['example', undefined],
  ['{“age_thresholds”:[18]}', TYPOGRAPHIC],
  ['{„age_thresholds“:[18]}', TYPOGRAPHIC],
  ['{«age_thresholds»:[18]}', TYPOGRAPHIC],
  ['{"verified_after":‘2026-01-01’}', TYPOGRAPHIC],
  ["{'age_thresholds': [18]}", SINGLE_QUOTES],
  ["[{'type': 'age_verification'}]", SINGLE_QUOTES],
  ["[ { 'type' : 1 } ]", SINGLE_QUOTES],
  [`{"verified_after":'2026-01-01'}`, SINGLE_QUOTES],
  ['{"verified_after":`2026-01-01`}', 'write double quotes instead of backticks'],
  ['{age_thresholds: [18]}', BARE_NAMES],
  [' [ { type : 1 } ]', BARE_NAMES],
  ['{"age_thresholds":[18], iso_27566_1: "basic"}', BARE_NAMES],
  ['{"face_match_performed": True}', LOWER_CASE],
  ['{"a":False}', LOWER_CASE],
  ['{"a":None}', LOWER_CASE],
  ['[TRUE]', LOWER_CASE],
  ['{"a":undefined}', NO_NAN],
  ['[NaN]', NO_NAN],
  ['{"a":-Infinity}', NO_NAN],
  ['{"age_thresholds": [18],}', COMMA],
  ['{"age_thresholds": [18 , ]}', COMMA],
  ['{"a":"it\'s",}', COMMA],
  ['[18,,21]', 'remove one of two commas'],
  ['{"age_thresholds":[18]} // adults', 'remove the comments'],
  ['{/* adults */"age_thresholds":[18]}', 'remove the comments'],
  ['{"age_thresholds":+[13,+18]}', 'remove the +: percent-encoding writes a blank as %20'],
  ['{"age_thresholds": [18', CUT_OFF],
  ['{"verified_after":"2026-01-', CUT_OFF],
  ['{"a":"}', CUT_OFF],
  ['{', CUT_OFF],
  ['{}{}', BEHIND],
  ['{"age_thresholds":[18]}}', BEHIND],
  ['{"age_thresholds":[18}}', undefined],
  ['{"a":Nonexistent}', undefined],
  ['{"a":"x, y: \'z\'" 1}', undefined],
  ['xundefined', undefined],
])('JSON that is spoiled in a usual way is refused with the remedy: %s', (text, remedy) => {
  const problem = (() => {
    try {
      return JSON.parse(text)
    } catch (error) {
      return error instanceof SyntaxError
        ? error.message.replaceAll(/\s+/g, ' ').replace(/ \(line.*/, '')
        : error
    }
  })()
  expect(parseJson(text)).toEqual({
    ok: false,
    reason: remedy === undefined ? problem : `${problem} (${remedy})`,
  })
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

test('A text of 64 KiB that is spoiled is looked at in a time that grows with the text', () => {
  for (const part of [
    '{',
    '[ ',
    ' ',
    '"',
    '\\',
    ',',
    ', ',
    ': ',
    'a',
    'a: ',
    '+',
    '%25',
    '/',
    '=',
    '&amp;',
    '"\\"',
  ]) {
    const began = performance.now()
    parseJson(part.repeat(65_536 / part.length))
    expect(performance.now() - began, part).toBeLessThan(500)
  }
})

test('Ten repeated names are reported, in a time that grows with the text', () => {
  const names = Array.from({ length: 20 }, (_, index) => `"n${index}":1,"n${index}":2`)
  expect(repeatedMembers(`{${names}}`)).toHaveLength(10)
  const many = (part: string) => part.repeat(65_536 / part.length)
  const nested = `${'['.repeat(60)}{${many('"a":1,')}"a":1}${']'.repeat(60)}`
  for (const long of [
    `["${many('\\"')}"]`,
    `["a"${many(' ')}]`,
    `[${many('{"a":1},')}0]`,
    nested,
  ]) {
    const began = performance.now()
    repeatedMembers(long)
    expect(performance.now() - began, long.slice(0, 70)).toBeLessThan(500)
  }
})

test('JSON may begin with a byte order mark, as files of an editor do, but with no second one', () => {
  expect(parseJson('\uFEFF{"a":1}')).toEqual({ ok: true, value: { a: 1 } })
  expect(parseJson('\uFEFF\uFEFF{}')).toMatchObject({ ok: false })
})
