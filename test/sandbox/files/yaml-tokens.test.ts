import { expect, test } from 'vitest'
import * as z from 'zod'
import { ConfigError } from '../../../src/sandbox/files/config-error.ts'
import { parseYamlDocument } from '../../../src/sandbox/files/yaml-document.ts'

const parse = (text: string) => parseYamlDocument(text, { file: 'x.yaml', schema: z.unknown() })

function complaintAbout(text: string): string {
  try {
    parse(text)
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
  return 'no complaint'
}

const nested =
  (open: string, inner: string, close = '') =>
  (levels: number) =>
    open.repeat(levels) + inner + close.repeat(levels)
const indented = (line: string) => (levels: number) =>
  Array.from({ length: levels }, (_, level) => `${' '.repeat(level)}${line}\n`).join('')

const NESTINGS: readonly (readonly [what: string, write: (levels: number) => string])[] = [
  ['brackets', nested('[', '', ']')],
  ['brackets that nothing closes', nested('[', '')],
  ['braces', nested('{a: ', 'x', '}')],
  ['brackets in braces', (levels) => `{a: ${nested('[', '', ']')(levels - 1)}}`],
  ['dashes in one line', nested('- ', 'x')],
  ['dashes below each other', indented('-')],
  ['mappings', indented('a:')],
  ['lists of mappings', (levels) => indented('- a:')(levels / 2).replaceAll(/^( *)/gm, '$1$1$1')],
  [
    'brackets below dashes',
    (levels) => `${'- '.repeat(levels / 2)}${nested('[', '', ']')(levels / 2)}`,
  ],
  ['brackets after an anchor each', nested('&a [', '', ']')],
  ['brackets behind line breaks', nested('[\n', '', ']')],
]

const TOO_DEEP =
  'level 65 of lists and mappings begins here, and 64 are read at most; nest them less'

test.each(NESTINGS)('YAML of 64 levels is not refused for its depth: %s', (_, write) => {
  expect(complaintAbout(write(64))).not.toContain(TOO_DEEP)
})

test.each(NESTINGS)('YAML of 66 levels is refused for its depth: %s', (_, write) => {
  expect(complaintAbout(write(66))).toMatch(new RegExp(`^x\\.yaml:\\d+: ${TOO_DEEP}$`))
})

test.each([
  ['[', 30_000],
  ['[', 1_000],
  ['{', 30_000],
  ['? ', 400],
  ['? ', 30_000],
  ['- ', 10_000],
  ['a: [', 15_000],
  ['{a: ', 15_000],
])('YAML of %j, %i times, is refused before it is composed', (text, times) => {
  expect(complaintAbout(text.repeat(times))).toBe(`x.yaml:1: ${TOO_DEEP}`)
})

test('The 65th level of YAML is named with its line', () => {
  expect(complaintAbout('[\n'.repeat(70))).toBe(`x.yaml:65: ${TOO_DEEP}`)
})

const BRACKET = 'put quotation marks around a text that begins with'
const NOTHING =
  'found nothing; write the key, or put quotation marks around a text that begins with a colon or question mark'

test.each([
  ['[a]: 1', `1: a key must be a text, found a list; ${BRACKET} [`],
  ['{a: b}: 1', `1: a key must be a text, found a mapping; ${BRACKET} {`],
  ['x: {{host}}', `1: a key must be a text, found a mapping; ${BRACKET} {`],
  ['x: { a, [b] }', `1: a key must be a text, found a list; ${BRACKET} [`],
  ['x: [[a]: b]', `1: a key must be a text, found a list; ${BRACKET} [`],
  ['x:\n  ? [a]\n  : 1', `2: a key must be a text, found a list; ${BRACKET} [`],
  ['x:\n  ? - a\n  : 1', '2: a key must be a text, found a list; write a text before the colon'],
  ['? ? a', '1: a key must be a text, found a mapping; write a text before the colon'],
  ['? a: b\n: 1', '1: a key must be a text, found a mapping; write a text before the colon'],
  ['a: 1\n: 2', `2: a key must be a text, ${NOTHING}`],
  ['{ : 2 }', `1: a key must be a text, ${NOTHING}`],
  ['[ ? ]', `1: a key must be a text, ${NOTHING}`],
  ['{ ?, a }', `1: a key must be a text, ${NOTHING}`],
  ['{ a: {?}}', `1: a key must be a text, ${NOTHING}`],
  ['?', `1: a key must be a text, ${NOTHING}`],
  ['!!str : 1', `1: a key must be a text, ${NOTHING}`],
  [
    'a: &x [1]\n*x : 2',
    '2: a key must be a text, and the alias *x repeats none; write the key out',
  ],
  [
    'a: &x { b: 1 }\nc: { *x : 2 }',
    '2: a key must be a text, and the alias *x repeats none; write the key out',
  ],
  [
    'a: &x\n  - 1\nc: { *x }',
    '3: a key must be a text, and the alias *x repeats none; write the key out',
  ],
  ['a: &x\n*x : 2', '2: a key must be a text, and the alias *x repeats none; write the key out'],
])('The YAML key of %j is refused, since it is no text', (text, message) => {
  expect(complaintAbout(text)).toBe(`x.yaml:${message}`)
})

test.each([
  ['x: [[1] [2]]', /^x\.yaml:1: Unexpected flow-seq-start at node end$/],
  ['x: {a: {} {}}', /^x\.yaml:1: Unexpected flow-map-start at node end$/],
  ['x: {a: {}, {', /^x\.yaml:1: Flow map [^\n]* end with a }$/],
])('A missing comma or bracket in the YAML %j is named as such', (text, message) => {
  expect(complaintAbout(text)).toMatch(message)
})

