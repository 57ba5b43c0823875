import type { Reading } from '../reading.ts'

const ERRORS = 'Errors'
const FAILED_CALLS = 'HTTP status codes and bodies of failed server-to-server calls: not shown.'

/** What the replies to calls from server to server look like: E2, E4 and E5. */
export const SERVER_REPLIES: readonly Reading[] = [
  {
    name: 'par_status',
    point: 'Status of a pushed request',
    section: 'E2. Create PAR',
    quote: 'Success response: JSON object {request_uri: string, expires_in: 90}. (no status)',
    default: '201',
    variants: [
      { name: '201', summary: 'A pushed request is answered with 201.', source: 'RFC 9126 section 2.2' },
      {
        name: '200',
        summary: 'A pushed request is answered with 200.',
        source: 'RFC 9110 section 15.3.1',
        effect: { changes: ['par/par.status_200'] },
      },
    ],
    shownBy: ['create/created'],
  },
  {
    name: 'token_type',
    point: 'Case of token_type',
    section: 'Token response',
    quote: 'token_type: Bearer. (nothing on its case)',
    default: 'Bearer',
    variants: [
      { name: 'Bearer', summary: 'The token response says Bearer.', source: 'RFC 6750 section 4' },
      {
        name: 'bearer',
        summary: 'The token response says bearer.',
        source: 'RFC 6749 section 5.1',
        effect: { changes: ['token/token.token_type_lower_case'] },
      },
    ],
    shownBy: ['use/code_issued'],
  },
  {
    name: 'upgrade_body',
    point: 'Bytes of the body of an upgrade',
    section: 'E5. Upgrade age key',
    quote: 'Response: status 200, body the JSON string OK. (nothing on quotes and line breaks)',
    default: 'json',
    variants: [
      { name: 'json', summary: 'The body is "OK", with the quotes of JSON.', source: 'RFC 8259 section 7' },
      {
        name: 'newline',
        summary: 'The body is "OK" and a line break behind it.',
        source: 'RFC 8259 section 2',
        effect: { changes: ['upgrade/upgrade.ok_with_space'] },
      },
      {
        name: 'text',
        summary: 'The body is OK as plain text, without quotes.',
        source: 'RFC 9110 section 8.3',
        effect: { changes: ['upgrade/upgrade.ok_without_quotes'] },
      },
    ],
    shownBy: ['use/code_issued'],
  },
  {
    name: 'error_body',
    point: 'Body of a refused call',
    section: ERRORS,
    quote: FAILED_CALLS,
    default: 'findings',
    variants: [
      {
        name: 'findings',
        summary: 'JSON with error, error_description, error_uri and findings.',
        source: 'RFC 6749 section 5.2',
      },
      {
        name: 'plain',
        summary: 'JSON with error and error_description alone.',
        source: 'RFC 6749 section 5.2',
        effect: { decisions: { errorBody: 'plain' } },
      },
      {
        name: 'empty',
        summary: 'There is no body.',
        source: 'RFC 6750 section 3',
        effect: { decisions: { errorBody: 'empty' } },
      },
      {
        name: 'text',
        summary: 'The error as plain text.',
        source: 'RFC 9110 section 15.5',
        effect: { decisions: { errorBody: 'text' } },
      },
    ],
    shownBy: ['par/par.401', 'par/par.400', 'token/token.401', 'upgrade/upgrade.400'],
  },
  {
    name: 'client_error_status',
    point: 'Status of wrong credentials',
    section: ERRORS,
    quote: FAILED_CALLS,
    default: '401',
    variants: [
      { name: '401', summary: 'Wrong credentials at E2 and E4 are answered with 401.', source: 'RFC 6749 section 5.2' },
      {
        name: '400',
        summary: 'Wrong credentials at E2 and E4 are answered with 400.',
        source: 'RFC 6749 section 5.2',
        effect: { decisions: { clientErrorStatus: 400 } },
      },
    ],
    shownBy: ['par/par.401', 'token/token.401'],
  },
]
