import { expect, test } from 'vitest'
import { createClock, type SandboxClock } from '../../../src/sandbox/clock/clock.ts'
import { resolvePersona } from '../../../src/sandbox/personas/age-keys.ts'
import { BUILT_IN_PERSONAS } from '../../../src/sandbox/personas/load-personas.ts'
import { readPersonas } from '../../../src/sandbox/personas/persona-files.ts'
import { PERSONA_GROUPS } from '../../../src/sandbox/personas/persona-schema.ts'
import { type Claims, parseClaims } from '../../../src/service/age/claims.ts'
import { evaluate } from '../../../src/service/age/evaluate.ts'
import { AGE_FORMATS, CARD_TYPES, METHOD_NAMES } from '../../../src/service/age/methods.ts'
import { parseEvaluationSignals } from '../../../src/service/age/signal.ts'
import { ASSURANCE_LEVELS } from '../../../src/service/age/vocabulary.ts'
import {
  DEFAULT_PLATFORMS,
  DEFAULT_PROVENANCE_ALLOWLIST,
} from '../../../src/service/oidc/policy.ts'

const personas = readPersonas([BUILT_IN_PERSONAS])
const signals = personas.flatMap(({ age_key }) => age_key?.signals ?? [])
const vocabulary = {
  provenanceAllowlist: DEFAULT_PROVENANCE_ALLOWLIST,
  platforms: DEFAULT_PLATFORMS,
}
const DAY = 86_400
const BASES = [
  ...[
    '2026-05-17T12:00:00Z',
    '2026-12-31T23:59:59.999Z',
    '2027-02-28T00:00:00Z',
    '2027-03-01T00:00:00Z',
  ],
  ...[
    '2028-02-28T12:00:00Z',
    '2028-02-29T00:00:00Z',
    '2028-02-29T23:59:59Z',
    '2028-03-01T12:00:00Z',
  ],
]
/**
 * There is no 29 February in most years of birth: a persona that turns 18 on such a "tomorrow" does
 * so on 1 March.
 */
const EVE_OF_A_LEAP_DAY = '2028-02-28T12:00:00Z'

function clockAt(instant = '2026-05-17T12:00:00Z'): SandboxClock {
  const clock = createClock()
  clock.freeze(true)
  clock.set(Date.parse(instant))
  return clock
}

const heldBy = (name: string, clock: SandboxClock) => {
  const persona =
    personas.find((one) => one.name === name) ?? expect.fail(`no built-in persona "${name}"`)
  return resolvePersona(persona, clock.base()).age_key?.signals ?? []
}

/** The thresholds that a persona reaches, out of those asked for. */
function reached(name: string, claims: Claims, clock = clockAt()): number[] {
  expect(parseClaims(claims, vocabulary).issues).toEqual([])
  const { ageThresholds } = evaluate(heldBy(name, clock), claims, clock.now())
  return claims.age_thresholds.filter((threshold) => ageThresholds[String(threshold)])
}

const COMMON = [13, 16, 18, 21]

/** What personas reach of 13, 16, 18 and 21 when nothing is filtered, on any day. */
const REACHED: readonly (readonly [reached: readonly number[], names: string])[] = [
  [[], 'child-12 child-4 no-age-key turns-13-tomorrow'],
  [[13], 'teen-14 teen-email-13 turned-13-today turns-16-tomorrow'],
  [[13, 16], 'teen-16 turned-16-today turns-18-tomorrow'],
  [
    [13, 16, 18],
    'adult-credit-card adult-debit-card adult-email adult-over-18-only adult-unknown-card',
  ],
  [[13, 16, 18], 'face-estimate-19 turned-18-today turns-21-tomorrow'],
  [
    COMMON,
    'adult-bare-document adult-exact-years adult-face adult-face-on-device adult-foreign-document',
  ],
  [
    COMMON,
    'adult-national-id adult-no-face-match adult-passport adult-six-methods adult-wallet denied-provenance',
  ],
  [
    COMMON,
    'iso-basic iso-effective iso-highly-effective iso-none iso-strict senior-72 stale-verification',
  ],
  [COMMON, 'turned-21-today two-signals-disagree unlisted-provider verified-just-now'],
]
const PROMISES = Object.fromEntries(
  REACHED.flatMap(([of, names]) => names.split(' ').map((name) => [name, of])),
)

