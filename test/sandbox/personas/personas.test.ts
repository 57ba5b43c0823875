import { beforeEach, expect, test } from 'vitest'
import { createClock, type SandboxClock } from '../../../src/sandbox/clock/clock.ts'
import { MAX_CHANGED_PERSONAS } from '../../../src/sandbox/personas/persona-changes.ts'
import { type Persona, personaSchema } from '../../../src/sandbox/personas/persona-schema.ts'
import { createPersonas, type Personas } from '../../../src/sandbox/personas/personas.ts'
import { createIds } from '../../../src/sandbox/tenants/ids.ts'
import { createMemoryRecords } from '../../../src/server/store/memory.ts'
import { createMemoryBudget } from '../../../src/server/store/memory-budget.ts'
import type { AgeSignal } from '../../../src/service/age/signal.ts'
import { checkAgainst } from '../../../src/service/text/schema-problems.ts'

const NOON = Date.parse('2026-05-17T12:00:00Z')

const idScan: AgeSignal = {
  method: 'id_doc_scan',
  age: { date_of_birth: '1990-01-01' },
  verified_at: '2026-05-01',
  provenance: '/veratad/roc',
}

const byEmail = (years: number): AgeSignal => ({
  method: 'email_age_estimation',
  age: { at_least_years: years },
  verified_at: '2026-05-02T10:00:00Z',
  provenance: '/verify_my',
})

function persona(name: string, ...signals: AgeSignal[]): Persona {
  return {
    name,
    title: `Title of ${name}`,
    purpose: 'For tests.',
    ...(signals.length > 0 && { age_key: { signals } }),
  }
}

const adult = persona('adult', idScan)
const onTheEve = { date_of_birth: 'today - 18y + 1d' }
const tomorrow = persona('tomorrow', { ...idScan, age: onTheEve, verified_at: 'now - 30d' })
const declared = [adult, tomorrow, persona('keyless')]

let clock: SandboxClock
let records: ReturnType<typeof createMemoryRecords>
let personas: Personas

const createTenantPersonas = (own = createMemoryRecords({ clock, budget: createMemoryBudget() })) =>
  createPersonas({
    declared: () => declared,
    clock,
    ids: createIds({ seed: 1, scope: 'test' }),
    records: own,
  })

/** Adds signals to an age key, as an upgrade does. */
async function add(id: string, signals: readonly AgeSignal[]) {
  const changes = await personas.adding(id, signals, { keeps: true })
  return changes !== undefined && records.store.write(changes)
}

/** Saves an age key, as Create does: again when another caller was faster. */
async function save(signals: readonly AgeSignal[], holder?: string) {
  while (!(await records.store.write((await personas.saving(signals, holder)).changes)));
}

/** Saves an age key of a new user. */
async function createUser(signals: readonly AgeSignal[]) {
  await save(signals)
  return (await personas.list()).at(-1) ?? expect.fail('no persona')
}

beforeEach(() => {
  clock = createClock({ systemNow: () => NOON })
  records = createMemoryRecords({ clock, budget: createMemoryBudget() })
  personas = createTenantPersonas(records)
})

const names = async () => (await personas.list()).map(({ name }) => name)

async function findKeyOf(name: string) {
  const found = await personas.find(name)
  return found && personas.ageKeyOf(found)
}
const keyOf = async (name: string) =>
  (await findKeyOf(name)) ?? expect.fail(`${name} has no age key`)

async function fill(count: number) {
  for (let n = 0; n < count; n++) await personas.put(persona(`p-${n}`))
}

test('A replaced persona keeps its place', async () => {
  const changed = persona('adult', byEmail(18))
  await personas.put(changed)
  expect(await personas.find('adult')).toEqual(changed)
  expect(await names()).toEqual(['adult', 'tomorrow', 'keyless'])
})

test('An added persona is listed last', async () => {
  expect(await personas.remove('zoe')).toBe(false)
  await personas.put(persona('zoe'))
  expect(await names()).toEqual(['adult', 'tomorrow', 'keyless', 'zoe'])
})

