import { test } from 'vitest'
import { CATALOGUE_VERSION, OUTCOMES } from '../../../src/sandbox/outcomes/catalogue.ts'
import type { Outcome } from '../../../src/sandbox/outcomes/outcome.ts'
import type { CallName } from '../../../src/service/oidc/endpoints.ts'
import { expectPage, readPage, withGenerated } from '../../docs/page.ts'

const HEADINGS: Readonly<Record<CallName, string>> = {
  use: 'Use (E1)',
  create: 'Create (E3)',
  par: 'PAR (E2)',
  token: 'Token (E4)',
  upgrade: 'Upgrade (E5)',
  discovery: 'Discovery (E6)',
  jwks: 'Key set (E6)',
}

/**
 * The catalogue as Markdown: a table for each flow, in which a row with the name of a family stands
 * before its rows.
 */
function renderCatalogue(): string {
  const numbers = `Version ${CATALOGUE_VERSION} of the catalogue has ${OUTCOMES.length} rows.`
  const chapters = [...new Set(OUTCOMES.map(({ flow }) => flow))].flatMap((flow) => {
    const rows = OUTCOMES.filter((row) => row.flow === flow)
    return [
      `\n## ${HEADINGS[flow]}\n`,
      '| Name | What happens | What a correct client does | Level | Reference |',
      '|---|---|---|---|---|',
      ...[...new Set(rows.map(({ family }) => family))].flatMap((name) => {
        const family = rows.filter((row) => row.family === name)
        const [common, facts] = [mostFrequent(family.map(({ harm }) => harm)), factsOf(family)]
        const head = `| **${name.replaceAll('_', ' ')}** | ${escaped(`${common} ${facts.join('; ')}`)}. | | | |`
        return [head, ...family.map((row) => renderRow(row, [common, ...facts]))]
      }),
    ]
  })
  return `${[numbers, ...chapters].join('\n')}\n`
}

/** What the row of a family says is not repeated in the rows of the family. */
function renderRow(row: Outcome, common: readonly string[]): string {
  const own = FACTS.map((fact) => fact(row)).filter((text) => text !== '' && !common.includes(text))
  const needs = (row.needs ?? []).map((need) => `\`${need}\``).join(', ')
  const cells = [
    `\`${row.name}\``,
    common.includes(row.harm) ? row.summary : `${row.summary} ${row.harm}`,
    `**${row.correctClient}** ${row.rule}`,
    [`**${row.level}** ${row.severity}`, ...own, ...(needs === '' ? [] : [`needs ${needs}`])].join(
      '; ',
    ),
    row.refs.join('; '),
  ]
  return `| ${cells.map(escaped).join(' | ')} |`
}

const FACTS: readonly ((row: Outcome) => string)[] = [
  ({ layer }) => `Layer ${layer}`,
  ({ bait }) => `bait ${bait}`,
  ({ breaks }) =>
    breaks.length === 0
      ? 'breaks nothing'
      : `breaks ${breaks.map((name) => `\`${name}\``).join(', ')}`,
  ({ twin }) => `twin \`${twin}\``,
  ({ since }) => `since ${since}`,
  ({ cwe }) =>
    cwe.map((id) => `[CWE-${id}](https://cwe.mitre.org/data/definitions/${id}.html)`).join(', '),
]

const factsOf = (rows: readonly Outcome[]) =>
  FACTS.map((fact) => mostFrequent(rows.map(fact))).filter((text) => text !== '')

const escaped = (text: string) =>
  text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('__', '\\_\\_')

function mostFrequent(texts: readonly string[]): string {
  const count = (text: string) => texts.filter((one) => one === text).length
  return [...texts].sort((a, b) => count(b) - count(a))[0] ?? ''
}

test('docs/outcomes.md has the catalogue that `npm run docs` writes', async () => {
  await expectPage(
    'outcomes.md',
    withGenerated(readPage('outcomes.md'), 'catalogue', renderCatalogue()),
  )
})
