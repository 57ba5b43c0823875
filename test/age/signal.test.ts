import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { parseInstant } from '../../src/age/calendar.ts'
import {
  evaluationSignalSchema,
  parseAgeSignals,
  parseEvaluationSignals,
  personaSignalSchema,
  submittedSignalSchema,
} from '../../src/age/signal.ts'
import { named, readCases } from './cases.ts'

const { now, signals, cases } = readCases(
  'signal.cases.json',
  z.strictObject({
    now: z.string(),
    signals: z.record(z.string(), z.looseObject({ method: z.string() })),
    cases: z.array(
      z.strictObject({
        name: z.string(),
        of: z.string(),
        with: z.looseObject({}).optional(),
        without: z.array(z.string()).optional(),
        issues: z.array(z.string()),
        usable: z.boolean().optional(),
        evaluable: z.boolean().optional(),
      }),
    ),
  }),
)

const context = {
  now: parseInstant(now) ?? Number.NaN,
  provenanceAllowlist: ['/veratad/roc', '/yoti', '/inicis', '/spruce_id', '/stripe'],
  platforms: ['apple_wallet', 'sandbox'],
}

interface Change {
  readonly of: string
  readonly with?: object | undefined
  readonly without?: readonly string[] | undefined
}

/** The named signal with some members changed and some left out. */
function signalFor({ of, with: changes = {}, without = [] }: Change): object {
  const changed = { ...signals[of], ...changes }
  return Object.fromEntries(Object.entries(changed).filter(([name]) => !without.includes(name)))
}

const found = ({ issues }: ReturnType<typeof parseAgeSignals>) =>
  issues.map(({ rule, path }) => `${rule} ${path.join('/')}`).sort()

const IS_RECOMMENDED = /^SIG-(10|13) /
const ONLY_FOR_SUBMISSION = /^SIG-(10|13|20) |iso_27566_1$/

