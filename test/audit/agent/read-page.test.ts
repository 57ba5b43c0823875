import { expect, test } from 'vitest'
import type { ShownPage } from '../../../src/audit/agent/browser.ts'
import {
  explanationOf,
  firstSentence,
  titleOf,
  wordsOf,
} from '../../../src/audit/agent/read-page.ts'

const url = 'http://app.test/'
const pageOf = (text: string, mediaType = 'text/html'): ShownPage => ({
  url,
  status: 200,
  mediaType,
  text,
})
const json = (value: unknown) => pageOf(JSON.stringify(value), 'application/json')

test('The words of a page are those of its visible text in lower case', () => {
  const html =
    '<title>Members</title><h1>Welcome, Ada!</h1><p>You are &quot;18&quot;.</p>Members <b>W</b>elcome'
  expect(wordsOf(pageOf(html))).toEqual(['members', 'welcome', 'ada', 'you', 'are', '18'])
})

const SECRET = `<script>secret()</script>; <style>secret{}</style>; <template><p>secret</p></template>
  <noscript>secret</noscript>; <!-- secret -->; <input type="hidden" name="secret" value="secret">
  <div hidden><p>secret</p></div>; <p style="color:red;display:none">secret</p>; <head><meta name="secret" content="secret"></head>`

test.each(SECRET.split(/[;\n] +/))(
  'The words of a page leave out what is not shown: %s',
  (html) => {
    expect(wordsOf(pageOf(`${html}<p>shown</p>`))).toEqual(['shown'])
  },
)

test('The words of a page leave out identifiers', () => {
  const tokens = ['dGhpcyBpcyBhIHRva2Vu', 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0', 'x'.repeat(41)]
  for (const id of ['0190a5b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b', 'deadbeef01234567', ...tokens]) {
    expect(wordsOf(pageOf(`sub: ${id}, here`))).toEqual(['sub', 'here'])
    expect(wordsOf(json({ sub: id }))).toEqual(['sub=…'])
  }
})

test('The words of a page keep long words', () => {
  const words =
    'internationalization VERIFICATION_FAILED_FOR state-of-the-art-work adult18 Über 未成年'
  expect(wordsOf(pageOf(`<p>(${words.replaceAll(' ', ') (')})</p>`))).toEqual(
    words.toLowerCase().split(' '),
  )
})

test('The words of JSON are the values with their paths', () => {
  const value = { age: { verified: true, over: 18 }, roles: ['Member', null], none: {}, text: '' }
  const words = [
    'age.verified=true',
    'age.over=18',
    'roles.0=member',
    'roles.1=null',
    'none={}',
    'text=',
  ]
  expect(wordsOf(json(value))).toEqual(words)
})

test.each([
  ['a problem in JSON', 'true', 'application/problem+json', ['true']],
  ['a text that says it is JSON and is none', 'Not found.', 'application/json', ['not', 'found']],
  ['plain text', '<b>Hi</b> there', 'text/plain', ['b>hi</b', 'there']],
  ['markup without a type', ' <b>Hi</b> there', '', ['hi', 'there']],
  ['a picture', 'PNG', 'image/png', []],
  ['an empty page', '', 'text/html', []],
])('The words of %s, which is %j as %s, are %j', (_what, text, mediaType, words) => {
  expect(wordsOf(pageOf(text, mediaType))).toEqual(words)
})

test('Words are found in a page of thousands of parts', () => {
  expect(wordsOf(pageOf(`${'<div>'.repeat(100_000)}deep`))).toEqual(['deep'])
})

test('Words are found in deep JSON', () => {
  expect(wordsOf(pageOf(`${'<p>a'.repeat(200_000)}<p>b`))).toEqual(['a', 'b'])
  expect(
    wordsOf(pageOf(`${'['.repeat(5_000)}1${']'.repeat(5_000)}`, 'application/json')),
  ).toHaveLength(1)
  expect(wordsOf(json(Array.from({ length: 200_000 }, () => 1)))).toHaveLength(200_000)
})

test('The evidence of a page is its title beside the first sentence', () => {
  const shown = pageOf(
    '<title> My\n app </title><h1>No</h1> <p>You are not 18 yet. Come back later.</p>',
  )
  expect(titleOf(shown)).toBe('My app')
  expect(firstSentence(shown)).toBe('No You are not 18 yet.')
})

test('The evidence of JSON is the text as it came', () => {
  const answer = json({ error: 'Too young.' })
  expect(titleOf(answer)).toBe('')
  expect(firstSentence(answer)).toBe('{"error":"Too young."}')
})

test('The evidence of a page has at most 120 characters', () => {
  expect(firstSentence(pageOf('word '.repeat(100)))).toHaveLength(120)
  expect(firstSentence(json({ message: 'x'.repeat(200) }))).toHaveLength(120)
})

test.each([
  [
    '<title>Gone (agekey-sandbox)</title><p>410</p><p data-testid="error-description">It ended.</p>',
    'Gone: It ended.',
  ],
  ['<p>Only text.</p>', 'Only text.'],
  ['', 'an empty page with status 200'],
])('A page of the sandbox that is %j explains %j', (html, expected) => {
  expect(explanationOf(pageOf(html))).toBe(expected)
})
