import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { stringify } from 'yaml'
import * as z from 'zod'
import { ConfigError } from '../../../src/sandbox/files/config-error.ts'
import { parseYamlDocument } from '../../../src/sandbox/files/yaml-document.ts'

const method = z.enum(['id_doc_scan', 'facial_age_estimation'])
const signal = z.strictObject({ method, years: z.number().optional() })
const image = z.strictObject({ file: z.string(), alt: z.string(), size: z.int() })
const advance = z.strictObject({ kind: z.literal('advance'), seconds: z.number() })
const members = z.strictObject({
  name: z.string(),
  port: z.int().min(0).max(65_535),
  mode: z.enum(['strict', 'lenient']),
  signals: z.array(signal).min(1).max(3),
  paths: z.union([z.string(), z.array(z.string())]),
  logo: z.union([z.strictObject({ file: z.string() }), image]),
  step: z.discriminatedUnion('kind', [z.strictObject({ kind: z.literal('wait') }), advance]),
  levels: z.partialRecord(z.enum(['basic', 'strict']), z.boolean()),
  hosts: z.record(z.string().regex(/^\//, 'must begin with a slash'), z.int()),
  flag: z.boolean(),
})
const schema = members.partial().extend({ name: z.string() })

const parse = (text: string, of: z.ZodType = schema) =>
  parseYamlDocument(text, { file: 'x.yaml', schema: of })

function complaintAbout(text: string, of?: z.ZodType): string {
  try {
    parse(text, of)
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
  return 'no complaint'
}

const SIGNAL = { method: 'id_doc_scan' }
const JSON_BY_TABS = '{\n\t"name": "shop",\n\t"signals": [\n\t\t{ "method": "id_doc_scan" }\n\t]\n}'
const ALIAS = 'name: shop\nsignals:\n  - &one { method: id_doc_scan }\n  - *one\n'

test.each([
  ['as its schema reads it', 'name: shop # a comment\nport: 80\n', { name: 'shop', port: 80 }],
  ['from JSON, indented by tabs', JSON_BY_TABS, { name: 'shop', signals: [SIGNAL] }],
  [
    'after a byte order mark and with CR LF',
    '\uFEFFname: shop\r\nport: 80\r\n',
    { name: 'shop', port: 80 },
  ],
  ['with a plain date as the text that was written', 'name: 2008-02-29', { name: '2008-02-29' }],
  ['with a value that an alias repeats', ALIAS, { name: 'shop', signals: [SIGNAL, SIGNAL] }],
])('A YAML document is given back %s', (_, text, value) => {
  expect(parse(text)).toEqual(value)
})

const SCANS = 'signals:\n- method: id_doc_scan\n- method: id_doc_scan\n'
const FACIAL = 'Did you mean "facial_age_estimation"?'

test.each([
  ['', '1: the file is empty'],
  ['# later\n', '1: the file is empty'],
  ['- name\n', '1: expected a mapping, found a list of 1'],
  ['\n7\n', '2: expected a mapping, found 7'],
  ['name: a\nport: 1\nname: b\n', '3: the key "name" is given twice; keep one'],
  ['"a b": 1\n"a b": 2\n', '2: the key "a b" is given twice; keep one'],
  ['name: a\nsignals:\n\t- method: id_doc_scan\n', '3: a tab indents this line; use spaces'],
  ['name: a\n---\nname: b\n', '2: a second document begins here; write one document per file'],
  ['name: a\npaths: [a\nport: 1\n', /^x\.yaml:3: Flow sequence [^\n]*$/],
  ['name: a\npaths: !!int a\n', '2: the tag does not fit its value; leave the tag out'],
  ['name: a\npaths: !!map [a]\n', '2: the tag does not fit its value; leave the tag out'],
  ['name: *a\n', /^x\.yaml: Unresolved alias [^\n]*: a$/],
  ['port: 1\n', '1: name: is missing; expected a text'],
  ['port: 1\nname:\n', '2: name: expected a text, found nothing'],
  ['name: a\nport: "80"\n', '2: port: expected a number, found the text "80"'],
  ['name: a\nport: ""\n', '2: port: expected a number, found an empty text'],
  ['name: a\nport: 1.5\n', '2: port: expected a whole number, found 1.5'],
  ['name: a\nport: -1\n', '2: port: expected at least 0, found -1'],
  ['name: a\nport: 65536\n', '2: port: expected at most 65535, found 65536'],
  ['name: a\nflag: yes\n', '2: flag: expected true or false, found the text "yes"'],
  ['name: a\nsignals: []\n', '2: signals: expected at least 1 item, found a list of 0'],
  [
    'name: a\nsignals:\n- years: 1\n  method: facial\n',
    `4: signals[0].method: unknown method "facial". ${FACIAL}`,
  ],
  ['name: a\nmode: zzz\n', '2: mode: unknown mode "zzz"; expected one of strict, lenient'],
  ['name: a\n\nprot: 80\n', '3: prot: unknown key. Did you mean "port"?'],
  [`name: a\n${SCANS}  zzz: 1\n`, '5: signals[1].zzz: unknown key; expected one of method, years'],
  ['name: a\nlevels:\n  basics: true\n', '3: levels.basics: unknown key. Did you mean "basic"?'],
  ['name: a\nhosts: { "a b": 1 }\n', '2: hosts["a b"]: bad key: must begin with a slash'],
  [
    'name: a\n__proto__: { port: 80 }\n',
    /^x\.yaml:2: __proto__: unknown key; expected one of name, port/,
  ],
  ['name: a\npaths: 5\n', '2: paths: expected a text or a list, found 5'],
  ['name: a\npaths:\n  - b\n  - 5\n', '4: paths[1]: expected a text, found 5'],
  ['name: a\nlogo:\n  file: 5\n', '3: logo.file: expected a text, found 5'],
  [
    'name: a\nstep: { kind: advanse }\n',
    '2: step.kind: unknown kind "advanse". Did you mean "advance"?',
  ],
  ['name: a\nstep: {}\n', '2: step.kind: is missing; expected one of wait, advance'],
  ['name: a\nstep: wait\n', '2: step: expected a mapping, found the text "wait"'],
])('The YAML document %j is refused in one clear line: %s', (text, message) => {
  if (typeof message === 'string') expect(complaintAbout(text)).toBe(`x.yaml:${message}`)
  else expect(complaintAbout(text)).toMatch(message)
})

test('A YAML document has a line for each mistake in the order of the file', () => {
  expect(
    complaintAbout('nam: a\nport: x\nsignals:\n  - metod: id_doc_scan\n    yeras: 5\n').split('\n'),
  ).toEqual([
    'x.yaml:1: nam: unknown key. Did you mean "name"?',
    'x.yaml:2: port: expected a number, found the text "x"',
    'x.yaml:4: signals[0].metod: unknown key. Did you mean "method"?',
    'x.yaml:5: signals[0].yeras: unknown key. Did you mean "years"?',
  ])
})

test('A YAML key that resembles no known key counts beside the missing key', () => {
  expect(complaintAbout('colour: red\n').split('\n')).toHaveLength(2)
})

test('Repeated keys in a YAML document are reported by their lines', () => {
  const twice = (count: number) => `a: { b: 1, "b": 2 }\n${'name: x\n'.repeat(count)}`
  expect(complaintAbout(twice(3)).split('\n')).toEqual([
    'x.yaml:1: the key "b" is given twice; keep one',
    'x.yaml:3: the key "name" is given twice; keep one',
    'x.yaml:4: the key "name" is given twice; keep one',
  ])
})

test('A YAML document reports 100 repeated keys', () => {
  const twice = (count: number) => `a: { b: 1, "b": 2 }\n${'name: x\n'.repeat(count)}`
  const lines = complaintAbout(twice(1_000)).split('\n')
  expect(lines).toHaveLength(101)
  expect(lines.at(-1)).toBe('x.yaml: and 900 more problems')
})

const open = z.record(z.string(), z.unknown())
const parseOpen = (text: string) => parseYamlDocument(text, { file: 'x', schema: open })

test('A YAML document may have keys that differ by their kind alone', () => {
  const text = 'a: { b: 1 }\nc: { b: 2, "1": x, ~: y, "~": z }\n'
  expect(parseOpen(text)).toMatchObject({ a: { b: 1 }, c: { b: 2, '~': 'z' } })
})

test.each([
  ['keys in lines', open, (keys: string[]) => keys.join('\n')],
  ['keys in braces', open, (keys: string[]) => `{${keys.join(', ')}}`],
  [
    'mistakes',
    z.object({ list: z.array(signal) }),
    (keys: string[]) => `list:\n- ${keys.join('\n- ')}`,
  ],
  // Tried again, since a busy machine makes a try slow: what grows by the square is slow in each.
])(
  'A YAML document of eight times as many %s takes less than 24 times as long',
  { retry: 2 },
  (_, schema, write) => {
    const fastest = (count: number) => {
      const text = write(Array.from({ length: count }, (_, n) => `k${n}: 1`))
      const times = Array.from({ length: 3 }, () => {
        const start = process.cpuUsage()
        complaintAbout(text, schema)
        return process.cpuUsage(start).user
      })
      return Math.min(...times)
    }
    fastest(1_000)
    expect(fastest(8_000) / fastest(1_000)).toBeLessThan(24)
  },
)

test('A complaint points into the anchor when an alias repeats a mistake', () => {
  const text = 'signals:\n  - &one\n    method: id_doc_scan\n    zzzzz: 1\n  - *one\nname: a\n'
  expect(complaintAbout(text)).toMatch(/^x\.yaml:4: .*\nx\.yaml:4: .*$/)
})

test('A YAML document cannot fill the memory by aliases of aliases', () => {
  const bomb = [
    'a: &a0 [x, x]',
    ...Array.from({ length: 30 }, (_, n) => `b${n}: &a${n + 1} [*a${n}, *a${n}]`),
  ]
  expect(complaintAbout(bomb.join('\n'))).toMatch(
    /^x\.yaml:\d+: the aliases repeat \d+ characters up to here, and 65536 are read/,
  )
})

test.each([
  ['a whole number', '{ 18: x }', { 18: 'x' }],
  ['a number with a zero at its end', '{ 1.10: x }', { '1.10': 'x' }],
  ['a hexadecimal number', '{ 0x12: x }', { '0x12': 'x' }],
  ['true', 'TRUE: x', { TRUE: 'x' }],
  ['a merge key', '<<: { a: 1 }', { '<<': { a: 1 } }],
  ['a text with a tag', '!!str 18: x', { 18: 'x' }],
  ['an alias of a text', 'a: &x b\n*x : 1\n', { a: 'b', b: 1 }],
  ['a text of several lines', '? |\n  a\n  b\n: 1\n', { 'a\nb\n': 1 }],
])('A YAML key that is %s is read as the text that is written: %s', (_, text, value) => {
  expect(parseOpen(text)).toEqual(value)
})

test.each([
  ['1: a\n"1": b\n', '2: the key "1" is given twice; keep one'],
  ['? &x b\n: 1\n*x : 2\n', '3: the key "b" is given twice; keep one'],
])('YAML keys of the same text are one key, however they are written: %j', (text, message) => {
  expect(complaintAbout(text, open)).toBe(`x.yaml:${message}`)
})

test('A YAML key named __proto__ changes no prototype', () => {
  const value = parseOpen(
    '__proto__: { polluted: true }\nconstructor: { prototype: { polluted: true } }\n',
  )
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
  expect(Reflect.get({}, 'polluted')).toBeUndefined()
})

test('A complaint about YAML shortens a long name of an alias', () => {
  expect(complaintAbout(`name: *${'a'.repeat(50_000)}\n`).length).toBeLessThan(300)
})

test('Reading YAML leaves the length of stack traces as it was', () => {
  const before = Error.stackTraceLimit
  onTestFinished(() => {
    Error.stackTraceLimit = before
  })
  Error.stackTraceLimit = 7
  complaintAbout('a: [,,,]')
  expect(Error.stackTraceLimit).toBe(7)
})

test('A complaint shortens a long text', () => {
  expect(complaintAbout(`name: a\nport: ${'9x'.repeat(500)}\n`).length).toBeLessThan(150)
})

test('Every mapping that was written as YAML is given back', () => {
  const value = fc.oneof(fc.string(), fc.integer(), fc.boolean())
  fc.assert(
    fc.property(fc.dictionary(fc.string({ minLength: 1 }), value), (mapping) => {
      fc.pre(!Object.hasOwn(mapping, '__proto__'))
      expect(parseOpen(stringify({ ...mapping, last: 1 }))).toEqual({ ...mapping, last: 1 })
    }),
  )
})

test('Whatever stands in a YAML document, nothing but a ConfigError is thrown', () => {
  const fragment = fc.constantFrom(...'a: \n-[]{}"\'|>!%#\t?,', '&a', '*a', 'name')
  fc.assert(
    fc.property(fc.array(fragment, { maxLength: 40 }), (fragments) => {
      expect(complaintAbout(fragments.join(''))).toEqual(expect.any(String))
    }),
    { numRuns: 500 },
  )
})
