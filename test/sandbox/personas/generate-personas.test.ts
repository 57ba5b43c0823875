import fc from 'fast-check'
import { expect, test } from 'vitest'
import { resolvePersona } from '../../../src/sandbox/personas/age-keys.ts'
import { generatePersonas, MAX_GENERATED } from '../../../src/sandbox/personas/generate-personas.ts'
import { personaSchema } from '../../../src/sandbox/personas/persona-schema.ts'
import { evaluateAnswers } from '../../../src/service/age/evaluate.ts'
import { METHOD_NAMES } from '../../../src/service/age/methods.ts'
import { checkAgainst } from '../../../src/service/text/schema-problems.ts'

const THRESHOLDS = [13, 16, 18, 21, 25]

/** `yes to 13 and 16, no to 18, 21 and 25` of a purpose, as answers. */
function saidIn(purpose: string): Record<string, boolean> {
  const agesAfter = (word: string) =>
    (new RegExp(`${word} to ([\\d, and]+)`).exec(purpose)?.[1] ?? '').match(/\d+/g) ?? []
  const answers = [true, false].flatMap((answer) =>
    agesAfter(answer ? 'yes' : 'no').map((age) => [age, answer]),
  )
  return Object.fromEntries(answers)
}

test('Generated personas are the same for the same seed', async () => {
  const first = await generatePersonas(20, 7)
  expect(await generatePersonas(20, 7)).toEqual(first)
  expect(await generatePersonas(5, 7)).toEqual(first.slice(0, 5))
})
test('Generated personas differ for different seeds', async () => {
  expect(await generatePersonas(20, 8)).not.toEqual(await generatePersonas(20, 7))
})

test('Generated personas stay as they were made, so that files of earlier runs are found again', async () => {
  const korean = {
    method: 'id_doc_scan',
    provenance: '/veratad/roc',
    attributes: { issuing_country: 'KR' },
  }
  const german = { issuing_country: 'DE', platform: 'google_wallet' }
  const years = { age: { years: 17 }, verified_at: 'now - 1h', iso_27566_1: 'strict' }
  const reached = { method: 'digital_credential', provenance: '/connect_id', attributes: german }
  expect(await generatePersonas(2, 7)).toStrictEqual([
    {
      name: 'eileen-o-reilly-exactly-17-years',
      title: "Eileen O'Reilly, exactly 17 years",
      purpose:
        'For an age in whole years: yes to 13 and 16, no to 18, 21 and 25. By id_doc_scan (certified strict, verified 1 hour ago).',
      age_key: { signals: [{ ...korean, ...years }] },
    },
    {
      name: 'thad-jones-at-least-25',
      title: 'Thad Jones, at least 25',
      purpose:
        'For an age that is only known to be reached: yes to 13, 16, 18, 21 and 25. By digital_credential (not certified, verified 30 days ago).',
      age_key: { signals: [{ ...reached, age: { at_least_years: 25 }, verified_at: 'now - 30d' }] },
    },
  ])
})

test('Generated personas are valid persona files with names of their own', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(0xffffffff), async (seed) => {
      const personas = await generatePersonas(60, seed)
      expect(
        personas.filter((persona) => checkAgainst(personaSchema, persona).kind !== 'valid'),
      ).toEqual([])
      expect(new Set(personas.map(({ name }) => name))).toHaveProperty('size', 60)
    }),
    { numRuns: 10 },
  )
})

test('The name of a generated persona is made of its title', async () => {
  const many = await generatePersonas(MAX_GENERATED, 1)
  expect(new Set(many.map(({ name }) => name))).toHaveProperty('size', MAX_GENERATED)
  for (const { name, title } of many) {
    const [person = '', point = ''] = title.split(', ')
    const letters = (text: string) => text.toLowerCase().replace(/[^a-z0-9]+/g, '-')
    expect(name).toMatch(new RegExp(`^${letters(person).slice(0, 24)}-${letters(point)}(-\\d+)?$`))
  }
})

test('Generated personas say in their purpose what they answer, which is true on every day', async () => {
  const personas = (await generatePersonas(MAX_GENERATED, 3)).filter(({ age_key: key }) => key)
  for (const day of ['2024-02-29', '2025-02-28', '2025-03-01', '2026-12-31', '2028-02-29']) {
    const now = Date.parse(`${day}T10:00:00Z`)
    for (const persona of personas) {
      const signals = resolvePersona(persona, now).age_key?.signals ?? []
      const answers = evaluateAnswers(signals, { age_thresholds: THRESHOLDS }, now)
      expect(saidIn(persona.purpose), `${persona.purpose} on ${day}`).toEqual(answers)
    }
  }
})

test('Generated personas that turn an age tomorrow reach it tomorrow', async () => {
  const now = Date.parse('2028-02-29T10:00:00Z')
  const personas = (await generatePersonas(100, 5)).filter(({ name }) => name.includes('-tomorrow'))
  expect(personas.length).toBeGreaterThan(5)
  for (const persona of personas) {
    const age = Number(/turns-(\d+)/.exec(persona.name)?.[1])
    const signals = resolvePersona(persona, now).age_key?.signals ?? []
    const on = (day: number) =>
      evaluateAnswers(signals, { age_thresholds: [age] }, now + day * 86_400_000)[age]
    expect(on(0)).toBe(false)
    expect(on(1)).toBe(true)
    expect(persona.purpose).toContain(`before turning ${age}`)
  }
})

test('Twenty generated personas have every method', async () => {
  const personas = await generatePersonas(20, 7)
  const signals = personas.flatMap(({ age_key: key }) => key?.signals ?? [])
  expect(new Set(signals.map(({ method }) => method))).toEqual(new Set(METHOD_NAMES))
})

test('Twenty generated personas have signals without a level', async () => {
  const personas = await generatePersonas(20, 7)
  const signals = personas.flatMap(({ age_key: key }) => key?.signals ?? [])
  expect(signals.map(({ iso_27566_1: level }) => level)).toContain(undefined)
})

test('Twenty generated personas have every level', async () => {
  const personas = await generatePersonas(20, 7)
  const signals = personas.flatMap(({ age_key: key }) => key?.signals ?? [])
  expect(new Set(signals.map(({ iso_27566_1: level }) => level))).toHaveProperty('size', 5)
})

test('One of twenty generated personas has no age key', async () => {
  const personas = await generatePersonas(20, 7)
  expect(personas.map(({ age_key: key }) => key)).toContain(undefined)
})

test('One of twenty generated personas has two signals', async () => {
  const personas = await generatePersonas(20, 7)
  expect(personas.map(({ age_key: key }) => key?.signals.length)).toContain(2)
})

test('Twenty generated personas have both answers to each usual age', async () => {
  const personas = await generatePersonas(20, 7)
  for (const age of THRESHOLDS) {
    const answers = personas
      .filter(({ age_key: key }) => key)
      .map(({ purpose }) => saidIn(purpose)[age])
    expect(new Set(answers)).toEqual(new Set([true, false]))
  }
})
