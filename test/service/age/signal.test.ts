import fc from 'fast-check'
import { expect, test } from 'vitest'
import * as z from 'zod'
import {
  checkedSignalSchema,
  parseAgeSignals,
  parseEvaluationSignals,
} from '../../../src/service/age/signal.ts'
import { issueTexts, SIGNAL_CASES, SIGNAL_CONTEXT, SIGNALS, signalOf } from './cases.ts'

const { email, document } = SIGNALS
const { type: _type, verification_id: _id, ...personaDocument } = { ...document }

const textsOf = (value: unknown) => issueTexts(parseAgeSignals(value, SIGNAL_CONTEXT).issues)

/** `SIG-04 type: …` of the single item. */
const ofItem = (issues: readonly string[]) =>
  issues.map((text) => text.replace(' ', ' 0/').replace('0/:', '0:'))

/** The issues that a parser finds in each case, beside the expected ones. */
const readings = (parse: typeof parseEvaluationSignals, isFound = (_text: string) => true) =>
  SIGNAL_CASES.map((one) => {
    const signal = signalOf(one)
    const expected = ofItem(one.issues.filter(isFound))
    return { name: one.name, signal, expected, ...parse([signal], SIGNAL_CONTEXT) }
  })

const ALLOWLIST =
  '; for example /veratad/roc. The allowlist holds /veratad/roc /yoti /inicis /spruce_id /stripe'

test('parseAgeSignals returns the signals unless an issue makes them unusable', () => {
  const cases = readings((value) => parseAgeSignals(value, SIGNAL_CONTEXT))
  const whole = cases.map(({ name, signal, expected }) => {
    const isUsable = expected.every((text) => /^SIG-(10|13|24|25) /.test(text))
    const missing = expected.map((text) =>
      /^SIG-19 .* is missing: /.test(text) ? text + ALLOWLIST : text,
    )
    return [name, missing, isUsable ? [signal] : undefined]
  })
  expect(cases.map(({ name, issues, signals }) => [name, issueTexts(issues), signals])).toEqual(
    whole,
  )
})

/** Loaded again: a process creates the schema of a method once, and this test must see that. */
const SCHEMAS = '../../../src/service/age/signal-schema.ts'
const loadAnew = (
  by: string,
): Promise<typeof import('../../../src/service/age/signal-schema.ts')> => import(`${SCHEMAS}?${by}`)

test.each<[value: unknown, what: string]>([
  [email, 'is an object: put it into an array'],
  [JSON.stringify([email]), 'is JSON inside a string: it was encoded twice'],
  ['email', 'is "email"'],
  [null, 'is null'],
  [undefined, 'is undefined'],
  [7, 'is 7'],
])('SIG-01 says of %j, which is no list, what it is', (value, what) => {
  const mistake = (root: string) => {
    const message = `${root} must be an array of age signals, ${what}`
    return { issues: [{ rule: 'SIG-01', path: [], message }] }
  }
  expect(parseAgeSignals(value, SIGNAL_CONTEXT)).toEqual(mistake('authorization_details'))
  expect(parseEvaluationSignals(value)).toEqual(mistake('signals'))
})

test.each([
  [null, 'is null'],
  ['x', 'is "x"'],
  [[], 'is an array'],
  [7, 'is 7'],
])('SIG-01 says what the item %j is', (item, what) => {
  const [root, must] = ['SIG-01 0: authorization_details[0]', 'must be an object: one age signal']
  expect(textsOf([item, email])).toEqual([`${root} ${must}, ${what}`])
})

test('SIG-01 says that an undefined item is missing', () => {
  const problem = 'authorization_details[0] is missing: it must be an object: one age signal'
  expect(textsOf([undefined, email])).toEqual([`SIG-01 0: ${problem}`])
})

test('SIG-02 accepts 1 to 10 signals in a submission', () => {
  const list = (count: number) => Array(count).fill(email)
  const text = 'SIG-02 : authorization_details must hold 1 to 10 age signals, holds'
  expect([0, 1, 11].map((count) => textsOf(list(count)))).toEqual([
    [`${text} 0`],
    [],
    [`${text} 11`],
  ])
})

