import type { RuleTable } from './rule.ts'

const row = { section: 'Claims object', error: 'invalid_request' } as const
const overrides = { section: 'Claims object, overrides', error: 'invalid_request' } as const
const provenance = {
  section: 'Claims object, provenance filter',
  error: 'invalid_request',
} as const
const schemaOfLiveService = { spec: 'advice', agekey: 'error' } as const

/** Rules of the claims object that E1 carries. */
export const CLAIMS_RULES = {
  'CLM-01': {
    ...row,
    section: 'Claims object; refusing other members is a decision of the sandbox',
    sentence: 'claims is a JSON object and has no members but those of the table.',
    hint: 'Send for example { "age_thresholds": [18] }. Correct the name of an unknown member, or remove it: this service knows no other members.',
  },
  'CLM-02': {
    ...row,
    section: 'Claims object; at least one is a decision of the sandbox',
    sentence: 'age_thresholds is required: an array of at least one threshold.',
    hint: 'Send for example "age_thresholds": [18].',
  },
  'CLM-03': {
    ...row,
    section: 'Claims object; the range is a decision of the sandbox',
    sentence: 'Each threshold is an integer from 0 to 150.',
    hint: 'Send JSON numbers without quotes or fractions.',
  },
  'CLM-04': {
    ...row,
    section: 'decision of the sandbox',
    sentence: 'No threshold is named twice.',
    hint: 'Name each threshold once: the result is a map by threshold. The schema of the live service refuses duplicates.',
    level: schemaOfLiveService,
  },
  'CLM-05': {
    ...row,
    section: 'decision of the sandbox',
    sentence: 'Thresholds ascend.',
    hint: 'Sort age_thresholds, and every age_thresholds in overrides with it: an override maps by index to the list as it was sent.',
    level: 'advice',
  },
  'CLM-06': {
    ...row,
    section: 'decision of the sandbox',
    sentence: 'There are at most 5 thresholds.',
    hint: 'Ask only for the thresholds that the page needs. The schema of the live service ends at 5.',
    level: schemaOfLiveService,
  },
  'CLM-07': {
    ...row,
    section: 'Claims object; at least one is a decision of the sandbox',
    sentence: 'allowed_methods is an array of at least one verification method.',
    hint: 'Leave it out to accept all methods. An empty array would accept none.',
  },
  'CLM-08': {
    ...row,
    section: 'Claims object; the forms that are read are a decision of the sandbox',
    sentence: 'verified_after is an ISO 8601 date or date-time.',
    hint: 'Send for example "2026-01-31" or "2026-01-31T12:00:00Z". The zones +0200 and +02 are read, with advice (CLM-22); other forms of ISO 8601 are not.',
  },
  'CLM-09': {
    ...provenance,
    sentence: 'provenance is an object of the arrays allowed and denied.',
    hint: 'Send for example "provenance": { "allowed": ["/veratad/*"], "denied": ["/veratad/cra"] }.',
  },
  'CLM-10': {
    ...provenance,
    sentence:
      'A pattern begins with / and has lowercase letters, digits and underscores; it may end in /*.',
    hint: 'Send /a/b to match that path only, /a/* to match every path under /a/.',
  },
  'CLM-11': {
    ...provenance,
    sentence: 'allowed and denied hold at most 10 patterns each.',
    hint: 'Use a pattern that ends in /* instead of several.',
  },
  'CLM-12': {
    ...provenance,
    sentence: 'A pattern has at most 100 characters.',
    hint: 'Shorten the pattern, for example to a prefix and /*.',
  },
  'CLM-13': {
    ...row,
    section: 'Claims object, ISO 27566-1 filter',
    sentence: 'iso_27566_1 is basic, effective, highly_effective or strict.',
    hint: 'Leave it out when the certified level does not matter.',
  },
  'CLM-14': {
    ...overrides,
    sentence:
      'overrides is an object whose members are named by verification methods and are objects.',
    hint: 'Send for example "overrides": { "facial_age_estimation": { "min_age": 21 } }.',
  },
  'CLM-15': {
    ...overrides,
    sentence: 'min_age is an integer from 0 to 150.',
    hint: 'Send a JSON number without quotes or fractions.',
  },
  'CLM-16': {
    ...overrides,
    section: 'Claims object, overrides; the range is a decision of the sandbox',
    sentence:
      'age_thresholds of an override is an array of integers from 0 to 150, one for each root threshold.',
    hint: 'Send one entry for each root threshold: the entry at an index is the age that this method must report for the root threshold at that index.',
  },
  'CLM-17': {
    ...overrides,
    sentence:
      'The override of facial_age_estimation has exactly one of min_age and age_thresholds.',
    hint: 'Send min_age for one buffer for all thresholds, or age_thresholds for one each.',
  },
  'CLM-18': {
    ...overrides,
    section: 'decision of the sandbox',
    sentence: 'attributes of an override names only attributes that the method has.',
    hint: 'Correct the name of the attribute, or remove it: what the method never carries would refuse every signal.',
  },
  'CLM-19': {
    ...overrides,
    section: 'Claims object, overrides; at least one is a decision of the sandbox',
    sentence: 'An attribute requirement is a boolean, or an array of at least one accepted value.',
    hint: 'Send true or false for a boolean attribute, an array of values for issuing_country, card_type and platform.',
  },
  'CLM-20': {
    ...row,
    section: 'decision of the sandbox',
    sentence: 'Every list has at most 100 entries.',
    hint: 'Send each value once: there are only 151 ages and 6 methods. The entries of a longer list are not looked at.',
  },
  'CLM-21': {
    ...row,
    section: 'RFC 8259 section 4',
    sentence: 'No member name stands twice in a JSON object of claims.',
    hint: 'Remove all but one: JSON.parse takes the last one, other readers the first one, or none.',
    level: 'advice',
  },
  'CLM-22': {
    ...row,
    section: 'RFC 3339 section 5.6',
    sentence: 'verified_after writes its zone as Z or +00:00.',
    hint: 'Send the zone with a colon and minutes. ISO 8601 allows +0000 and +00, which are read here; a stricter parser refuses both.',
    level: 'advice',
  },
} as const satisfies RuleTable
