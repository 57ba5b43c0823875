/**
 * Short quotations of the interface specification by its headings; cells of a row of a table are
 * joined by " | ".
 */
export const SPECIFICATION: Readonly<Record<string, readonly string[]>> = {
  'Age Assurance Service: Interface Specification': [
    'The brand word in a few identifiers is replaced by the neutral word svc (scope svc.upgrade, path /v1/svc/upgrade, request reference prefix urn:svc:request:), used the same way throughout.',
  ],
  'What the service does': [
    'An existing age key that fails all requested thresholds is replaced or updated with a new age signal.',
    'A redirect only. No id_token. Success is the absence of an error parameter.',
  ],
  'Claims object (Use flow request)': [
    'verified_after | string | no | ISO 8601 date or date-time. Only verifications after it are accepted.',
    'The claims query parameter is a URL-encoded JSON object.',
    'age_thresholds | array of integers | yes | Thresholds to evaluate, for example three ascending ages.',
    'allowed_methods | array of strings | no | Accepted verification methods. When omitted, all methods are considered.',
    'provenance | object | no | allowed and denied arrays, see below.',
    'A pattern starts with /. It uses lowercase letters, digits and underscores. A trailing /* matches every path under the prefix. Without the suffix it matches only that exact path.',
    'Each array holds at most 10 patterns. Each pattern is at most 100 characters.',
    'iso_27566_1 | string | no | Minimum certified level of effectiveness: basic < effective < highly_effective < strict.',
    'overrides | object | no | Keyed by verification method name; see below.',
    'min_age | integer | see note | Single minimum age for this method, 0 to 150.',
    'age_thresholds | array | see note | Maps 1:1 by index to root age_thresholds. Each entry is the minimum age this method must report to satisfy the corresponding root threshold. Its length equals the root array length.',
    'Note: for facial_age_estimation, exactly one of min_age or age_thresholds is required.',
    'attributes | object | no | Attribute requirements. Values are a boolean (for face_match_performed) or an array of accepted values (for issuing_country, card_type).',
  ],
  'Pushed request reference': ['request_uri | string | Shape urn:svc:request:<id>.'],
  'ID token claims (Use flow)': [
    "aud | array | Contains the client's client_id.",
    'iat | number | UNIX epoch seconds.',
    'sub | string | Session identifier of this verification. The client logs it for invalidation auditing.',
    'exp | number | UNIX epoch seconds. 10 minutes of validity.',
    'age_thresholds | object | Map from each requested threshold (as a string key) to a boolean.',
    'req_claims_hash | string | Base64url SHA-256 hash of the claims JSON that was sent.',
  ],
  'Token response': [
    'access_token | string | Bearer token for the upgrade call.',
    'token_type | string | Bearer.',
  ],
  'States and transitions': [
    'The user must then get a new one through a new PAR call.',
    'Whether a code, a request_uri or an access token is single-use: not shown.',
    'Thresholds evaluated, no upgrade scope | id_token, state',
    'Upgrade scope requested and all thresholds false | code, id_token, state',
    'Upgrade scope requested and at least one threshold true | id_token, state only',
    'Age key created | state, no error',
  ],
  'E1. Use authorization (browser redirect)': [
    'Response: browser redirect to redirect_uri carrying these parameters (in the fragment unless response_mode says otherwise)',
    "id_token | success | Signed JWT. Must be validated on the client's server.",
    'create_requested | can_create=true was sent and the user chose to create | true. No id_token.',
    'client_id | string | yes | none',
    'redirect_uri | string | yes | Registered HTTPS URL.',
    'scope | string | yes | openid, or openid svc.upgrade (space-separated) when upgrades are allowed.',
    'response_type | string | yes | id_token.',
    'response_mode | string | no | fragment (default), query or form_post.',
    'state | string | yes | Client-generated. Returned unchanged.',
    'nonce | string | yes | Client-generated. Returned in the token.',
    'claims | string | yes | URL-encoded JSON claims object.',
    'can_create | string | no | When true, the user sees both use and create choices. Otherwise only the use choice is shown.',
    'theme | string | no | light, dark or system. Default light.',
    "language | string | no | IETF BCP 47 tag. When omitted, the browser's language preferences apply. Applies to use and upgrade.",
  ],
  'E2. Create PAR (server-to-server)': [
    'Success response: JSON object {request_uri: string, expires_in: 90}.',
    'POST {base_url}/v1/oidc/create/par with Content-Type: application/x-www-form-urlencoded.',
    'client_secret | string | yes | none',
    'scope | string | yes | openid.',
    'response_type | string | yes | none.',
    'type | string | yes | age_verification.',
    'state | string | yes | Client-generated, for CSRF protection.',
    'authorization_details | string | yes | URL-encoded JSON array of age signals (shape above). Examples carry one item.',
  ],
  'E3. Create authorization (browser redirect)': [
    'Response: redirect to redirect_uri with state in the query string, plus error when the user declined.',
    'client_id | string | yes | none',
    'redirect_uri | string | yes | Same as in E2.',
    'scope | string | yes | openid.',
    'response_type | string | yes | none.',
    'request_uri | string | yes | From E2. Used within 90 seconds.',
  ],
  'E4. Use token (server-to-server)': [
    'Form field code | The code from E1, issued when the upgrade scope was requested and all thresholds were false. Required.',
    'Response: the token response object (see Resources).',
    'Header Content-Type | application/x-www-form-urlencoded, required.',
    'Header Authorization | Basic <base64(client_id:client_secret)>, required.',
    'Form field grant_type | authorization_code, required.',
  ],
  'E5. Upgrade age key (server-to-server)': [
    'Response: status 200, body the JSON string OK.',
    'Header Content-Type | application/json, required.',
    'Header Authorization | Bearer <ACCESS_TOKEN> from E4, required. The token identifies the age key to upgrade.',
    'Body authorization_details | Array of age signals (shape above), required, sent as a JSON array rather than a URL-encoded string.',
  ],
  'E6. Discovery and keys': [
    'Contents of the discovery documents and of the key set: not shown.',
    'GET {base_url}/.well-known/jwks.json | Public keys for verifying id_token signatures.',
  ],
  Errors: [
    'Authorization error in general | Standard OIDC error responses and error redirect parameters are used.',
    'Error redirect codes other than access_denied: not shown. HTTP status codes and bodies of failed server-to-server calls: not shown.',
  ],
  Limits: [
    'Rate limits: not shown. Maximum number of items in authorization_details: not shown.',
    'Access token lifetime | 10800 seconds | E4, E5',
  ],
  Versioning: ['Deprecation policy and version negotiation: not shown.'],
  Authentication: [
    'It compares state on return.',
    'signature against the published key set (the sample validation uses RS256), iss equals {base_url}/v1/oidc/use, aud contains client_id, exp in the future, nonce equals the sent value.',
    'E1, E3 (browser) | client_id in the query string. No secret. The redirect_uri must be registered.',
  ],
  'Hosted screen behavior and appearance (query parameters on E1)': [
    'learn_more | true, false | true | false hides the Learn More link.',
  ],
  'Embedding rules': [
    'A plain embedded web view lacks it, so no age key can be created or used there.',
    'In an iframe, the Use and Upgrade flows need the publickey-credentials-get permission in the allow attribute. The Create flow needs publickey-credentials-create.',
  ],
  'Client credentials': [
    'redirect_uri | string | HTTPS URL, registered in advance with the service.',
  ],
  'Age signal (one item of authorization_details)': [
    'type | string | yes | Always age_verification.',
    'age | object | yes | Contains exactly one of the age formats below.',
    'age.date_of_birth | string | one of three | ISO 8601 date YYYY-MM-DD.',
    'age.at_least_years | number | one of three | Minimum age that was verified.',
    'age.years | number | one of three | Exact age in years.',
    'method | string | yes | One of the verification methods below.',
    'verification_id | string | yes | Chosen by the client, not the service. Used for revoking or auditing. Maximum 100 characters. Allowed characters: letters, digits and _ + / = . -. UUID version 7 is recommended.',
    'verified_at | string | yes | ISO 8601 date or date-time of completion of the verification.',
    'provenance | string | yes | Path naming where the age signal came from, shaped like /<provider>/<sub_provider>. It must be on an allowlist. The client pre-registers the provenance values it uses with the service operator. Handling of a value that is not allowlisted: see Errors.',
  ],
  'Verification methods': [
    'email_age_estimation | at_least_years | none | none',
    'id_doc_scan | date_of_birth preferred | none | face_match_performed (boolean), issuing_country (ISO 3166-1 alpha-2)',
    'facial_age_estimation | at_least_years | none | on_device (boolean)',
    'national_id_number | date_of_birth preferred | issuing_country (ISO 3166-1 alpha-2) | none',
    'payment_card_network | at_least_years with value 18 | card_type (credit, debit or unknown) | none',
  ],
}

/**
 * Whether words stand in a section of the specification, which may be named by the beginning of its
 * heading.
 */
export const isSaid = (section: string, words: string): boolean =>
  Object.entries(SPECIFICATION).some(
    ([heading, sentences]) =>
      heading.startsWith(section) && sentences.some((sentence) => sentence.includes(words)),
  )
