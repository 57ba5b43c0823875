import type { RuleTable } from './rule.ts'

const par = { section: 'E2', error: 'invalid_request' } as const
const create = { section: 'E3', error: 'invalid_request' } as const

/**
 * Rules of the Create flow: E2, the pushed authorization request, and E3, the authorization request
 * that refers to it.
 */
export const CREATE_RULES = {
  'PAR-01': {
    ...par,
    sentence: 'The request has Content-Type application/x-www-form-urlencoded.',
    hint: 'Send the fields as a form, not as JSON.',
  },
  'PAR-02': {
    ...par,
    section: 'E2, Authentication',
    error: 'invalid_client',
    sentence: 'client_id and client_secret stand in the form and belong to a registered client.',
    hint: 'Send both as form fields: HTTP Basic is for the token call. The sandbox prints its credentials at start; your own stand under clients in the config file, or in PUT /_sandbox/tenants/NAME.',
  },
  'PAR-03': {
    ...par,
    error: 'invalid_scope',
    sentence: 'scope is openid.',
    hint: 'Send scope=openid.',
  },
  'PAR-04': {
    ...par,
    error: 'invalid_scope',
    sentence: 'scope does not ask for upgrades.',
    hint: 'Send scope=openid. The upgrade scope belongs to the Use flow; profile agekey tolerates it here.',
    level: { spec: 'error', agekey: 'advice' },
  },
  'PAR-05': {
    ...par,
    error: 'unsupported_response_type',
    sentence: 'response_type is none.',
    hint: 'Send response_type=none: Create gives no token.',
  },
  'PAR-06': {
    ...par,
    sentence: 'type, when sent, is age_verification.',
    hint: 'Send type=age_verification.',
  },
  'PAR-07': {
    ...par,
    sentence: 'type is sent.',
    hint: 'Send type=age_verification beside authorization_details. Profile agekey does without it.',
    level: { spec: 'error', agekey: 'advice' },
  },
  'PAR-08': {
    ...par,
    section: 'Client credentials, RFC 9700 section 4.1.3',
    sentence: 'redirect_uri is registered for the client, character by character.',
    hint: 'Send a registered URL exactly, or list the address of your app under redirect_uris of the client: in the config file, or by PUT /_sandbox/tenants/NAME; for the built-in client by --redirect-uri.',
  },
  'PAR-09': {
    ...par,
    sentence: 'state is required.',
    hint: 'Make a random state per request, keep it in the session and compare it on return: it protects the callback against CSRF.',
  },
  'PAR-10': {
    ...par,
    error: 'invalid_authorization_details',
    sentence: 'authorization_details is required and is the text of a JSON array.',
    hint: 'Send authorization_details=JSON.stringify([{ type: "age_verification", ... }]).',
  },
  'PAR-11': {
    ...par,
    section: 'RFC 6749 section 3.1, RFC 6749 appendix B',
    sentence: 'No field is sent more than once, and each is well-formed UTF-8.',
    hint: 'Send each field once, percent-encoded as UTF-8 and without NUL characters.',
  },
  'PAR-12': {
    ...par,
    section: 'RFC 6749 section 3.1',
    sentence: 'Fields that the endpoint does not use are ignored.',
    hint: 'Remove the field, or correct its name: it has no effect.',
    level: 'advice',
  },
  'PAR-13': {
    ...par,
    section: 'RFC 6749 section 2.3, RFC 7521 section 4.2',
    sentence: 'The client authenticates by client_id and client_secret in the form alone.',
    hint: 'Leave the Authorization header and client_assertion out. Most OAuth libraries call this method client_secret_post.',
  },
  'PAR-14': {
    ...par,
    section: 'OpenID Connect Core section 6.1',
    error: 'request_not_supported',
    sentence: 'The pushed request is not a request object.',
    hint: 'Send each field by itself, without request.',
  },
  'PAR-15': {
    ...par,
    section: 'decision of the sandbox',
    sentence: 'No field but authorization_details is longer than 4096 bytes.',
    hint: 'Send random values of about 20 characters, and keep what belongs to them in the session of your app.',
  },
  'PAR-16': {
    ...par,
    section: 'RFC 9126 section 2.1',
    sentence: 'The pushed request does not refer to another pushed request.',
    hint: 'Send each field by itself, without request_uri.',
  },
  'CRE-01': {
    ...create,
    error: 'invalid_client',
    sentence: 'client_id names a registered client.',
    hint: 'Send the client_id of the pushed authorization request.',
  },
  'CRE-02': {
    ...create,
    section: 'Authentication, RFC 9700 section 4.1.3',
    sentence: 'redirect_uri is registered for the client, character by character.',
    hint: 'Send the redirect_uri of the pushed authorization request.',
  },
  'CRE-03': {
    ...create,
    sentence: 'redirect_uri is the one that was pushed.',
    hint: 'Send the redirect_uri of the pushed authorization request.',
  },
  'CRE-04': {
    ...create,
    error: 'invalid_scope',
    sentence: 'scope is openid.',
    hint: 'Send scope=openid.',
  },
  'CRE-05': {
    ...create,
    error: 'invalid_scope',
    sentence: 'scope does not ask for upgrades.',
    hint: 'Send scope=openid. The upgrade scope belongs to the Use flow; profile agekey tolerates it here.',
    level: { spec: 'error', agekey: 'advice' },
  },
  'CRE-06': {
    ...create,
    error: 'unsupported_response_type',
    sentence: 'response_type is none.',
    hint: 'Send response_type=none.',
  },
  'CRE-07': {
    ...create,
    sentence: 'request_uri is required.',
    hint: 'Send the request_uri that the pushed authorization request answered.',
  },
  'CRE-08': {
    ...create,
    section: 'E3, RFC 9126 section 2.2',
    error: 'invalid_request_uri',
    sentence: 'request_uri was issued by this service to this client.',
    hint: 'Push the request again and send the new request_uri, unchanged and with the same client_id.',
  },
  'CRE-09': {
    ...create,
    section: 'E3, Limits',
    error: 'invalid_request_uri',
    sentence: 'request_uri is used within its lifetime of 90 seconds.',
    hint: 'Push the request when the user is about to leave, not when the page is rendered.',
  },
  'CRE-10': {
    ...create,
    section: 'RFC 9126 section 4; when it is used up is a decision of the sandbox',
    error: 'invalid_request_uri',
    sentence: 'request_uri serves one decision of the user.',
    hint: 'Push a new request for each attempt.',
  },
  'CRE-11': {
    ...create,
    section: 'RFC 6749 section 3.1, RFC 6749 appendix B',
    sentence: 'No parameter is sent more than once, and each is well-formed UTF-8.',
    hint: 'Send each parameter once, percent-encoded as UTF-8 and without NUL characters.',
  },
  'CRE-12': {
    ...create,
    section: 'RFC 6749 section 3.1',
    sentence:
      'Parameters that the endpoint does not use are ignored; the pushed state is what returns.',
    hint: 'Remove the parameter: everything else was pushed.',
    level: 'advice',
  },
  'CRE-13': {
    ...create,
    sentence: 'scope, response_type and redirect_uri are sent beside request_uri.',
    hint: 'Send scope=openid, response_type=none and the pushed redirect_uri too. Profile agekey takes them from the pushed request, as RFC 9126 section 4 has it.',
    level: { spec: 'error', agekey: 'advice' },
  },
  'CRE-14': {
    ...create,
    section: 'OpenID Connect Core section 6.1',
    error: 'request_not_supported',
    sentence: 'The request is not sent as a request object.',
    hint: 'Send the request_uri of the pushed authorization request instead of request.',
  },
  'CRE-15': {
    ...create,
    section: 'decision of the sandbox',
    sentence: 'No parameter is longer than 4096 bytes.',
    hint: 'Send the request_uri and the redirect_uri of the pushed authorization request, unchanged.',
  },
} as const satisfies RuleTable
