import { expect, test } from 'vitest'
import type { Claims } from '../../../src/age/claims.ts'
import type { AgeSignal } from '../../../src/age/signal.ts'
import { answersOf } from '../../../src/console/playground/answers.ts'
import { usedBytes } from '../../support/used-bytes.ts'

const SIGNAL: AgeSignal = {
  ...{ method: 'id_doc_scan', age: { date_of_birth: '2010-01-01' }, verified_at: '2026-01-01' },
  provenance: '/veratad/roc',
}

test('The reasons of many personas take no more memory than they show', async () => {
  const holders = Array.from({ length: 100 }, (_, n) => ({
    name: `p${n}`,
    title: 'P',
    signals: Array(10).fill(SIGNAL),
  }))
  const allowed = Array.from({ length: 10 }, (_, n) => `/${n}${'x'.repeat(98)}`)
  const claims: Claims = { age_thresholds: [18, 21], provenance: { allowed } }
  const ask = () => answersOf(holders, { claims, before: undefined, changes: [], now: Date.parse('2026-06-01') })
  await ask()
  const before = await usedBytes()
  const { answers } = await ask()
  expect((await usedBytes()) - before).toBeLessThan(500_000)
  expect(answers[0]?.reasons[0]).toHaveLength(301)
})
