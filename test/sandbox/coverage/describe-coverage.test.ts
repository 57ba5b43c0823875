import { expect, test } from 'vitest'
import { type CoverageCounters, emptyCounters } from '../../../src/sandbox/coverage/counters.ts'
import type { Coverage } from '../../../src/sandbox/coverage/coverage.ts'
import { describeCoverage } from '../../../src/sandbox/coverage/describe-coverage.ts'
import { castOf } from '../../../src/sandbox/coverage/dimensions/item.ts'
import { findRow } from '../../../src/sandbox/outcomes/catalogue.ts'
import { loadPersonas } from '../../../src/sandbox/personas/load-personas.ts'
import type { Claims } from '../../../src/service/age/claims.ts'

const NOW = Date.parse('2026-06-15T12:00:00Z')
const ONCE = { count: 1 }
const personas = await loadPersonas()
const cast = await castOf(personas, { base: NOW, now: NOW })

function asking(claims: Claims, more: Partial<CoverageCounters> = {}) {
  const asked = { use: ONCE, fragment: ONCE, no_can_create: ONCE, ...more.asked }
  const seen = [{ claims, thresholds: {}, filters: {}, boundaries: {} }]
  return describeCoverage({ ...emptyCounters('1.0.0'), claims: seen, ...more, asked }, cast)
}
const AGE: Claims = { age_thresholds: [18] }

const itemOf = (
  { dimensions }: Awaited<ReturnType<typeof asking>>,
  dimension: keyof Coverage['dimensions'],
  title: string,
) => dimensions[dimension].items.find((item) => item.title === title || item.id === title)

test('A threshold is half covered when one of its answers was seen, and a persona gives the other', async () => {
  const claims = [{ claims: AGE, thresholds: { 18: { true: ONCE } }, filters: {}, boundaries: {} }]
  const sides = { true: ONCE, false: { count: 0, persona: expect.any(String) } }
  const item = { state: 'half', flow: 'use', claims: '{"age_thresholds":[18]}', sides }
  const answers = { covered: 1, total: 2, percent: 50, items: [item] }
  expect((await asking(AGE, { claims })).dimensions).toMatchObject({ answers })
})

test('Coverage names a persona on each side of a birthday, and what to add when none fits', async () => {
  const { items } = (await asking({ age_thresholds: [18, 25] })).dimensions.boundaries
  expect(items.map(({ sides }) => [sides['today']?.persona, sides['tomorrow']?.persona])).toEqual([
    ['turned-18-today', 'turns-18-tomorrow'],
    [undefined, undefined],
  ])
  expect(items[1]?.sides['tomorrow']?.closes).toContain('date_of_birth: today - 25y + 1d')
  expect((await castOf(personas, { base: NOW, now: NOW + 86_400_000 })).personas).toEqual(
    cast.personas,
  )
  // No method with a date of birth.
  const allowed_methods = ['facial_age_estimation' as const, 'payment_card_network' as const]
  const { boundaries } = (await asking({ ...AGE, allowed_methods })).dimensions
  expect(boundaries).toMatchObject({ total: 0, percent: 100 })
})

test('Coverage lists each member of the claims that filters, with a persona that passes and a persona that fails', async () => {
  const { items } = (
    await asking({
      ...AGE,
      allowed_methods: ['id_doc_scan', 'facial_age_estimation'],
      overrides: { facial_age_estimation: { min_age: 21 } },
    })
  ).dimensions.filters
  expect(items.map(({ title }) => title)).toEqual([
    'allowed_methods',
    'overrides.facial_age_estimation.min_age',
  ])
  for (const { sides } of items) {
    expect(sides['passed']?.persona).toEqual(expect.any(String))
    expect(sides['failed']?.persona).not.toBe(sides['passed']?.persona)
  }
})

test('Coverage leaves flows out that the app never used, and names them with the reason', async () => {
  const described = await asking(AGE)
  expect(described.unused.map(({ flow }) => flow)).toEqual([
    'create',
    'upgrade',
    'discovery',
    'jwks',
  ])
  expect(described.dimensions.must.items.every(({ flow }) => flow === 'use')).toBe(true)
  expect(itemOf(described, 'endings', 'created')).toBeUndefined()
  // It brings no answer.
  expect(itemOf(described, 'must', 'use/no_answer')).toBeUndefined()
  expect(described.dimensions.calls.total).toBe(0)
})

test.each([
  ['can_create', 'use/create_requested', 'create_requested'],
  ['upgrade', 'use/code_issued', 'code_issued'],
  ['upgrade', 'upgrade/upgrade.not_ok', 'upgrade.not_ok'],
  ['create', 'par/par.request_uri_missing', 'par.request_uri_missing'],
])(
  'Coverage demands of an app that asks for %s, and of no other, the row %s',
  async (asked, row, outcome) => {
    expect(itemOf(await asking(AGE), 'must', row)).toBeUndefined()
    const item = itemOf(await asking(AGE, { asked: { [asked]: ONCE } }), 'must', row)
    expect(item).toMatchObject({ state: 'missing', sides: { seen: { outcome } } })
  },
)

test('Coverage demands four sides of a call from server to server, and no refusal of the key set', async () => {
  const described = await asking(AGE, { calls: { par: { success: ONCE }, jwks: {} } })
  const [refusal, failure, timeout] = ['400', '500', 'slow'].map((name) => ({
    outcome: `par.${name}`,
  }))
  const sides = { success: ONCE, refusal, failure, timeout }
  expect(itemOf(described, 'calls', 'par')).toMatchObject({ state: 'half', sides })
  expect(Object.keys(itemOf(described, 'calls', 'jwks')?.sides ?? {})).toEqual([
    'success',
    'failure',
    'timeout',
  ])
})

test('Coverage is 0 percent when nothing was delivered, or documents alone, so that no minimum is met by accident', async () => {
  const { dimensions } = await describeCoverage(emptyCounters('1.0.0'), cast)
  expect(Object.values(dimensions).map(({ percent }) => percent)).toEqual([0, 0, 0, 0, 0, 0])
  const counters = {
    ...emptyCounters('1.0.0'),
    calls: { discovery: { success: ONCE }, jwks: { success: ONCE } },
  }
  const { answers, filters, boundaries, endings } = (await describeCoverage(counters, cast))
    .dimensions
  expect([answers, filters, boundaries, endings].map(({ percent }) => percent)).toEqual([
    0, 0, 0, 0,
  ])
})

test('Coverage names the most severe row of level must first', async () => {
  const severities = (await asking(AGE)).dimensions.must.items.map(
    ({ id }) => findRow(id)?.severity ?? 0,
  )
  expect(severities.length).toBeGreaterThan(50)
  expect(severities).toEqual(severities.toSorted((one, other) => other - one))
})

test('Coverage rounds down, so that 100 percent has no gap', async () => {
  const [, ...others] = (await asking(AGE)).dimensions.must.items
  const { must } = (
    await asking(AGE, { rows: Object.fromEntries(others.map(({ id }) => [id, ONCE])) })
  ).dimensions
  expect(must.total - must.covered).toBe(1)
  expect(must.percent).toBeLessThan(100)
  const twoAges = { 13: { true: ONCE, false: ONCE }, 16: { true: ONCE, false: ONCE } }
  const claims = [
    { claims: { age_thresholds: [13, 16, 18] }, thresholds: twoAges, filters: {}, boundaries: {} },
  ]
  expect((await asking(AGE, { claims })).dimensions.answers).toMatchObject({
    covered: 4,
    total: 6,
    percent: 66,
  })
})
