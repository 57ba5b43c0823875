import { expect, test } from 'vitest'
import { groupByRule } from '../../../src/console/flows/by-rule.ts'
import type { Finding } from '../../../src/oidc/rules/finding.ts'
import { listedFlow, recordedCall } from '../../support/journal-entries.ts'

function broke(id: string, ...rules: (readonly [Finding['rule'], Finding['level']])[]) {
  const findings = rules.map(([rule, level]) => ({ rule, level, path: 'x', message: `${rule} in ${id}`, hint: 'h' }))
  return listedFlow({ id, calls: [recordedCall({ findings })] })
}

async function* of(...flows: ReturnType<typeof broke>[]) {
  yield* flows
}
test('Flows by broken rule stand below each rule that they broke: errors first, then the rule that most of them broke', async () => {
  const { groups, total, sound } = await groupByRule(
    of(
      broke('f5', ['USE-08', 'advice'], ['USE-08', 'advice']),
      broke('f4', ['USE-08', 'advice']),
      broke('f3', ['USE-04', 'error'], ['PAR-07', 'error']),
      broke('f2', ['USE-04', 'error']),
      broke('f1'),
    ),
  )
  const seen = groups.map(
    ({ finding, count, newest }) => `${finding.rule} ${count}: ${newest.map(({ flow }) => flow.id)}`,
  )
  expect(seen).toEqual(['USE-04 2: f3,f2', 'PAR-07 1: f3', 'USE-08 2: f5,f4'])
  expect({ total, sound: sound.newest.map(({ id }) => id) }).toEqual({ total: 5, sound: ['f1'] })
})

test('Flows by broken rule name the newest five of a rule, and say how many there are', async () => {
  const ids = ['f7', 'f6', 'f5', 'f4', 'f3', 'f2', 'f1']
  const { groups } = await groupByRule(of(...ids.map((id) => broke(id, ['USE-04', 'error']))))
  expect(groups.map(({ count, newest }) => [count, newest.map(({ flow }) => flow.id)])).toEqual([[7, ids.slice(0, 5)]])
})
