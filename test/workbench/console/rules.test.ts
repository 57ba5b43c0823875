import { expect, test } from 'vitest'
import type { RuleRow } from '../../../src/service/oidc/rules/rule.ts'
import { levelOf, RULES } from '../../../src/service/oidc/rules/rules.ts'
import { startSandbox } from '../../support/sandbox.ts'

test.each<[query: object, isShown: (rule: RuleRow) => boolean]>([
  [{}, () => true],
  [{ level: 'advice' }, (rule) => levelOf(rule, 'agekey') === 'advice'],
  [{ q: 'appendix b' }, ({ section }) => section.includes('appendix B')],
  [{ q: 'par-07' }, ({ id }) => id === 'PAR-07'],
])(
  'The page of rules in profile agekey shows with %j the rules that fit',
  async (query, isShown) => {
    const { request } = await startSandbox({ profile: 'agekey' })
    const { text } = await request.get('/_sandbox/console/rules').query(query)
    const wanted = RULES.filter(isShown).map(({ id }) => id)
    expect((text.match(/(?<=<tr id=")[A-Z]{3}-\d+/g) ?? []).toSorted()).toEqual(wanted.toSorted())
  },
)
