import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { formatPath } from '../../../src/files/schema-problems.ts'
import {
  checkPersona,
  groupOf,
  MAX_SIGNALS,
  type Persona,
  personaSchema,
} from '../../../src/sandbox/personas/persona-schema.ts'

const signal = {
  method: 'id_doc_scan',
  age: { date_of_birth: 'today - 18y + 1d' },
  verified_at: 'now - 30d',
  provenance: '/veratad/roc',
  attributes: { face_match_performed: true, issuing_country: 'US' },
  iso_27566_1: 'highly_effective',
}
const persona = { name: 'mia', title: 'Mia', purpose: 'For tests.', age_key: { signals: [signal] } }

const withSignal = (changes: object) => ({ ...persona, age_key: { signals: [{ ...signal, ...changes }] } })

function complaints(value: unknown): string[] {
  const checked = checkPersona(value)
  return checked.kind === 'valid' ? [] : checked.problems.map(({ path, message }) => `${formatPath(path)}: ${message}`)
}

describe('a persona', () => {
  it.each([
    ['with relative dates', persona],
    ['with plain dates', withSignal({ age: { date_of_birth: '2008-02-29' }, verified_at: '2026-05-17T10:00:00.123Z' })],
    ['without an age key', { name: 'a', title: 'A', purpose: 'B.' }],
    ['with a provenance that is on no list', withSignal({ provenance: '/acme/labs' })],
    ['with a name of 63 characters', { ...persona, name: 'a'.repeat(63) }],
    ['with a group', { ...persona, group: 'Edge cases' }],
    ['without attributes or certification', withSignal({ attributes: undefined, iso_27566_1: undefined })],
    ['with as many signals as a key holds', { ...persona, age_key: { signals: Array(MAX_SIGNALS).fill(signal) } }],
  ])('%s is given back as it is', (_, value) => {
    expect(checkPersona(value)).toEqual({ kind: 'valid', value })
  })

  it.each([
    ['an upper-case name', { ...persona, name: 'Mia' }, /^name: must be 1 to 63 lower-case letters/],
    ['a name that begins with a hyphen', { ...persona, name: '-mia' }, /^name: /],
    ['a name of 64 characters', { ...persona, name: 'a'.repeat(64) }, /^name: /],
    ['an empty title', { ...persona, title: ' ' }, /^title: must not be empty$/],
    ['no purpose', { name: 'a', title: 'A' }, /^purpose: is missing; expected a text$/],
    ['an unknown group', { ...persona, group: 'Adult' }, /^group: unknown group "Adult"\. Did you mean "Adults"\?$/],
    ['an age key that is null', { ...persona, age_key: null }, /^age_key: expected a mapping, found nothing$/],
    [
      'an age key without signals',
      { ...persona, age_key: { signals: [] } },
      /^age_key\.signals: expected at least 1 item/,
    ],
    [
      '51 signals',
      { ...persona, age_key: { signals: Array(51).fill(signal) } },
      /^age_key\.signals: expected at most 50 items/,
    ],
    [
      'an unknown method',
      withSignal({ method: 'facial' }),
      /method: unknown method "facial"\. Did you mean "facial_age_estimation"\?$/,
    ],
    [
      'an impossible date',
      withSignal({ age: { date_of_birth: '2026-02-29' } }),
      /signals\[0\]\.age\.date_of_birth: must be a calendar date/,
    ],
    [
      'a unit that is none',
      withSignal({ age: { date_of_birth: 'today - 18x' } }),
      /date_of_birth: must be .* such as today - 18y/,
    ],
    ['a date of birth with a time', withSignal({ age: { date_of_birth: 'now - 18y' } }), /date_of_birth: must be /],
    [
      'a verification that is no date',
      withSignal({ verified_at: 'yesterday' }),
      /verified_at: must be .* such as now - 30d/,
    ],
    ['two ages', withSignal({ age: { years: 18, at_least_years: 18 } }), /age: must hold exactly one of date_of_birth/],
    ['no age', withSignal({ age: {} }), /age: must hold exactly one of date_of_birth/],
    ['half a year', withSignal({ age: { years: 17.5 } }), /age\.years: must be an integer from 0 to 150/],
    [
      'a country that is none',
      withSignal({ attributes: { issuing_country: 'XX' } }),
      /attributes\.issuing_country: must be an assigned ISO 3166-1/,
    ],
    [
      'an attribute of another method',
      withSignal({ attributes: { card_type: 'credit' } }),
      /attributes\.card_type: has no member "card_type"/,
    ],
    [
      'an assurance level that is none',
      withSignal({ iso_27566_1: 'high' }),
      /iso_27566_1: must be one of basic, effective/,
    ],
    ['a provenance that is no path', withSignal({ provenance: 'veratad' }), /provenance: must be \/provider/],
    [
      'a member of submitted signals',
      withSignal({ type: 'age_verification' }),
      /signals\[0\]\.type: has no member "type"/,
    ],
    [
      'a date of birth by email',
      withSignal({ method: 'email_age_estimation', attributes: undefined }),
      /age\.date_of_birth: is no age format of email_age_estimation: give at_least_years instead$/,
    ],
    [
      'a card that proves 21',
      withSignal({ method: 'payment_card_network', age: { at_least_years: 21 }, attributes: { card_type: 'credit' } }),
      /age\.at_least_years: must be 18 with payment_card_network, is 21$/,
    ],
    ['a misspelled key', { ...persona, agekey: {} }, /^agekey: unknown key\. Did you mean "age_key"\?$/],
  ])('with %s is refused in one sentence', (_, value, message) => {
    expect(complaints(value)).toEqual([expect.stringMatching(message)])
  })

  it.each([undefined, null, 5, 'mia', [], [persona]])('is not %j', (value) => {
    expect(complaints(value)).toHaveLength(1)
  })

  it("is in the group of the user's own unless it says otherwise", () => {
    const own: Persona = { name: 'a', title: 'A', purpose: 'B.' }
    expect(groupOf(own)).toBe('Own')
    expect(groupOf({ ...own, group: 'Minors' })).toBe('Minors')
  })

  it('has a JSON Schema that names its members', () => {
    expect(z.toJSONSchema(personaSchema)).toMatchObject({
      type: 'object',
      required: ['name', 'title', 'purpose'],
      additionalProperties: false,
      properties: { age_key: { properties: { signals: { type: 'array', minItems: 1, maxItems: 50 } } } },
    })
  })
})
