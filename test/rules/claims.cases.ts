import type { RuleId } from '../../src/oidc/rules/rules.ts'
import { claims } from '../support/requests.ts'
import type { RuleCase } from './rule-case.ts'

const advice = { level: 'advice' } as const
const liveSchema = { level: { spec: 'advice', agekey: 'error' } } as const

const ask = (
  rule: RuleId,
  breaks: string,
  changes: Readonly<Record<string, unknown>>,
  level: Pick<RuleCase, 'level'> = {},
): RuleCase => ({ rule, breaks, ...level, send: (rp) => rp.use({ claims: claims(changes) }) })

const override = (rule: RuleId, breaks: string, method: string, changes: unknown) =>
  ask(rule, breaks, { age_thresholds: [18], overrides: { [method]: changes } })

/** The claims object of E1, one request for each rule. */
export const CLAIMS_CASES: readonly RuleCase[] = [
  { rule: 'CLM-01', breaks: 'a list instead of the object', send: (rp) => rp.use({ claims: '[]' }) },
  ask('CLM-01', 'a member that is misspelt', { allowed_method: ['id_doc_scan'] }),
  override('CLM-01', 'an unknown member of an override', 'id_doc_scan', { minimum_age: 18 }),
  { rule: 'CLM-02', breaks: 'no age_thresholds', send: (rp) => rp.use({ claims: '{}' }) },
  ask('CLM-02', 'an empty list of thresholds', { age_thresholds: [] }),
  ask('CLM-03', 'a threshold of 151', { age_thresholds: [151] }),
  ask('CLM-03', 'a threshold of 17.5', { age_thresholds: [17.5] }),
  ask('CLM-04', 'a threshold named twice', { age_thresholds: [18, 18] }, liveSchema),
  ask('CLM-05', 'thresholds that descend', { age_thresholds: [18, 16] }, advice),
  ask('CLM-06', 'six thresholds', { age_thresholds: [10, 12, 14, 16, 18, 21] }, liveSchema),
  ask('CLM-07', 'an empty list of methods', { allowed_methods: [] }),
  ask('CLM-07', 'an unknown method', { allowed_methods: ['palm_reading'] }),
  ask('CLM-08', 'a day that does not exist', { verified_after: '2026-02-30' }),
  ask('CLM-09', 'provenance that is a list', { provenance: ['/yoti'] }),
  ask('CLM-10', 'a pattern without a slash', { provenance: { allowed: ['yoti'] } }),
  ask('CLM-10', 'a pattern with a star in the middle', { provenance: { denied: ['/a/*/b'] } }),
  ask('CLM-11', 'eleven patterns', { provenance: { allowed: Array.from({ length: 11 }, (_, n) => `/p${n}`) } }),
  ask('CLM-12', 'a pattern of 101 characters', { provenance: { allowed: [`/${'a'.repeat(100)}`] } }),
  ask('CLM-13', 'an unknown level', { iso_27566_1: 'strictest' }),
  ask('CLM-14', 'overrides for an unknown method', { overrides: { palm_reading: {} } }),
  override('CLM-14', 'an override that is a number', 'id_doc_scan', 18),
  override('CLM-15', 'min_age 151', 'id_doc_scan', { min_age: 151 }),
  override('CLM-16', 'too many age_thresholds in an override', 'id_doc_scan', { age_thresholds: [18, 21] }),
  override('CLM-17', 'both of the facial pair', 'facial_age_estimation', { min_age: 21, age_thresholds: [21] }),
  override('CLM-17', 'neither of the facial pair', 'facial_age_estimation', {}),
  override('CLM-18', 'an attribute that the method never has', 'id_doc_scan', {
    attributes: { card_type: ['credit'] },
  }),
  override('CLM-19', 'an empty list of countries', 'id_doc_scan', { attributes: { issuing_country: [] } }),
  override('CLM-19', 'text instead of a boolean', 'id_doc_scan', { attributes: { face_match_performed: 'true' } }),
  ask('CLM-20', 'a list of 101 methods', { allowed_methods: Array(101).fill('id_doc_scan') }),
]
