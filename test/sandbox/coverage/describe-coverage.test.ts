import { beforeAll, describe, expect, test } from 'vitest'
import type { Claims } from '../../../src/age/claims.ts'
import { type CoverageCounters, emptyCounters } from '../../../src/sandbox/coverage/counters.ts'
import type { Coverage, DescribedCoverage } from '../../../src/sandbox/coverage/coverage.ts'
import { describeCoverage } from '../../../src/sandbox/coverage/describe-coverage.ts'
import { type Cast, castOf } from '../../../src/sandbox/coverage/dimensions/item.ts'
import { findRow } from '../../../src/sandbox/outcomes/catalogue.ts'
import { loadPersonas } from '../../../src/sandbox/personas/load-personas.ts'

const NOW = Date.parse('2026-06-15T12:00:00Z')
const ONCE = { count: 1 }

let cast: Cast
beforeAll(async () => {
  cast = castOf(await loadPersonas(), { base: NOW, now: NOW })
})

const asking = (claims: Claims, more: Partial<CoverageCounters> = {}): CoverageCounters => ({
  ...emptyCounters('1.0.0'),
  asked: { use: ONCE, fragment: ONCE, no_can_create: ONCE },
  claims: [{ claims, thresholds: {}, filters: {}, boundaries: {} }],
  ...more,
})

const itemOf = ({ dimensions }: DescribedCoverage, dimension: keyof Coverage['dimensions'], title: string) =>
  dimensions[dimension].items.find((item) => item.title === title || item.id === title)

describe('Coverage as it is described', () => {
  test('calls a threshold half covered when one of its answers was seen, and names a persona that gives the other', () => {
    const claims = { age_thresholds: [18] }
    const counters = asking(claims, {
      claims: [{ claims, thresholds: { 18: { true: ONCE } }, filters: {}, boundaries: {} }],
    })
    const { answers } = describeCoverage(counters, cast).dimensions
    expect(answers).toMatchObject({ covered: 1, total: 2, percent: 50 })
    expect(answers.items).toMatchObject([{ state: 'half', flow: 'use', claims: '{"age_thresholds":[18]}' }])
    expect(answers.items[0]?.sides).toMatchObject({ true: ONCE, false: { count: 0, persona: expect.any(String) } })
  })

  test('names a persona of the sandbox on each side of a birthday, and what to add when none fits', () => {
    const { boundaries } = describeCoverage(asking({ age_thresholds: [18, 25] }), cast).dimensions
    expect(boundaries.items.map(({ sides }) => [sides['today']?.persona, sides['tomorrow']?.persona])).toEqual([
      ['turned-18-today', 'turns-18-tomorrow'],
      [undefined, undefined],
    ])
    expect(boundaries.items[1]?.sides['tomorrow']?.closes).toContain('date_of_birth: today - 25y + 1d')
  })

  test('asks for no birthday of claims that accept no method with a date of birth', () => {
    const claims: Claims = { age_thresholds: [18], allowed_methods: ['facial_age_estimation', 'payment_card_network'] }
    expect(describeCoverage(asking(claims), cast).dimensions.boundaries).toMatchObject({ total: 0, percent: 100 })
  })

  test('lists each member of the claims that filters, with a persona that passes it and one that fails it', () => {
    const claims: Claims = {
      age_thresholds: [18],
      allowed_methods: ['id_doc_scan', 'facial_age_estimation'],
      overrides: { facial_age_estimation: { min_age: 21 } },
    }
    const { filters } = describeCoverage(asking(claims), cast).dimensions
    expect(filters.items.map(({ title }) => title)).toEqual([
      'allowed_methods',
      'overrides.facial_age_estimation.min_age',
    ])
    for (const { sides } of filters.items) {
      expect(sides['passed']?.persona).toEqual(expect.any(String))
      expect(sides['failed']?.persona).not.toBe(sides['passed']?.persona)
    }
  })

  test('leaves flows out that the app never used, and names them with the reason', () => {
    const described = describeCoverage(asking({ age_thresholds: [18] }), cast)
    expect(described.unused.map(({ flow }) => flow)).toEqual(['create', 'upgrade', 'discovery', 'jwks'])
    expect(described.dimensions.must.items.every(({ flow }) => flow === 'use')).toBe(true)
    expect(itemOf(described, 'endings', 'created')).toBeUndefined()
    expect(described.dimensions.calls.total).toBe(0)
  })

  test.each([
    ['can_create', 'use/create_requested'],
    ['upgrade', 'use/code_issued'],
    ['upgrade', 'upgrade/upgrade.not_ok'],
    ['create', 'par/par.request_uri_missing'],
  ])('demands a row that needs %s only of an app that asks for it', (asked, row) => {
    const without = asking({ age_thresholds: [18] })
    const withIt = { ...without, asked: { ...without.asked, [asked]: ONCE } }
    expect(itemOf(describeCoverage(without, cast), 'must', row)).toBeUndefined()
    expect(itemOf(describeCoverage(withIt, cast), 'must', row)).toMatchObject({
      state: 'missing',
      sides: { seen: { outcome: row.slice(row.indexOf('/') + 1) } },
    })
  })

  test('demands no row that brings no answer', () => {
    expect(itemOf(describeCoverage(asking({ age_thresholds: [18] }), cast), 'must', 'use/no_answer')).toBeUndefined()
  })

  test('demands four sides of a call from server to server, and no refusal of the key set', () => {
    const described = describeCoverage(
      asking({ age_thresholds: [18] }, { calls: { par: { success: ONCE }, jwks: {} } }),
      cast,
    )
    expect(itemOf(described, 'calls', 'par')).toMatchObject({
      state: 'half',
      sides: {
        success: ONCE,
        refusal: { outcome: 'par.400' },
        failure: { outcome: 'par.500' },
        timeout: { outcome: 'par.slow' },
      },
    })
    expect(Object.keys(itemOf(described, 'calls', 'jwks')?.sides ?? {})).toEqual(['success', 'failure', 'timeout'])
  })

  test('is 0 percent of everything when nothing was delivered, so that no minimum is met by accident', () => {
    const { dimensions } = describeCoverage(emptyCounters('1.0.0'), cast)
    expect(Object.values(dimensions).map(({ percent }) => percent)).toEqual([0, 0, 0, 0, 0, 0])
  })

  test('is 0 percent of what a flow brings when only documents were read: a suite that reaches no flow has seen nothing', () => {
    const counters = { ...emptyCounters('1.0.0'), calls: { discovery: { success: ONCE }, jwks: { success: ONCE } } }
    const { answers, filters, boundaries, endings } = describeCoverage(counters, cast).dimensions
    expect([answers, filters, boundaries, endings].map(({ percent }) => percent)).toEqual([0, 0, 0, 0])
  })

  test('names the most severe row of level must first', () => {
    const { items } = describeCoverage(asking({ age_thresholds: [18] }), cast).dimensions.must
    const severities = items.map(({ id }) => findRow(id)?.severity ?? 0)
    expect(severities.length).toBeGreaterThan(50)
    expect(severities).toEqual(severities.toSorted((one, other) => other - one))
  })

  test('rounds down, so that 100 percent has no gap', () => {
    const all = describeCoverage(asking({ age_thresholds: [18] }), cast).dimensions.must.items
    const rows = Object.fromEntries(all.slice(1).map(({ id }) => [id, ONCE]))
    const { must } = describeCoverage(asking({ age_thresholds: [18] }, { rows }), cast).dimensions
    expect(must.total - must.covered).toBe(1)
    expect(must.percent).toBeLessThan(100)
  })
})
