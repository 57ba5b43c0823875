/** Changes to the fields of a valid request: `undefined` leaves the field out. */
export type Changes = Readonly<Record<string, string | undefined>>

/**
 * The fields of a query or a form: `request.get(path).query(fields)`,
 * `request.post(path).type('form').send(fields)`.
 */
export type Fields = Readonly<Record<string, string>>

/** Where the relying party of the tests lives; the built-in client may use any loopback address. */
export const REDIRECT_URI = 'http://localhost:3000/callback'

export const claims = (changes: Readonly<Record<string, unknown>> = {}): string =>
  JSON.stringify({ age_thresholds: [13, 16, 18, 21], ...changes })

/** An age signal that breaks no rule, not even a recommendation. */
export const ageSignal = (
  changes: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> => ({
  type: 'age_verification',
  age: { date_of_birth: '1990-05-17' },
  method: 'id_doc_scan',
  verification_id: '0190a5b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b',
  verified_at: '2026-01-15T10:00:00Z',
  provenance: '/veratad/roc',
  attributes: { issuing_country: 'US' },
  ...changes,
})

export const useRequest = (changes: Changes = {}): Fields =>
  parametersOf({
    scope: 'openid',
    response_type: 'id_token',
    client_id: 'ak_test_sandbox',
    redirect_uri: REDIRECT_URI,
    state: 'state-1',
    nonce: 'nonce-1',
    claims: claims(),
    ...changes,
  })

/** Sends a Use request that asks for 18, and follows no redirect. */
export const sendUse = (baseUrl: string, changes: Changes = {}): Promise<Response> => {
  const query = new URLSearchParams(
    useRequest({ claims: claims({ age_thresholds: [18] }), ...changes }),
  )
  return fetch(`${baseUrl}/v1/oidc/use?${query}`, { redirect: 'manual' })
}

export const pushedRequest = (changes: Changes = {}): Fields =>
  parametersOf({
    client_id: 'ak_test_sandbox',
    client_secret: 'sk_test_sandbox',
    scope: 'openid',
    response_type: 'none',
    type: 'age_verification',
    redirect_uri: REDIRECT_URI,
    state: 'state-1',
    authorization_details: JSON.stringify([ageSignal()]),
    ...changes,
  })

export const createRequest = (requestUri: string | undefined, changes: Changes = {}): Fields =>
  parametersOf({
    scope: 'openid',
    response_type: 'none',
    client_id: 'ak_test_sandbox',
    redirect_uri: REDIRECT_URI,
    request_uri: requestUri,
    ...changes,
  })

export const tokenRequest = (code: string | undefined, changes: Changes = {}): Fields =>
  parametersOf({ grant_type: 'authorization_code', code, ...changes })

export const basic = (clientId: string, clientSecret: string): string =>
  `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`

export const parametersOf = (fields: Changes): Fields =>
  Object.fromEntries(
    Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
