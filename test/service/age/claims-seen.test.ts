import { expect, test } from 'vitest'
import { claimsSchema } from '../../../src/service/age/claims.ts'
import {
  birthdayOf,
  birthdaysAt,
  filterResults,
  filtersOf,
} from '../../../src/service/age/claims-seen.ts'
import { METHOD_NAMES } from '../../../src/service/age/methods.ts'
import type { Age, AgeSignal } from '../../../src/service/age/signal.ts'

const NOW = Date.parse('2026-07-01T12:00:00Z')
const DATED = { age_thresholds: [16, 18] }
const CHECKED = { verified_at: '2026-06-01', provenance: '/veratad/roc' }
const scan = (age: Age): AgeSignal => ({
  method: 'id_doc_scan',
  age,
  ...CHECKED,
  attributes: { issuing_country: 'FR' },
})

const override = (changes: object) => ({ ...DATED, overrides: { id_doc_scan: changes } })
const OF_SCANS = 'overrides.id_doc_scan'
const LISTS = { allowed: ['/yoti'], denied: ['/yoti'] }
const IN_FRANCE = { attributes: { issuing_country: ['FR'] } }

test.each<[claims: object, passed: string[], failed: string[]]>([
  [{ age_thresholds: [18] }, [], []],
  [{ ...DATED, allowed_methods: ['email_age_estimation'] }, [], ['allowed_methods']],
  [{ ...DATED, provenance: LISTS }, ['provenance.denied'], ['provenance.allowed']],
  [{ ...DATED, verified_after: '2026-01-01' }, ['verified_after'], []],
  [{ ...DATED, iso_27566_1: 'basic' }, [], ['iso_27566_1']],
  [override(IN_FRANCE), [`${OF_SCANS}.attributes`], []],
  [override({ verified_after: '2026-06-30' }), [], [`${OF_SCANS}.verified_after`]],
  [override({ iso_27566_1: 'basic' }), [], [`${OF_SCANS}.iso_27566_1`]],
  [
    override({ age_thresholds: [18, 19] }),
    [`${OF_SCANS}.age_thresholds`],
    [`${OF_SCANS}.age_thresholds`],
  ],
  [override({ min_age: 18 }), [`${OF_SCANS}.min_age`], []],
  [override({ min_age: 19 }), [], [`${OF_SCANS}.min_age`]],
  [{ ...DATED, overrides: { payment_card_network: { min_age: 99 } } }, [], []],
])(
  'Each member of %j that filters has passed or failed a signal of 18 years',
  (claims, passed, failed) => {
    expect(filterResults([scan({ years: 18 })], claimsSchema.parse(claims), NOW)).toEqual([
      ...passed.map((member) => ({ member, passed: true })),
      ...failed.map((member) => ({ member, passed: false })),
    ])
  },
)

test('The results of filters stand in the order of application', () => {
  const ages = { min_age: 18, age_thresholds: [17, 19] }
  const overridden = override({ ...ages, ...IN_FRANCE, iso_27566_1: 'basic' })
  const claims = { ...overridden, verified_after: '2026-01-01', provenance: LISTS }
  const results = filterResults([scan({ years: 18 })], claimsSchema.parse(claims), NOW)
  expect(results.map(({ member, passed }) => `${member} ${passed}`)).toEqual([
    'verified_after true',
    'provenance.denied true',
    'provenance.allowed false',
    `${OF_SCANS}.iso_27566_1 false`,
    `${OF_SCANS}.attributes true`,
    `${OF_SCANS}.min_age true`,
    `${OF_SCANS}.age_thresholds true`,
    `${OF_SCANS}.age_thresholds false`,
  ])
})

const OF_CARDS = 'overrides.payment_card_network'
const CARDS = { attributes: { card_type: ['credit'] }, min_age: 0 }
const SCANS = { min_age: 1, attributes: {}, verified_after: '2026-01-01' }
const OVERRIDES = { payment_card_network: CARDS, id_doc_scan: SCANS, email_age_estimation: {} }
const ROOT = { verified_after: '2026-01-01', iso_27566_1: 'basic' }

