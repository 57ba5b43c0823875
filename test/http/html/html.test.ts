import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { html, type Renderable, renderDocument } from '../../../src/http/html/html.ts'
import { decodeReferences } from '../../support/markup.ts'

/** Any string that a request can carry, rich in what markup is made of. */
const hostileText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc
    .array(fc.constantFrom(...'<>&"\'/=`!-;# \t\n\r\0\uD800\uDC00😀a', '&amp;', '&#39', '</script>', '<!--'))
    .map((parts) => parts.join('')),
  fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units)),
)

/** What a document can carry of a text: neither NUL nor half of a surrogate pair. */
const representable = (text: string) => text.replace(/[\0\p{Surrogate}]/gu, '\uFFFD')

/** What steers the display of text: directions, what has no width, line ends of Unicode. */
const STEERING = [
  '\u202A',
  '\u202B',
  '\u202C',
  '\u202D',
  '\u202E',
  '\u2066',
  '\u2067',
  '\u2068',
  '\u2069',
  '\u200E',
  '\u200F',
].concat(['\u061C', '\u200B', '\u2060', '\uFEFF', '\u2028', '\u2029'])

describe('html', () => {
  it.each(STEERING)('leaves %j out of text', (character) => {
    const name = `adult${character}tluda`
    expect(String(html`<p class="a">${name}</p><b>${['x', name]}</b>`)).toBe(
      '<p class="a">adulttluda</p><b>xadulttluda</b>',
    )
  })

  it.each(STEERING)('keeps %j in attributes, which forms send back', (character) => {
    const value = `a${character}b`
    expect(String(html`<p>x</p><input name="state" value="${value}" ${html`title="x"`} alt="${value}">`)).toBe(
      `<p>x</p><input name="state" value="${value}" title="x" alt="${value}">`,
    )
  })

  it.each([
    ['Arabic', 'الاسم (18) العربي'],
    ['Hebrew between Latin', 'shop חנות shop'],
    ['Persian with a joiner that parts letters', 'می\u200cخواهم'],
    ['a family of emoji', '👨\u200d👩\u200d👧'],
  ])('leaves %s as it is', (_, text) => {
    expect(String(html`<p>${text}</p>`)).toBe(`<p>${text}</p>`)
  })

  it('leaves a joiner out that joins nothing', () => {
    expect(String(html`<p>${'ad\u200cul\u200dt\u200d'}</p>`)).toBe('<p>adult</p>')
  })

  it('writes a hostile value so that it is read back as the same text', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const [, read] = /^<p title="([^"]*)">$/.exec(String(html`<p title="${text}">`)) ?? []
        expect(decodeReferences(read ?? '')).toBe(representable(text))
      }),
    )
  })

  it('never lets a value open a tag, end an attribute or begin a reference of its own', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        expect(String(html`${text}`)).toMatch(/^(?:[^<>"'&\r\0]|&(?:amp|lt|gt|quot|#39|#13);)*$/u)
      }),
    )
  })

  it.each<[string, Renderable]>([
    ['undefined', undefined],
    ['null', null],
    ['false', false],
    ['an empty string', ''],
    ['an empty array', []],
  ])('renders nothing for %s', (_, value) => {
    expect(String(html`<p>${value}</p>`)).toBe('<p></p>')
  })

  it('renders zero', () => {
    expect(String(html`${0}`)).toBe('0')
  })

  it('joins the items of an array without a separator', () => {
    expect(String(html`<ul>${['<a>', 1].map((item) => html`<li>${item}</li>`)}</ul>`)).toBe(
      '<ul><li>&lt;a&gt;</li><li>1</li></ul>',
    )
  })

  it('escapes the texts of an array', () => {
    expect(String(html`${['<b>', ['&', html`<i>`]]}`)).toBe('&lt;b&gt;&amp;<i>')
  })

  it('does not escape its own markup again', () => {
    expect(String(html`<p>${html`<b>${'&'}</b>`}</p>`)).toBe('<p><b>&amp;</b></p>')
  })

  it('keeps a backslash of a template as it is written', () => {
    expect(String(html`a\tb`)).toBe('a\tb')
  })

  it('does not take an object that looks like markup for markup', () => {
    const forged: string = JSON.parse('{"toString":"<b>","markup":"<b>"}')
    expect(() => String(html`${forged}`)).toThrow()
  })

  it('begins a document with its type', () => {
    expect(renderDocument(html`<html lang="en"></html>`)).toBe('<!doctype html>\n<html lang="en"></html>\n')
  })
})