const aliases = (count: number) => `- &a x\n${'- *a\n'.repeat(count)}`

test('YAML with 100 aliases is read', () => {
  expect(parse(aliases(100))).toHaveLength(101)
})

test('YAML with 101 aliases is refused at the line of the last one', () => {
  const message =
    'x.yaml:102: the alias *a is number 101, and 100 are read at most; write values out'
  expect(complaintAbout(aliases(101))).toBe(message)
})

test.each([
  ['&a [*a]', '1: the alias *a stands inside of the value that it repeats; write the value out'],
  [
    'a: &x\n  b:\n    - *x',
    '3: the alias *x stands inside of the value that it repeats; write the value out',
  ],
  [
    '&a { b: *a }',
    '1: the alias *a stands inside of the value that it repeats; write the value out',
  ],
])('The YAML value of %j cannot contain itself', (text, message) => {
  expect(complaintAbout(text)).toBe(`x.yaml:${message}`)
})

test('A YAML value that has ended can be repeated at any depth', () => {
  const text = 'a: &x [1]\nb: &y { c: [*x], d: *x }\ne: [[*y]]\n'
  expect(parse(text)).toEqual({ a: [1], b: { c: [[1]], d: [1] }, e: [[{ c: [[1]], d: [1] }]] })
})

test.each([
  ['of a long text', `- &a ${'x'.repeat(1_000)}\n${'- *a\n'.repeat(66)}`],
  ['of long lists', `- &a [${'x, '.repeat(1_000)}]\n${'- *a\n'.repeat(66)}`],
  [
    'of each other',
    Array.from({ length: 50 }, (_, n) => `- &a${n} [*a${n - 1}, *a${n - 1}]\n`)
      .join('')
      .replace('*a-1, *a-1', 'xx'),
  ],
])('YAML is refused when its aliases repeat too much: %s', (_, text) => {
  expect(complaintAbout(text)).toMatch(
    /^x\.yaml:\d+: the aliases repeat \d+ characters up to here, and 65536 are /,
  )
})

test.each([
  ['!!str 18', '18'],
  ['!!int "18"', 18],
  ['!!float 1.5', 1.5],
  ['!!bool "true"', true],
  ['!!null ""', null],
  ['!!map { a: b }', { a: 'b' }],
  ['!!seq [a]', ['a']],
  ['!<tag:yaml.org,2002:str> 18', '18'],
])('A value with a tag of the core schema is read: %s', (text, value) => {
  expect(parse(text)).toEqual(value)
})

test.each([
  '!secret x',
  '! x',
  '!!binary aGk=',
  '!!set { a }',
  '!!omap [a: 1]',
  '!!pairs [a: 1]',
  '!!timestamp 2020-01-01',
  '!!merge x',
  '!!js/function x',
  '!<tag:yaml.org,2002:binary> aGk=',
  '!<!local> x',
  '!!str%20 x',
])('A value with another tag is refused: %s', (text) => {
  const known = '!!str, !!int, !!float, !!bool, !!null, !!map, !!seq'
  const [tag] = text.split(' ')
  expect(complaintAbout(`a:\n  - ${text}\n`)).toBe(
    `x.yaml:2: the tag ${tag} is not read; leave it out, or write one of ${known}`,
  )
})

test.each([
  '%TAG !! tag:example.com,2000:\n---\na: !!str x\n',
  '%TAG !y! tag:yaml.org,2002:\n---\na: !y!binary aGk=\n',
  '%TAG ! tag:yaml.org,2002:\n---\na: !set { x }\n',
  '%YAML 1.1\n---\na: yes\n',
  '%YAML 1.3\n---\na: b\n',
  '%FOO bar\n---\na: b\n',
])('A YAML directive cannot give tags or words another meaning: %j', (text) => {
  const message =
    /^x\.yaml:1: the directive "%[^"]*" is not read; remove this line, or write %YAML 1\.2$/
  expect(complaintAbout(text)).toMatch(message)
})

test('The directive of YAML 1.2 is read', () => {
  expect(parse('%YAML 1.2\n---\na: yes\n')).toEqual({ a: 'yes' })
})

test('Merge keys of older YAML repeat nothing', () => {
  expect(parse('a: &x { b: 1 }\nc: { <<: *x }\n')).toEqual({ a: { b: 1 }, c: { '<<': { b: 1 } } })
})

test.each([
  ['closing brackets', ']', /^x\.yaml:1: Unexpected flow-seq-end token/],
  [
    'beginnings of documents',
    '---\n',
    /^x\.yaml:2: a second document begins here; write one document per file$/,
  ],
  [
    'ends of documents',
    '...\n',
    /^x\.yaml:2: a second document begins here; write one document per file$/,
  ],
  ['directives', '%A\n', /^x\.yaml:1: the directive "%A" is not read/],
])('YAML of many %s is not read beyond the first mistake', (_, part, message) => {
  const start = process.cpuUsage()
  expect(complaintAbout(part.repeat(300_000))).toMatch(message)
  // To read on takes more than a second.
  expect(process.cpuUsage(start).user / 1_000).toBeLessThan(500)
})
