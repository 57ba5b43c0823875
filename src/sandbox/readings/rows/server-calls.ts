import type { Reading } from '../reading.ts'

const ERRORS = 'Errors'
const FAILED_CALLS = 'HTTP status codes and bodies of failed server-to-server calls: not shown.'

/** What the replies to calls from server to server look like: E2, E4 and E5. */
export const SERVER_REPLIES: readonly Reading[] = [
  {
    name: 'upgrade_body',
    point: 'Bytes of the body of an upgrade',
    section: 'E5. Upgrade age key',
    quote: 'Response: status 200, body the JSON string OK.',
    open: 'nothing on line breaks around it',
    default: 'json',
    variants: [
      { name: 'json', summary: 'The body is "OK", with the quotes of JSON.', source: 'RFC 8259 section 7' },
      {
        name: 'newline',
        summary: 'The body is "OK" and a line break behind it.',
        source: 'RFC 8259 section 2',
        effect: { changes: ['upgrade/upgrade.ok_with_space'] },
      },
    ],
    shownBy: ['use/code_issued'],
  },
  {
    name: 'error_body',
    point: 'Members of the body of a refused call',
    section: ERRORS,
    quote: FAILED_CALLS,
    default: 'findings',
    variants: [
      {
        name: 'findings',
        summary: 'JSON with error, error_description and findings, and with error_uri where there is a flow to show.',
        source: 'RFC 6749 section 5.2',
      },
      {
        name: 'plain',
        summary: 'JSON with error and error_description alone.',
        source: 'RFC 6749 section 5.2',
        effect: { decisions: { errorBody: 'plain' } },
      },
    ],
    shownBy: ['par/par.401', 'par/par.400', 'token/token.401', 'upgrade/upgrade.400'],
  },
  {
    name: 'upgrade_error_body',
    point: 'Body of a refused upgrade',
    section: ERRORS,
    quote: FAILED_CALLS,
    default: 'json',
    variants: [
      {
        name: 'json',
        summary: 'A refused upgrade has the JSON of other refused calls.',
        source: 'RFC 9110 section 15.5',
      },
      {
        name: 'empty',
        summary: 'A refused upgrade has no body.',
        source: 'RFC 9110 section 15.5',
        effect: { decisions: { upgradeErrorBody: 'empty' } },
      },
      {
        name: 'text',
        summary: 'A refused upgrade has the error as plain text.',
        source: 'RFC 9110 section 15.5',
        effect: { decisions: { upgradeErrorBody: 'text' } },
      },
    ],
    shownBy: ['upgrade/upgrade.400', 'upgrade/upgrade.token_expired'],
  },
  {
    name: 'client_error_status',
    point: 'Status of wrong credentials in a form',
    section: ERRORS,
    quote: FAILED_CALLS,
    default: '401',
    variants: [
      { name: '401', summary: 'Wrong credentials at E2 are answered with 401.', source: 'RFC 6749 section 5.2' },
      {
        name: '400',
        summary: 'Wrong credentials at E2 are answered with 400.',
        source: 'RFC 6749 section 5.2',
        effect: { decisions: { clientErrorStatus: 400 } },
      },
    ],
    shownBy: ['par/par.401'],
  },
  {
    name: 'refused_token_status',
    point: 'Status of a refused access token',
    section: ERRORS,
    quote: FAILED_CALLS,
    default: '401',
    variants: [
      { name: '401', summary: 'An access token that E5 refuses is answered with 401.', source: 'RFC 6750 section 3.1' },
      {
        name: '403',
        summary: 'An access token that E5 refuses is answered with 403.',
        source: 'RFC 9110 section 15.5.4',
        effect: { decisions: { refusedTokenStatus: 403 } },
      },
    ],
    shownBy: ['upgrade/upgrade.token_expired'],
  },
  {
    name: 'refused_signal_status',
    point: 'Status of refused age signals',
    section: ERRORS,
    quote: FAILED_CALLS,
    default: '400',
    variants: [
      { name: '400', summary: 'Age signals that E5 refuses are answered with 400.', source: 'RFC 9110 section 15.5.1' },
      {
        name: '422',
        summary: 'Age signals that E5 refuses are answered with 422.',
        source: 'RFC 9110 section 15.5.21',
        effect: { decisions: { refusedSignalStatus: 422 } },
      },
    ],
    shownBy: ['upgrade/upgrade.400'],
  },
]
