import { describe, expect, test } from 'vitest'
import type { CallRecord } from '../../src/client/shapes/flow.ts'
import { BRAND, PROFILES } from '../../src/oidc/profile.ts'
import { RULES, ruleRow } from '../../src/oidc/rules/rules.ts'
import { createRelyingParty } from '../support/relying-party.ts'
import { startSandbox } from '../support/sandbox.ts'
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
  describe(`In profile ${profile} the answer names the rule that a request breaks:`, () => {
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