test.each([
  [{ age_thresholds: [18] }, ''],
  [
    { ...DATED, ...ROOT, allowed_methods: ['id_doc_scan'] },
    'allowed_methods verified_after iso_27566_1',
  ],
  [
    { ...DATED, provenance: { allowed: ['/a'], denied: ['/b'] } },
    'provenance.denied provenance.allowed',
  ],
  [{ ...DATED, provenance: { allowed: [], denied: [] } }, ''],
  [{ ...DATED, provenance: {} }, ''],
  [
    { ...DATED, overrides: OVERRIDES },
    `${OF_SCANS}.min_age ${OF_SCANS}.verified_after ${OF_CARDS}.attributes`,
  ],
])('filtersOf names the filters of %j in the order of their application', (claims, members) => {
  expect(filtersOf(claimsSchema.parse(claims)).join(' ')).toBe(members)
})

test('Neither a member that is undefined nor allowed_methods with every method can fail a signal', () => {
  expect(filtersOf({ ...DATED, overrides: { id_doc_scan: { min_age: undefined } } })).toEqual([])
  expect(filtersOf({ ...DATED, allowed_methods: [...METHOD_NAMES] })).toEqual([])
  expect(filtersOf({ ...DATED, allowed_methods: METHOD_NAMES.slice(1) })).toEqual([
    'allowed_methods',
  ])
})

const BOTH_TOMORROW = [16, 18].map((threshold) => ({ threshold, day: 'tomorrow' }))

test.each<[born: string, what: string, claims: object, birthdays: unknown]>([
  ['2008-07-01', 'turns 18 today', DATED, [{ threshold: 18, day: 'today' }]],
  ['2008-07-02', 'turns 18 tomorrow', DATED, [{ threshold: 18, day: 'tomorrow' }]],
  ['2008-06-30', 'turned 18 yesterday', DATED, []],
  ['2008-07-03', 'turns 18 the day after tomorrow', DATED, []],
  ['2009-07-01', 'turns 17, which is no threshold', DATED, []],
  ['2010-07-01', 'turns 16 today', DATED, [{ threshold: 16, day: 'today' }]],
  ['2008-07-01', 'passes no filter', { ...DATED, allowed_methods: ['email_age_estimation'] }, []],
  [
    '2007-07-01',
    'turns 19 by overrides',
    override({ age_thresholds: [1, 19] }),
    [{ threshold: 18, day: 'today' }],
  ],
  ['2006-07-02', 'turns the min_age of both thresholds', override({ min_age: 20 }), BOTH_TOMORROW],
])('A day of birth %s %s', (date_of_birth, _what, claims, birthdays) => {
  expect(birthdaysAt([scan({ date_of_birth })], claimsSchema.parse(claims), NOW)).toEqual(birthdays)
  expect(birthdaysAt([scan({ years: 18 })], claimsSchema.parse(claims), NOW)).toEqual([])
})

test.each([
  ['the threshold itself', { age_thresholds: [18] }, 18],
  ['no age by 0', { age_thresholds: [0] }, undefined],
  ['the least of all methods with dates', override({ age_thresholds: [12, 21] }), 12],
  ['the threshold of methods without overrides', override({ age_thresholds: [17, 21] }), 16],
  [
    'no age of a method without dates',
    { ...DATED, allowed_methods: ['payment_card_network'] },
    undefined,
  ],
  [
    'that of the allowed methods alone',
    { ...override({ min_age: 20 }), allowed_methods: ['id_doc_scan'] },
    20,
  ],
])(
  'The youngest age that can begin to satisfy the first threshold is %s',
  (_what, claims, years) => {
    const parsed = claimsSchema.parse(claims)
    expect(birthdayOf(parsed.age_thresholds[0] ?? -1, 0, parsed)).toBe(years)
  },
)
