/** Short quotations of the interface specification by its headings; cells of a row of a table are joined by " | ". */
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
  'Token response': ['access_token | string | Bearer token for the upgrade call.', 'token_type | string | Bearer.'],
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
  ],
  'E2. Create PAR (server-to-server)': ['Success response: JSON object {request_uri: string, expires_in: 90}.'],
  'E3. Create authorization (browser redirect)': [
    'Response: redirect to redirect_uri with state in the query string, plus error when the user declined.',
  ],
  'E4. Use token (server-to-server)': [
    'Form field code | The code from E1, issued when the upgrade scope was requested and all thresholds were false. Required.',
    'Response: the token response object (see Resources).',
  ],
  'E5. Upgrade age key (server-to-server)': ['Response: status 200, body the JSON string OK.'],
  'E6. Discovery and keys': [
    'Contents of the discovery documents and of the key set: not shown.',
    'GET {base_url}/.well-known/jwks.json | Public keys for verifying id_token signatures.',
  ],
  Errors: [
    'Authorization error in general | Standard OIDC error responses and error redirect parameters are used.',
    'Error redirect codes other than access_denied: not shown. HTTP status codes and bodies of failed server-to-server calls: not shown.',
  ],
  Limits: ['Rate limits: not shown. Maximum number of items in authorization_details: not shown.'],
  Versioning: ['Deprecation policy and version negotiation: not shown.'],
  Authentication: [
    'It compares state on return.',
    'signature against the published key set (the sample validation uses RS256), iss equals {base_url}/v1/oidc/use, aud contains client_id, exp in the future, nonce equals the sent value.',
  ],
}

/** Whether words stand in a section of the specification, which may be named by the beginning of its heading. */
export const isSaid = (section: string, words: string): boolean =>
  Object.entries(SPECIFICATION).some(
    ([heading, sentences]) => heading.startsWith(section) && sentences.some((sentence) => sentence.includes(words)),
  )
