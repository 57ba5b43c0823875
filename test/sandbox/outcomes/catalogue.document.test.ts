import { expect, test } from 'vitest'
import { CATALOGUE_VERSION, OUTCOMES } from '../../../src/sandbox/outcomes/catalogue.ts'
import type { Outcome, OutcomeFlow } from '../../../src/sandbox/outcomes/outcome.ts'

const INTRODUCTION = `# Outcomes

Version {version} of the catalogue has {count} rows. Each row is one way in which a flow or a call can end. To force one, give its name:
\`sandbox_outcome=NAME\` on the authorization request, the header \`X-Sandbox-Outcome\` on a call, an expectation, or a button of
the choice page. \`agekey-sandbox outcomes\`, \`GET /_sandbox/catalog\` and the console list the same rows.

This file is made from the tables in \`src/sandbox/outcomes/\` by \`npm run docs\`.

## How to read a row

| Word | Meaning |
|---|---|
| accept, refuse | what a correct client does. A client that refuses what is to be accepted is too strict, or broken |
| depends | well-kept clients and the RFCs allow both: such a row shows what a client does, and never counts against it |
| level | how binding it is. **must**: the specification itself demands it. **should**: OpenID Connect, OAuth or JOSE documents demand it beyond that. **may**: hardening |
| severity | 0 to 10, like a CVSS base score |
| layer | **oidc**: a client library of OpenID Connect must catch it. **service**: a rule of this service, which no library knows, so that only the app can |
| bait | the persona for whom the careless reading is a yes: **adult**, **minor** or both. \`id_token.payload_changed\` inverts the answers: as an adult, an app that checks no signature reads no, and looks safe |
| breaks | the checks that fail for it. One, unless the row is several faults at once, as its text says |
| twin | the row to accept that differs by the fault alone. An app that refuses the twin too has shown nothing |
| needs | what the request must have asked for, and its persona hold |
| since | the version of the catalogue that brought it |

Below the heading of a family stands what is gained when one of its rows gets through (of rows to accept: what is lost when they
are refused), and what its rows share. A row says itself in what it differs.
`

const HEADINGS: Readonly<Record<OutcomeFlow, string>> = {
  use: 'Use (E1)',
  create: 'Create (E3)',
  par: 'PAR (E2)',
  token: 'Token (E4)',
  upgrade: 'Upgrade (E5)',
  discovery: 'Discovery (E6)',
  jwks: 'Key set (E6)',
}

/** `docs/outcomes.md`: the catalogue as Markdown, by flow and family. */
function renderOutcomesDocument(): string {
  const introduction = INTRODUCTION.replace('{version}', CATALOGUE_VERSION)
    .replace('{count}', String(OUTCOMES.length))
    .trimEnd()
  const flows = [...new Set(OUTCOMES.map(({ flow }) => flow))]
  const chapters = flows.flatMap((flow) => {
    const rows = OUTCOMES.filter((row) => row.flow === flow)
    const families = [...new Set(rows.map(({ family }) => family))]
    return [
      `\n## ${HEADINGS[flow]}`,
      ...families.flatMap((family) =>
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

/** What most rows of a family share. */
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
  await expect(renderOutcomesDocument()).toMatchFileSnapshot('../../../docs/outcomes.md')
})

test('docs/outcomes.md has each row once, with what happens, what to do, its level, its references and its harm', () => {
  const document = renderOutcomesDocument().replaceAll('\\_', '_').replaceAll('&lt;', '<')
  const lines = document.split('\n').filter((line) => line.startsWith('| `'))
  expect(lines).toHaveLength(OUTCOMES.length)
  for (const { name, summary, rule, level, refs, harm } of OUTCOMES) {
    const own = lines.filter((line) => line.startsWith(`| \`${name}\` |`)).join('\n')
    for (const text of [summary, rule, level, ...refs]) expect(own, name).toContain(text)
    expect(document).toContain(harm)
  }
})
