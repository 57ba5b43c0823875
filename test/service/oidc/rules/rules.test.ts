import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import type { Level, RuleRow } from '../../../../src/service/oidc/rules/rule.ts'
import { levelOf, RULE_CHAPTERS, RULES, ruleRow } from '../../../../src/service/oidc/rules/rules.ts'

test('The table of rules names each rule once, numbered without a gap', () => {
  const numbers = new Map<string, string[]>()
  for (const { id } of RULES) {
    const [room = '', number = ''] = id.split('-')
    numbers.set(room, [...(numbers.get(room) ?? []), number])
  }
  for (const [room, found] of numbers) {
    const counted = found.map((_number, index) => String(index + 1).padStart(2, '0'))
    expect([...found].sort(), room).toEqual(counted)
  }
  expect(() => ruleRow('USE-99')).toThrow('no rule has the id USE-99')
})

/** The words with which a hint tells what to do. */
const INSTRUCTION =
  /^(?:Ask|Choose|Compare|Correct|Do not|Exchange|Keep|Leave|Look|Make|Name|Open|Push|Remove|Run|Send|Shorten|Sort|Use) .*\.$/

test.each(RULES)(
  'Rule $id says in sentences what holds and what to do',
  ({ sentence, hint, section }) => {
    expect(sentence).toMatch(/^\S.*\.$/)
    expect(hint).toMatch(INSTRUCTION)
    expect(section).toMatch(/\S/)
  },
)

const DOCUMENT = fileURLToPath(new URL('../../../../docs/rules.md', import.meta.url))

/** `docs/rules.md`: its introduction as it is, and the table of rules as Markdown. */
function renderRulesDocument(): string {
  const chapters = RULE_CHAPTERS.map(({ title, rules }) => {
    const rows = rules.map(renderRow)
    return [
      `\n## ${title}\n`,
      '| Rule | What holds | Broken | What to do | From |',
      '|---|---|---|---|---|',
      ...rows,
    ]
  })
  const introduction = readFileSync(DOCUMENT, 'utf8').split('\n\n## ', 1)
  return `${[...introduction, ...chapters.flat()].join('\n')}\n`
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

test('docs/rules.md is the document that `npm run docs` writes', async () => {
  const document = renderRulesDocument()
  await expect(document).toMatchFileSnapshot(DOCUMENT)
  expect(RULES.filter(({ id }) => !document.includes(`| \`${id}\` |`))).toEqual([])
})
