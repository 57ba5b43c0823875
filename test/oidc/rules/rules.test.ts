import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import type { CallRecord } from '../../../src/client/sandbox-api.ts'
import { BRAND, PROFILES } from '../../../src/oidc/profile.ts'
import { RULES, ruleRow } from '../../../src/oidc/rules/rules.ts'
import { createRelyingParty } from '../../support/relying-party.ts'
import { renderRulesDocument } from '../../support/rules-document.ts'
import { startSandbox } from '../../support/sandbox.ts'
import { AGE_SIGNAL_CASES } from './age-signal.cases.ts'
import { CLAIMS_CASES } from './claims.cases.ts'
import { CREATE_CASES } from './create.cases.ts'
import type { RuleCase } from './rule-case.ts'
import { UPGRADE_CASES } from './upgrade.cases.ts'
import { USE_CASES } from './use.cases.ts'

/** Each becomes a test with the id of its rule in the title, in every profile. */
const CASES: readonly RuleCase[] = [
  ...USE_CASES,
  ...CLAIMS_CASES,
  ...CREATE_CASES,
  ...AGE_SIGNAL_CASES,
  ...UPGRADE_CASES,
]

const wasRefused = ({ status, response }: CallRecord) =>
  status >= 400 || /[?#&]error=/.test(JSON.stringify(response ?? null))

for (const profile of PROFILES) {
  describe(`In profile ${profile} a request is told what it breaks:`, () => {
    test.each(CASES.map((one) => [one.rule, one.breaks, one] as const))('%s: %s', async (_rule, _breaks, one) => {
      const { rule, level = 'error', beside = [], send } = one
      const brand = BRAND[profile]
      const sandbox = await startSandbox({ profile })
      await send(createRelyingParty(sandbox, { brand }), { sandbox, brand })
      const call = (await sandbox.flows.last())?.calls.at(-1)
      const expected = typeof level === 'string' ? level : level[profile]
      expect(call?.findings.map((finding) => [finding.rule, finding.level])).toEqual([
        [rule, expected],
        ...beside.map((recommended) => [recommended, 'advice']),
      ])
      expect(call?.findings[0]).toEqual({
        ...{ rule, level: expected, path: expect.any(String) },
        ...{ message: expect.stringMatching(/./), hint: ruleRow(rule).hint },
      })
      expect(call && wasRefused(call)).toBe(expected === 'error')
    })
  })
}

test('Every rule has a request that breaks it', () => {
  const broken = new Set(CASES.map(({ rule }) => rule))
  expect(RULES.map(({ id }) => id).filter((id) => !broken.has(id))).toEqual([])
})

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
