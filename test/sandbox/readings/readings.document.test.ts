import { expect, test } from 'vitest'
import { renderReadingsDocument } from '../../support/readings-document.ts'

test('docs/readings.md is what the table of readings says; `npm run docs` writes it', async () => {
  await expect(renderReadingsDocument()).toMatchFileSnapshot('../../../docs/readings.md')
})
