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

describe('html', () => {
  it('writes a hostile value so that it is read back as the same text', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        expect(decodeReferences(String(html`${text}`))).toBe(representable(text))
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
