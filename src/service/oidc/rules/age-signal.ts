import type { RuleTable } from './rule.ts'

const row = { section: 'Age signal', error: 'invalid_authorization_details' } as const
const method = { section: 'Verification methods', error: 'invalid_authorization_details' } as const

/** Rules of an age signal, an item of `authorization_details` (E2 and E5). */
export const AGE_SIGNAL_RULES = {
  'SIG-01': {
    ...row,
    section: 'E2, E5',
    sentence: 'authorization_details is an array of objects.',
    hint: 'Send [{ "type": "age_verification", ... }]: JSON text in the form of E2, a JSON array in the body of E5.',
  },
  'SIG-02': {
    ...row,
    section: 'decision of the sandbox',
    sentence: 'authorization_details holds 1 to 10 age signals.',
    hint: 'Send the signals that matter; most requests carry one.',
  },
  'SIG-03': {
    ...row,
    section: 'decision of the sandbox',
    sentence: 'An age signal and its age have no members but those of the table.',
    hint: 'Correct the name of the member, or remove it: parsing is strict.',
  },
  'SIG-04': {
    ...row,
    sentence: 'type is age_verification.',
    hint: 'Send "type": "age_verification" in each signal.',
  },
  'SIG-05': {
    ...row,
    sentence: 'age holds exactly one of date_of_birth, at_least_years and years.',
    hint: 'Choose the format in which the age was verified.',
  },
  'SIG-06': {
    ...row,
    section: 'Age signal; the range is a decision of the sandbox',
    sentence:
      'date_of_birth is a calendar date YYYY-MM-DD, not in the future and at most 150 years ago.',
    hint: 'Send for example "2001-02-28".',
  },
  'SIG-07': {
    ...row,
    section: 'Age signal; whole numbers and their range are a decision of the sandbox',
    sentence: 'at_least_years is an integer from 0 to 150.',
    hint: 'Send a JSON number without quotes or fractions.',
  },
  'SIG-08': {
    ...row,
    section: 'Age signal; whole numbers and their range are a decision of the sandbox',
    sentence: 'years is an integer from 0 to 150.',
    hint: 'Send a JSON number without quotes or fractions.',
  },
  'SIG-09': {
    ...method,
    sentence: 'The method can report an age in this format.',
    hint: 'Send at_least_years: email_age_estimation, facial_age_estimation and payment_card_network report nothing else.',
  },
  'SIG-10': {
    ...method,
    sentence: 'Documents, credentials and national numbers preferably report date_of_birth.',
    hint: 'Send date_of_birth when it is known: years and at_least_years do not grow with the user.',
    level: 'advice',
  },
  'SIG-11': {
    ...row,
    sentence: 'method is one of the six verification methods.',
    hint: 'Send id_doc_scan for a passport or an identity card, facial_age_estimation for a selfie, digital_credential for a wallet, payment_card_network for a bank card.',
  },
  'SIG-12': {
    ...row,
    sentence: 'verification_id is required: 1 to 100 letters, digits and _ + / = . - characters.',
    hint: 'Choose an identifier of your own, for example a UUID version 7, and log it.',
  },
  'SIG-13': {
    ...row,
    sentence: 'verification_id is preferably a UUID of version 7.',
    hint: 'Send a UUID version 7: it sorts by time and is never used twice.',
    level: 'advice',
  },
  'SIG-14': {
    ...row,
    section: 'Age signal; the forms that are read are a decision of the sandbox',
    sentence: 'verified_at is an ISO 8601 date or date-time.',
    hint: 'Send for example "2026-01-31T12:00:00Z": the moment at which the verification was completed. The zones +0200 and +02 are read, with advice (SIG-25); other forms of ISO 8601 (basic format, weeks, days of the year, a comma before the fraction) are not.',
  },
  'SIG-15': {
    ...row,
    section: 'decision of the sandbox',
    sentence: 'verified_at is not in the future.',
    hint: 'Compare your clock with the sandbox clock, which judges it with 60 seconds of tolerance. A date, or a time without a zone, is in the future only when it is so in every zone.',
  },
  'SIG-16': {
    ...method,
    sentence:
      'attributes is an object and names only attributes that the method requires or permits.',
    hint: 'Correct the name of the attribute, or remove it: parsing is strict.',
  },
  'SIG-17': {
    ...method,
    sentence: 'attributes names every attribute that the method requires.',
    hint: 'Send issuing_country with national_id_number, platform and issuing_country with digital_credential, card_type with payment_card_network.',
  },
  'SIG-18': {
    ...method,
    sentence: 'An attribute has a value of its kind.',
    hint: 'Send booleans for on_device and face_match_performed, an assigned ISO 3166-1 alpha-2 code in capitals for issuing_country, credit, debit or unknown for card_type, a platform that the service lists for platform.',
  },
  'SIG-19': {
    ...row,
    section: 'Age signal; the characters are a decision of the sandbox',
    sentence: 'provenance is a path such as /provider/sub_provider.',
    hint: 'Send one of the paths of the allowlist as they are: lowercase letters, digits and underscores behind each slash.',
  },
  'SIG-20': {
    ...row,
    sentence: 'provenance is on the allowlist.',
    hint: 'Send one of the listed paths, or list yours under provenance_allowlist in the config file: it replaces the list.',
  },
  'SIG-21': {
    ...method,
    sentence: 'payment_card_network reports at_least_years 18 and nothing else.',
    hint: 'Send "age": { "at_least_years": 18 }.',
  },
  'SIG-22': {
    ...row,
    section: 'RFC 8259 section 4',
    sentence: 'No member name stands twice in a JSON object of authorization_details.',
    hint: 'Remove all but one: JSON.parse takes the last one, other readers the first one, or none.',
    level: 'advice',
  },
  'SIG-23': {
    ...row,
    section: 'E2',
    sentence: 'authorization_details preferably carries one age signal.',
    hint: 'Send one age signal: more are legal, but the specification shows no maximum, and its examples carry one.',
    level: 'advice',
  },
  'SIG-24': {
    ...row,
    section: 'decision of the sandbox',
    sentence: 'verified_at is not before date_of_birth.',
    hint: 'Compare the two dates: nobody is verified before birth, so one of the two is wrong.',
    level: 'advice',
  },
  'SIG-25': {
    ...row,
    section: 'RFC 3339 section 5.6',
    sentence: 'verified_at writes its zone as Z or +00:00.',
    hint: 'Send the zone with a colon and minutes. ISO 8601 allows +0000 and +00, which are read here; a stricter parser refuses both.',
    level: 'advice',
  },
} as const satisfies RuleTable
