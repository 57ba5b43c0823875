import { expect, test } from 'vitest'
import { resolvePersona, resolvePersonas } from '../../../src/sandbox/personas/age-keys.ts'
import type { Persona } from '../../../src/sandbox/personas/persona-schema.ts'

const BASE = Date.parse('2026-06-01T10:00:00Z')

const persona = (name: string, verifiedAt: string): Persona => ({
  name,
  title: 'P',
  purpose: 'A test.',
  age_key: {
    signals: ['today - 18y', '2000-01-01'].map((date_of_birth) => ({
      method: 'id_doc_scan',
      age: { date_of_birth },
      verified_at: verifiedAt,
      provenance: '/veratad/roc',
    })),
  },
})

const PERSONAS: readonly Persona[] = [
  persona('one', 'now - 30d'),
  persona('two', 'now - 30d'),
  persona('three', 'now - 31d'),
  { name: 'none', title: 'N', purpose: 'Without an age key.' },
]

test('Many personas get the plain dates that each alone gets', () => {
  expect(resolvePersonas(PERSONAS, BASE)).toEqual(PERSONAS.map((one) => resolvePersona(one, BASE)))
})

test('The relative dates of many personas count from one base', () => {
  const [one, two] = resolvePersonas(PERSONAS, BASE)
  expect(one?.age_key?.signals[0]?.age).toEqual({ date_of_birth: '2008-06-01' })
  expect(two?.age_key?.signals[1]?.verified_at).toBe('2026-05-02T10:00:00.000Z')
})
