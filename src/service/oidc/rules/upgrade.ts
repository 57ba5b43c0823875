import type { RuleTable } from './rule.ts'

const token = { section: 'E4', error: 'invalid_request' } as const
const upgrade = { section: 'E5', error: 'invalid_request' } as const

/**
 * Rules of the Upgrade flow: E4, which exchanges the code for a token, and E5, the upgrade call.
 */
export const UPGRADE_RULES = {
  'TOK-01': {
    ...token,
    sentence: 'The request has Content-Type application/x-www-form-urlencoded.',
    hint: 'Send grant_type and code as a form, not as JSON.',
  },
  'TOK-02': {
    ...token,
    section: 'E4, Authentication',
    error: 'invalid_client',
    sentence:
      'Authorization is Basic with the base64 of client_id:client_secret of a registered client.',
    hint: 'Send Authorization: Basic base64(client_id:client_secret): form fields are for the pushed request. The sandbox prints its credentials at start; your own stand under clients in the config file, or in PUT /_sandbox/tenants/NAME.',
  },
  'TOK-03': {
    ...token,
    error: 'unsupported_grant_type',
    sentence: 'grant_type is authorization_code.',
    hint: 'Send grant_type=authorization_code.',
  },
  'TOK-04': {
    ...token,
    sentence: 'code is required.',
    hint: 'Send the code of the callback: it is there when the upgrade scope was asked for and every threshold is false.',
  },
  'TOK-05': {
    ...token,
    section: 'E4, RFC 6749 section 4.1.3',
    error: 'invalid_grant',
    sentence: 'code was issued by this service to this client.',
    hint: 'Send the code unchanged, with the credentials of the client that received it.',
  },
  'TOK-06': {
    ...token,
    section: 'RFC 6749 section 4.1.2; 600 seconds are a decision of the sandbox',
    error: 'invalid_grant',
    sentence: 'code is exchanged within its lifetime of 600 seconds.',
    hint: 'Exchange the code when the callback arrives.',
  },
  'TOK-07': {
    ...token,
    section: 'RFC 6749 section 4.1.2',
    error: 'invalid_grant',
    sentence: 'code is exchanged once.',
    hint: 'Keep the access token: it can be used again until it expires.',
  },
  'TOK-08': {
    ...token,
    section: 'RFC 6749 section 3.2, RFC 6749 appendix B',
    sentence: 'No field is sent more than once, and each is well-formed UTF-8.',
    hint: 'Send each field once, percent-encoded as UTF-8 and without NUL characters.',
  },
  'TOK-09': {
    ...token,
    section: 'RFC 6749 section 3.2',
    sentence: 'Fields that the endpoint does not use are ignored.',
    hint: 'Remove the field, or correct its name: the endpoint needs only grant_type and code.',
    level: 'advice',
  },
  'TOK-10': {
    ...token,
    section: 'RFC 6749 section 2.3, RFC 7521 section 4.2',
    sentence: 'The client authenticates by the Authorization header alone.',
    hint: 'Leave client_id, client_secret and client_assertion out of the form. Most OAuth libraries call this method client_secret_basic.',
  },
  'TOK-11': {
    ...token,
    section: 'RFC 7617 section 2, RFC 4648 section 4',
    error: 'invalid_client',
    sentence: 'The credentials of HTTP Basic are standard base64 with padding, not base64url.',
    hint: 'Use an encoder of standard base64, with + and / and with = as padding, not one for URLs. Profile agekey takes base64url.',
    level: { spec: 'error', agekey: 'advice' },
  },
  'UPG-01': {
    ...upgrade,
    sentence: 'The request has Content-Type application/json.',
    hint: 'Send { "authorization_details": [...] } as JSON.',
  },
  'UPG-02': {
    ...upgrade,
    section: 'E5, Authentication',
    error: 'invalid_token',
    sentence: 'Authorization is Bearer with an access token.',
    hint: 'Send Authorization: Bearer and the access_token of the token call.',
  },
  'UPG-03': {
    ...upgrade,
    section: 'E5, Limits',
    error: 'invalid_token',
    sentence:
      'The access token was issued by this service and is used within its lifetime of 10800 seconds.',
    hint: 'Run a Use flow with the upgrade scope again and exchange its code.',
  },
  'UPG-04': {
    ...upgrade,
    section: 'decision of the sandbox',
    error: 'invalid_token',
    sentence: 'The age key that the access token names still exists.',
    hint: 'Run a Use flow with the upgrade scope again: the age key was replaced or removed in the meantime.',
  },
  'UPG-05': {
    ...upgrade,
    sentence: 'The body is a JSON object with authorization_details.',
    hint: 'Send { "authorization_details": [{ "type": "age_verification", ... }] } in UTF-8.',
  },
  'UPG-06': {
    ...upgrade,
    error: 'invalid_authorization_details',
    sentence: 'authorization_details is a JSON array, not a string that holds one.',
    hint: 'Do not stringify the array a second time. Profile agekey reads the string, as the live service does.',
    level: { spec: 'error', agekey: 'advice' },
  },
  'UPG-07': {
    ...upgrade,
    section: 'decision of the sandbox',
    sentence: 'Members of the body that the endpoint does not know are ignored.',
    hint: 'Remove the member, or correct its name: the endpoint needs only authorization_details.',
    level: 'advice',
  },
  'UPG-08': {
    ...upgrade,
    section: 'RFC 6749 section 4.1.2',
    error: 'invalid_token',
    sentence: 'The code of the access token was exchanged once.',
    hint: 'Run a Use flow with the upgrade scope again and exchange its code once: a second exchange of a code ends the access token of the first one.',
  },
} as const satisfies RuleTable
