import fc from 'fast-check'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { claimsSchema, parseClaims } from '../../../src/service/age/claims.ts'
import { CLAIMS_CASES, issueTexts, SIGNAL_CONTEXT } from './cases.ts'

/** Loaded again: a process creates the schema of an override once, and this test must see that. */
const loadAnew = (file: string): Promise<typeof import('../../../src/service/age/claims.ts')> =>
  import(`${file}?anew`)

test('parseClaims returns the claims unless an issue makes them unusable', async () => {
  const anew = await loadAnew('../../../src/service/age/claims.ts')
  const parsed = CLAIMS_CASES.map(({ name, claims }) => ({
    name,
    ...anew.parseClaims(claims, SIGNAL_CONTEXT),
  }))
  const expected = CLAIMS_CASES.map(({ name, claims, issues }) => {
    const isUsable = issues.every((text) => /^CLM-(0[456]|22) /.test(text))
    return [name, issues, isUsable ? claims : undefined]
  })
  expect(parsed.map(({ name, issues, claims }) => [name, issueTexts(issues), claims])).toEqual(
    expected,
  )
})

test('parseClaims without a vocabulary takes any platform', () => {
  const claims = {
    age_thresholds: [18],
    overrides: { digital_credential: { attributes: { platform: ['x'] } } },
  }
  expect(parseClaims(claims)).toEqual({ claims, issues: [] })
})

test.each([
  ['age_thresholds', 'CLM-20', '100 entries'],
  ['provenance', 'CLM-20', '100 entries'],
  ['provenance.denied', 'CLM-11', '10 patterns'],
  ['overrides.id_doc_scan', 'CLM-20', '100 entries'],
  ['overrides.id_doc_scan.age_thresholds', 'CLM-20', '100 entries'],
  ['overrides.digital_credential.attributes.platform', 'CLM-20', '100 entries'],
])('parseClaims reads no entry of a list %s that %s bounds', (name, rule, most) => {
  const path = name.split('.')
  for (const length of [101, 20_000]) {
    const looked: PropertyKey[] = []
    const list = new Proxy(Array.from({ length }), {
      get: (target, name, receiver) => {
        if (name !== 'length') looked.push(name)
        return Reflect.get(target, name, receiver)
      },
    })
    const claims = path.reduceRight<unknown>((value, member) => ({ [member]: value }), list)
    const message = `claims.${name} must have at most ${most}, has ${length}`
    expect(parseClaims(claims, SIGNAL_CONTEXT)).toEqual({ issues: [{ rule, path, message }] })
    expect(looked).toEqual([])
  }
})

test('parseClaims accepts a list of 100 entries', () => {
  const ages = Array.from({ length: 100 }, (_, age) => age)
  const overrides = {
    id_doc_scan: { age_thresholds: ages, attributes: { issuing_country: Array(100).fill('US') } },
  }
  expect(parseClaims({ age_thresholds: ages, overrides }, SIGNAL_CONTEXT).claims).toBeDefined()
})

test('parseClaims checks the last of 100 entries', () => {
  const ages = Array.from({ length: 100 }, (_, age) => age)
  const { issues } = parseClaims({ age_thresholds: [...ages.slice(1), 'x'] }, SIGNAL_CONTEXT)
  expect(issues.map(({ rule }) => rule)).toContain('CLM-03')
})

test('parseClaims answers a thousand mistakes with a hundred issues', () => {
  const many = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`x${index}`, 1]))
  for (const age_thresholds of [[18], Array(100).fill('x')])
    expect(parseClaims({ age_thresholds, ...many }, SIGNAL_CONTEXT).issues).toHaveLength(100)
  // A hundred repeated thresholds could be tolerated; an error behind them must be reported.
  const claims = { age_thresholds: Array(100).fill(18), overrides: { facial_age_estimation: {} } }
  expect(parseClaims(claims, SIGNAL_CONTEXT).issues.map(({ rule }) => rule)).toContain('CLM-17')
})

test('parseClaims suggests a name for at most ten unknown members of an object', () => {
  const many = Object.fromEntries(
    Array.from({ length: 12 }, (_, index) => [`age_thresholds_${index}`, 1]),
  )
  const members = Object.keys(claimsSchema.shape).join(', ')
  const messages = Object.keys(many).map((name, index) => {
    const hint = index < 10 ? ' Did you mean "age_thresholds"?' : ''
    return `claims has no member "${name}".${hint} Members: ${members}.`
  })
  expect(
    parseClaims({ ...many, age_thresholds: [18] }).issues.map(({ message }) => message),
  ).toEqual(messages)
})

test('parseClaims reports an unusable value in at most 10,000 characters', () => {
  let nested: unknown = 0
  for (let depth = 0; depth < 20_000; depth++)
    nested = { overrides: nested, age_thresholds: [nested] }
  for (const value of ['\ud800', '\0', 'x'.repeat(1_000_000), nested])
    for (const member of Object.keys(claimsSchema.shape)) {
      const { issues } = parseClaims({ age_thresholds: [18], [member]: value }, SIGNAL_CONTEXT)
      expect(issues, member).not.toEqual([])
      expect(JSON.stringify(issues).length, member).toBeLessThan(10_000)
    }
})

test('A long list inside of a claims request of OpenID Connect Core is explained by the request', () => {
  const { issues } = parseClaims({ id_token: { age_thresholds: Array(101).fill(18) } })
  expect(issues.map(({ rule, path }) => `${rule} ${path.join('/')}`)).toEqual(['CLM-01 id_token'])
})

test('parseClaims explains every refusal by the sentence of a rule', () => {
  const member = fc.constantFrom(
    ...Object.keys(claimsSchema.shape),
    '__proto__',
    'constructor',
    'x',
  )
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), fc.dictionary(member, fc.jsonValue())), (value) => {
      const { claims, issues } = parseClaims(value, SIGNAL_CONTEXT)
      for (const issue of issues) {
        expect(issue.rule).toMatch(/^CLM-(0[1-9]|1\d|20|22)$/)
        expect(issue.message).toMatch(/^claims\S* (must|has no member|is missing)/)
      }
      if (issues.length === 0) expect(claims).toBeDefined()
    }),
  )
})

test('claimsSchema becomes a JSON Schema that states what the specification says', () => {
  const { properties, required, additionalProperties } = z.toJSONSchema(claimsSchema)
  expect({ required, additionalProperties }).toEqual({
    required: ['age_thresholds'],
    additionalProperties: false,
  })
  const age = { type: 'integer', minimum: 0, maximum: 150 }
  const patterns = {
    type: 'array',
    maxItems: 10,
    items: expect.objectContaining({ type: 'string', maxLength: 100 }),
  }
  expect(properties).toMatchObject({
    age_thresholds: { type: 'array', minItems: 1, items: age },
    allowed_methods: { type: 'array', minItems: 1 },
    verified_after: {
      description: 'ISO 8601 date or date-time; only later verifications are accepted',
    },
    provenance: {
      properties: { allowed: patterns, denied: patterns },
      additionalProperties: false,
    },
    overrides: {
      properties: {
        facial_age_estimation: {
          oneOf: [{ required: ['min_age'] }, { required: ['age_thresholds'] }],
        },
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
