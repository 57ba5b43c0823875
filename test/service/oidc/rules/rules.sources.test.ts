import { expect, test } from 'vitest'
import { RULES } from '../../../../src/service/oidc/rules/rules.ts'
import { isSaid, SPECIFICATION } from '../../../support/specification.ts'

/** The words of the specification that carry a rule. */
const CARRIED_BY: Readonly<Record<string, string>> = {
  'USE-01': 'client_id | string | yes',
  'USE-02': 'Registered HTTPS URL.',
  'USE-03': 'openid, or openid svc.upgrade (space-separated) when upgrades are allowed.',
  'USE-04': 'response_type | string | yes | id_token.',
  'USE-05': 'response_type | string | yes | id_token.',
  'USE-06': 'fragment (default), query or form_post.',
  'USE-07': 'state | string | yes',
  'USE-08': 'nonce | string | yes',
  'USE-09': 'URL-encoded JSON claims object.',
  'USE-12': 'When true, the user sees both use and create choices.',
  'USE-13': 'light, dark or system. Default light.',
  'USE-14': 'IETF BCP 47 tag.',
  'USE-15': 'learn_more | true, false',
  'USE-17': 'openid, or openid svc.upgrade (space-separated) when upgrades are allowed.',
  'USE-19': 'A plain embedded web view lacks it, so no age key can be created or used there.',
  'USE-20':
    'the Use and Upgrade flows need the publickey-credentials-get permission in the allow attribute',
  'CLM-01': 'The claims query parameter is a URL-encoded JSON object.',
  'CLM-02': 'age_thresholds | array of integers | yes',
  'CLM-03': 'age_thresholds | array of integers | yes',
  'CLM-07': 'allowed_methods | array of strings | no | Accepted verification methods.',
  'CLM-08': 'ISO 8601 date or date-time. Only verifications after it are accepted.',
  'CLM-09': 'allowed and denied arrays, see below.',
  'CLM-10':
    'It uses lowercase letters, digits and underscores. A trailing /* matches every path under the prefix.',
  'CLM-11': 'Each array holds at most 10 patterns.',
  'CLM-12': 'Each pattern is at most 100 characters.',
  'CLM-13': 'basic < effective < highly_effective < strict',
  'CLM-14': 'Keyed by verification method name',
  'CLM-15': 'Single minimum age for this method, 0 to 150.',
  'CLM-16': 'Its length equals the root array length.',
  'CLM-17': 'for facial_age_estimation, exactly one of min_age or age_thresholds is required.',
  'CLM-19':
    'Values are a boolean (for face_match_performed) or an array of accepted values (for issuing_country, card_type).',
  'PAR-01': 'with Content-Type: application/x-www-form-urlencoded',
  'PAR-02': 'client_secret | string | yes',
  'PAR-03': 'scope | string | yes | openid.',
  'PAR-04': 'scope | string | yes | openid.',
  'PAR-05': 'response_type | string | yes | none.',
  'PAR-06': 'type | string | yes | age_verification.',
  'PAR-07': 'type | string | yes | age_verification.',
  'PAR-08': 'HTTPS URL, registered in advance with the service.',
  'PAR-09': 'Client-generated, for CSRF protection.',
  'PAR-10': 'URL-encoded JSON array of age signals (shape above).',
  'CRE-01': 'client_id | string | yes',
  'CRE-02': 'The redirect_uri must be registered.',
  'CRE-03': 'Same as in E2.',
  'CRE-04': 'scope | string | yes | openid.',
  'CRE-05': 'scope | string | yes | openid.',
  'CRE-06': 'response_type | string | yes | none.',
  'CRE-07': 'request_uri | string | yes | From E2.',
  'CRE-08': 'request_uri | string | yes | From E2.',
  'CRE-09': 'Used within 90 seconds.',
  'CRE-13': 'redirect_uri | string | yes | Same as in E2.',
  'SIG-01': 'URL-encoded JSON array of age signals (shape above).',
  'SIG-04': 'Always age_verification.',
  'SIG-05': 'Contains exactly one of the age formats below.',
  'SIG-06': 'ISO 8601 date YYYY-MM-DD.',
  'SIG-07': 'Minimum age that was verified.',
  'SIG-08': 'Exact age in years.',
  'SIG-09': 'email_age_estimation | at_least_years',
  'SIG-10': 'id_doc_scan | date_of_birth preferred',
  'SIG-11': 'One of the verification methods below.',
  'SIG-12': 'Maximum 100 characters. Allowed characters: letters, digits and _ + / = . -.',
  'SIG-13': 'UUID version 7 is recommended.',
  'SIG-14': 'ISO 8601 date or date-time of completion of the verification.',
  'SIG-16': 'facial_age_estimation | at_least_years | none | on_device (boolean)',
  'SIG-17': 'national_id_number | date_of_birth preferred | issuing_country (ISO 3166-1 alpha-2)',
  'SIG-18': 'card_type (credit, debit or unknown)',
  'SIG-19': 'shaped like /<provider>/<sub_provider>',
  'SIG-20': 'It must be on an allowlist.',
  'SIG-21': 'at_least_years with value 18',
  'SIG-23': 'Examples carry one item.',
  'TOK-01': 'application/x-www-form-urlencoded, required.',
  'TOK-02': 'Basic <base64(client_id:client_secret)>, required.',
  'TOK-03': 'authorization_code, required.',
  'TOK-04': 'The code from E1',
  'TOK-05': 'The code from E1',
  'UPG-01': 'application/json, required.',
  'UPG-02': 'Bearer <ACCESS_TOKEN> from E4, required.',
  'UPG-03': 'Access token lifetime | 10800 seconds',
  'UPG-05': 'Body authorization_details | Array of age signals (shape above), required',
  'UPG-06': 'sent as a JSON array rather than a URL-encoded string',
}

/** What the column "From" names otherwise than the specification does. */
const HEADINGS: Readonly<Record<string, string>> = { 'hosted screens': 'Hosted screen behavior' }

/** The sections of the specification that a rule is said to come from. */
const sectionsOf = (from: string): string[] =>
  from
    .split(/[,;] /)
    .map((part) => HEADINGS[part] ?? part)
    .filter((part) => Object.keys(SPECIFICATION).some((heading) => heading.startsWith(part)))

const OTHER =
  /^(RFC \d{4} (section [\d.]+|appendix [A-Z])|OpenID Connect Core section [\d.]+|WCAG 2\.2 AA)$/
const DECISION = /decision of the sandbox$/

test.each(RULES)('Rule $id comes from where its words stand: $section', ({ id, section }) => {
  const sections = sectionsOf(section)
  const words = CARRIED_BY[id]
  expect(sections.some((one) => words !== undefined && isSaid(one, words))).toBe(
    sections.length > 0,
  )
  expect(words === undefined).toBe(sections.length === 0)
})

test.each(RULES)('Rule $id names sections, RFCs and decisions alone: $section', ({ section }) => {
  const parts = section.split(/[,;] /)
  const known = new Set([
    ...sectionsOf(section),
    ...Object.keys(HEADINGS),
    'overrides',
    'provenance filter',
    'ISO 27566-1 filter',
  ])
  expect(
    parts.filter((part) => !known.has(part) && !OTHER.test(part) && !DECISION.test(part)),
  ).toEqual([])
})
