import { beforeEach, describe, expect, it } from 'vitest'
import type { AgeSignal } from '../../../src/age/signal.ts'
import type { Ids } from '../../../src/oidc/ports.ts'
import { createClock } from '../../../src/sandbox/clock/clock.ts'
import { checkPersona, type Persona } from '../../../src/sandbox/personas/persona-schema.ts'
import { createPersonas, MAX_CHANGED_PERSONAS, type Personas } from '../../../src/sandbox/personas/personas.ts'
import { createMemoryTables } from '../../../src/store/memory.ts'

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
  return { name, title: `Title of ${name}`, purpose: 'For tests.', ...(signals.length > 0 && { age_key: { signals } }) }
}

/** Ids that count: the same on every run, never twice the same. */
function countingIds(): Ids {
  let count = 0
  return {
    random(bytes) {
      const buffer = Buffer.alloc(bytes)
      buffer.writeUInt32BE(++count)
      return buffer.toString('base64url')
    },
  }
}

/** The age key that the persona of this name has now. */
async function ageKeyOf(personas: Personas, name: string) {
  const found = await personas.find(name)
  return found && personas.ageKeyOf(found)
}

const adult = persona('adult', idScan)
const tomorrow = persona('tomorrow', {
  ...idScan,
  age: { date_of_birth: 'today - 18y + 1d' },
  verified_at: 'now - 30d',
})
const keyless = persona('keyless')
const declared = [adult, tomorrow, keyless]

function setUp() {
  const clock = createClock({ systemNow: () => NOON })
  const tables = createMemoryTables()
  return { clock, tables, personas: createPersonas({ declared, clock, ids: countingIds(), tables }) }
}

describe('The personas of a tenant', () => {
  let { personas, clock, tables } = setUp()
  beforeEach(() => {
    const fresh = setUp()
    personas = fresh.personas
    clock = fresh.clock
    tables = fresh.tables
  })

  const names = async () => (await personas.list()).map(({ name }) => name)
  const keyOf = async (name: string) => {
    const key = await ageKeyOf(personas, name)
    if (key === undefined) throw new Error(`${name} has no age key`)
    return key
  }

  it('are at first the declared ones, in their order', async () => {
    expect(await personas.list()).toEqual(declared)
    expect(await personas.find('adult')).toBe(adult)
    expect(await personas.find('adul')).toBeUndefined()
    expect(await personas.find('__proto__')).toBeUndefined()
  })

  it('keep a replaced one in its place, and list an added one last', async () => {
    const changed = persona('adult', byEmail(18))
    await personas.put(changed)
    await personas.put(persona('zoe'))
    expect(await names()).toEqual(['adult', 'tomorrow', 'keyless', 'zoe'])
    expect(await personas.find('adult')).toEqual(changed)
  })

  it('go when they are removed, declared or added', async () => {
    await personas.put(persona('zoe'))
    expect(await personas.remove('zoe')).toBe(true)
    expect(await personas.remove('adult')).toBe(true)
    expect(await names()).toEqual(['tomorrow', 'keyless'])
    expect(await personas.find('adult')).toBeUndefined()
    expect(await ageKeyOf(personas, 'adult')).toBeUndefined()
  })

  it('cannot be removed twice, nor without being there', async () => {
    await personas.remove('adult')
    expect(await personas.remove('adult')).toBe(false)
    expect(await personas.remove('zoe')).toBe(false)
  })

  it('come back by put after they were removed', async () => {
    await personas.remove('adult')
    await personas.put(adult)
    expect(await names()).toEqual(['adult', 'tomorrow', 'keyless'])
  })

  it('are the declared ones again when the tables are cleared, with new age keys', async () => {
    const { id } = await keyOf('adult')
    await personas.add(id, [byEmail(21)])
    await personas.remove('keyless')
    await personas.put(persona('zoe'))
    await tables.clear()
    expect(await personas.list()).toEqual(declared)
    expect(await personas.add(id, [byEmail(21)])).toBe(false)
    expect((await keyOf('adult')).id).not.toBe(id)
  })

  it('are not seen by another tenant, and leave the declared ones as they were', async () => {
    const before = structuredClone(declared)
    const other = createPersonas({ declared, clock, ids: countingIds(), tables: createMemoryTables() })
    await personas.add((await keyOf('adult')).id, [byEmail(21)])
    await personas.replaceAgeKey('keyless', [idScan])
    await personas.remove('tomorrow')
    expect(await other.list()).toEqual(before)
    expect(declared).toEqual(before)
  })
})

