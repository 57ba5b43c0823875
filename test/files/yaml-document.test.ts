import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import * as z from 'zod'
import { ConfigError } from '../../src/files/config-error.ts'
import { parseYamlDocument } from '../../src/files/yaml-document.ts'

const schema = z.strictObject({
  name: z.string(),
  port: z.int().min(0).max(65_535).optional(),
  mode: z.enum(['strict', 'lenient']).optional(),
  signals: z
    .array(z.strictObject({ method: z.enum(['id_doc_scan', 'facial_age_estimation']), years: z.number().optional() }))
    .min(1)
    .max(3)
    .optional(),
  paths: z.union([z.string(), z.array(z.string())]).optional(),
  logo: z
    .union([z.strictObject({ file: z.string() }), z.strictObject({ file: z.string(), alt: z.string(), size: z.int() })])
    .optional(),
  step: z
    .discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('wait') }),
      z.strictObject({ kind: z.literal('advance'), seconds: z.number() }),
    ])
    .optional(),
  levels: z.partialRecord(z.enum(['basic', 'strict']), z.boolean()).optional(),
  hosts: z.record(z.string().regex(/^\//, 'must begin with a slash'), z.int()).optional(),
  flag: z.boolean().optional(),
})

const parse = (text: string) => parseYamlDocument(text, { file: 'x.yaml', schema })

