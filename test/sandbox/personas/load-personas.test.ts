import { describe, expect, it } from 'vitest'
import { ASSURANCE_LEVELS } from '../../../src/age/assurance.ts'
import { type Claims, parseClaims } from '../../../src/age/claims.ts'
import { evaluate } from '../../../src/age/evaluate.ts'
import { AGE_FORMATS, CARD_TYPES, METHOD_NAMES } from '../../../src/age/methods.ts'
import { parseEvaluationSignals } from '../../../src/age/signal.ts'
import { DEFAULT_PLATFORMS, DEFAULT_PROVENANCE_ALLOWLIST } from '../../../src/oidc/decisions.ts'
import { createClock, type SandboxClock } from '../../../src/sandbox/clock/clock.ts'
import { BUILT_IN_PERSONAS } from '../../../src/sandbox/personas/load-personas.ts'
import { readPersonas } from '../../../src/sandbox/personas/persona-files.ts'
import { PERSONA_GROUPS } from '../../../src/sandbox/personas/persona-schema.ts'
import { resolvePersona } from '../../../src/sandbox/personas/resolve-persona.ts'

const personas = readPersonas([BUILT_IN_PERSONAS])
const signals = personas.flatMap(({ age_key }) => age_key?.signals ?? [])
const vocabulary = { provenanceAllowlist: DEFAULT_PROVENANCE_ALLOWLIST, platforms: DEFAULT_PLATFORMS }

const DAY = 86_400
const BASES = [
  '2026-05-17T12:00:00Z',
  '2026-12-31T23:59:59.999Z',
  '2027-02-28T00:00:00Z',
  '2027-03-01T00:00:00Z',
  '2028-02-28T12:00:00Z',
  '2028-02-29T00:00:00Z',
  '2028-02-29T23:59:59Z',
  '2028-03-01T12:00:00Z',
]
/** There is no 29 February in most years of birth: a persona that turns 18 on such a "tomorrow" does so on 1 March. */
const EVE_OF_A_LEAP_DAY = '2028-02-28T12:00:00Z'

function clockAt(instant: string): SandboxClock {
  const clock = createClock()
  clock.freeze(true)
  clock.set(Date.parse(instant))
  return clock
}

function personaNamed(name: string) {
  const persona = personas.find((candidate) => candidate.name === name)
  if (persona === undefined) throw new Error(`no built-in persona "${name}"`)
  return persona
}

/** The thresholds that a persona reaches, out of those asked for. */
function reached(name: string, claims: Claims, clock: SandboxClock): number[] {
  expect(parseClaims(claims, vocabulary).issues).toEqual([])
  const held = resolvePersona(personaNamed(name), clock.base()).age_key?.signals ?? []
  const { ageThresholds } = evaluate(held, claims, clock.now())
  return claims.age_thresholds.filter((threshold) => ageThresholds[String(threshold)])
}

const COMMON = [13, 16, 18, 21]

/** What each persona reaches of 13, 16, 18 and 21 when nothing is filtered, on any day. */
const PROMISES: Readonly<Record<string, readonly number[]>> = {
  'adult-bare-document': COMMON,
  'adult-credit-card': [13, 16, 18],
  'adult-debit-card': [13, 16, 18],
  'adult-email': [13, 16, 18],
  'adult-exact-years': COMMON,
  'adult-face': COMMON,
  'adult-face-on-device': COMMON,
  'adult-foreign-document': COMMON,
  'adult-national-id': COMMON,
  'adult-no-face-match': COMMON,
  'adult-over-18-only': [13, 16, 18],
  'adult-passport': COMMON,
  'adult-six-methods': COMMON,
  'adult-unknown-card': [13, 16, 18],
  'adult-wallet': COMMON,
  'child-12': [],
  'child-4': [],
  'denied-provenance': COMMON,
  'face-estimate-19': [13, 16, 18],
  'iso-basic': COMMON,
  'iso-effective': COMMON,
  'iso-highly-effective': COMMON,
  'iso-none': COMMON,
  'iso-strict': COMMON,
  'no-age-key': [],
  'senior-72': COMMON,
  'stale-verification': COMMON,
  'teen-14': [13],
  'teen-16': [13, 16],
  'teen-email-13': [13],
  'turned-13-today': [13],
  'turned-16-today': [13, 16],
  'turned-18-today': [13, 16, 18],
  'turned-21-today': COMMON,
  'turns-13-tomorrow': [],
  'turns-16-tomorrow': [13],
  'turns-18-tomorrow': [13, 16],
  'turns-21-tomorrow': [13, 16, 18],
  'two-signals-disagree': COMMON,
  'unlisted-provider': COMMON,
  'verified-just-now': COMMON,
}