describe('The dates of a persona', () => {
  it('count from the base of the clock, so advancing leaves them', async () => {
    const { clock, personas } = setUp()
    const signalOf = async () => (await ageKeyOf(personas, 'tomorrow'))?.signals[0]
    const onTheEve = { age: { date_of_birth: '2008-05-18' }, verified_at: '2026-04-17T12:00:00.000Z' }
    expect(await signalOf()).toMatchObject(onTheEve)
    clock.advance(86_400)
    expect(await signalOf()).toMatchObject(onTheEve)
    clock.set(Date.parse('2030-01-01T00:00:00Z'))
    expect(await signalOf()).toMatchObject({
      age: { date_of_birth: '2012-01-02' },
      verified_at: '2029-12-02T00:00:00.000Z',
    })
  })

  it('are plain in a resolved persona and relative in the listed one', async () => {
    const { personas } = setUp()
    expect(personas.resolved(tomorrow)).toMatchObject({
      name: 'tomorrow',
      age_key: { signals: [{ age: { date_of_birth: '2008-05-18' }, provenance: '/veratad/roc' }] },
    })
    expect(await personas.find('tomorrow')).toBe(tomorrow)
  })

  it('stay as they are when they are plain, or when there is no age key', () => {
    const { personas } = setUp()
    expect(personas.resolved(adult)).toEqual(adult)
    expect(personas.resolved(keyless)).toEqual(keyless)
  })
})

describe('An age key', () => {
  it('keeps its id while it lives, and shares it with no other', async () => {
    const { personas } = setUp()
    const first = await ageKeyOf(personas, 'adult')
    expect((await ageKeyOf(personas, 'adult'))?.id).toBe(first?.id)
    expect((await ageKeyOf(personas, 'tomorrow'))?.id).not.toBe(first?.id)
    expect(first?.id).not.toContain('adult')
  })

  it('is missing for a persona without one, and for a persona that does not exist', async () => {
    const { personas } = setUp()
    expect(await ageKeyOf(personas, 'keyless')).toBeUndefined()
    expect(await ageKeyOf(personas, 'zoe')).toBeUndefined()
  })

  it('takes added signals under the same id', async () => {
    const { personas } = setUp()
    const before = await ageKeyOf(personas, 'tomorrow')
    expect(await personas.add(before?.id ?? '', [byEmail(21)])).toBe(true)
    const after = await ageKeyOf(personas, 'tomorrow')
    expect(after?.id).toBe(before?.id)
    expect(after?.signals).toEqual([...(before?.signals ?? []), byEmail(21)])
  })

  it('holds the newest 50 signals', async () => {
    const { personas } = setUp()
    const { id = '' } = (await ageKeyOf(personas, 'adult')) ?? {}
    await personas.add(
      id,
      Array.from({ length: 48 }, (_, n) => byEmail(n)),
    )
    await personas.add(id, [byEmail(100), byEmail(101), byEmail(102)])
    const signals = (await ageKeyOf(personas, 'adult'))?.signals ?? []
    expect(signals).toHaveLength(50)
    expect(signals[0]).toEqual(byEmail(1))
    expect(signals.at(-1)).toEqual(byEmail(102))
  })

  it('takes nothing under an id that is not in use', async () => {
    const { personas } = setUp()
    expect(await personas.add('AAAAAAAAAAAAAAAA', [byEmail(21)])).toBe(false)
  })

  it.each([
    ['put', (personas: Personas) => personas.put(persona('adult', byEmail(18)))],
    ['remove', (personas: Personas) => personas.remove('adult')],
    ['replaceAgeKey', (personas: Personas) => personas.replaceAgeKey('adult', [byEmail(18)])],
    ['save', (personas: Personas) => personas.save([byEmail(18)], 'adult')],
  ])('ends with %s: its id is worth nothing any more', async (_, act) => {
    const { personas } = setUp()
    const { id = '' } = (await ageKeyOf(personas, 'adult')) ?? {}
    await act(personas)
    expect(await personas.add(id, [byEmail(21)])).toBe(false)
    expect((await ageKeyOf(personas, 'adult'))?.id).not.toBe(id)
  })

  it('is replaced by exactly the signals that were submitted', async () => {
    const { personas } = setUp()
    expect(await personas.replaceAgeKey('keyless', [byEmail(18)])).toBe(true)
    expect((await ageKeyOf(personas, 'keyless'))?.signals).toEqual([byEmail(18)])
    expect(await personas.find('keyless')).toMatchObject({ title: 'Title of keyless' })
  })

  it('cannot be given to a persona that does not exist', async () => {
    const { personas } = setUp()
    expect(await personas.replaceAgeKey('zoe', [idScan])).toBe(false)
    await expect(personas.save([idScan], 'zoe')).rejects.toThrow('no persona "zoe"')
  })

  it('keeps of a submitted signal what a persona file could say', async () => {
    const { personas } = setUp()
    const submitted = { ...idScan, attributes: { issuing_country: 'DE' }, iso_27566_1: 'strict' as const }
    await personas.save([Object.assign({ type: 'age_verification', verification_id: '1' }, submitted)], 'keyless')
    const saved = await personas.find('keyless')
    expect(saved?.age_key?.signals).toEqual([submitted])
    expect(checkPersona(saved).kind).toBe('valid')
  })
})

