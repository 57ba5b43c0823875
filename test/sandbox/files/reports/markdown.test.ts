import { expect, test } from 'vitest'
import { codeSpan, escapeMarkdown } from '../../../../src/sandbox/files/reports/markdown.ts'

test.each([
  ['plain text, section 3.1 (2)', 'plain text, section 3.1 (2)'],
  ['id_token *bold* `code`', 'id\\_token \\*bold\\* \\`code\\`'],
  ['[a](http://b.example) ![c](d)', '\\[a\\](http\\://b.example) \\!\\[c\\](d)'],
  ['<b>&amp;', '\\<b\\>\\&amp;'],
  ['a | b', 'a \\| b'],
  ['# a #12 @b $c$ ~~d~~', '\\# a \\#12 \\@b \\$c\\$ \\~\\~d\\~\\~'],
  ['see www.example.test', 'see www\\.example.test'],
  ['- a', '\\- a'],
  ['12. a', '12\\. a'],
  [' 1. a', '1\\. a'],
  ['0.2', '0.2'],
  ['a\n\n# b', 'a\\\\n\\\\n\\# b'],
  ['\\', '\\\\'],
])('The text %j means itself in Markdown', (text, written) => {
  expect(escapeMarkdown(text)).toBe(written)
})

test.each([
  ['200 at /callback', '`200 at /callback`'],
  ['a `b` c', '``a `b` c``'],
  ['``` x `', '```` ``` x ` ````'],
  ['`', '`` ` ``'],
  [' a', '`  a `'],
  ['a\nb\u001b[31m\u202e', '`a\\nb\\u001b[31m\\u202e`'],
  ['half \ud800', '`half \ufffd`'],
  ['', '(empty)'],
  [' ', '(empty)'],
])('The value %j in Markdown is a code span that it cannot leave', (text, written) => {
  expect(codeSpan(text)).toBe(written)
})

test('A value in Markdown ends after 2,000 characters, between two of them', () => {
  expect(codeSpan('x'.repeat(5000))).toHaveLength(2000 + 4)
  expect(codeSpan(`${'x'.repeat(1999)}🔑`)).toBe(`\`${'x'.repeat(1999)} …\``)
})
