import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { findDocuments } from '../../src/documents/documents.ts'
import { renderLlmsText } from '../../src/documents/pages.ts'

test('llms.txt of the repository and the package lists each document by its file; `npm run docs` writes it', async () => {
  const text = renderLlmsText(({ file }) => file)
  for (const { file, line } of findDocuments()) expect(text).toContain(`](${file}): ${line}\n`)
  await expect(text).toMatchFileSnapshot(fileURLToPath(new URL('../../llms.txt', import.meta.url)))
})
