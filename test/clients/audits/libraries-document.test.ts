import { test } from 'vitest'
import { findRow, OUTCOMES, rowId } from '../../../src/sandbox/outcomes/catalogue.ts'
import type { Outcome } from '../../../src/sandbox/outcomes/outcome.ts'
import { expectPage, headingAnchors, readPage, withGenerated } from '../../docs/page.ts'
import { type Facts, familyId, installedVersion, readAllFacts } from './facts.ts'

test('docs/libraries.md is what the facts say; `npm run docs` writes it', async () => {
  const facts = readAllFacts().toSorted((one, other) => one.library.localeCompare(other.library))
  const codeFlowOnly = ['@auth/core', 'oidc-client-ts', 'passport-openidconnect'].map(
    (name) =>
      `| ${name.replace('@auth/core', 'Auth.js (@auth/core)')} | ${installedVersion(name)} |`,
  )
  const parts = {
    service: renderServiceFamilies(),
    libraries: renderTable(facts),
    details: [
      '| Library | Called by | Lets in | Beside |',
      '|---|---|---|---|',
      ...facts.map(renderLibrary),
    ],
    versions: ['| Library | Version |', '|---|---|', ...codeFlowOnly],
  }
  let page = readPage('libraries.md')
  for (const [name, lines] of Object.entries(parts))
    page = withGenerated(page, name, lines.join('\n'))
  await expectPage('libraries.md', page)
})

const renderServiceFamilies = (): string[] =>
  familiesOf('service').map(({ first, family }) => {
    const names = family.map(({ name }) => `\`${name}\``)
    return `- ${linkTo(first)}: ${names.join(', ')}`
  })

function renderTable(facts: readonly Facts[]): string[] {
  return [
    `| Family | ${facts.map(({ library }) => library).join(' | ')} |`,
    `|---|${facts.map(() => '---|').join('')}`,
    `| Version | ${facts.map(({ version }) => version).join(' | ')} |`,
    ...familiesOf('oidc')
      .map(({ first, family }) => ({ first, cells: facts.map((one) => renderCell(family, one)) }))
      .filter(({ cells }) => cells.some((cell) => cell !== '-'))
      .map(({ first, cells }) => `| ${linkTo(first)} | ${cells.join(' | ')} |`),
  ]
}

/** Of the rows of a family: how many the library lets in. */
function renderCell(family: readonly Outcome[], facts: Facts): string {
  const among = (rows: readonly string[]) =>
    family.filter((row) => rows.includes(rowId(row))).length
  const refused = family[0] === undefined ? 0 : (facts.refused[familyId(family[0])] ?? 0)
  const [letIn, broke] = [among(facts.let_in), among(facts.broke)]
  const judged = refused + letIn + broke
  if (judged === 0) return '-'
  if (refused === judged) return `✓ ${judged}`
  const broken = `${broke} of ${judged} break the app`
  if (letIn === 0) return broken
  return `**${letIn}**/${judged}${broke === 0 ? '' : `, ${broken}`}`
}

/** What the library was asked, and what it leaves to the app, in one row. */
function renderLibrary({
  library,
  version,
  measured,
  catalogue,
  uses,
  response_mode,
  scope,
  note,
  app,
  ...facts
}: Facts): string {
  const request = `\`${response_mode}\`, \`${scope}\``
  const called = [
    `${uses}; ${request}`,
    ...(app === undefined ? [] : [`\`test/clients/audits/apps/${app}\``]),
  ]
  const byLevel = ['must', 'should', 'may'].flatMap((level) =>
    renderRows(
      level,
      facts.let_in.filter((id) => rowOf(id).level === level),
    ),
  )
  const reasons = Object.entries({ ...facts.left_out, ...facts.undetermined, ...facts.not_for_it })
  const others = [
    ...(note === undefined ? [] : [note]),
    ...renderRows('breaks the app', facts.broke),
    ...renderRows('refused although right', facts.too_strict),
    ...renderRows(
      'not tried',
      reasons.map(([rows]) => rows),
    ),
  ]
  const cells = [
    `${library} ${version}<br>${measured}, ${catalogue}`,
    called.join('<br>'),
    byLevel.join('<br>'),
    others.join('<br>'),
  ]
  return `| ${cells.map((text) => text.replaceAll('|', '\\|')).join(' | ')} |`
}

const renderRows = (title: string, rows: readonly string[]): string[] =>
  rows.length === 0 ? [] : [`${title}: ${rows.map((row) => `\`${row}\``).join(', ')}`]

function rowOf(id: string): Outcome {
  const row = findRow(id)
  if (!row) throw new Error(`the catalogue has no row ${id}`)
  return row
}

/** Rows to refuse by flow and family: the first of each family, and all of them. */
function familiesOf(layer: Outcome['layer']) {
  const rows = OUTCOMES.filter((row) => row.layer === layer && row.correctClient === 'refuse')
  const likeRow = (row: Outcome) => rows.filter((other) => titleOf(other) === titleOf(row))
  return rows
    .filter((row) => likeRow(row)[0] === row)
    .map((first) => ({ first, family: likeRow(first) }))
}

const titleOf = ({ flow, family }: Outcome) => `${flow}: ${family.replaceAll('_', ' ')}`

const anchors = headingAnchors(readPage('outcomes.md'))

/** To the table of the flow. */
function linkTo(row: Outcome): string {
  const anchor = anchors.find((one) =>
    one.startsWith(row.flow === 'jwks' ? 'key-set-' : `${row.flow}-`),
  )
  return `[${titleOf(row)}](outcomes.md#${anchor})`
}
