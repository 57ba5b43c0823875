import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { readAllFacts } from './facts.ts'
import { renderLibrariesDocument } from './libraries-document.ts'

test('docs/libraries.md is what the facts say; `npm run docs` writes it', async () => {
  await expect(renderLibrariesDocument(readAllFacts())).toMatchFileSnapshot(
    fileURLToPath(new URL('../../../docs/libraries.md', import.meta.url)),
  )
})