describe('parseAgeSignals', () => {
  it.each(named(cases))('%s', (_name, { issues, ...change }) => {
    const parsed = parseAgeSignals([signalFor(change)], context)
    expect(found(parsed)).toEqual(issues.map((text) => text.replace(' ', ' 0/')).sort())
    expect(parsed.signals !== undefined).toBe(issues.every((text) => IS_RECOMMENDED.test(text)))
  })

  it('gives back what was sent', () => {
    const sent = Object.values(signals)
    expect(parseAgeSignals(sent, context)).toEqual({ signals: sent, issues: [] })
  })

  it.each([[null], ['[]'], [{}], [undefined], [7]])('SIG-01 refuses %j instead of a list', (value) => {
    expect(parseAgeSignals(value, context)).toMatchObject({ issues: [{ rule: 'SIG-01', path: [] }] })
  })

  it.each([
    [signals['email'], 'is an object: put it into an array'],
    [JSON.stringify([signals['email']]), 'is JSON inside a string: it was encoded twice'],
    ['email', 'is "email"'],
  ])('SIG-01 says of %j what it is', (value, what) => {
    expect(parseAgeSignals(value, context).issues.map((issue) => issue.message)).toEqual([
      `authorization_details must be an array of age signals, ${what}`,
    ])
  })

  it.each([[null], ['x'], [[]], [7]])('SIG-01 refuses the item %j', (item) => {
    expect(found(parseAgeSignals([item, signals['email']], context))).toEqual(['SIG-01 0'])
  })

  it('SIG-02 refuses none and eleven, not one and ten', () => {
    const rules = (count: number) => found(parseAgeSignals(Array(count).fill(signals['email']), context))
    expect([0, 1, 10, 11].map(rules)).toEqual([['SIG-02 '], [], [], ['SIG-02 ']])
  })

  it('reports every issue of every item at once', () => {
    const parsed = parseAgeSignals([signals['email'], { ...signals['card'], type: 1, age: { years: 1 } }, 3], context)
    expect(found(parsed)).toEqual(['SIG-01 2', 'SIG-04 1/type', 'SIG-09 1/age/years'])
    expect(parsed.signals).toBeUndefined()
  })

  it.each([
    [
      'authorization_details[0].age.years is no age format of email_age_estimation: give at_least_years instead',
      { of: 'email', with: { age: { years: 1 } } },
    ],
    [
      'authorization_details[0].age.at_least_years must be 18 with payment_card_network, is 21',
      { of: 'card', with: { age: { at_least_years: 21 } } },
    ],
    [
      'authorization_details[0].age must hold exactly one of date_of_birth, at_least_years, years, holds none',
      { of: 'document', with: { age: {} } },
    ],
    [
      'authorization_details[0].age must hold exactly one of date_of_birth, at_least_years, years, holds at_least_years and years',
      { of: 'document', with: { age: { years: 18, at_least_years: 18 } } },
    ],
    [
      'authorization_details[0].verification_id must be 1 to 100 characters: letters, digits and _ + / = . -, is "order 17" (character 6 is a blank)',
      { of: 'document', with: { verification_id: 'order 17' } },
    ],
    [
      'authorization_details[0].verification_id must be 1 to 100 characters: letters, digits and _ + / = . -, is "order#17" (character 6 is "#")',
      { of: 'document', with: { verification_id: 'order#17' } },
    ],
    [
      `authorization_details[0].verification_id must be 1 to 100 characters: letters, digits and _ + / = . -, is "${'a'.repeat(60)}…" (101 characters)`,
      { of: 'document', with: { verification_id: 'a'.repeat(101) } },
    ],
    [
      'authorization_details[0].attributes has no member "document_number". Attributes of id_doc_scan: face_match_performed, issuing_country.',
      { of: 'document', with: { attributes: { document_number: '1' } } },
    ],
    [
      'authorization_details[0].attributes.issuing_country must be an assigned ISO 3166-1 alpha-2 code in capitals, such as US or GB, is "USA"',
      { of: 'document', with: { attributes: { issuing_country: 'USA' } } },
    ],
    [
      'authorization_details[0].age.date_of_birth must not be in the future, is 2026-07-02; today is 2026-07-01 (UTC)',
      { of: 'document', with: { age: { date_of_birth: '2026-07-02' } } },
    ],
    [
      'authorization_details[0].age.date_of_birth must be at most 150 years ago (1876-07-01), is 1875-01-01',
      { of: 'document', with: { age: { date_of_birth: '1875-01-01' } } },
    ],
    [
      'authorization_details[0].verified_at must not be in the future, is 2027-01-01T00:00:00Z; it is 2026-07-01T12:00:00.000Z',
      { of: 'document', with: { verified_at: '2027-01-01T00:00:00Z' } },
    ],
    [
      'authorization_details[0].verified_at must not be in the future, is 2027-01-01; it is 2026-07-01T12:00:00.000Z, which is 2026-07-02T02:00 where it is latest, at UTC+14',
      { of: 'document', with: { verified_at: '2027-01-01' } },
    ],
    [
      'authorization_details[0].method must be one of email_age_estimation, facial_age_estimation, national_id_number, digital_credential, id_doc_scan, payment_card_network, is "id_docscan". Did you mean "id_doc_scan"?',
      { of: 'document', with: { method: 'id_docscan' } },
    ],
    [
      'authorization_details[0].attributes is missing: it must be an object with platform, issuing_country',
      { of: 'wallet', without: ['attributes'] },
    ],
    [
      'authorization_details[0].attributes.platform must be one of apple_wallet, sandbox, is "aple_wallet". Did you mean "apple_wallet"?',
      { of: 'wallet', with: { attributes: { platform: 'aple_wallet', issuing_country: 'US' } } },
    ],
    [
      'authorization_details[0].provenance must be on the provenance allowlist, is "/veratad/rok". Did you mean "/veratad/roc"? It holds /veratad/roc /yoti /inicis /spruce_id /stripe',
      { of: 'document', with: { provenance: '/veratad/rok' } },
    ],
    [
      'authorization_details[0].age.years should be date_of_birth with id_doc_scan, which stays right as time passes, is years 36',
      { of: 'document', with: { age: { years: 36 } } },
    ],
    [
      'authorization_details[0].verification_id should be a UUID of version 7, is "a"',
      { of: 'document', with: { verification_id: 'a' } },
    ],
    [
      'authorization_details[0] has no member "verificationid". Did you mean "verification_id"? Members: type, verification_id, method, age, verified_at, provenance, attributes.',
      { of: 'document', with: { verificationid: 'a' } },
    ],
  ])('says: %s', (message, change) => {
    expect(parseAgeSignals([signalFor(change)], context).issues.map((issue) => issue.message)).toContain(message)
  })

  it.each([
    '2026-06-30T10:00:00+00',
    '2026-06-30T10:00:00+0000',
    '2026-06-30T10:00:00,5Z',
    '20260630',
    '20260630T100000Z',
    '2026-W27-2',
    '2026-181',
    '2026-06',
    '2026-06-30T10',
    '2026-06-30T24:00:00Z',
    '2026-06-30 10:00:00Z',
    '2026-06-30t10:00:00z',
  ])('SIG-14 repeats the ISO 8601 form %s, which is not read, and lists those that are', (verified_at) => {
    const { issues } = parseAgeSignals([signalFor({ of: 'document', with: { verified_at } })], context)
    expect(issues).toEqual([
      {
        rule: 'SIG-14',
        path: [0, 'verified_at'],
        message: `authorization_details[0].verified_at must be an ISO 8601 date or date-time on a day that exists, as YYYY-MM-DD or YYYY-MM-DDThh:mm[:ss[.fff]][Z or +hh:mm], is "${verified_at}"`,
      },
    ])
  })

  it('looks at no more items than may be there', () => {
    expect(parseAgeSignals(Array(30_000).fill(0), context).issues).toHaveLength(11)
  })

  it('survives text that is no text, and objects without end', () => {
    let nested: unknown = 0
    for (let depth = 0; depth < 20_000; depth++) nested = { age: nested, attributes: [nested] }
    for (const value of ['\ud800', '\0', 'x'.repeat(1_000_000), nested]) {
      for (const member of [...Object.keys({ ...signals['wallet'] }), 'x']) {
        const { issues } = parseAgeSignals([{ ...signals['wallet'], [member]: value }], context)
        expect(issues, member).not.toEqual([])
        expect(JSON.stringify(issues).length, member).toBeLessThan(10_000)
      }
    }
  })

  it('never throws, and names a rule and a sentence for each issue', () => {
    const names = ['age', 'method', 'attributes', 'verified_at', 'provenance', '__proto__', 'x']
    const value = fc.oneof(fc.jsonValue(), fc.constantFrom(...Object.values(signals).map(({ method }) => method)))
    const item = fc.oneof(fc.jsonValue(), fc.dictionary(fc.constantFrom(...names), value))
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fc.array(item)), (details) => {
        for (const { issues, signals: read } of [
          parseAgeSignals(details, context),
          parseEvaluationSignals(details, context),
        ]) {
          for (const issue of issues) {
            expect(issue.rule).toMatch(/^(SIG-(0[1-9]|1\d|2[01])|CLM-13)$/)
            expect(issue.message).toMatch(
              /^(authorization_details|signals)[\s\S]* (must|should|has no member|is missing|is no age)/,
            )
          }
          expect(read !== undefined || issues.length > 0).toBe(true)
        }
      }),
    )
  })
})

