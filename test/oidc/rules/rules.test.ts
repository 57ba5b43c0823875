import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { RULES } from '../../../src/oidc/rules/rules.ts'
import { renderRulesDocument } from '../../support/rules-document.ts'

describe('The table of rules', () => {
  const ids = RULES.map(({ id }) => id)

  test('names each rule once, numbered without a gap', () => {
    const numbers = new Map<string, string[]>()
    for (const id of ids) {
      const [room = '', number = ''] = id.split('-')
      numbers.set(room, [...(numbers.get(room) ?? []), number])
    }
    for (const [room, found] of numbers) {
      const counted = found.map((_number, index) => String(index + 1).padStart(2, '0'))
      expect([...found].sort(), room).toEqual(counted)
    }
  })

  test.each(RULES.map((row) => [row.id, row] as const))(
    'says of %s in sentences what holds and what to do',
    (_id, row) => {
      expect(row.sentence).toMatch(/^\S.*\.$/)
      expect(row.hint).toMatch(/^\S.*\.$/)
      expect(row.section).toMatch(/\S/)
    },
  )
})

test('docs/rules.md is what the table says; `npm run docs` writes it', async () => {
  await expect(renderRulesDocument()).toMatchFileSnapshot(
    fileURLToPath(new URL('../../../docs/rules.md', import.meta.url)),
  )
  for (const { id } of RULES) expect(renderRulesDocument()).toContain(`| \`${id}\` |`)
})