test('SIG-02 accepts 0 to 50 signals in an evaluation', () => {
  const list = (count: number) => Array(count).fill(email)
  const evaluated = [0, 50, 51].map((count) =>
    issueTexts(parseEvaluationSignals(list(count)).issues),
  )
  expect(evaluated).toEqual([[], [], ['SIG-02 : signals must hold 0 to 50 age signals, holds 51']])
})

test('SIG-23 advises on a submission of two to ten signals', () => {
  for (const count of [2, 10]) {
    const { signals, issues } = parseAgeSignals(Array(count).fill(email), SIGNAL_CONTEXT)
    const message = `authorization_details should carry one age signal, carries ${count}: no maximum is specified, and the examples carry one`
    expect(issues).toEqual([{ rule: 'SIG-23', path: [], message }])
    expect(signals).toHaveLength(count)
  }
})

test('parseAgeSignals gives back every signal that was sent, or the issues of every item', () => {
  const sent = Object.values(SIGNALS)
  expect(parseAgeSignals(sent, SIGNAL_CONTEXT).signals).toEqual(sent)
  const parsed = parseAgeSignals(
    [email, { ...SIGNALS['card'], type: 1, age: { years: 1 } }, 3],
    SIGNAL_CONTEXT,
  )
  expect(parsed).not.toHaveProperty('signals')
  const issues = parsed.issues.map(({ rule, path }) => `${rule} ${path.join('/')}`)
  expect(issues).toEqual(['SIG-04 1/type', 'SIG-09 1/age/years', 'SIG-01 2'])
})

const FORMS = 'YYYY-MM-DD or YYYY-MM-DDThh:mm[:ss[.fff]][Z or +hh:mm]'
const ISO_8601 = `must be an ISO 8601 date or date-time on a day that exists, as ${FORMS}`

test.each([
  {
    type: 'payment_initiation',
    instructedAmount: { currency: 'EUR', amount: '1' },
    creditorName: 'x',
  },
  { type: 'account_information', actions: ['list_accounts'], locations: ['https://bank.example'] },
  { type: 'openid_credential', credential_configuration_id: 'x', method: 'y', age: 7 },
  { ...SIGNALS['card'], type: 'age-verification', age: {}, provenance: 'x', note: 1 },
  { type: '' },
])('Of an item of the type $type only the type is reported', (item) => {
  const { issues } = parseAgeSignals([item], SIGNAL_CONTEXT)
  expect(issues.map(({ rule, path }) => `${rule} ${path.join('/')}`)).toEqual(['SIG-04 0/type'])
})

test.each(['AGE_VERIFICATION', 'age-verification', 'ageVerification', 'age_verificaton'])(
  'The misspelt type %s is answered by the right one',
  (type) => {
    expect(textsOf([{ ...email, type }])).toEqual([
      `SIG-04 0/type: authorization_details[0].type must be age_verification, is "${type}". Did you mean "age_verification"?`,
    ])
  },
)

test.each([
  ['no type', { note: 1 }],
  ['a number for a type', { type: 1, note: 1 }],
])('The type is reported before the other mistakes of an item with %s', (_what, item) => {
  const rules = parseAgeSignals([item], SIGNAL_CONTEXT).issues.map(({ rule }) => rule)
  expect(rules[0]).toBe('SIG-04')
  expect(rules).toContain('SIG-03')
})

test('An item of another type hides no mistake of the next item', () => {
  const { issues } = parseAgeSignals(
    [{ type: 'payment_initiation' }, { ...email, note: 1 }],
    SIGNAL_CONTEXT,
  )
  expect(issues.map(({ rule, path }) => `${rule} ${path.join('/')}`)).toEqual([
    'SIG-04 0/type',
    'SIG-03 1/note',
  ])
})

test('parseAgeSignals looks at no item beyond the tenth', () => {
  expect(parseAgeSignals(Array(30_000).fill(0), SIGNAL_CONTEXT).issues).toHaveLength(11)
})

test('parseAgeSignals reports at most a hundred issues', () => {
  const many = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`x${index}`, 1]))
  expect(parseAgeSignals([many, many], SIGNAL_CONTEXT).issues).toHaveLength(100)
})