test.each(BASES)(
  'Each built-in persona has sound signals, and reaches the ages that it promises on %s',
  (base) => {
    const held = personas.flatMap(({ name }) => heldBy(name, clockAt(base)))
    expect(
      parseEvaluationSignals(held, { ...vocabulary, now: clockAt(base).now() }).issues,
    ).toEqual([])
    const all = Object.keys(PROMISES).map((name) => [
      name,
      reached(name, { age_thresholds: COMMON }, clockAt(base)),
    ])
    expect(Object.fromEntries(all)).toEqual(PROMISES)
  },
)

test.each(BASES)(
  'A persona with a birthday tomorrow or today reaches its age then, and not before, on %s',
  (base) => {
    for (const age of COMMON) {
      const clock = clockAt(base)
      const twoDaysAgo = clock.now() - 2 * DAY * 1000
      const { ageThresholds } = evaluate(
        heldBy(`turned-${age}-today`, clock),
        { age_thresholds: [age] },
        twoDaysAgo,
      )
      clock.advance(base === EVE_OF_A_LEAP_DAY && age !== 16 ? 2 * DAY : DAY)
      const onTheDay = reached(`turns-${age}-tomorrow`, { age_thresholds: [age] }, clock)
      expect(ageThresholds).toEqual({ [age]: false })
      expect(onTheDay).toEqual([age])
    }
  },
)

test('born-29-february turns 18 on 1 March of a common year', () => {
  const is = (threshold: number, instant: string) =>
    reached('born-29-february', { age_thresholds: [threshold] }, clockAt(instant)).length === 1
  expect(is(18, '2026-02-28T23:59:59Z')).toBe(false)
  expect(is(18, '2026-03-01T00:00:00Z')).toBe(true)
})

test('born-29-february turns 20 on the leap day', () => {
  const is = (threshold: number, instant: string) =>
    reached('born-29-february', { age_thresholds: [threshold] }, clockAt(instant)).length === 1
  expect(is(20, '2028-02-28T23:59:59Z')).toBe(false)
  expect(is(20, '2028-02-29T00:00:00Z')).toBe(true)
})

const face = (more: object): Partial<Claims> => ({ overrides: { facial_age_estimation: more } })
const onDevice = (on_device: boolean) => face({ min_age: 18, attributes: { on_device } })
const card = (...card_type: string[]): Partial<Claims> => ({
  overrides: { payment_card_network: { attributes: { card_type } } },
})
const scan = (attributes: Readonly<Record<string, boolean | string[]>>): Partial<Claims> => ({
  overrides: { id_doc_scan: { attributes } },
})
const iso = (iso_27566_1: Claims['iso_27566_1']): Partial<Claims> => ({ iso_27566_1 })
const SCAN_ALONE: Partial<Claims> = { allowed_methods: ['id_doc_scan'] }
const from = (...allowed: string[]): Partial<Claims> => ({ provenance: { allowed } })

/**
 * Claims that a persona was made for: the first passes, the second is the same request with the
 * filter it must fail.
 */
