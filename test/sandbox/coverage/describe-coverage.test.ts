import { expect, test } from 'vitest'
import type { Coverage } from '../../../src/sandbox/coverage/coverage.ts'
import { describeCoverage } from '../../../src/sandbox/coverage/describe-coverage.ts'
import { closingPersonas } from '../../../src/sandbox/coverage/dimensions/gap-closing.ts'
import type { NameOfSeen } from '../../../src/sandbox/coverage/seen-names.ts'
import { MAX_SEEN_BYTES } from '../../../src/sandbox/journal/journal.ts'
import { findRow, OUTCOMES, rowId } from '../../../src/sandbox/outcomes/catalogue.ts'
import { loadPersonas } from '../../../src/sandbox/personas/load-personas.ts'
import type { Claims } from '../../../src/service/age/claims.ts'
import { seenOf } from './seen.ts'

const NOW = Date.parse('2026-06-15T12:00:00Z')
const personas = await loadPersonas()
const closing = await closingPersonas(personas, { base: NOW, now: NOW })

const ID = '1a2b3c4d'
const AGE: Claims = { age_thresholds: [18] }

/** The coverage of an app that asked for these claims, and has seen what these names say. */
function asking(claims: Claims, names: readonly NameOfSeen[] = []): Promise<Coverage> {
  const asked: readonly NameOfSeen[] = ['asked use', 'asked no_can_create']
  return describeCoverage(
    seenOf({ claims: { [ID]: claims }, names: [...asked, ...names] }),
    closing,
  )
}

const itemOf = ({ dimensions }: Coverage, dimension: keyof Coverage['dimensions'], title: string) =>
  dimensions[dimension].items.find((item) => item.title === title || item.id === title)

test('A threshold is half covered when one of its answers was seen, and a persona gives the other', async () => {
  const sides = { true: { seen: true }, false: { seen: false, persona: expect.any(String) } }
  const item = { id: `${ID}/18`, state: 'half', flow: 'use', claims: ID, sides }
  const answers = { covered: 1, total: 2, percent: 50, items: [item] }
  expect((await asking(AGE, [`answer ${ID}/18 true`])).dimensions).toMatchObject({ answers })
})

test('A threshold is covered when both of its answers were seen', async () => {
  const names = [`answer ${ID}/18 true`, `answer ${ID}/18 false`] as const
  const described = await asking(AGE, names)
  expect(itemOf(described, 'answers', 'age_thresholds 18')?.state).toBe('covered')
})

test('Coverage says what persona to add when none gives an answer', async () => {
  const { items } = (await asking({ age_thresholds: [150] })).dimensions.answers
  expect(items[0]?.sides['true']?.persona).toBeUndefined()
  expect(items[0]?.sides['true']?.closes).toContain('date_of_birth: today - 150y')
})

test('Personas close gaps by the base of relative dates, not by the present instant', async () => {
  const later = await closingPersonas(personas, { base: NOW, now: NOW + 86_400_000 })
  expect(later.list).toEqual(closing.list)
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
})

test('Coverage demands no row that brings no answer', async () => {
  expect(itemOf(await asking(AGE), 'must', 'use/no_answer')).toBeUndefined()
})

test.each<[NameOfSeen, string, string]>([
  ['asked can_create', 'use/create_requested', 'create_requested'],
  ['asked upgrade', 'use/code_issued', 'code_issued'],
  ['asked upgrade', 'upgrade/upgrade.not_ok', 'upgrade.not_ok'],
  ['asked create', 'par/par.request_uri_missing', 'par.request_uri_missing'],
  ['row par/par.500', 'create/created', 'created'],
  ['row token/token.500', 'upgrade/upgrade.not_ok', 'upgrade.not_ok'],
  [
    'row discovery/discovery.issuer_other',
    'discovery/discovery.issuer_missing',
    'discovery.issuer_missing',
  ],
  ['row jwks/jwks.500', 'jwks/jwks.foreign_key_same_kid', 'jwks.foreign_key_same_kid'],
])(
  'Coverage demands of an app that has seen %s, and of no other, the row %s',
  async (name, row, outcome) => {
    expect(itemOf(await asking(AGE), 'must', row)).toBeUndefined()
    const item = itemOf(await asking(AGE, [name]), 'must', row)
    expect(item).toMatchObject({ state: 'missing', sides: { seen: { seen: false, outcome } } })
  },
)

