import { expect, test } from 'vitest'
import { plainText, sectionsOf } from '../../src/documents/markdown.ts'

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

test('The plain text of a section has the words of the section, and no markup', () => {
  const parts = ['# T', '<b>Bold</b> **and** `code` [link](x.md)', '| a | b |\n|---|---|\n| c | d |', '- e\n  - f']
  const [section] = sectionsOf([...parts, '```ts\nconst g = 1\n```', '> h\n'].join('\n\n'))
  expect(plainText(section?.tokens ?? []).trim()).toBe('Bold and code link a b c d e f const g = 1 h')
})