test('A removed persona returns to its place when it is added again', async () => {
  await personas.put(persona('zoe'))
  for (const name of ['zoe', 'adult']) {
    expect(await personas.remove(name)).toBe(true)
    expect(await personas.remove(name)).toBe(false)
  }
  expect(await names()).toEqual(['tomorrow', 'keyless'])
  expect(await personas.find('adult')).toBeUndefined()
  expect(await findKeyOf('adult')).toBeUndefined()
  await personas.put(adult)
  expect(await names()).toEqual(['adult', 'tomorrow', 'keyless'])
})

test('A tenant has the declared personas at first', async () => {
  expect(await personas.list()).toEqual(declared)
  expect(await personas.find('adult')).toBe(adult)
  for (const none of ['adul', '__proto__']) expect(await personas.find(none)).toBeUndefined()
})

test('A cleared tenant has the declared personas with new age keys', async () => {
  const { id } = await keyOf('adult')
  await add(id, [byEmail(21)])
  await personas.remove('keyless')
  await personas.put(persona('zoe'))
  await records.tables.clear()
  expect(await personas.list()).toEqual(declared)
  expect(await add(id, [byEmail(21)])).toBe(false)
  expect((await keyOf('adult')).id).not.toBe(id)
})

test('Changed personas are not seen by another tenant', async () => {
  const before = structuredClone(declared)
  const other = createTenantPersonas()
  await add((await keyOf('adult')).id, [byEmail(21)])
  await save([idScan], 'keyless')
  await personas.remove('tomorrow')
  expect(await other.list()).toEqual(before)
  expect(declared).toEqual(before)
})

test('The dates of a persona count from the base of the clock, so advancing leaves them', async () => {
  const eve = { age: { date_of_birth: '2008-05-18' }, verified_at: '2026-04-17T12:00:00.000Z' }
  expect((await keyOf('tomorrow')).signals).toMatchObject([eve])
  clock.advance(86_400)
  expect((await keyOf('tomorrow')).signals).toMatchObject([eve])
  clock.set(Date.parse('2030-01-01T00:00:00Z'))
  const later = { age: { date_of_birth: '2012-01-02' }, verified_at: '2029-12-02T00:00:00.000Z' }
  expect((await keyOf('tomorrow')).signals).toMatchObject([later])
  expect(personas.resolved(tomorrow)).toMatchObject({
    name: 'tomorrow',
    age_key: { signals: [later] },
  })
  for (const plain of [adult, persona('keyless')]) expect(personas.resolved(plain)).toEqual(plain)
  // The listed persona keeps its relative dates.
  expect(await personas.find('tomorrow')).toBe(tomorrow)
})

test('No two personas share an age key', async () => {
  const { id } = await keyOf('tomorrow')
  expect(id).not.toBe((await keyOf('adult')).id)
  expect(id).not.toBe('tomorrow')
})

test('An age key keeps its id when signals are added', async () => {
  const { id, signals } = await keyOf('tomorrow')
  expect(await add(id, [byEmail(21)])).toBe(true)
  expect(await add('AAAAAAAAAAAAAAAA', [byEmail(22)])).toBe(false)
  expect(await keyOf('tomorrow')).toMatchObject({ id, signals: [...signals, byEmail(21)] })
})

test('A persona without an age key has no key to find', async () => {
  expect(await findKeyOf('keyless')).toBeUndefined()
  expect(await findKeyOf('zoe')).toBeUndefined()
})

test('An age key holds the newest 50 signals', async () => {
  const { id } = await keyOf('adult')
  const added = Array.from({ length: 51 }, (_, n) => byEmail(n))
  await add(id, added.slice(0, 48))
  await add(id, added.slice(48))
  expect((await keyOf('adult')).signals).toEqual(added.slice(1))
})

test.each<[string, () => Promise<unknown>]>([
  ['put', () => personas.put(persona('adult', byEmail(18)))],
  ['remove', () => personas.remove('adult')],
  ['save', () => save([byEmail(18)], 'adult')],
])('The id of an age key is worth nothing after %s', async (_, act) => {
  const { id } = await keyOf('adult')
  await act()
  expect(await add(id, [byEmail(21)])).toBe(false)
  expect((await findKeyOf('adult'))?.id).not.toBe(id)
})

