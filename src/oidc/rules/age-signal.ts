import type { RuleRow } from './rule.ts'

const row = { section: 'Age signal', error: 'invalid_authorization_details' } as const
const method = { section: 'Verification methods', error: 'invalid_authorization_details' } as const

/** Rules of an age signal, one item of `authorization_details` (E2 and E5). */
export const AGE_SIGNAL_RULES = [
  {
    ...row,
    id: 'SIG-01',
    sentence: 'authorization_details is an array of objects.',
    hint: 'Send [{ "type": "age_verification", ... }]: JSON text in the form of E2, a JSON array in the body of E5.',
  },
  {
    ...row,
    id: 'SIG-02',
    sentence: 'authorization_details holds 1 to 10 age signals.',
    hint: 'Send the signals that matter; most requests carry one.',
  },
  {
    ...row,
    id: 'SIG-03',
    sentence: 'An age signal and its age have no members but those of the table.',
    hint: 'Members: type, age, method, verification_id, verified_at, attributes, provenance.',
  },
  {
    ...row,
    id: 'SIG-04',
    sentence: 'type is age_verification.',
    hint: 'Send "type": "age_verification" in each signal.',
  },
  {
    ...row,
    id: 'SIG-05',
    sentence: 'age holds exactly one of date_of_birth, at_least_years and years.',
    hint: 'Choose the format in which the age was verified.',
  },
  {
    ...row,
    id: 'SIG-06',
    sentence: 'date_of_birth is a calendar date YYYY-MM-DD, not in the future and at most 150 years ago.',
    hint: 'Send for example "2001-02-28".',
  },
  {
    ...row,
    id: 'SIG-07',
    sentence: 'at_least_years is an integer from 0 to 150.',
    hint: 'Send a JSON number without quotes or fractions.',
  },
  {
    ...row,
    id: 'SIG-08',
    sentence: 'years is an integer from 0 to 150.',
    hint: 'Send a JSON number without quotes or fractions.',
  },
  {
    ...method,
    id: 'SIG-09',
    sentence: 'The method can report an age in this format.',
    hint: 'email_age_estimation, facial_age_estimation and payment_card_network report at_least_years only.',
  },
  {
    ...method,
    id: 'SIG-10',
    sentence: 'Documents, credentials and national numbers preferably report date_of_birth.',
    hint: 'Send date_of_birth when it is known: years and at_least_years do not grow with the user.',
    level: 'advice',
  },
  {
    ...row,
    id: 'SIG-11',
    sentence: 'method is one of the six verification methods.',
    hint: 'email_age_estimation, facial_age_estimation, national_id_number, digital_credential, id_doc_scan or payment_card_network.',
  },
  {
    ...row,
    id: 'SIG-12',
    sentence: 'verification_id is required: 1 to 100 letters, digits and _ + / = . - characters.',
    hint: 'Choose an identifier of your own, for example a UUID version 7, and log it.',
  },
  {
    ...row,
    id: 'SIG-13',
    sentence: 'verification_id is preferably a UUID of version 7.',
    hint: 'A UUID version 7 sorts by time and is never used twice.',
    level: 'advice',
  },
  {
    ...row,
    id: 'SIG-14',
    sentence: 'verified_at is an ISO 8601 date or date-time.',
    hint: 'Send for example "2026-01-31T12:00:00Z": the moment at which the verification was completed.',
  },
  {
    ...row,
    id: 'SIG-15',
    sentence: 'verified_at is not in the future.',
    hint: 'The sandbox clock judges it, with 60 seconds of tolerance. Compare the clocks.',
  },
  {
    ...method,
    id: 'SIG-16',
    sentence: 'attributes is an object and names only attributes that the method requires or permits.',
    hint: 'Parsing is strict: remove the attribute.',
  },
  {
    ...method,
    id: 'SIG-17',
    sentence: 'attributes names every attribute that the method requires.',
    hint: 'national_id_number needs issuing_country, digital_credential needs platform and issuing_country, payment_card_network needs card_type.',
  },
  {
    ...method,
    id: 'SIG-18',
    sentence: 'An attribute has a value of its kind.',
    hint: 'on_device and face_match_performed are booleans, issuing_country is an assigned ISO 3166-1 alpha-2 code in capitals, card_type is credit, debit or unknown, platform is one that the service lists.',
  },
  {
    ...row,
    id: 'SIG-19',
    sentence: 'provenance is a path such as /provider/sub_provider.',
    hint: 'Lowercase letters, digits and underscores behind each slash.',
  },
  {
    ...row,
    id: 'SIG-20',
    sentence: 'provenance is on the allowlist.',
    hint: 'Send one of the listed paths (GET /_sandbox/catalog shows them), or replace provenance_allowlist in the config.',
  },
  {
    ...method,
    id: 'SIG-21',
    sentence: 'payment_card_network reports at_least_years 18 and nothing else.',
    hint: 'Send "age": { "at_least_years": 18 }.',
  },
] as const satisfies readonly RuleRow[]
