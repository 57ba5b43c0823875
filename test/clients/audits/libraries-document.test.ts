import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { findRow, OUTCOMES, rowId } from '../../../src/sandbox/outcomes/catalogue.ts'
import type { Outcome } from '../../../src/sandbox/outcomes/outcome.ts'
import { headingAnchors } from '../../support/markdown.ts'
import { type Facts, readAllFacts } from './facts.ts'
import { installedVersion } from './installed-version.ts'

const INTRODUCTION = `# What client libraries check

Which wrong answers does a client library refuse by itself, and which ones are left to your app? Each column below is an
[audit](audit.md) of a small app that calls the library as its documentation says and makes no check of its own: it lets a user in when
the library accepts the answer and its \`age_thresholds\` say \`true\`, and refuses when the library does.

These are facts, no marks. A row that a library lets in is a check that it leaves to the app, often on purpose; its documentation may
say so. They hold for the version, the calls and the settings that stand with the library, and for open-source libraries alone. The
rows are those of [the catalogue](outcomes.md) whose layer is \`oidc\` and that a correct client refuses; rows that a correct client may
take or refuse are not counted.

This file is made from \`test/clients/audits/facts/\` by \`npm run docs\`. The test-suite makes each audit again and fails when it finds
something else; \`npm run facts\` writes what it finds, with the day. [clients.md](clients.md) has the lines that each library needs.

## What is left to every app

No library knows the rules of this service, so that no column speaks of the rows of layer \`service\`. Your app checks by itself:

{service}

Rows of \`jwks\` and \`discovery\` need a start of the app each; they were tried with the libraries that
have them in the table. \`discovery.jwks_uri_on_other_host\` counts as let in when the keys are fetched from there.

## What each library refuses

| Cell | Meaning |
|---|---|
| ✓ 8 | it refuses all 8 rows of the family |
| **2**/8 | it lets 2 of 8 rows in: the section of the library names them, with the level of each |
| - | no row was tried: the app has no such call, or does not use the library for it |
`

const CODE_FLOW_ONLY = `## Code flow only

These libraries cannot do Use, whose answer is an \`id_token\` without a code: the service answers them \`unsupported_response_type\`, as
\`test/clients/code-flow-only.others.test.ts\` shows. [clients.md](clients.md#code-flow-only) says what to do beside them.

| Library | Version |
|---|---|
`

const CODE_FLOW_LIBRARIES = {
  'Auth.js (@auth/core)': '@auth/core',
  'oidc-client-ts': 'oidc-client-ts',
  'passport-openidconnect': 'passport-openidconnect',
} as const

test('docs/libraries.md is what the facts say; `npm run docs` writes it', async () => {
  const facts = readAllFacts().toSorted((one, other) => one.library.localeCompare(other.library))
  const codeFlowOnly = Object.entries(CODE_FLOW_LIBRARIES).map(
    ([title, name]) => `| ${title} | ${installedVersion(name)} |`,
  )
  const lines = [
    INTRODUCTION.replace('{service}', renderServiceFamilies()),
    ...renderTable(facts),
    ...facts.flatMap(renderLibrary),
    `\n${CODE_FLOW_ONLY}${codeFlowOnly.join('\n')}\n`,
  ]
  const file = fileURLToPath(new URL('../../../docs/libraries.md', import.meta.url))
  await expect(lines.join('\n')).toMatchFileSnapshot(file)
})

const refusable = OUTCOMES.filter(({ correctClient }) => correctClient === 'refuse')

function renderServiceFamilies(): string {
  const rows = refusable.filter(({ layer }) => layer === 'service')
  const namesOf = (family: readonly Outcome[]) => family.map(({ name }) => `\`${name}\``).join(', ')
  return familiesOf(rows)
    .map(({ first, family }) => `- ${linkTo(first)}: ${namesOf(family)}`)
    .join('\n')
}

function renderTable(facts: readonly Facts[]): string[] {
  const families = familiesOf(refusable.filter(({ layer }) => layer === 'oidc'))
  return [
    `| Family | ${facts.map(({ library }) => library).join(' | ')} |`,
    `|---|${facts.map(() => '---|').join('')}`,
    `| Version | ${facts.map(({ version }) => version).join(' | ')} |`,
    ...families
      .map(({ first, family }) => ({ first, cells: facts.map((one) => renderCell(family, one)) }))
      .filter(({ cells }) => cells.some((cell) => cell !== '-'))
      .map(({ first, cells }) => `| ${linkTo(first)} | ${cells.join(' | ')} |`),
  ]
}

/** Of the rows of a family: how many the library lets in. */
function renderCell(family: readonly Outcome[], facts: Facts): string {
  const among = (rows: readonly string[]) => family.filter((row) => rows.includes(rowId(row))).length
  const [refused, letIn, broke] = [among(facts.refused), among(facts.let_in), among(facts.broke)]
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

/** Rows by flow and family: the first of each family, and all of them. */
const familiesOf = (rows: readonly Outcome[]) =>
  rows
    .filter((row, index) => rows.findIndex((other) => titleOf(other) === titleOf(row)) === index)
    .map((first) => ({ first, family: rows.filter((row) => titleOf(row) === titleOf(first)) }))

const titleOf = ({ flow, family }: Outcome) => `${flow}: ${family.replaceAll('_', ' ')}`

const linkTo = (row: Outcome, id?: string) =>
  `[${id === undefined ? titleOf(row) : `\`${id}\``}](outcomes.md#${headingAnchors(`# ${titleOf(row)}`)[0]})`

const escaped = (text: string) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('__', '\\_\\_')
