import type { Level, RuleRow } from '../../src/oidc/rules/rule.ts'
import { levelOf, RULES } from '../../src/oidc/rules/rules.ts'

const INTRODUCTION = `# Rules

Every sentence of the specification that a request can break. The ids are stable: they stand in error bodies, in the
journal and in the console. A broken rule is a finding: an **error** refuses the request, an **advice** says what is
legal but risky. A required parameter that is missing is \`invalid_request\`, whatever a wrong value would be; only
missing credentials stay \`invalid_client\`.

This file is made from the table in \`src/oidc/rules/\` by \`npm run docs\`.
`

/** Headings by what the ids begin with. */
const CHAPTERS: readonly (readonly [prefix: string, title: string])[] = [
  ['USE', 'E1: Use authorization'],
  ['CLM', 'E1: the claims object'],
  ['PAR', 'E2: pushed Create request'],
  ['CRE', 'E3: Create authorization'],
  ['SIG', 'E2 and E5: age signals'],
  ['TOK', 'E4: a code for a token'],
  ['UPG', 'E5: upgrade'],
]

/** `docs/rules.md`: the table of rules as Markdown. */
export function renderRulesDocument(): string {
  const chapters = CHAPTERS.map(([prefix, title]) => {
    const rows = RULES.filter(({ id }) => id.startsWith(`${prefix}-`)).map(renderRow)
    return [`\n## ${title}\n`, '| Rule | What holds | Broken | What to do | From |', '|---|---|---|---|---|', ...rows]
  })
  return `${[INTRODUCTION.trimEnd(), ...chapters.flat()].join('\n')}\n`
}

function renderRow(row: RuleRow): string {
  const cells = [`\`${row.id}\``, row.sentence, renderLevels(row), row.hint, row.section]
  return `| ${cells.map((text) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;')).join(' | ')} |`
}

function renderLevels(row: RuleRow): string {
  const { spec, agekey } = { spec: levelOf(row, 'spec'), agekey: levelOf(row, 'agekey') }
  const show = (level: Level) => (level === 'error' ? `error \`${row.error}\`` : level)
  return spec === agekey ? show(spec) : `${show(spec)}; in profile agekey ${show(agekey)}`
}