describe('parseEvaluationSignals', () => {
  it.each(named(cases))('judges a submitted signal likewise: %s', (_name, { issues, evaluable, ...change }) => {
    const parsed = parseEvaluationSignals([signalFor(change)], context)
    const expected = issues.filter((text) => !ONLY_FOR_SUBMISSION.test(text))
    expect(parsed.issues.map(({ rule, path }) => `${rule} ${path.join('/')}`).sort()).toEqual(
      expected.map((text) => text.replace(' ', ' 0/')).sort(),
    )
    expect(parsed.signals !== undefined).toBe(expected.length === 0)
    if (evaluable) expect(expected).toEqual([])
  })

  it('takes the shape of a persona, certified or not', () => {
    const { type: _type, verification_id: _id, ...document } = { ...signals['document'] }
    const sent = [document, { ...document, iso_27566_1: 'basic' }]
    expect(parseEvaluationSignals(sent, context)).toEqual({ signals: sent, issues: [] })
  })

  it('CLM-13 refuses an unknown level', () => {
    const { issues } = parseEvaluationSignals([{ ...signals['document'], iso_27566_1: 'gold' }], context)
    expect(issues).toMatchObject([{ rule: 'CLM-13', path: [0, 'iso_27566_1'] }])
  })

  it('takes none, and as many as an age key may hold', () => {
    const rules = (count: number) =>
      parseEvaluationSignals(Array(count).fill(signals['email']), context).issues.map(({ rule }) => rule)
    expect([0, 50, 51].map(rules)).toEqual([[], [], ['SIG-02']])
  })
})

describe('the schemas of signals', () => {
  const { type: _type, verification_id: _id, ...document } = { ...signals['document'] }

  it.each([
    ['a relative day of birth', { age: { date_of_birth: 'today - 18y + 1d' } }, true],
    ['a relative verification', { verified_at: 'now - 30d' }, true],
    ['plain dates', {}, true],
    ['a day of birth with a time', { age: { date_of_birth: 'now - 18y' } }, false],
    ['a misspelt relative date', { verified_at: 'now - 30 days' }, false],
    ['a submission', { type: 'age_verification', verification_id: 'a' }, false],
  ])('a persona with %s', (_what, change, isRight) => {
    expect(personaSignalSchema.safeParse({ ...document, ...change }).success).toBe(isRight)
  })

  it('take what the parsers take', () => {
    for (const signal of Object.values(signals)) {
      expect(submittedSignalSchema.parse(signal)).toEqual(signal)
      expect(evaluationSignalSchema.parse({ ...signal, iso_27566_1: 'basic' })).toMatchObject(signal)
    }
  })

  it('become JSON Schemas that distinguish the methods', () => {
    const { anyOf = [] } = z.toJSONSchema(submittedSignalSchema)
    expect(anyOf).toHaveLength(6)
    expect(anyOf).toContainEqual(
      expect.objectContaining({
        properties: expect.objectContaining({
          method: { type: 'string', enum: ['payment_card_network'] },
          age: expect.objectContaining({ required: ['at_least_years'], minProperties: 1, maxProperties: 1 }),
          attributes: expect.objectContaining({ required: ['card_type'], additionalProperties: false }),
        }),
      }),
    )
    for (const schema of [evaluationSignalSchema, personaSignalSchema]) {
      expect(() => z.toJSONSchema(schema, { io: 'input' })).not.toThrow()
    }
  })
})