describe.each(BASES)('on %s', (base) => {
  it.each(Object.entries(PROMISES))('%s reaches %j', (name, thresholds) => {
    expect(reached(name, { age_thresholds: COMMON }, clockAt(base))).toEqual(thresholds)
  })

  it.each([13, 16, 18, 21])('turns-%i-tomorrow does so when the clock is advanced by a day', (age) => {
    const clock = clockAt(base)
    const claims = { age_thresholds: [age] }
    clock.advance(base === EVE_OF_A_LEAP_DAY && age !== 16 ? 2 * DAY : DAY)
    expect(reached(`turns-${age}-tomorrow`, claims, clock)).toEqual([age])
  })

  it.each([13, 16, 18, 21])('turned-%i-today had not done so two days ago', (age) => {
    const clock = clockAt(base)
    const persona = resolvePersona(personaNamed(`turned-${age}-today`), clock.base())
    const { ageThresholds } = evaluate(
      persona.age_key?.signals ?? [],
      { age_thresholds: [age] },
      clock.now() - 2 * DAY * 1000,
    )
    expect(ageThresholds).toEqual({ [age]: false })
  })

  it('every signal is one that the service would evaluate, with a past verification and a past birth', () => {
    const clock = clockAt(base)
    for (const persona of personas) {
      const held = resolvePersona(persona, clock.base()).age_key?.signals ?? []
      expect(parseEvaluationSignals(held, { ...vocabulary, now: clock.now() }).issues, persona.name).toEqual([])
    }
  })
})

it('born-29-february turns 18 on 1 March of a common year, and 20 on the leap day', () => {
  const age = (instant: string, threshold: number) =>
    reached('born-29-february', { age_thresholds: [threshold] }, clockAt(instant)).length === 1
  expect(age('2026-02-28T23:59:59Z', 18)).toBe(false)
  expect(age('2026-03-01T00:00:00Z', 18)).toBe(true)
  expect(age('2028-02-28T23:59:59Z', 20)).toBe(false)
  expect(age('2028-02-29T00:00:00Z', 20)).toBe(true)
})

/** Claims that a persona was made for: the first passes, the second is the same request with the filter it must fail. */
const FILTERS: readonly (readonly [name: string, passes: Partial<Claims>, fails: Partial<Claims>])[] = [
  ['adult-passport', { iso_27566_1: 'highly_effective' }, { iso_27566_1: 'strict' }],
  ['adult-passport', { verified_after: '2026-05-01' }, { verified_after: '2026-05-10' }],
  ['adult-email', {}, { allowed_methods: ['id_doc_scan'] }],
  [
    'adult-face',
    { overrides: { facial_age_estimation: { min_age: 25 } } },
    { overrides: { facial_age_estimation: { min_age: 26 } } },
  ],
  ['face-estimate-19', {}, { overrides: { facial_age_estimation: { min_age: 21 } } }],
  [
    'adult-face-on-device',
    { overrides: { facial_age_estimation: { min_age: 18, attributes: { on_device: true } } } },
    { overrides: { facial_age_estimation: { min_age: 18, attributes: { on_device: false } } } },
  ],
  [
    'adult-credit-card',
    { overrides: { payment_card_network: { attributes: { card_type: ['credit'] } } } },
    { overrides: { payment_card_network: { attributes: { card_type: ['debit'] } } } },
  ],
  ['adult-debit-card', {}, { overrides: { payment_card_network: { attributes: { card_type: ['credit'] } } } }],
  [
    'adult-unknown-card',
    { overrides: { payment_card_network: { attributes: { card_type: ['unknown'] } } } },
    { overrides: { payment_card_network: { attributes: { card_type: ['credit', 'debit'] } } } },
  ],
  [
    'adult-foreign-document',
    { overrides: { id_doc_scan: { attributes: { issuing_country: ['DE'] } } } },
    { overrides: { id_doc_scan: { attributes: { issuing_country: ['US'] } } } },
  ],
  ['adult-no-face-match', {}, { overrides: { id_doc_scan: { attributes: { face_match_performed: true } } } }],
  ['adult-bare-document', {}, { overrides: { id_doc_scan: { attributes: { face_match_performed: false } } } }],
  ['adult-wallet', { iso_27566_1: 'strict' }, { allowed_methods: ['id_doc_scan'] }],
  ['stale-verification', {}, { verified_after: '2021-05-17' }],
  ['verified-just-now', { verified_after: '2026-05-17' }, { verified_after: '2026-05-18' }],
  [
    'denied-provenance',
    { provenance: { allowed: ['/veratad/*'] } },
    { provenance: { allowed: ['/veratad/*'], denied: ['/veratad/cra'] } },
  ],
  ['unlisted-provider', {}, { provenance: { allowed: [...DEFAULT_PROVENANCE_ALLOWLIST].slice(0, 10) } }],
  ['two-signals-disagree', {}, { allowed_methods: ['id_doc_scan'] }],
  ['iso-basic', { iso_27566_1: 'basic' }, { iso_27566_1: 'effective' }],
  ['iso-effective', { iso_27566_1: 'effective' }, { iso_27566_1: 'highly_effective' }],
  ['iso-highly-effective', { iso_27566_1: 'highly_effective' }, { iso_27566_1: 'strict' }],
  ['iso-none', {}, { iso_27566_1: 'basic' }],
]