describe('A new age key', () => {
  it('belongs to a new persona with a generated name, offered from then on', async () => {
    const { personas } = setUp()
    const created = await personas.createWithAgeKey([byEmail(18)])
    expect(created.name).toMatch(/^[a-z0-9-]+-[0-9a-f]{2}$/)
    expect(created.title).toMatch(/^\p{Lu}\S* .*\p{L}$/u)
    expect(checkPersona(created)).toMatchObject({ kind: 'valid' })
    expect((await personas.list()).at(-1)).toEqual(created)
    expect((await ageKeyOf(personas, created.name))?.signals).toEqual([byEmail(18)])
  })

  it('is what save makes without a holder', async () => {
    const { personas } = setUp()
    await personas.save([byEmail(18)], undefined)
    expect((await personas.list()).at(-1)?.age_key?.signals).toEqual([byEmail(18)])
  })

  it('has the same name for the same ids', async () => {
    const one = await setUp().personas.createWithAgeKey([idScan])
    const other = await setUp().personas.createWithAgeKey([idScan])
    expect(one.name).toBe(other.name)
  })

  it('has a name of its own even when the random source repeats itself', async () => {
    const clock = createClock({ systemNow: () => NOON })
    const personas = createPersonas({
      tables: createMemoryTables(),
      declared,
      clock,
      ids: { random: () => 'AAAAAAAAAAAAAAAA' },
    })
    const created = await Promise.all([1, 2, 3].map(() => personas.createWithAgeKey([idScan])))
    expect(new Set(created.map(({ name }) => name)).size).toBe(3)
    expect(created.map((one) => checkPersona(one).kind)).toEqual(['valid', 'valid', 'valid'])
  })
})

describe('A full tenant', () => {
  const fill = async (personas: Personas, count: number) => {
    for (let n = 0; n < count; n++) await personas.put(persona(`p-${n}`))
  }

  it('refuses a persona more, and still changes those it has', async () => {
    const { personas } = setUp()
    await fill(personas, MAX_CHANGED_PERSONAS)
    await expect(personas.put(persona('one-more'))).rejects.toMatchObject({ code: 'conflict' })
    await expect(personas.remove('adult')).rejects.toThrow(/^personas: 1000 are changed or added already; delete some/)
    await personas.put(persona('p-0', idScan))
    expect((await ageKeyOf(personas, 'p-0'))?.signals).toEqual([idScan])
  })

  it('has room again after a removal', async () => {
    const { personas } = setUp()
    await fill(personas, MAX_CHANGED_PERSONAS)
    await personas.remove('p-7')
    await personas.put(persona('one-more'))
    expect(await personas.find('one-more')).toBeDefined()
  })

  it('drops the oldest generated persona before it refuses', async () => {
    const { personas } = setUp()
    const oldest = await personas.createWithAgeKey([idScan])
    const younger = await personas.createWithAgeKey([idScan])
    const { id = '' } = (await ageKeyOf(personas, oldest.name)) ?? {}
    await fill(personas, MAX_CHANGED_PERSONAS - 2)
    const youngest = await personas.createWithAgeKey([idScan])
    expect(await personas.find(oldest.name)).toBeUndefined()
    expect(await personas.add(id, [idScan])).toBe(false)
    expect(await personas.find(younger.name)).toBeDefined()
    expect(await personas.find(youngest.name)).toBeDefined()
  })

  it('never drops a generated persona that a test has since put by name', async () => {
    const { personas } = setUp()
    const kept = await personas.createWithAgeKey([idScan])
    await personas.put({ ...kept, title: 'Mine now' })
    await fill(personas, MAX_CHANGED_PERSONAS - 1)
    await expect(personas.put(persona('one-more'))).rejects.toMatchObject({ code: 'conflict' })
    expect(await personas.find(kept.name)).toMatchObject({ title: 'Mine now' })
  })
})
