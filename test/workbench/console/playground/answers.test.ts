import { expect, test } from 'vitest'
import type { Claims } from '../../../../src/service/age/claims.ts'
import type { AgeSignal } from '../../../../src/service/age/signal.ts'
import { selectAnswers } from '../../../../src/workbench/console/playground/answer-table.ts'
import { answersOf } from '../../../../src/workbench/console/playground/answers.ts'
import { usedBytes } from '../../../support/used-bytes.ts'

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
  const ask = () =>
    answersOf(holders, { claims, before: undefined, changes: [], now: Date.parse('2026-06-01') })
  await ask()
  const before = await usedBytes()
  const { answers } = await ask()
  expect((await usedBytes()) - before).toBeLessThan(500_000)
  expect(answers[0]?.reasons[0]).toHaveLength(301)
})

/** Personas whose signals count how often a filter examines them. */
function countingHolders(personas: number, signals: number) {
  let examined = 0
  const counting = (): AgeSignal => ({
    ...SIGNAL,
    get iso_27566_1() {
      examined += 1
      return 'basic' as const
    },
  })
  const holders = Array.from({ length: personas }, (_, n) => ({
    name: `p${String(n).padStart(4, '0')}`,
    title: 'P',
    signals: Array.from({ length: signals }, counting),
  }))
  return { holders, examined: () => examined }
}

const THRESHOLDS = Array.from({ length: 100 }, (_, n) => n + 1)
const ASKED: Claims = { age_thresholds: THRESHOLDS }
const ask = (holders: Parameters<typeof answersOf>[0]) =>
  answersOf(holders, {
    claims: ASKED,
    before: undefined,
    changes: [],
    now: Date.parse('2026-06-01'),
  })

test('The answers of 600 personas to 100 thresholds examine each of their signals once', async () => {
  const { holders, examined } = countingHolders(600, 50)
  const { answers } = await ask(holders)
  expect(answers).toHaveLength(600)
  expect(examined()).toBe(600 * 50)
})

test('A page of the playground works out the reasons of the personas that it shows', async () => {
  const { holders, examined } = countingHolders(600, 50)
  const { answers } = await ask(holders)
  const before = examined()
  const { rows } = await selectAnswers(answers, THRESHOLDS, {})
  for (const { answer } of rows) expect(answer.reasons).not.toEqual([])
  expect(rows).toHaveLength(100)
  expect(examined() - before).toBe(100 * 50)
})

test('A search of the playground works out each reason once', async () => {
  const { holders, examined } = countingHolders(30, 5)
  const { answers } = await ask(holders)
  const before = examined()
  const { found } = await selectAnswers(answers, THRESHOLDS, { q: 'needs 17' })
  expect(found).toBe(30)
  expect(examined() - before).toBe(30 * 5)
})
