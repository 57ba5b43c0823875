import type { RuleId } from '../../src/oidc/rules/rules.ts'
import { ageSignal } from '../support/requests.ts'
import type { RuleCase } from './rule-case.ts'

type Options = Pick<RuleCase, 'level' | 'beside'>

const submit = (rule: RuleId, breaks: string, details: unknown, options: Options = {}): RuleCase => ({
  rule,
  breaks,
  ...options,
  send: (rp) => rp.push({ authorization_details: JSON.stringify(details) }),
})

const signal = (rule: RuleId, breaks: string, changes: Parameters<typeof ageSignal>[0], options?: Options) =>
  submit(rule, breaks, [ageSignal(changes)], options)

const advice = { level: 'advice' } as const
const email = { method: 'email_age_estimation', attributes: undefined }
const card = { method: 'payment_card_network', attributes: { card_type: 'debit' }, provenance: '/stripe' }

/** Age signals as E2 takes them, one request for each rule. */
export const AGE_SIGNAL_CASES: readonly RuleCase[] = [
  submit('SIG-01', 'an object instead of the list', ageSignal()),
  submit('SIG-02', 'an empty list', []),
  submit(
    'SIG-02',
    'eleven signals',
    Array.from({ length: 11 }, () => ageSignal()),
  ),
  signal('SIG-03', 'an unknown member', { confidence: 0.9 }),
  signal('SIG-03', 'a certification that the client claims', { iso_27566_1: 'strict' }),
  signal('SIG-04', 'another type', { type: 'payment' }),
  signal('SIG-05', 'two age formats', { age: { date_of_birth: '1990-05-17', years: 36 } }, { beside: ['SIG-10'] }),
  signal('SIG-06', 'a day of birth that does not exist', { age: { date_of_birth: '1990-02-30' } }),
  signal('SIG-07', 'at_least_years as text', { ...email, age: { at_least_years: '18' } }),
  signal('SIG-08', 'years of 151', { age: { years: 151 } }, { beside: ['SIG-10'] }),
  signal('SIG-09', 'a day of birth from an e-mail address', { ...email, age: { date_of_birth: '1990-05-17' } }),
  signal('SIG-10', 'years from a document', { age: { years: 36 } }, advice),
  signal('SIG-11', 'an unknown method', { method: 'palm_reading' }),
  signal('SIG-12', 'a verification_id with a blank', { verification_id: 'a b' }, { beside: ['SIG-13'] }),
  signal('SIG-12', 'a verification_id of 101 characters', { verification_id: 'a'.repeat(101) }, { beside: ['SIG-13'] }),
  signal('SIG-13', 'a verification_id that is no UUID of version 7', { verification_id: 'order-17' }, advice),
  signal('SIG-14', 'a day of verification that does not exist', { verified_at: '2026-13-01' }),
  signal('SIG-15', 'a verification in the future', { verified_at: '2999-01-01' }),
  signal('SIG-16', 'an attribute of another method', { attributes: { card_type: 'credit' } }),
  signal('SIG-17', 'no issuing_country', { method: 'national_id_number', attributes: {} }),
  signal('SIG-18', 'a country code that is not assigned', { attributes: { issuing_country: 'XX' } }),
  signal('SIG-19', 'a provenance without a slash', { provenance: 'yoti' }),
  signal('SIG-20', 'a provenance that is not on the allowlist', { provenance: '/acme/scan' }),
  signal('SIG-21', 'at least 21 by a card', { ...card, age: { at_least_years: 21 } }),
]