test('parseAgeSignals reports an unusable value in at most 10,000 characters', () => {
  let nested: unknown = 0
  for (let depth = 0; depth < 20_000; depth++) nested = { age: nested, attributes: [nested] }
  for (const value of ['\ud800', '\0', 'x'.repeat(1_000_000), nested])
    for (const member of [...Object.keys({ ...SIGNALS['wallet'] }), 'x']) {
      const issues = textsOf([{ ...SIGNALS['wallet'], [member]: value }])
      expect(issues, member).not.toEqual([])
      expect(JSON.stringify(issues).length, member).toBeLessThan(10_000)
    }
})

const SENTENCE =
  /^(authorization_details|signals)[\s\S]* (must|should|has no member|is missing|is no age)/

test('The parsers of signals explain every refusal by the sentence of a rule', () => {
  const names = ['age', 'method', 'attributes', 'verified_at', 'provenance', '__proto__', 'x']
  const value = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom(...Object.values(SIGNALS).map(({ method }) => method)),
  )
  const item = fc.oneof(fc.jsonValue(), fc.dictionary(fc.constantFrom(...names), value))
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), fc.array(item)), (details) => {
      for (const parse of [parseAgeSignals, parseEvaluationSignals]) {
        const { issues, signals: read } = parse(details, SIGNAL_CONTEXT)
        for (const issue of issues) {
          expect(issue.rule).toMatch(/^(SIG-(0[1-9]|1\d|2[0134])|CLM-13)$/)
          expect(issue.message).toMatch(SENTENCE)
        }
        if (issues.length === 0) expect(read).toBeDefined()
      }
    }),
  )
})

const ONLY_FOR_SUBMISSION = /^SIG-(10|13|20|24|25) |^SIG-03 iso_27566_1/
const rulesAndPaths = (texts: readonly string[]) => texts.map((text) => text.split(':', 1)[0])

test('parseEvaluationSignals judges submitted signals likewise, but for what concerns their submission', () => {
  const cases = readings(parseEvaluationSignals, (text) => !ONLY_FOR_SUBMISSION.test(text))
  const whole = cases.map(({ name, signal, expected }) => [
    name,
    rulesAndPaths(expected),
    expected[0] ? undefined : [signal],
  ])
  expect(
    cases.map(({ name, issues, signals }) => [name, rulesAndPaths(issueTexts(issues)), signals]),
  ).toEqual(whole)
})

test('parseEvaluationSignals accepts the signals of a persona file', () => {
  const certified = [personaDocument, { ...personaDocument, iso_27566_1: 'basic' }]
  expect(parseEvaluationSignals(certified, SIGNAL_CONTEXT)).toEqual({
    signals: certified,
    issues: [],
  })
})

test('parseEvaluationSignals accepts any platform when no context is given', () => {
  const attributes = { platform: 'x', issuing_country: 'US' }
  const sent = [
    {
      ...SIGNALS['wallet'],
      attributes,
      verified_at: '2999-01-01',
      age: { date_of_birth: '2999-01-01' },
    },
  ]
  expect(parseEvaluationSignals(sent)).toEqual({ signals: sent, issues: [] })
})

const LEVEL = 'must be one of basic, effective, highly_effective, strict, is "gold"'

test.each([
  ['a type, as of a submitted one', { type: 'age_verification' }, /^SIG-12 0\/verification_id:/],
  ['a verification_id, as of a submitted one', { verification_id: 'a' }, /^SIG-04 0\/type:/],
  [
    'an unknown level',
    { iso_27566_1: 'gold' },
    `CLM-13 0/iso_27566_1: signals[0].iso_27566_1 ${LEVEL}`,
  ],
])('parseEvaluationSignals refuses a signal with %s', (_, member, issue) => {
  const { issues } = parseEvaluationSignals([{ ...personaDocument, ...member }])
  expect(issueTexts(issues)).toEqual([
    typeof issue === 'string' ? issue : expect.stringMatching(issue),
  ])
})

const PERSONA_DAY =
  'must be a calendar date YYYY-MM-DD that exists or a relative one such as today - 18y + 1d'
