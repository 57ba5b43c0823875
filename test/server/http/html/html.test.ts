import fc from 'fast-check'
import { expect, test } from 'vitest'
import { html, type Renderable, renderDocument } from '../../../../src/server/http/html/html.ts'
import { decodeReferences } from '../../../support/markup.ts'

/** Any string that a request can carry, rich in what markup is made of. */
const hostileText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc
    .array(
      fc.constantFrom(
        ...'<>&"\'/=`!-;# \t\n\r\0\uD800\uDC00😀a',
        '&amp;',
        '&#39',
        '</script>',
        '<!--',
      ),
    )
    .map((parts) => parts.join('')),
  fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units)),
)

/** What a document can carry of a text: neither NUL nor half of a surrogate pair. */
const representable = (text: string) => text.replace(/[\0\p{Surrogate}]/gu, '\uFFFD')

/** What steers the display of text: directions, what has no width, line ends of Unicode. */
const STEERING = Array.from(
  '\u202A\u202B\u202C\u202D\u202E\u2066\u2067\u2068\u2069\u200E\u200F\u061C\u200B\u2060\uFEFF\u2028\u2029',
)

test.each(STEERING)(
  'html leaves %j out of text, and keeps it in attributes, which forms send back',
  (character) => {
    const value = `a${character}b`
    expect(String(html`<p class="a">${value}</p><b>${['x', value]}</b>`)).toBe(
      '<p class="a">ab</p><b>xab</b>',
    )
    const input = html`<p>x</p><input name="state" value="${value}" ${html`title="x"`} alt="${value}">`
    expect(String(input)).toBe(
      `<p>x</p><input name="state" value="${value}" title="x" alt="${value}">`,
    )
  },
)

test.each([
  ['Arabic', 'الاسم (18) العربي'],
  ['Hebrew between Latin', 'shop חנות shop'],
  ['Persian with a joiner that parts letters', 'می\u200cخواهم'],
  ['a family of emoji', '👨\u200d👩\u200d👧'],
])('html leaves %s as it is', (_, text) => {
  expect(String(html`<p>${text}</p>`)).toBe(`<p>${text}</p>`)
})

test('html writes a hostile value so that it is read back as the same text', () => {
  fc.assert(
    fc.property(hostileText, (text) => {
      const [, read] = /^<p title="([^"]*)">$/.exec(String(html`<p title="${text}">`)) ?? []
      expect(decodeReferences(read ?? '')).toBe(representable(text))
    }),
  )
})

test('html never lets a value open a tag, end an attribute or begin a reference of its own', () => {
  fc.assert(
    fc.property(hostileText, (text) => {
      expect(String(html`${text}`)).toMatch(/^(?:[^<>"'&\r\0]|&(?:amp|lt|gt|quot|#39|#13);)*$/u)
    }),
  )
})

const ITEMS = ['<a>', 1].map((item) => html`<li>${item}</li>`)

test.each<[string, Renderable, string]>([
  ['undefined as nothing', undefined, ''],
  ['null as nothing', null, ''],
  ['false as nothing', false, ''],
  ['an empty string as nothing', '', ''],
  ['an empty array as nothing', [], ''],
  ['zero', 0, '0'],
  ['the items of an array without a separator', ITEMS, '<li>&lt;a&gt;</li><li>1</li>'],
  ['the texts of an array escaped', ['<b>', ['&', html`<i>`]], '&lt;b&gt;&amp;<i>'],
  ['a text without a joiner that joins nothing', 'ad\u200cul\u200dt\u200d', 'adult'],
  ['its own markup without escaping it again', html`<b>${'&'}</b>`, '<b>&amp;</b>'],
])('html renders %s', (_, value, text) => {
  expect(String(html`<p>${value}</p>`)).toBe(`<p>${text}</p>`)
})

test('html keeps a backslash of a template as it is written', () => {
  expect(String(html`a\tb`)).toBe('a\tb')
})

test('html does not take an object that looks like markup for markup', () => {
  const forged: string = JSON.parse('{"toString":"<b>","markup":"<b>"}')
  expect(() => String(html`${forged}`)).toThrow()
})

test('html begins a document with its type', () => {
  expect(renderDocument(html`<html lang="en"></html>`)).toBe(
    '<!doctype html>\n<html lang="en"></html>\n',
  )
})