test('Coverage is 0 percent when nothing was delivered, or documents alone, so that no minimum is met by accident', async () => {
  const { dimensions } = await describeCoverage(seenOf(), closing)
  expect(Object.values(dimensions).map(({ percent }) => percent)).toEqual([0, 0, 0])
  const documents = seenOf({ names: ['row jwks/jwks.500'] })
  const { answers, endings } = (await describeCoverage(documents, closing)).dimensions
  expect(answers.percent).toBe(0)
  expect(endings.percent).toBe(0)
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
  const rows = others.map(({ id, flow }): NameOfSeen => `row ${flow}/${id.slice(flow.length + 1)}`)
  const { must } = (await asking(AGE, rows)).dimensions
  expect(must.total - must.covered).toBe(1)
  expect(must.percent).toBeLessThan(100)
  const both = (age: number) => [`answer ${ID}/${age} true`, `answer ${ID}/${age} false`] as const
  const { answers } = (await asking({ age_thresholds: [13, 16, 18] }, [...both(13), ...both(16)]))
    .dimensions
  expect(answers).toMatchObject({ covered: 4, total: 6, percent: 66 })
})

const MIB = 1024 * 1024

test('Coverage of everything that a journal keeps is at most 1 MiB of JSON', async () => {
  const claims: Record<string, Claims> = {}
  const names: string[] = OUTCOMES.map((row) => `row ${rowId(row)}`)
  names.push(
    'asked use',
    'asked can_create',
    'asked no_can_create',
    'asked upgrade',
    'asked create',
  )
  let bytes = names.join('').length
  for (let n = 0; bytes < MAX_SEEN_BYTES; n++) {
    const id = n.toString(16).padStart(8, 'f')
    // As many thresholds as possible for their bytes, and no persona that closes their gaps.
    const thresholds = Array.from({ length: 100 }, (_, index) => (n % 2) * 50 + index + 1)
    const object = { age_thresholds: thresholds, provenance: { allowed: [`/nobody${n}`] } }
    claims[id] = object
    bytes += `claims ${id}`.length + JSON.stringify(object).length
  }
  const coverage = await describeCoverage(seenOf({ claims, names }), { list: [], now: NOW })
  expect(coverage.omitted).toBe(true)
  expect(coverage.dimensions.answers.items.length).toBeGreaterThan(900)
  expect(Buffer.byteLength(JSON.stringify(coverage))).toBeLessThan(MIB)
})

test('Coverage of personas with the longest names is at most 1 MiB of JSON', async () => {
  const names = ['asked use', 'asked no_can_create', 'asked upgrade', 'asked create']
  const claims: Record<string, Claims> = {}
  for (let n = 0; n < 10; n++)
    claims[`0000000${n}`] = { age_thresholds: Array.from({ length: 100 }, (_, age) => age + 1) }
  // Beside the claims, all bytes of a journal are names.
  for (let n = 0; n < MAX_SEEN_BYTES / 14; n++) names.push(`x${String(n).padStart(13, '0')}`)
  const [age_key] = closing.list
  const named = (letter: string) => ({ name: letter.repeat(64), signals: age_key?.signals ?? [] })
  const coverage = await describeCoverage(seenOf({ claims, names }), {
    list: [named('a'), { ...named('b'), signals: [] }],
    now: NOW,
  })
  expect(coverage.dimensions.answers.items.length).toBe(1_000)
  expect(Buffer.byteLength(JSON.stringify(coverage))).toBeLessThan(MIB)
})