function complaintAbout(text: string): string {
  try {
    parse(text)
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
  return 'no complaint'
}

describe('a YAML document', () => {
  it('is given back as its schema reads it', () => {
    expect(parse('name: shop # a comment\nport: 80\n')).toEqual({ name: 'shop', port: 80 })
  })

  it('with a misspelt required key has one mistake', () => {
    expect(complaintAbout('nmae: shop\n')).toBe('x.yaml:1: nmae: unknown key. Did you mean "name"?')
    expect(complaintAbout('name: shop\nsignals:\n  - methd: id_doc_scan\n')).toBe(
      'x.yaml:3: signals[0].methd: unknown key. Did you mean "method"?',
    )
  })

  it('with an unknown key and a missing one that is nothing like it has two', () => {
    expect(complaintAbout('colour: red\n').split('\n')).toHaveLength(2)
  })

  it('says a thing that two checks find once', () => {
    const twice = z
      .number()
      .refine(() => false, 'is never right')
      .refine(() => false, 'is never right')
    const read = () => parseYamlDocument('port: 1', { file: 'x.yaml', schema: z.strictObject({ port: twice }) })
    expect(read).toThrow(/^x\.yaml:1: port: is never right$/)
  })

  it('may be JSON, indented by tabs', () => {
    expect(parse('{\n\t"name": "shop",\n\t"signals": [\n\t\t{ "method": "id_doc_scan" }\n\t]\n}')).toEqual({
      name: 'shop',
      signals: [{ method: 'id_doc_scan' }],
    })
  })

  it('may begin with a byte order mark and end its lines with CR LF', () => {
    expect(parse('\uFEFFname: shop\r\nport: 80\r\n')).toEqual({ name: 'shop', port: 80 })
  })

  it('keeps a plain date as the text that was written', () => {
    expect(parse('name: 2008-02-29')).toEqual({ name: '2008-02-29' })
  })

  it('may repeat a value by an alias', () => {
    expect(parse('name: shop\nsignals:\n  - &one { method: id_doc_scan }\n  - *one\n')).toMatchObject({
      signals: [{ method: 'id_doc_scan' }, { method: 'id_doc_scan' }],
    })
  })

  it.each([
    ['nothing', '', 'x.yaml:1: the file is empty'],
    ['only a comment', '# later\n', 'x.yaml:1: the file is empty'],
    ['a list', '- name\n', 'x.yaml:1: expected a mapping, found a list of 1'],
    ['a text', 'shop\n', 'x.yaml:1: expected a mapping, found the text "shop"'],
    ['a number', '\n7\n', 'x.yaml:2: expected a mapping, found 7'],
    ['a key given twice', 'name: a\nport: 1\nname: b\n', 'x.yaml:3: the key "name" is given twice; keep one'],
    ['a quoted key given twice', '"a b": 1\n"a b": 2\n', 'x.yaml:2: the key "a b" is given twice; keep one'],
    ['a tab', 'name: a\nsignals:\n\t- method: id_doc_scan\n', 'x.yaml:3: a tab indents this line; use spaces'],
    [
      'a second document',
      'name: a\n---\nname: b\n',
      'x.yaml:2: a second document begins here; write one document per file',
    ],
    ['an unclosed list', 'name: a\npaths: [a\nport: 1\n', /^x\.yaml:3: Flow sequence [^\n]*$/],
    ['an unknown tag', 'name: a\npaths: !secret a\n', 'x.yaml:2: Unresolved tag: !secret'],
    ['an alias of nothing', 'name: *a\n', /^x\.yaml: Unresolved alias [^\n]*: a$/],
    ['a key missing', 'port: 1\n', 'x.yaml:1: name: is missing; expected a text'],
    ['a key without a value', 'port: 1\nname:\n', 'x.yaml:2: name: expected a text, found nothing'],
    ['a number for a text', 'name: 5\n', 'x.yaml:1: name: expected a text, found 5'],
    ['a text for a number', 'name: a\nport: "80"\n', 'x.yaml:2: port: expected a number, found the text "80"'],
    ['an empty text for a number', 'name: a\nport: ""\n', 'x.yaml:2: port: expected a number, found an empty text'],
    ['a fraction', 'name: a\nport: 1.5\n', 'x.yaml:2: port: expected a whole number, found 1.5'],
    ['a number too small', 'name: a\nport: -1\n', 'x.yaml:2: port: expected at least 0, found -1'],
    ['a number too big', 'name: a\nport: 65536\n', 'x.yaml:2: port: expected at most 65535, found 65536'],
    ['yes for true', 'name: a\nflag: yes\n', 'x.yaml:2: flag: expected true or false, found the text "yes"'],
    ['too few items', 'name: a\nsignals: []\n', 'x.yaml:2: signals: expected at least 1 item, found a list of 0'],
    [
      'a value near a known one',
      'name: a\nsignals:\n  - years: 1\n    method: facial\n',
      'x.yaml:4: signals[0].method: unknown method "facial". Did you mean "facial_age_estimation"?',
    ],
    [
      'a value near none',
      'name: a\nmode: zzz\n',
      'x.yaml:2: mode: unknown mode "zzz"; expected one of strict, lenient',
    ],
    ['an unknown key', 'name: a\n\nprot: 80\n', 'x.yaml:3: prot: unknown key. Did you mean "port"?'],
    [
      'an unknown key in a list',
      'name: a\nsignals:\n  - method: id_doc_scan\n  - method: id_doc_scan\n    zzzzz: 1\n',
      'x.yaml:5: signals[1].zzzzz: unknown key; expected one of method, years',
    ],
    [
      'an unknown key of a record',
      'name: a\nlevels:\n  basics: true\n',
      'x.yaml:3: levels.basics: unknown key. Did you mean "basic"?',
    ],
    [
      'a bad key of a record',
      'name: a\nhosts: { "a b": 1 }\n',
      'x.yaml:2: hosts["a b"]: bad key: must begin with a slash',
    ],
    [
      '__proto__',
      'name: a\n__proto__: { port: 80 }\n',
      /^x\.yaml:2: __proto__: unknown key; expected one of name, port/,
    ],
    ['no alternative of a union', 'name: a\npaths: 5\n', 'x.yaml:2: paths: expected a text or a list, found 5'],
    [
      'the wrong item in one alternative',
      'name: a\npaths:\n  - b\n  - 5\n',
      'x.yaml:4: paths[1]: expected a text, found 5',
    ],
    [
      'nearly the first of two mappings',
      'name: a\nlogo:\n  file: 5\n',
      'x.yaml:3: logo.file: expected a text, found 5',
    ],
    [
      'an unknown variant',
      'name: a\nstep: { kind: advanse }\n',
      'x.yaml:2: step.kind: unknown kind "advanse". Did you mean "advance"?',
    ],
    ['no variant at all', 'name: a\nstep: {}\n', 'x.yaml:2: step.kind: is missing; expected one of wait, advance'],
    ['a text for a variant', 'name: a\nstep: wait\n', 'x.yaml:2: step: expected a mapping, found the text "wait"'],
  ])('with %s is refused in one clear line', (_, text, message) => {
    if (typeof message === 'string') expect(complaintAbout(text)).toBe(message)
    else expect(complaintAbout(text)).toMatch(message)
  })

  it('reports everything that is wrong, one line each, in the order of the file', () => {
    const text = 'nam: a\nport: x\nsignals:\n  - metod: id_doc_scan\n    yeras: 5\n'
    expect(complaintAbout(text).split('\n')).toEqual([
      'x.yaml:1: nam: unknown key. Did you mean "name"?',
      'x.yaml:2: port: expected a number, found the text "x"',
      'x.yaml:4: signals[0].metod: unknown key. Did you mean "method"?',
      'x.yaml:5: signals[0].yeras: unknown key. Did you mean "years"?',
    ])
  })

  it('reports 100 repeated keys, wherever they are, and counts the others', () => {
    const twice = (count: number) => `a: { b: 1, "b": 2 }\n${'name: x\n'.repeat(count)}`
    expect(complaintAbout(twice(3)).split('\n')).toEqual([
      'x.yaml:1: the key "b" is given twice; keep one',
      'x.yaml:3: the key "name" is given twice; keep one',
      'x.yaml:4: the key "name" is given twice; keep one',
    ])
    const lines = complaintAbout(twice(1_000)).split('\n')
    expect(lines).toHaveLength(101)
    expect(lines.at(-1)).toBe('x.yaml: and 900 more problems')
  })

  it('takes the same key in two mappings, and keys that differ by their kind', () => {
    const open = z.record(z.string(), z.unknown())
    const text = 'a: { b: 1 }\nc: { b: 2, "1": x, ~: y, "~": z }\n'
    expect(parseYamlDocument(text, { file: 'x', schema: open })).toMatchObject({ a: { b: 1 }, c: { b: 2, '~': 'z' } })
  })

  it.each([
    ['in lines', (keys: string[]) => keys.join('\n')],
    ['in braces', (keys: string[]) => `{${keys.join(', ')}}`],
  ])('of eight times as many keys %s takes less than 24 times as long', (_, write) => {
    const open = z.record(z.string(), z.unknown())
    const fastest = (count: number) => {
      const text = write(Array.from({ length: count }, (_, n) => `k${n}: 1`))
      const times = Array.from({ length: 3 }, () => {
        const start = process.cpuUsage()
        parseYamlDocument(text, { file: 'x', schema: open })
        return process.cpuUsage(start).user
      })
      return Math.min(...times)
    }
    fastest(2_000)
    expect(fastest(16_000) / fastest(2_000)).toBeLessThan(24)
  })

  it('points into the anchor when an alias repeats a mistake', () => {
    const text = 'signals:\n  - &one\n    method: id_doc_scan\n    zzzzz: 1\n  - *one\nname: a\n'
    expect(
      complaintAbout(text)
        .split('\n')
        .map((line) => line.slice(0, 10)),
    ).toEqual(['x.yaml:4: ', 'x.yaml:4: '])
  })

  it('cannot fill the memory by aliases of aliases', () => {
    const bomb = ['a: &a0 [x, x]', ...Array.from({ length: 30 }, (_, n) => `b${n}: &a${n + 1} [*a${n}, *a${n}]`)].join(
      '\n',
    )
    expect(complaintAbout(bomb)).toMatch(/^x\.yaml: Excessive alias count/)
  })

  it('shortens a long text in a complaint', () => {
    expect(complaintAbout(`name: a\nport: ${'9x'.repeat(500)}\n`).length).toBeLessThan(150)
  })

  it('gives back every mapping that was written as YAML', () => {
    const open = z.record(z.string(), z.unknown())
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ minLength: 1 }), fc.oneof(fc.string(), fc.integer(), fc.boolean())),
        (value) => {
          fc.pre(!Object.hasOwn(value, '__proto__'))
          expect(parseYamlDocument(stringify({ ...value, last: 1 }), { file: 'x', schema: open })).toEqual({
            ...value,
            last: 1,
          })
        },
      ),
    )
  })

  it('never throws anything but a ConfigError', () => {
    const fragment = fc.constantFrom(
      'a',
      ':',
      ' ',
      '\n',
      '-',
      '[',
      ']',
      '{',
      '}',
      '&a',
      '*a',
      '"',
      "'",
      '|',
      '>',
      '!',
      '%',
      '#',
      '\t',
      'name',
      '?',
      ',',
    )
    fc.assert(
      fc.property(fc.array(fragment, { maxLength: 40 }), (fragments) => {
        expect(complaintAbout(fragments.join(''))).toEqual(expect.any(String))
      }),
      { numRuns: 500 },
    )
  })
})
