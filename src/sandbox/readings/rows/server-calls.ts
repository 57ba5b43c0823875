import type { ReadingRow } from '../reading.ts'

const FAILED_CALLS = {
  section: 'Errors',
  quote: 'HTTP status codes and bodies of failed server-to-server calls: not shown.',
}

/** Readings of the replies to server-to-server calls: E2, E4 and E5. */
export const SERVER_REPLIES: readonly ReadingRow[] = [
  {
    name: 'upgrade_body',
    point: 'Bytes of the body of an upgrade',
    section: 'E5. Upgrade age key',
    quote: 'Response: status 200, body the JSON string OK.',
    open: 'nothing on line breaks around it',
    default: 'json',
    source: 'RFC 8259 section 7',
    variants: {
      json: 'The body is "OK", with the quotes of JSON.',
      newline: {
        summary: 'The body is "OK" and a line break behind it.',
        source: 'RFC 8259 section 2',
        changes: ['upgrade/upgrade.ok_with_space'],
      },
    },
    shownBy: ['use/code_issued'],
  },
  {
    name: 'error_body',
    point: 'Members of the body of a refused call',
    ...FAILED_CALLS,
    decides: 'errorBody',
    default: 'findings',
    source: 'RFC 6749 section 5.2',
    variants: {
      findings: 'JSON with error, error_description and findings, and with error_uri where there is a flow to show.',
      plain: 'JSON with error and error_description alone.',
    },
    shownBy: ['par/par.401', 'par/par.400', 'token/token.401', 'upgrade/upgrade.400'],
  },
  {
    name: 'upgrade_error_body',
    point: 'Body of a refused upgrade',
    ...FAILED_CALLS,
    decides: 'upgradeErrorBody',
    default: 'json',
    source: 'RFC 9110 section 15.5',
    variants: {
      json: 'A refused upgrade has the JSON of other refused calls.',
      empty: 'A refused upgrade has no body.',
      text: 'A refused upgrade has the error as plain text.',
    },
    shownBy: ['upgrade/upgrade.400', 'upgrade/upgrade.token_expired'],
  },
  {
    name: 'client_error_status',
    point: 'Status of wrong credentials in a form',
    ...FAILED_CALLS,
    decides: 'clientErrorStatus',
    default: '401',
    source: 'RFC 6749 section 5.2',
    variants: {
      401: 'Wrong credentials at E2 are answered with 401.',
      400: 'Wrong credentials at E2 are answered with 400.',
    },
    shownBy: ['par/par.401'],
  },
  {
    name: 'refused_token_status',
    point: 'Status of a refused access token',
    ...FAILED_CALLS,
    decides: 'refusedTokenStatus',
    default: '401',
    source: 'RFC 6750 section 3.1',
    variants: {
      401: 'An access token that E5 refuses is answered with 401.',
      403: { summary: 'An access token that E5 refuses is answered with 403.', source: 'RFC 9110 section 15.5.4' },
    },
    shownBy: ['upgrade/upgrade.token_expired'],
  },
  {
    name: 'refused_signal_status',
    point: 'Status of refused age signals',
    ...FAILED_CALLS,
    decides: 'refusedSignalStatus',
    default: '400',
    source: 'RFC 9110 section 15.5.1',
    variants: {
      400: 'Age signals that E5 refuses are answered with 400.',
      422: { summary: 'Age signals that E5 refuses are answered with 422.', source: 'RFC 9110 section 15.5.21' },
    },
    shownBy: ['upgrade/upgrade.400'],
  },
]
