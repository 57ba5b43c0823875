import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { CATALOGUE_VERSION, OUTCOMES } from '../../../src/sandbox/outcomes/catalogue.ts'
import type { Outcome, OutcomeFlow } from '../../../src/sandbox/outcomes/outcome.ts'

const DOCUMENT = fileURLToPath(new URL('../../../docs/outcomes.md', import.meta.url))

const HEADINGS: Readonly<Record<OutcomeFlow, string>> = {
  use: 'Use (E1)',
  create: 'Create (E3)',
  par: 'PAR (E2)',
  token: 'Token (E4)',
  upgrade: 'Upgrade (E5)',
  discovery: 'Discovery (E6)',
  jwks: 'Key set (E6)',
}

/** `docs/outcomes.md`: its introduction with the numbers of now, and the catalogue as Markdown, by flow and family. */
function renderOutcomesDocument(): string {
  const [written = ''] = readFileSync(DOCUMENT, 'utf8').split(`\n\n## ${HEADINGS.use}`, 1)
  const numbers = `Version ${CATALOGUE_VERSION} of the catalogue has ${OUTCOMES.length} rows.`
  const introduction = written.replace(/^Version .*? rows\./m, numbers)
  const chapters = [...new Set(OUTCOMES.map(({ flow }) => flow))].flatMap((flow) => {
    const rows = OUTCOMES.filter((row) => row.flow === flow)
    return [
      `\n## ${HEADINGS[flow]}`,
      ...[...new Set(rows.map(({ family }) => family))].flatMap((family) =>
        renderFamily(
          `${flow}: ${family.replaceAll('_', ' ')}`,
          rows.filter((row) => row.family === family),
        ),
      ),
    ]
  })
  return `${[introduction, ...chapters].join('\n')}\n`
}

function renderFamily(title: string, rows: readonly Outcome[]): string[] {
  const common = mostFrequent(rows.map(({ harm }) => harm))
  const facts = factsOf(rows)
  return [
    `\n### ${title}\n`,
    `${common}\n`,
    `${escaped(facts.join('; '))}.\n`,
    '| Name | What happens | What a correct client does | Level | Reference |',
    '|---|---|---|---|---|',
    ...rows.map((row) => renderRow(row, [common, ...facts])),
  ]
}

/** What stands at the heading of a family is not repeated in its rows. */
function renderRow(row: Outcome, common: readonly string[]): string {
  const own = FACTS.map((fact) => fact(row)).filter((text) => text !== '' && !common.includes(text))
  const needs = (row.needs ?? []).map((need) => `\`${need}\``).join(', ')
  const cells = [
    `\`${row.name}\``,
    common.includes(row.harm) ? row.summary : `${row.summary} ${row.harm}`,
    `**${row.correctClient}** ${row.rule}`,
    [`**${row.level}** ${row.severity}`, ...own, ...(needs === '' ? [] : [`needs ${needs}`])].join('; '),
    row.refs.join('; '),
  ]
  return `| ${cells.map(escaped).join(' | ')} |`
}

const FACTS: readonly ((row: Outcome) => string)[] = [
  ({ layer }) => `Layer ${layer}`,
  ({ bait }) => `bait ${bait}`,
  ({ breaks }) => (breaks.length === 0 ? 'breaks nothing' : `breaks ${breaks.map((name) => `\`${name}\``).join(', ')}`),
  ({ twin }) => `twin \`${twin}\``,
  ({ since }) => `since ${since}`,
  ({ cwe }) => cwe.map((id) => `[CWE-${id}](https://cwe.mitre.org/data/definitions/${id}.html)`).join(', '),
]

const factsOf = (rows: readonly Outcome[]) =>
  FACTS.map((fact) => mostFrequent(rows.map(fact))).filter((text) => text !== '')

const escaped = (text: string) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('__', '\\_\\_')

function mostFrequent(texts: readonly string[]): string {
  const count = (text: string) => texts.filter((one) => one === text).length
  return [...texts].sort((a, b) => count(b) - count(a))[0] ?? ''
}

test('docs/outcomes.md is what the catalogue says; `npm run docs` writes it', async () => {
  await expect(renderOutcomesDocument()).toMatchFileSnapshot(DOCUMENT)
})