const FILTERS: readonly (readonly [
  name: string,
  passes: Partial<Claims>,
  fails: Partial<Claims>,
])[] = [
  ['adult-passport', iso('highly_effective'), iso('strict')],
  ['adult-passport', { verified_after: '2026-05-01' }, { verified_after: '2026-05-10' }],
  ['adult-email', {}, SCAN_ALONE],
  ['adult-face', face({ min_age: 25 }), face({ min_age: 26 })],
  ['face-estimate-19', {}, face({ min_age: 21 })],
  ['adult-face-on-device', onDevice(true), onDevice(false)],
  ['adult-credit-card', card('credit'), card('debit')],
  ['adult-debit-card', {}, card('credit')],
  ['adult-unknown-card', card('unknown'), card('credit', 'debit')],
  ['adult-foreign-document', scan({ issuing_country: ['DE'] }), scan({ issuing_country: ['US'] })],
  ['adult-no-face-match', {}, scan({ face_match_performed: true })],
  ['adult-bare-document', {}, scan({ face_match_performed: false })],
  ['adult-wallet', iso('strict'), SCAN_ALONE],
  ['stale-verification', {}, { verified_after: '2021-05-17' }],
  ['verified-just-now', { verified_after: '2026-05-17' }, { verified_after: '2026-05-18' }],
  [
    'denied-provenance',
    from('/veratad/*'),
    { provenance: { allowed: ['/veratad/*'], denied: ['/veratad/cra'] } },
  ],
  ['unlisted-provider', {}, from(...[...DEFAULT_PROVENANCE_ALLOWLIST].slice(0, 10))],
  ['two-signals-disagree', {}, SCAN_ALONE],
  ['iso-basic', iso('basic'), iso('effective')],
  ['iso-effective', iso('effective'), iso('highly_effective')],
  ['iso-highly-effective', iso('highly_effective'), iso('strict')],
  ['iso-none', {}, iso('basic')],
]

test.each(FILTERS)('The built-in persona %s passes %j and fails %j', (name, passes, fails) => {
  const is18 = (filter: Partial<Claims>) => reached(name, { age_thresholds: [18], ...filter })
  expect(is18(passes)).toEqual([18])
  expect(is18(fails)).toEqual([])
})

test('child-4 reaches the age of 4', () => {
  const claims = { age_thresholds: [4, 5, 12, 13] }
  expect(reached('child-4', claims)).toEqual([4])
})

test('child-12 reaches the ages up to 12', () => {
  const claims = { age_thresholds: [4, 5, 12, 13] }
  expect(reached('child-12', claims)).toEqual([4, 5, 12])
})

test('adult-six-methods passes each method', () => {
  for (const method of METHOD_NAMES)
    expect(
      reached('adult-six-methods', { age_thresholds: [18], allowed_methods: [method] }),
      method,
    ).toEqual([18])
})

test('iso-strict passes each level', () => {
  for (const level of ASSURANCE_LEVELS)
    expect(reached('iso-strict', { age_thresholds: [18], iso_27566_1: level }), level).toEqual([18])
})

test('The built-in personas are those whose promises are tested here', () => {
  const promised = [...Object.keys(PROMISES), 'born-29-february']
  expect(personas.map(({ name }) => name).toSorted()).toEqual(promised.toSorted())
})

test('Only no-age-key has no age key', () => {
  expect(personas.filter(({ age_key }) => age_key === undefined).map(({ name }) => name)).toEqual([
    'no-age-key',
  ])
})

test('The built-in personas explain themselves in short sentences', () => {
  for (const { name, title, purpose } of personas) {
    expect(title.length, name).toBeLessThan(50)
    expect(purpose, name).toMatch(/^[A-Z].{20,160}\.$/)
  }
})

test.each([
  ['method', METHOD_NAMES, signals.map(({ method }) => method)],
  ['age format', AGE_FORMATS, signals.flatMap(({ age }) => Object.keys(age))],
  [
    'assurance level, and none,',
    [...ASSURANCE_LEVELS, undefined],
    signals.map(({ iso_27566_1 }) => iso_27566_1),
  ],
  ['card type', CARD_TYPES, signals.flatMap(({ attributes }) => attributes?.['card_type'] ?? [])],
  ["group but the user's own", PERSONA_GROUPS.slice(0, -1), personas.map(({ group }) => group)],
])('The built-in personas show every %s', (_, wanted, shown) => {
  expect(new Set(shown)).toEqual(new Set(wanted))
})
