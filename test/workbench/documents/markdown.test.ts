import { expect, test } from 'vitest'
import { sectionsOf } from '../../../src/workbench/documents/markdown.ts'
import { plainText } from '../../../src/workbench/documents/plain-text.ts'
import { renderSection } from '../../../src/workbench/documents/render-section.ts'

test.each([
  ['# What is checked, and why?', ['what-is-checked-and-why']],
  ['# The service’s own SDK & sample', ['the-services-own-sdk--sample']],
  ['# `app/verify/route.ts`', ['appverifyroutets']],
  ['# mod_auth_openidc', ['mod_auth_openidc']],
  ['# [Links](x.md) and **bold**', ['links-and-bold']],
  ['# Über uns', ['über-uns']],
  ['# A\n\n## B\n\n## B\n\n### B\n', ['a', 'b', 'b-1', 'b-2']],
])('The anchors of %j are those that GitHub makes', (markdown, anchors) => {
  expect(sectionsOf(markdown).map(({ anchor }) => anchor)).toEqual(anchors)
})

test('A section of a document is a heading with all before the next one, without the front matter of a skill', () => {
  const sections = sectionsOf('---\nname: x\n---\n\n# Title\n\nFirst.\n\n## Second\n\n- a\n- b\n')
  expect(sections.map(({ heading, depth, markdown }) => ({ heading, depth, markdown }))).toEqual([
    { heading: 'Title', depth: 1, markdown: '# Title\n\nFirst.\n\n' },
    { heading: 'Second', depth: 2, markdown: '## Second\n\n- a\n- b\n' },
  ])
})

test('The plain text of a section has no markup', () => {
  const parts = [
    '# T',
    '<b>Bold</b> **and** `code` [link](x.md)',
    '| a | b |\n|---|---|\n| c | d |',
    '- e\n  - f',
  ]
  const [section] = sectionsOf([...parts, '```ts\nconst g = 1\n```', '> h\n'].join('\n\n'))
  expect(plainText(section?.tokens ?? []).trim()).toBe(
    'Bold and code link a b c d e f const g = 1 h',
  )
})

const render = (markdown: string) =>
  sectionsOf(`# Title\n\n${markdown}`)
    .map((section) =>
      renderSection(section, (target) => (target === 'gone.md' ? undefined : `/f/${target}`)),
    )
    .join('')
    .trim()

test('Raw HTML of a document is left out', () => {
  expect(render('<script>alert(1)</script>\n')).toBe('')
  expect(render('a <img src=x onerror=alert(1)> b')).toBe('<p>a  b</p>')
})

test('The text of a document stays text', () => {
  expect(render('`<script>` & "c"')).toBe('<p><code>&lt;script&gt;</code> &amp; &quot;c&quot;</p>')
})

test('A line break in a cell of a table stays one', () => {
  expect(render('| A |\n|---|\n| b<br>c |\n')).toContain('b<br>c')
})

test('Pictures in the raw HTML of a document are shown, on dark pages the dark ones', () => {
  const dark = (path: string) => `<source media="(prefers-color-scheme: dark)" srcset="${path}">`
  const light = '<img src="l.png" width="49%" alt="A &lt;b&gt;">'
  const shown = `${dark('/f/d.png')}<img src="/f/l.png" alt="A &amp;lt;b&amp;gt;" loading="lazy">`
  expect(
    render(
      `<picture>\n  ${dark('d.png')}\n  ${light}\n</picture>\n<img src="gone.md" onerror="x">`,
    ),
  ).toBe(`<div class="pictures"><picture>${shown}</picture></div>`)
})

test('The headings of a document keep their anchors without the title', () => {
  expect(render('## `A` b\n\n### C\n')).toBe(
    '<h2 id="a-b"><code>A</code> b</h2>\n<h3 id="c">C</h3>',
  )
})

test('A link or an image of a document leads to where the file is served, or else to nothing', () => {
  const [link, image] = [
    '<a href="/f/a.md#b"><strong>a</strong></a>',
    '<img src="/f/p.png" alt="P" loading="lazy">',
  ]
  expect(render('[**a**](a.md#b) ![P](p.png)')).toBe(`<p>${link} ${image}</p>`)
  expect(render('[a](gone.md) ![p](gone.md)')).toBe('<p>a p</p>')
})

test('A code block of a document is a snippet that can be copied', () => {
  const code = '<pre tabindex="0"><code>curl &quot;a&quot; &lt;b&gt;</code></pre>'
  expect(render('```sh\ncurl "a" <b>\n```')).toBe(`<div class="snippet" data-copy>${code}</div>`)
})

test('Each cell of a table in a document names its column, for phones', () => {
  const rendered = render('| `Name` | For |\n|---|---|\n| a | b |\n')
  expect(rendered).toContain('<th scope="col"><code>Name</code></th><th scope="col">For</th>')
  expect(rendered).toContain('<tr><th scope="row">a</th><td data-label="For">b</td></tr>')
})

test('A table in a document has no empty heading', () => {
  const rendered = render('| | `AGE_KEY` |\n|---|---|\n| a | b |\n')
  expect(rendered).toContain(
    '<thead><tr><td></td><th scope="col"><code>AGE_<wbr>KEY</code></th></tr></thead>',
  )
})

test('A numbered list in a document begins with its first number', () => {
  const list = render('3. a\n   - b\n4. c\n').replaceAll('\n', '')
  expect(list).toBe('<ol start="3"><li>a<ul><li>b</li></ul></li><li>c</li></ol>')
})
