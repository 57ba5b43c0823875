import { test } from 'vitest'
import type { Reading } from '../../../src/sandbox/readings/reading.ts'
import { excludedBy, READINGS } from '../../../src/sandbox/readings/readings.ts'
import { expectPage, readPage, withGenerated } from '../../docs/page.ts'

test('docs/outcomes.md has the table of readings that `npm run docs` writes', async () => {
  const table = [
    '| Reading | What is open | Variants |',
    '|---|---|---|',
    ...READINGS.map(renderReading),
  ].join('\n')
  await expectPage('outcomes.md', withGenerated(readPage('outcomes.md'), 'readings', `${table}\n`))
})

function renderReading({ name, point, section, variants, ...reading }: Reading): string {
  const told = variants.map((variant) => {
    const star = variant.name === reading.default ? ' *' : ''
    const excluded = excludedBy(name, variant.name).map((id) => `\`${id}\``)
    const beside = excluded.length === 0 ? '' : ` Not beside ${excluded.join(', ')}.`
    return `\`${variant.name}\`${star} ${variant.summary}${beside} (${variant.source})`
  })
  return `| \`${name}\` | ${point} (${section}) | ${told.join('<br>')} |`
}
