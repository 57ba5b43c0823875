import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import type { Reading } from '../../../src/sandbox/readings/reading.ts'
import { excludedBy, quotationOf, READINGS } from '../../../src/sandbox/readings/readings.ts'

const DOCUMENT = fileURLToPath(new URL('../../../docs/readings.md', import.meta.url))
const HEADING = '## The readings\n'

/** `docs/readings.md`: its introduction with the numbers of now, and each reading of what the specification leaves open. */
function renderReadingsDocument(): string {
  const variants = READINGS.reduce((sum, reading) => sum + reading.variants.length - 1, 0)
  const [written = ''] = readFileSync(DOCUMENT, 'utf8').split(`\n${HEADING}`, 1)
  const numbers = `The table has ${READINGS.length} readings with\n${variants} variants`
  const introduction = written.replace(/The table has \d+ readings with\n\d+ variants/, numbers)
  return [introduction, HEADING, ...READINGS.map(renderReading)].join('\n')
}

function renderReading({ name, point, section, quote, variants, shownBy, ...reading }: Reading): string {
  const rows = variants.map((variant) => {
    const excluded = excludedBy(name, variant.name)
    const beside = excluded.length === 0 ? '' : ` Not beside ${excluded.map((id) => `\`${id}\``).join(', ')}.`
    const star = variant.name === reading.default ? ' *' : ''
    return `| \`${variant.name}\`${star} | ${variant.summary}${beside} | ${variant.source} |`
  })
  return [
    `### ${name}`,
    '',
    `${point}. ${section}: ${quotationOf({ quote })}`,
    '',
    '| Variant | What the service does | Source |',
    '|---|---|---|',
    ...rows,
    '',
    `Shown by ${shownBy.map((id) => `\`${id}\``).join(', ')}.`,
    '',
  ].join('\n')
}

test('docs/readings.md is what the table of readings says; `npm run docs` writes it', async () => {
  await expect(renderReadingsDocument()).toMatchFileSnapshot(DOCUMENT)
})
