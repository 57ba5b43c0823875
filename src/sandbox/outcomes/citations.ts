const said = (section: string, words: string) => `specification, "${section}": "${words}"`

/** Quotations of the specification with their headings; rows cite them. */
export const SAID = {
  signature: said('Authentication', 'signature against the published key set'),
  iss: said('Authentication', 'iss equals {base_url}/v1/oidc/use'),
  aud: said('Authentication', 'aud contains client_id'),
  exp: said('Authentication', 'exp in the future'),
  nonce: said('Authentication', 'nonce equals the sent value'),
  state: said('Authentication', 'It compares state on return.'),
  validated: said('E1. Use authorization', "Must be validated on the client's server."),
  idTokenIsSuccess: said('E1. Use authorization', 'id_token | success'),
  createRequested: said(
    'E1. Use authorization',
    'can_create=true was sent and the user chose to create | true. No id_token.',
  ),
  mode: said('E1. Use authorization', 'in the fragment unless response_mode says otherwise'),
  answers: said('ID token claims', 'Map from each requested threshold (as a string key) to a boolean.'),
  claimsHash: said('ID token claims', 'Base64url SHA-256 hash of the claims JSON that was sent.'),
  sub: said('ID token claims', 'The client logs it for invalidation auditing.'),
  idTokenLifetime: said('ID token claims', '10 minutes of validity.'),
  verified: said('States and transitions', 'Thresholds evaluated, no upgrade scope | id_token, state'),
  code: said('States and transitions', 'Upgrade scope requested and all thresholds false | code, id_token, state'),
  noCode: said(
    'States and transitions',
    'Upgrade scope requested and at least one threshold true | id_token, state only',
  ),
  created: said('States and transitions', 'Age key created | state, no error'),
  createSuccess: said('What the service does', 'Success is the absence of an error parameter.'),
  createInQuery: said('E3. Create authorization', 'redirect to redirect_uri with state in the query string'),
  parSuccess: said('E2. Create PAR', 'Success response: JSON object {request_uri: string, expires_in: 90}.'),
  tokenSuccess: said('E4. Use token', 'Response: the token response object (see Resources).'),
  accessToken: said('Token response', 'access_token | string | Bearer token for the upgrade call.'),
  tokenType: said('Token response', 'token_type | string | Bearer.'),
  upgradeSuccess: said('E5. Upgrade age key', 'Response: status 200, body the JSON string OK.'),
  keySet: said(
    'E6. Discovery and keys',
    'GET {base_url}/.well-known/jwks.json | Public keys for verifying id_token signatures.',
  ),
} as const