const MISSPELT = `SIG-14 ${ISO_8601}, or a relative one such as now - 30d, is "now - 30 days"`
const SENT =
  'SIG-03 has no member "type". Members: method, age, verified_at, provenance, attributes, iso_27566_1.'

test.each([
  ['a relative day of birth', { age: { date_of_birth: 'today - 18y + 1d' } }, undefined],
  ['a relative verification', { verified_at: 'now - 30d' }, undefined],
  ['a verification today', { verified_at: 'today - 30d' }, undefined],
  ['plain dates', {}, undefined],
  ['a level', { iso_27566_1: 'strict' }, undefined],
  [
    'a day of birth with a time',
    { age: { date_of_birth: 'now - 18y' } },
    `SIG-06 ${PERSONA_DAY}, is "now - 18y"`,
  ],
  ['a misspelt relative date', { verified_at: 'now - 30 days' }, MISSPELT],
  ['a submission', { type: 'age_verification' }, SENT],
  [
    'an attribute that is undefined',
    { attributes: { issuing_country: undefined } },
    'SIG-17 is missing: it must be',
  ],
])('The schema of a persona judges a signal with %s', async (_what, change, issue) => {
  const { personaSignalSchema } = await loadAnew(`persona-${_what}`)
  const { error } = personaSignalSchema.safeParse({ ...personaDocument, ...change })
  expect(JSON.stringify(error?.issues ?? [])).toContain(
    issue === undefined ? '[]' : JSON.stringify(issue).slice(1, -1),
  )
})

test.each([
  ['nothing', undefined],
  ['a list', []],
  ['another method', { ...personaDocument, method: 'x' }],
  ['an age that is no object', { ...personaDocument, age: 18 }],
  ['a verified_at that is no text', { ...personaDocument, verified_at: 1 }],
  ['no provenance', { ...personaDocument, provenance: undefined }],
])('checkedSignalSchema refuses %s', (_what, value) => {
  expect(checkedSignalSchema.safeParse(value).error?.issues).toMatchObject([
    { message: 'not an age signal' },
  ])
})

test('checkedSignalSchema does not check the content of the members', () => {
  const signal = { ...personaDocument, age: {}, attributes: 7 }
  expect(checkedSignalSchema.parse(signal)).toMatchObject({ attributes: 7 })
})

test('evaluationSignalSchema accepts the signal of each method', async () => {
  const { evaluationSignalSchema } = await loadAnew('describe')
  for (const signal of Object.values(SIGNALS)) {
    const certified = { ...signal, iso_27566_1: 'basic' }
    expect(evaluationSignalSchema.parse(certified)).toEqual(certified)
  }
})

test('The JSON Schema of a signal distinguishes the methods', async () => {
  const { evaluationSignalSchema, personaSignalSchema } = await loadAnew('describe')
  const { anyOf: [evaluation] = [] } = z.toJSONSchema(evaluationSignalSchema, { io: 'input' })
  const anyOf = evaluation?.anyOf ?? []
  expect(anyOf).toHaveLength(6)
  const years = { type: 'integer', minimum: 0, maximum: 150 }
  const object = { type: 'object', additionalProperties: false }
  const formats = { date_of_birth: { type: 'string' }, at_least_years: years, years }
  const card_type = { type: 'string', enum: ['credit', 'debit', 'unknown'] }
  const schemaOf = (method: string) =>
    anyOf.find((one) => JSON.stringify(one).includes(`"${method}"`))
  expect(schemaOf('payment_card_network')).toMatchObject({ additionalProperties: false })
  const { method, age, attributes } = { ...schemaOf('payment_card_network')?.properties }
  expect({ method, age, attributes }).toEqual({
    method: { type: 'string', enum: ['payment_card_network'] },
    age: {
      ...object,
      properties: formats,
      ...{ required: ['at_least_years'], minProperties: 1, maxProperties: 1 },
    },
    attributes: { ...object, properties: { card_type }, required: ['card_type'] },
  })
  expect(schemaOf('id_doc_scan')).not.toHaveProperty('properties.age.required')
  expect(z.toJSONSchema(personaSignalSchema, { io: 'input' }).anyOf).toHaveLength(6)
})