test('An age key is replaced by exactly the signals that were submitted, of a persona that exists', async () => {
  await save([byEmail(18)], 'keyless')
  expect((await keyOf('keyless')).signals).toEqual([byEmail(18)])
  expect(await personas.find('keyless')).toMatchObject({ title: 'Title of keyless' })
  await expect(save([idScan], 'zoe')).rejects.toThrow('no persona "zoe"')
})

test('A new age key belongs to a new persona with a generated name, the same for the same ids', async () => {
  const created = await createUser([byEmail(18)])
  expect(created.name).toMatch(/^[a-z0-9-]+-[0-9a-f]{2}$/)
  expect(created.title).toMatch(/^\p{Lu}\S* .*\p{L}$/u)
  expect(checkAgainst(personaSchema, created)).toMatchObject({ kind: 'valid' })
  expect((await personas.list()).at(-1)).toEqual(created)
  expect((await keyOf(created.name)).signals).toEqual([byEmail(18)])
  const { saving } = createTenantPersonas()
  expect(await saving([idScan], undefined)).toMatchObject({
    holder: created.name,
    changes: [{ id: created.name }],
  })
  await save([byEmail(21)])
  expect((await personas.list()).at(-1)?.age_key?.signals).toEqual([byEmail(21)])
})

test('A new age key has a name of its own even when the random source repeats itself', async () => {
  const ids = { random: () => 'AAAAAAAAAAAAAAAA' }
  personas = createPersonas({ declared: () => declared, clock, ids, records })
  await Promise.all([1, 2, 3].map(() => save([idScan])))
  const created = (await personas.list()).slice(declared.length)
  expect(new Set(created.map(({ name }) => name))).toHaveProperty('size', 3)
  expect(created.map((one) => checkAgainst(personaSchema, one).kind)).toEqual([
    'valid',
    'valid',
    'valid',
  ])
})

test('A full tenant refuses another persona', async () => {
  await fill(MAX_CHANGED_PERSONAS)
  await expect(personas.put(persona('one-more'))).rejects.toMatchObject({ code: 'conflict' })
  await expect(personas.remove('adult')).rejects.toThrow(
    /^personas: 1000 are changed or added already; delete some/,
  )
})

test('A full tenant replaces a persona that it has', async () => {
  await fill(MAX_CHANGED_PERSONAS)
  await personas.put(persona('p-0', idScan))
  expect((await keyOf('p-0')).signals).toEqual([idScan])
})

test('A full tenant has room after a removal', async () => {
  await fill(MAX_CHANGED_PERSONAS)
  await personas.remove('p-7')
  await personas.put(persona('one-more'))
  expect(await personas.find('one-more')).toBeDefined()
})

test('A tenant with room for one persona refuses two at once', async () => {
  await fill(MAX_CHANGED_PERSONAS)
  await personas.remove('p-8')
  const two = ['p-9', 'more-1'].map((name) => persona(name, idScan))
  await expect(personas.putAll([...two, persona('more-2')])).rejects.toMatchObject({
    code: 'conflict',
  })
  expect(await findKeyOf('p-9')).toBeUndefined()
  expect(await personas.find('more-1')).toBeUndefined()
  await personas.putAll(two)
  expect(await findKeyOf('more-1')).toMatchObject({ signals: [idScan] })
})

test('A full tenant drops the oldest generated persona before it refuses, but none that a test has since put', async () => {
  const kept = await createUser([idScan])
  await personas.put({ ...kept, title: 'Mine now' })
  const [oldest, younger] = [await createUser([idScan]), await createUser([idScan])]
  const { id } = await keyOf(oldest.name)
  await add(id, [byEmail(21)])
  await fill(MAX_CHANGED_PERSONAS - 3)
  const youngest = await createUser([idScan])
  expect(await personas.find(oldest.name)).toBeUndefined()
  expect(await add(id, [idScan])).toBe(false)
  for (const { name } of [younger, youngest]) expect(await personas.find(name)).toBeDefined()
  for (const name of ['more-1', 'more-2']) await personas.put(persona(name))
  await expect(personas.put(persona('one-more'))).rejects.toMatchObject({ code: 'conflict' })
  expect(await personas.find(kept.name)).toMatchObject({ title: 'Mine now' })
})
