import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { claimsSchema, parseClaims } from '../../src/age/claims.ts'
import { named, readCases } from './cases.ts'

const vocabulary = { provenanceAllowlist: ['/yoti'], platforms: ['apple_wallet', 'sandbox'] }

const cases = readCases(
  'claims.cases.json',
  z.array(
    z.strictObject({
      name: z.string(),
      claims: z.unknown(),
      issues: z.array(z.string()),
      usable: z.boolean().optional(),
    }),
  ),
)

describe('parseClaims', () => {
  it.each(named(cases))('%s', (_name, { claims, issues, usable }) => {
    const parsed = parseClaims(claims, vocabulary)
    expect(parsed.issues.map(({ rule, path }) => `${rule} ${path.join('/')}`).sort()).toEqual([...issues].sort())
    expect('claims' in parsed).toBe(issues.length === 0 || usable === true)
  })

  it.each([
    ['age_thresholds', 'CLM-20', '100 entries', (list: unknown) => ({ age_thresholds: list })],
    ['allowed_methods', 'CLM-20', '100 entries', (list: unknown) => ({ age_thresholds: [18], allowed_methods: list })],
    [
      'overrides.id_doc_scan.age_thresholds',
      'CLM-20',
      '100 entries',
      (list: unknown) => ({ age_thresholds: [18], overrides: { id_doc_scan: { age_thresholds: list } } }),
    ],
    [
      'overrides.digital_credential.attributes.platform',
      'CLM-20',
      '100 entries',
      (list: unknown) => ({
        age_thresholds: [18],
        overrides: { digital_credential: { attributes: { platform: list } } },
      }),
    ],
    [
      'provenance.denied',
      'CLM-11',
      '10 patterns',
      (list: unknown) => ({ age_thresholds: [18], provenance: { denied: list } }),
    ],
  ])('reports a list %s of 20,000 once, as %s, and looks at none of its entries', (path, rule, most, claimsWith) => {
    const looked: PropertyKey[] = []
    const list = new Proxy(Array.from({ length: 20_000 }), {
      get: (target, name, receiver) => {
        if (name !== 'length') looked.push(name)
        return Reflect.get(target, name, receiver)
      },
    })
    expect(parseClaims(claimsWith(list), vocabulary)).toEqual({
      issues: [{ rule, path: path.split('.'), message: `claims.${path} must have at most ${most}, has 20000` }],
    })
    expect(looked).toEqual([])
  })

  it('takes 100 entries of a list, and looks at each', () => {
    const ages = Array.from({ length: 100 }, (_, age) => age)
    const overrides = { id_doc_scan: { age_thresholds: ages, attributes: { issuing_country: Array(100).fill('US') } } }
    expect(parseClaims({ age_thresholds: ages, overrides }, vocabulary).claims).toBeDefined()
    const { issues } = parseClaims({ age_thresholds: [...ages.slice(1), 'x'] }, vocabulary)
    expect(issues.map(({ rule }) => rule)).toContain('CLM-03')
  })

  it('gives back what was sent', () => {
    const claims = { age_thresholds: [18], overrides: { id_doc_scan: { attributes: { issuing_country: ['US'] } } } }
    expect(parseClaims(claims, vocabulary).claims).toEqual(claims)
  })

  it.each([
    [
      { age_thresholds: [18], allowed_method: [] },
      'claims has no member "allowed_method". Did you mean "allowed_methods"? Members: age_thresholds, allowed_methods, verified_after, provenance, overrides, iso_27566_1.',
    ],
    [
      { age_thresholds: [18], zzz: 1, provenance: { x: 1 } },
      'claims.provenance has no member "x". Members: allowed, denied.',
    ],
    [
      { age_thresholds: [18], 'two\nlines': 1, b: 2 },
      'claims has no member "b". Members: age_thresholds, allowed_methods, verified_after, provenance, overrides, iso_27566_1.',
    ],
    [{ age_thresholds: ['18'] }, 'claims.age_thresholds[0] must be an integer from 0 to 150, is "18"'],
    [{ age_thresholds: [{}] }, 'claims.age_thresholds[0] must be an integer from 0 to 150, is an object'],
    [{ age_thresholds: [] }, 'claims.age_thresholds must be a non-empty array of ages, is empty'],
    [{}, 'claims.age_thresholds is missing: it must be a non-empty array of ages'],
    [
      { age_thresholds: [18], allowed_methods: ['id_dok_scan'] },
      'claims.allowed_methods[0] must be one of email_age_estimation, facial_age_estimation, national_id_number, digital_credential, id_doc_scan, payment_card_network, is "id_dok_scan". Did you mean "id_doc_scan"?',
    ],
    [
      { age_thresholds: [18], provenance: { allowed: Array.from({ length: 11 }, () => '/a') } },
      'claims.provenance.allowed must have at most 10 patterns, has 11',
    ],
    [
      { age_thresholds: [18], iso_27566_1: 'x'.repeat(99) },
      `claims.iso_27566_1 must be one of basic, effective, highly_effective, strict, is "${'x'.repeat(60)}…"`,
    ],
    [
      { age_thresholds: [18], overrides: { facial_age_estimation: {} } },
      'claims.overrides.facial_age_estimation must give min_age or age_thresholds, gives neither',
    ],
    [
      { age_thresholds: [18], overrides: { 'no word': 1 } },
      'claims.overrides has no member "no word". Methods: email_age_estimation, facial_age_estimation, national_id_number, digital_credential, id_doc_scan, payment_card_network.',
    ],
    [
      { age_thresholds: [18], overrides: { digital_credential: { attributes: { platform: ['aple_wallet'] } } } },
      'claims.overrides.digital_credential.attributes.platform[0] must be one of apple_wallet, sandbox, is "aple_wallet". Did you mean "apple_wallet"?',
    ],
    [
      { age_thresholds: [18], overrides: { email_age_estimation: { attributes: { a: true } } } },
      'claims.overrides.email_age_estimation.attributes has no member "a". Attributes of email_age_estimation: none.',
    ],
    [
      { age_thresholds: [18], overrides: { id_doc_scan: { attributes: { face_match: true } } } },
      'claims.overrides.id_doc_scan.attributes has no member "face_match". Did you mean "face_match_performed"? Attributes of id_doc_scan: face_match_performed, issuing_country.',
    ],
    [
      { age_thresholds: [18], verified_after: '2026-W27' },
      'claims.verified_after must be an ISO 8601 date or date-time on a day that exists, as YYYY-MM-DD or YYYY-MM-DDThh:mm[:ss[.fff]][Z or +hh:mm], is "2026-W27"',
    ],
    ['{"age_thresholds":[18]}', 'claims must be a JSON object, is JSON inside a string: it was encoded twice'],
    [
      { age_thresholds: [18], provenance: { allowed: [`/${'a'.repeat(100)}`] } },
      `claims.provenance.allowed[0] must be at most 100 characters, has 101: "/${'a'.repeat(59)}…"`,
    ],
  ])('says of %j: %s', (claims, message) => {
    expect(parseClaims(claims, vocabulary).issues.map((issue) => issue.message)).toContain(message)
  })

  it('names a misspelt member before the one that is missing for it', () => {
    const { issues } = parseClaims({ age_threshold: [18] }, vocabulary)
    expect(issues.map(({ rule }) => rule)).toEqual(['CLM-01', 'CLM-02'])
  })

  it('answers a thousand mistakes with a hundred issues', () => {
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`x${index}`, 1]))
    expect(parseClaims({ ...many, age_thresholds: Array(100).fill('x') }, vocabulary).issues).toHaveLength(100)
  })

  it('still says why it refuses when a hundred repeated thresholds could be tolerated', () => {
    const claims = { age_thresholds: Array(100).fill(18), overrides: { facial_age_estimation: {} } }
    expect(parseClaims(claims, vocabulary).issues.map(({ rule }) => rule)).toContain('CLM-17')
  })

  it('survives text that is no text, and objects without end', () => {
    let nested: unknown = 0
    for (let depth = 0; depth < 20_000; depth++) nested = { overrides: nested, age_thresholds: [nested] }
    const hostile = ['\ud800', '\0', 'x'.repeat(1_000_000), nested]
    for (const value of hostile) {
      for (const member of Object.keys(claimsSchema.shape)) {
        const { issues } = parseClaims({ age_thresholds: [18], [member]: value }, vocabulary)
        expect(issues, member).not.toEqual([])
        expect(JSON.stringify(issues).length, member).toBeLessThan(10_000)
      }
    }
  })

  it('never throws, and names a rule and a sentence for each issue', () => {
    const member = fc.constantFrom(...Object.keys(claimsSchema.shape), '__proto__', 'constructor', 'x')
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fc.dictionary(member, fc.jsonValue())), (value) => {
        const { claims, issues } = parseClaims(value, vocabulary)
        for (const issue of issues) {
          expect(issue.rule).toMatch(/^CLM-(0[1-9]|1\d|20)$/)
          expect(issue.message).toMatch(/^claims\S* (must|has no member|is missing)/)
        }
        expect(claims !== undefined || issues.length > 0).toBe(true)
      }),
    )
  })
})

describe('claimsSchema', () => {
  it('becomes a JSON Schema that states what the specification says', () => {
    const { properties, required, additionalProperties } = z.toJSONSchema(claimsSchema)
    expect({ required, additionalProperties }).toEqual({ required: ['age_thresholds'], additionalProperties: false })
    expect(properties?.['age_thresholds']).toEqual({
      type: 'array',
      minItems: 1,
      items: { type: 'integer', minimum: 0, maximum: 150 },
    })
    expect(properties?.['overrides']).toMatchObject({
      properties: { facial_age_estimation: { oneOf: [{ required: ['min_age'] }, { required: ['age_thresholds'] }] } },
    })
  })
})
