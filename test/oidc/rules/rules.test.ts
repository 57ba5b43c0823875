import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { RULES, ruleRow } from '../../../src/oidc/rules/rules.ts'
import { renderRulesDocument } from '../../support/rules-document.ts'

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

test.each(RULES.map((row) => [row.id, row] as const))(
  'Rule %s says in sentences what holds and what to do',
  (_id, row) => {
    expect(row.sentence).toMatch(/^\S.*\.$/)
    expect(row.hint).toMatch(INSTRUCTION)
    expect(row.section).toMatch(/\S/)
  },
)

test('docs/rules.md is what the table says; `npm run docs` writes it', async () => {
  const document = renderRulesDocument()
  await expect(document).toMatchFileSnapshot(fileURLToPath(new URL('../../../docs/rules.md', import.meta.url)))
  expect(RULES.filter(({ id }) => !document.includes(`| \`${id}\` |`))).toEqual([])
})