it.each(FILTERS)('%s passes %j and fails %j', (name, passes, fails) => {
  const clock = clockAt('2026-05-17T12:00:00Z')
  expect(reached(name, { age_thresholds: [18], ...passes }, clock)).toEqual([18])
  expect(reached(name, { age_thresholds: [18], ...fails }, clock)).toEqual([])
})

it('child-4 is below every age from 5 on, where child-12 passes 5 to 12', () => {
  const clock = clockAt('2026-05-17T12:00:00Z')
  const claims = { age_thresholds: [4, 5, 12, 13] }
  expect([reached('child-4', claims, clock), reached('child-12', claims, clock)]).toEqual([[4], [4, 5, 12]])
})

it.each(METHOD_NAMES)('adult-six-methods is 18 by %s alone', (method) => {
  const clock = clockAt('2026-05-17T12:00:00Z')
  expect(reached('adult-six-methods', { age_thresholds: [18], allowed_methods: [method] }, clock)).toEqual([18])
})

it.each(ASSURANCE_LEVELS)('iso-strict passes the level %s', (level) => {
  const clock = clockAt('2026-05-17T12:00:00Z')
  expect(reached('iso-strict', { age_thresholds: [18], iso_27566_1: level }, clock)).toEqual([18])
})

describe('the built-in personas', () => {
  it('are those whose promises are tested here', () => {
    expect(personas.map(({ name }) => name).sort()).toEqual([...Object.keys(PROMISES), 'born-29-february'].sort())
  })

  it('include one without an age key', () => {
    expect(personas.filter(({ age_key }) => age_key === undefined).map(({ name }) => name)).toEqual(['no-age-key'])
  })

  it.each([
    ['method', METHOD_NAMES, signals.map(({ method }) => method)],
    ['age format', AGE_FORMATS, signals.flatMap(({ age }) => Object.keys(age))],
    ['assurance level, and none,', [...ASSURANCE_LEVELS, undefined], signals.map(({ iso_27566_1 }) => iso_27566_1)],
    ['card type', CARD_TYPES, signals.flatMap(({ attributes }) => attributes?.['card_type'] ?? [])],
    ["group but the user's own", PERSONA_GROUPS.slice(0, -1), personas.map(({ group }) => group)],
  ])('show every %s', (_, wanted, shown) => {
    expect(new Set(shown)).toEqual(new Set(wanted))
  })

  it('explain themselves in one or two short sentences', () => {
    for (const { name, title, purpose } of personas) {
      expect(title.length, name).toBeLessThan(50)
      expect(purpose, name).toMatch(/^[A-Z].{20,160}\.$/)
    }
  })
})
