import type { RuleRow } from './rule.ts'

const token = { section: 'E4', error: 'invalid_request' } as const
const upgrade = { section: 'E5', error: 'invalid_request' } as const

/** Rules of the Upgrade flow: E4, the code for a token, and E5, the upgrade call. */
export const UPGRADE_RULES = [
  {
    ...token,
    id: 'TOK-01',
    sentence: 'The request has Content-Type application/x-www-form-urlencoded.',
    hint: 'Send grant_type and code as a form, not as JSON.',
  },
  {
    ...token,
    id: 'TOK-02',
    section: 'E4, Authentication',
    error: 'invalid_client',
    sentence: 'Authorization is Basic with the base64 of client_id:client_secret of a registered client.',
    hint: 'Send Authorization: Basic base64(client_id:client_secret): form fields are for the pushed request.',
  },
  {
    ...token,
    id: 'TOK-03',
    error: 'unsupported_grant_type',
    sentence: 'grant_type is authorization_code.',
    hint: 'Send grant_type=authorization_code.',
  },
  {
    ...token,
    id: 'TOK-04',
    sentence: 'code is required.',
    hint: 'Send the code of the callback: it is there when the upgrade scope was asked for and every threshold is false.',
  },
  {
    ...token,
    id: 'TOK-05',
    error: 'invalid_grant',
    sentence: 'code was issued by this service to this client.',
    hint: 'Send the code unchanged, with the credentials of the client that received it.',
  },
  {
    ...token,
    id: 'TOK-06',
    error: 'invalid_grant',
    sentence: 'code is exchanged within its lifetime of 600 seconds.',
    hint: 'Exchange the code when the callback arrives.',
  },
  {
    ...token,
    id: 'TOK-07',
    error: 'invalid_grant',
    sentence: 'code is exchanged once.',
    hint: 'Keep the access token: it can be used again until it expires.',
  },
  {
    ...token,
    id: 'TOK-08',
    section: 'E4, RFC 6749 section 3.2',
    sentence: 'No field is sent more than once, and each is well-formed UTF-8.',
    hint: 'Send each field once, percent-encoded as UTF-8 and without NUL characters.',
  },
  {
    ...token,
    id: 'TOK-09',
    sentence: 'Fields that the endpoint does not know are ignored.',
    hint: 'The endpoint needs only grant_type and code.',
    level: 'advice',
  },
  {
    ...upgrade,
    id: 'UPG-01',
    sentence: 'The request has Content-Type application/json.',
    hint: 'Send { "authorization_details": [...] } as JSON.',
  },
  {
    ...upgrade,
    id: 'UPG-02',
    section: 'E5, Authentication',
    error: 'invalid_token',
    sentence: 'Authorization is Bearer with an access token.',
    hint: 'Send Authorization: Bearer and the access_token of the token call.',
  },
  {
    ...upgrade,
    id: 'UPG-03',
    section: 'E5, Limits',
    error: 'invalid_token',
    sentence: 'The access token was issued by this service and is used within its lifetime of 10800 seconds.',
    hint: 'Run a Use flow with the upgrade scope again and exchange its code.',
  },
  {
    ...upgrade,
    id: 'UPG-04',
    error: 'invalid_token',
    sentence: 'The age key that the access token names still exists.',
    hint: 'The age key was replaced or removed in the meantime: run a Use flow with the upgrade scope again.',
  },
  {
    ...upgrade,
    id: 'UPG-05',
    sentence: 'The body is a JSON object with authorization_details.',
    hint: 'Send { "authorization_details": [{ "type": "age_verification", ... }] } in UTF-8.',
  },
  {
    ...upgrade,
    id: 'UPG-06',
    error: 'invalid_authorization_details',
    sentence: 'authorization_details is a JSON array, not a string that holds one.',
    hint: 'Do not stringify the array a second time. Profile agekey reads the string, as the live service does.',
    level: { spec: 'error', agekey: 'advice' },
  },
  {
    ...upgrade,
    id: 'UPG-07',
    sentence: 'Members of the body that the endpoint does not know are ignored.',
    hint: 'The endpoint needs only authorization_details.',
    level: 'advice',
  },
] as const satisfies readonly RuleRow[]
