import { test } from 'vitest'
import { findRow, OUTCOMES, rowId } from '../../../src/sandbox/outcomes/catalogue.ts'
import type { Outcome } from '../../../src/sandbox/outcomes/outcome.ts'
import { expectPage, headingAnchors, readPage, withGenerated } from '../../docs/page.ts'
import { type Facts, familyId, installedVersion, readAllFacts } from './facts.ts'

test('docs/libraries.md is what the facts say; `npm run docs` writes it', async () => {
  const facts = readAllFacts().toSorted((one, other) => one.library.localeCompare(other.library))
  const codeFlowOnly = ['@auth/core', 'oidc-client-ts', 'passport-openidconnect'].map(
    (name) => `| ${name.replace('@auth/core', 'Auth.js (@auth/core)')} | ${installedVersion(name)} |`,
  )
  const parts = {
    service: renderServiceFamilies(),
    libraries: [...renderTable(facts), ...facts.flatMap(renderLibrary)],
    versions: ['| Library | Version |', '|---|---|', ...codeFlowOnly],
  }
  let page = readPage('libraries.md')
  for (const [name, lines] of Object.entries(parts)) page = withGenerated(page, name, lines.join('\n'))
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
  const among = (rows: readonly string[]) => family.filter((row) => rows.includes(rowId(row))).length
  const refused = family[0] === undefined ? 0 : (facts.refused[familyId(family[0])] ?? 0)
  const [letIn, broke] = [among(facts.let_in), among(facts.broke)]
  const judged = refused + letIn + broke
  if (judged === 0) return '-'
  if (refused === judged) return `✓ ${judged}`
  const broken = `${broke} of ${judged} break the app`
  if (letIn === 0) return broken
  return `**${letIn}**/${judged}${broke === 0 ? '' : `, ${broken}`}`
}

function renderLibrary(facts: Facts): string[] {
  const { library, version, measured, catalogue, uses, response_mode, scope, left_out, note } = facts
  const reasons = Object.entries(left_out).map(([rows, reason]) => `- \`${rows}\`: ${reason}`)
  const withReasons = (rows: Facts['undetermined' | 'not_for_it']) =>
    Object.entries(rows).map(
      ([row, reason]) => `- ${linkTo(rowOf(row), row)}: ${reason.replace('your app', 'the app')}`,
    )
  return [
    `\n## ${library}\n`,
    `Version ${version}, measured on ${measured} by version ${catalogue} of the catalogue, with \`response_mode=${response_mode}\` and the`,
    `scope \`${scope}\`. The app uses ${uses}${renderApp(facts)}.`,
    ...(note === undefined ? [] : [`\n${note}`]),
    ...renderList('It lets in', facts.let_in.map(listed)),
    ...renderList('It answers by an error of the server, or not at all', facts.broke.map(listed)),
    ...renderList('It refuses, although they are right', facts.too_strict.map(listed)),
    ...renderList('Undetermined', withReasons(facts.undetermined)),
    ...renderList('Not tried', [...reasons, ...withReasons(facts.not_for_it)]),
  ]
}

function renderApp({ app, anchor }: Facts): string {
  if (anchor === undefined) return ''
  const heading = `clients.md#${anchor}`
  if (app === undefined) return `: [its lines](${heading})`
  return `: \`test/clients/audits/apps/${app}\`; [clients.md](${heading}) has lines that check more`
}

const renderList = (title: string, lines: readonly string[]) => (lines.length === 0 ? [] : [`\n${title}:\n`, ...lines])

function listed(id: string): string {
  const row = rowOf(id)
  return `- ${linkTo(row, id)} (${row.level}): ${escaped(row.summary)}`
}

function rowOf(id: string): Outcome {
  const row = findRow(id)
  if (!row) throw new Error(`the catalogue has no row ${id}`)
  return row
}

/** Rows to refuse by flow and family: the first of each family, and all of them. */
function familiesOf(layer: Outcome['layer']) {
  const rows = OUTCOMES.filter((row) => row.layer === layer && row.correctClient === 'refuse')
  const likeRow = (row: Outcome) => rows.filter((other) => titleOf(other) === titleOf(row))
  return rows.filter((row) => likeRow(row)[0] === row).map((first) => ({ first, family: likeRow(first) }))
}

const titleOf = ({ flow, family }: Outcome) => `${flow}: ${family.replaceAll('_', ' ')}`

const linkTo = (row: Outcome, id?: string) =>
  `[${id === undefined ? titleOf(row) : `\`${id}\``}](outcomes.md#${headingAnchors(`# ${titleOf(row)}`)[0]})`

const escaped = (text: string) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('__', '\\_\\_')
