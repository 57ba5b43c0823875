import { expect, test } from 'vitest'
import * as z from 'zod'
import { groupOf, personaSchema } from '../../../src/sandbox/personas/persona-schema.ts'
import { MAX_SIGNALS } from '../../../src/service/age/signal.ts'
import { checkAgainst, formatPath } from '../../../src/service/text/schema-problems.ts'

const signal = {
  method: 'id_doc_scan',
  age: { date_of_birth: 'today - 18y + 1d' },
  verified_at: 'now - 30d',
  provenance: '/veratad/roc',
  attributes: { face_match_performed: true, issuing_country: 'US' },
  iso_27566_1: 'highly_effective',
}
const own = { name: 'mia', title: 'Mia', purpose: 'For tests.' } as const
const persona = { ...own, age_key: { signals: [signal] } }
const LONG = 'x'.repeat(300)
const having = (changes: object) => ({
  ...persona,
  age_key: { signals: [{ ...signal, ...changes }] },
})
const born = (date_of_birth: string) => having({ age: { date_of_birth } })
const times = (count: number) => ({ ...own, age_key: { signals: Array(count).fill(signal) } })

function complaints(value: unknown): string[] {
  const checked = checkAgainst(personaSchema, value)
  return checked.kind === 'valid'
    ? []
    : checked.problems.map(({ path, message }) => `${formatPath(path)}: ${message}`)
}

test.each([
  ['with relative dates', persona],
  [
    'with plain dates',
    having({ age: { date_of_birth: '2008-02-29' }, verified_at: '2026-05-17T10:00:00.123Z' }),
  ],
  ['without an age key', own],
  ['with a provenance that is on no list', having({ provenance: '/acme/labs' })],
  ['with a name of 63 characters', { ...persona, name: 'a'.repeat(63) }],
  [
    'with a title of 100 and a purpose of 300 characters',
    { ...own, title: LONG.slice(200), purpose: LONG },
  ],
  ['with a group', { ...persona, group: 'Edge cases' }],
  [
    'without attributes or certification',
    having({ attributes: undefined, iso_27566_1: undefined }),
  ],
  ['with as many signals as a key holds', times(MAX_SIGNALS)],
])('A persona %s is given back as it is', (_, value) => {
  expect(checkAgainst(personaSchema, value)).toEqual({ kind: 'valid', value })
})

/** What is wrong with a signal is told in test/service/age/signal.test.ts. */
test.each([
  ['an upper-case name', { ...persona, name: 'Mia' }, /^name: must be 1 to 63 lower-case letters/],
  ['a name that begins with a hyphen', { ...persona, name: '-mia' }, /^name: /],
  ['a name of 64 characters', { ...persona, name: 'a'.repeat(64) }, /^name: /],
  ['an empty title', { ...persona, title: ' ' }, /^title: must not be empty$/],
  [
    'a title of 101 characters',
    { ...own, title: LONG.slice(199) },
    /^title: expected at most 100 characters/,
  ],
  [
    'a purpose of 301 characters',
    { ...own, purpose: `${LONG}.` },
    /^purpose: expected at most 300 characters/,
  ],
  ['no purpose', { name: 'a', title: 'A' }, /^purpose: is missing; expected a text$/],
  [
    'an unknown group',
    { ...persona, group: 'Adult' },
    /^group: unknown group "Adult"\. Did you mean "Adults"\?$/,
  ],
  [
    'an age key that is null',
    { ...persona, age_key: null },
    /^age_key: expected a mapping, found nothing$/,
  ],
  ['an age key without signals', times(0), /^age_key\.signals: expected at least 1 item/],
  ['51 signals', times(51), /^age_key\.signals: expected at most 50 items/],
  [
    'an unknown method',
    having({ method: 'facial' }),
    /method: unknown method "facial"\. Did you mean "facial_age_est/,
  ],
  [
    'an impossible date',
    born('2026-02-29'),
    /signals\[0\]\.age\.date_of_birth: must be a calendar date/,
  ],
  ['no age', having({ age: {} }), /age: must hold exactly one of date_of_birth/],
  [
    'a misspelled key',
    { ...persona, agekey: {} },
    /^agekey: unknown key\. Did you mean "age_key"\?$/,
  ],
])('A persona with %s is refused in one sentence', (_, value, message) => {
  expect(complaints(value)).toEqual([expect.stringMatching(message)])
})

test('A persona is an object', () => {
  const others = [undefined, null, 5, 'mia', [], [persona]]
  expect(others.map((value) => complaints(value).length)).toEqual(others.map(() => 1))
})

test("A persona belongs to the user's own group by default", () => {
  expect(groupOf(own)).toBe('Own')
  expect(groupOf({ ...own, group: 'Minors' })).toBe('Minors')
})

test('The JSON Schema of a persona names its members', () => {
  expect(z.toJSONSchema(personaSchema)).toMatchObject({
    type: 'object',
    required: ['name', 'title', 'purpose'],
    additionalProperties: false,
    properties: {
      age_key: { properties: { signals: { type: 'array', minItems: 1, maxItems: 50 } } },
    },
  })
})
