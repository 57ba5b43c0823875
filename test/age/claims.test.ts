import fc from 'fast-check'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { claimsSchema, parseClaims } from '../../src/age/claims.ts'
import { CLAIMS_CASES, issueTexts, named, SIGNAL_CONTEXT } from './cases.ts'

test.each(named(CLAIMS_CASES))(
  'parseClaims reports each issue in whole, and gives claims back without: %s',
  (_, one) => {
    const { claims, issues } = parseClaims(one.claims, SIGNAL_CONTEXT)
    expect(issueTexts(issues)).toEqual(one.issues)
    const isUsable = one.issues.every((text) => /^CLM-0[456] /.test(text))
    expect(claims).toEqual(isUsable ? one.claims : undefined)
  },
)

test('parseClaims without a vocabulary takes any platform', () => {
  const claims = { age_thresholds: [18], overrides: { digital_credential: { attributes: { platform: ['x'] } } } }
  expect(parseClaims(claims)).toEqual({ claims, issues: [] })
})

const withOverride = (method: string, override: object) => ({ age_thresholds: [18], overrides: { [method]: override } })

test.each<[path: string, rule: string, most: string, claimsWith: (list: unknown) => unknown]>([
  ['age_thresholds', 'CLM-20', '100 entries', (list) => ({ age_thresholds: list })],
  ['allowed_methods', 'CLM-20', '100 entries', (list) => ({ age_thresholds: [18], allowed_methods: list })],
  [
    'overrides.id_doc_scan.age_thresholds',
    'CLM-20',
    '100 entries',
    (list) => withOverride('id_doc_scan', { age_thresholds: list }),
  ],
  [
    'overrides.digital_credential.attributes.platform',
    'CLM-20',
    '100 entries',
    (list) => withOverride('digital_credential', { attributes: { platform: list } }),
  ],
  ['provenance.denied', 'CLM-11', '10 patterns', (list) => ({ age_thresholds: [18], provenance: { denied: list } })],
])(
  'parseClaims reports a list %s of 101 or 20,000 once, as %s, and looks at none of its entries',
  (path, rule, most, claimsWith) => {
    for (const length of [101, 20_000]) {
      const looked: PropertyKey[] = []
      const list = new Proxy(Array.from({ length }), {
        get: (target, name, receiver) => {
          if (name !== 'length') looked.push(name)
          return Reflect.get(target, name, receiver)
        },
      })
      expect(parseClaims(claimsWith(list), SIGNAL_CONTEXT)).toEqual({
        issues: [{ rule, path: path.split('.'), message: `claims.${path} must have at most ${most}, has ${length}` }],
      })
      expect(looked).toEqual([])
    }
  },
)

test('parseClaims takes 100 entries of a list, and looks at each', () => {
  const ages = Array.from({ length: 100 }, (_, age) => age)
  const overrides = { id_doc_scan: { age_thresholds: ages, attributes: { issuing_country: Array(100).fill('US') } } }
  expect(parseClaims({ age_thresholds: ages, overrides }, SIGNAL_CONTEXT).claims).toBeDefined()
  const { issues } = parseClaims({ age_thresholds: [...ages.slice(1), 'x'] }, SIGNAL_CONTEXT)
  expect(issues.map(({ rule }) => rule)).toContain('CLM-03')
})

test('parseClaims answers a thousand mistakes with a hundred issues', () => {
  const many = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`x${index}`, 1]))
  for (const claims of [
    { ...many, age_thresholds: [18] },
    { age_thresholds: Array(100).fill('x'), ...many },
  ]) {
    expect(parseClaims(claims, SIGNAL_CONTEXT).issues).toHaveLength(100)
  }
})

test('parseClaims compares ten unknown members of an object with the known ones, and shows the others as they are', () => {
  const many = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`age_thresholds_${index}`, 1]))
  const messages = parseClaims({ ...many, age_thresholds: [18] }).issues.map(({ message }) => message)
  expect(messages.map((message) => message.includes('Did you mean "age_thresholds"?'))).toEqual([
    ...Array(10).fill(true),
    ...Array(2).fill(false),
  ])
})

test('parseClaims still says why it refuses when a hundred repeated thresholds could be tolerated', () => {
  const claims = { age_thresholds: Array(100).fill(18), overrides: { facial_age_estimation: {} } }
  expect(parseClaims(claims, SIGNAL_CONTEXT).issues.map(({ rule }) => rule)).toContain('CLM-17')
})

test('parseClaims survives text that is no text, and objects without end', () => {
  let nested: unknown = 0
  for (let depth = 0; depth < 20_000; depth++) nested = { overrides: nested, age_thresholds: [nested] }
  for (const value of ['\ud800', '\0', 'x'.repeat(1_000_000), nested]) {
    for (const member of Object.keys(claimsSchema.shape)) {
      const { issues } = parseClaims({ age_thresholds: [18], [member]: value }, SIGNAL_CONTEXT)
      expect(issues, member).not.toEqual([])
      expect(JSON.stringify(issues).length, member).toBeLessThan(10_000)
    }
  }
})

test('parseClaims never throws, and names a rule and a sentence for each issue', () => {
  const member = fc.constantFrom(...Object.keys(claimsSchema.shape), '__proto__', 'constructor', 'x')
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), fc.dictionary(member, fc.jsonValue())), (value) => {
      const { claims, issues } = parseClaims(value, SIGNAL_CONTEXT)
      for (const issue of issues) {
        expect(issue.rule).toMatch(/^CLM-(0[1-9]|1\d|20)$/)
        expect(issue.message).toMatch(/^claims\S* (must|has no member|is missing)/)
      }
      expect(claims !== undefined || issues.length > 0).toBe(true)
    }),
  )
})

test('claimsSchema becomes a JSON Schema that states what the specification says', () => {
  const { properties, required, additionalProperties } = z.toJSONSchema(claimsSchema)
  expect({ required, additionalProperties }).toEqual({ required: ['age_thresholds'], additionalProperties: false })
  const age = { type: 'integer', minimum: 0, maximum: 150 }
  const patterns = { type: 'array', maxItems: 10, items: expect.objectContaining({ type: 'string', maxLength: 100 }) }
  expect(properties).toMatchObject({
    age_thresholds: { type: 'array', minItems: 1, items: age },
    allowed_methods: { type: 'array', minItems: 1 },
    verified_after: { description: 'ISO 8601 date or date-time; only later verifications are accepted' },
    provenance: { properties: { allowed: patterns, denied: patterns }, additionalProperties: false },
    overrides: {
      properties: {
        facial_age_estimation: { oneOf: [{ required: ['min_age'] }, { required: ['age_thresholds'] }] },
        id_doc_scan: {
          properties: { min_age: age, age_thresholds: { items: age } },
          additionalProperties: false,
        },
      },
      additionalProperties: false,
    },
  })
  expect(properties?.['overrides']).not.toHaveProperty('properties.id_doc_scan.oneOf')
})
