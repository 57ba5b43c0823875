import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { CATALOGUE_VERSION, OUTCOMES } from '../../../src/sandbox/outcomes/catalogue.ts'
import { renderOutcomesDocument } from '../../support/outcomes-document.ts'

test('docs/outcomes.md is what the catalogue says; `npm run docs` writes it', async () => {
  await expect(renderOutcomesDocument(CATALOGUE_VERSION)).toMatchFileSnapshot(
    fileURLToPath(new URL('../../../docs/outcomes.md', import.meta.url)),
  )
})

test('docs/outcomes.md has each row once, with what happens, what to do, its level, its references and its harm', () => {
  const document = renderOutcomesDocument(CATALOGUE_VERSION).replaceAll('\\_', '_').replaceAll('&lt;', '<')
  const lines = document.split('\n').filter((line) => line.startsWith('| `'))
  expect(lines).toHaveLength(OUTCOMES.length)
  for (const { name, summary, rule, level, refs, harm } of OUTCOMES) {
    const own = lines.filter((line) => line.startsWith(`| \`${name}\` |`)).join('\n')
    for (const text of [summary, rule, level, ...refs]) expect(own, name).toContain(text)
    expect(document).toContain(harm)
  }
})
